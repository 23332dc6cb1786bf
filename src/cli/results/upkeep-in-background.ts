import { startBackground } from '../../process/index.ts';
import type { ResultsStore } from '../../results/index.ts';
import type { Terminal } from '../terminal.ts';

/** Starts `results upkeep` when it is worth it. Nobody waits for it, and nobody misses it when it cannot be started. */
export async function upkeepInBackground(results: ResultsStore, { env }: Terminal): Promise<void> {
  if (!(await results.needsUpkeep())) return;
  const [node, program] = process.argv;
  if (node === undefined || program === undefined) return;
  const branch = results.ref.replace(/^refs\/heads\//, '');
  const words = ['results', 'upkeep', '--repo', results.dir, '--branch', branch];
  await startBackground({ argv: [node, program, ...words], cwd: results.dir, env });
}
