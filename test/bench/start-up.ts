import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, median, rounded } from './bench.ts';
import { buildPublished, LAUNCHER } from './published.ts';

const ROUNDS = 20;
const HELP_MS_MAX = 150;
const RUN_MS_MAX = 500;

const EVAL = `
import { defineEval, includes } from 'holdfast';
export default defineEval({
  name: 'ten',
  data: Array.from({ length: 10 }, (_, index) => ({ input: \`Question \${index}?\`, target: '42' })),
  target: async ({ input }, { generate }) => (await generate(input)).text,
  scorers: [includes()],
});
`;

/** How long one waits for the command line itself: a bare Node, started in turn with it, is taken off. */
export const startUp: Bench = {
  name: 'start-up',
  about: 'time until help is shown, and a run of ten samples, beside a Node that does nothing',
  async run() {
    buildPublished();
    await using dir = await makeTempDir();
    const evalFile = join(dir.path, 'ten.eval.js');
    writeFileSync(evalFile, EVAL);
    const bareMs: number[] = [];
    const helpMs: number[] = [];
    const runMs: number[] = [];
    for (let round = -1; round < ROUNDS; round++) {
      const bare = timed(['-e', '0']);
      const help = timed([LAUNCHER, '--help']);
      const logs = join(dir.path, `logs-${round}`);
      const run = timed([
        LAUNCHER,
        'run',
        evalFile,
        '--model',
        'mock/fixed:42',
        '--log-dir',
        logs,
        '--quiet',
      ]);
      if (round < 0) continue; // The first fills the compile cache, as it is once a file was ever used.
      bareMs.push(bare);
      helpMs.push(help);
      runMs.push(run);
    }
    return [
      finding('holdfast --help, whole, in ms', { bareMs, ms: helpMs, atMost: HELP_MS_MAX, isOwn: false }),
      finding('holdfast run of ten samples, its own time in ms', {
        bareMs,
        ms: runMs,
        atMost: RUN_MS_MAX,
        isOwn: true,
      }),
    ];
  },
};

function timed(args: readonly string[]): number {
  const startedMs = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const ms = performance.now() - startedMs;
  if (status !== 0) throw new Error(`node ${args.join(' ')} ended with ${status}:\n${stderr}`);
  return ms;
}

function finding(
  what: string,
  times: {
    readonly bareMs: readonly number[];
    readonly ms: readonly number[];
    readonly atMost: number;
    /** Whether the time of a bare Node is taken off. */
    readonly isOwn: boolean;
  },
): Finding {
  const wholeMs = median(times.ms);
  const bareMs = median(times.bareMs);
  const ownMs = wholeMs - bareMs;
  return {
    what,
    measured: rounded(times.isOwn ? ownMs : wholeMs, 0),
    atMost: times.atMost,
    figures: {
      rounds: times.ms.length,
      ratioToBareNode: rounded(wholeMs / bareMs),
      wholeMs: rounded(wholeMs, 1),
      bareMs: rounded(bareMs, 1),
      ownMs: rounded(ownMs, 1),
      fastestMs: rounded(Math.min(...times.ms), 1),
      fastestBareMs: rounded(Math.min(...times.bareMs), 1),
    },
    line: `${rounded(wholeMs, 0)} ms, of which a bare Node takes ${rounded(bareMs, 0)} ms; fastest ${rounded(Math.min(...times.ms), 0)} ms, bare ${rounded(Math.min(...times.bareMs), 0)} ms`,
  };
}
