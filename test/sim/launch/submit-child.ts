/**
 * Stands in for `holdfast submit --launch own`: launches what the file of settings says, works until Ctrl-C or until a file called `done` or
 * `fail` is there, and ends. Its words: the folder of the test, and `keep` for workers that go on.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { EXIT } from '../../../src/cli/exit-code.ts';
import { listenForStop } from '../../../src/cli/run/stop-control.ts';
import { withWorkers } from '../../../src/launch/index.ts';
import { portsIn, requestIn } from './launch-fixture.ts';

const [dir = '', mode] = process.argv.slice(2);
const launches = JSON.parse(readFileSync(join(dir, 'launch.json'), 'utf8'));
const control = listenForStop({
  onDrain: () => console.error('stopping'),
  onAbort: () => undefined,
  note: (text) => console.error(text),
  exitCode: EXIT.interrupted,
});
const { drain, abort } = control.signals;
const ports = portsIn(dir, {
  ...{ signal: drain, abandon: abort, onProblem: ({ message, hint }) => console.error(`${message} ${hint}`) },
});

async function work(): Promise<void> {
  console.error('working');
  for (;;) {
    if (existsSync(join(dir, 'done'))) return;
    if (existsSync(join(dir, 'fail'))) throw new Error('the submit failed');
    await ports.clock.sleep(50, drain);
  }
}

try {
  await withWorkers({ ...requestIn(dir, launches), isKept: () => mode === 'keep' }, ports, work);
  console.error('ended well');
} catch (error) {
  console.error(`ended with: ${(error as Error).message}`);
  process.exitCode = 1;
}
control.dispose();
