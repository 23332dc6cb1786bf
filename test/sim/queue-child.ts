/** A process that serves a queue: `node queue-child.ts <url> <ms that a job takes>`. It says what it is handed, and ends with SIGTERM. */
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { openQueue } from '../../src/cluster/index.ts';

const [url = '', ms = '0'] = process.argv.slice(2);
const stop = new AbortController();
process.once('SIGTERM', () => stop.abort());
const queue = await openQueue(url);
process.stdout.write('serving\n');
await queue.serve({
  slots: 1,
  signal: stop.signal,
  handle: async ({ job }) => {
    process.stdout.write(`begun ${job}\n`);
    await sleep(Number(ms));
    process.stdout.write(`ended ${job}\n`);
    return 'done';
  },
});
await queue.close();
process.stdout.write('stopped\n');
