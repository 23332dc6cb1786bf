/**
 * `node run.mts`: serves the scripted model, and runs the eval twice. Both runs ask all questions; the second one builds nothing.
 * Logs and artifacts are kept where it is started.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { startModelServer } from './model-server.mts';

const HOLDFAST = fileURLToPath(new URL('../bin/holdfast.js', import.meta.resolve('holdfast')));
const EVAL_FILE = join(import.meta.dirname, 'text-to-sql.eval.ts');

const { url, asked, close } = await startModelServer({ delayMs: 50 });
for (const name of ['first', 'second']) {
  console.log(`\n— The ${name} run —\n`);
  const before = { ...asked };
  // --fresh takes no answer over from earlier runs. Artifacts are none: they stay.
  const run = spawn(process.execPath, [HOLDFAST, 'run', EVAL_FILE, '--fresh'], {
    stdio: 'inherit',
    env: { ...process.env, OPENAI_COMPATIBLE_BASE_URL: url },
  });
  const [code] = await once(run, 'exit');
  const [descriptions, queries] = [asked.descriptions - before.descriptions, asked.queries - before.queries];
  console.log(
    `\nIn the ${name} run the model was asked for ${descriptions} descriptions and ${queries} queries.`,
  );
  if (code !== 0) {
    process.exitCode = code ?? 1;
    break;
  }
}
close();
