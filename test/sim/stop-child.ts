/** Works until it is told that the work is over, and then takes its time before it says what came of it. Each line of stdin is a step. */
import process from 'node:process';
import { createInterface } from 'node:readline/promises';
import { listenForStop } from '../../src/cli/run/stop-control.ts';

const note = (text: string) => void process.stderr.write(`${text}\n`);
const control = () =>
  listenForStop({
    onDrain: () => note('draining'),
    onAbort: () => note('aborting'),
    note,
    exitCode: 4,
  });

const steps = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const outer = control();
note('working');
await steps.next();
const inner = control();
note('working within');
await steps.next();
inner.dispose();
note('working on');
await steps.next();
outer.dispose();
note('over');
await steps.next();
process.stdout.write('the report\n');
process.exit(0);
