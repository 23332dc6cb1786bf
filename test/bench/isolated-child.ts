/** A shared run of so many writers comes home, in a process of its own: `<writers>`. Prints what it took. */
import { readdirSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { isolatedRun } from '../sim/isolated-bucket.ts';
import { bringHome } from '../sim/shared-machines.ts';
import { makeTempDir } from '../sim/temp-dir.ts';

const LOOK_EVERY_MS = 20;

const writers = Number(process.argv[2]);
await using dir = await makeTempDir();
const run = await isolatedRun(dir.path, writers);
let bucketBytes = 0;
for await (const { sizeBytes } of run.place.bucket.list('')) bucketBytes += sizeBytes;
let files = 0;
const look = () => {
  files = Math.max(files, process.platform === 'linux' ? readdirSync('/proc/self/fd').length : Number.NaN);
};
const looking = setInterval(look, LOOK_EVERY_MS);
const [begunMs, cpuBefore] = [performance.now(), process.cpuUsage()];
const home = await bringHome(run);
const ms = performance.now() - begunMs;
const { user, system } = process.cpuUsage(cpuBefore);
clearInterval(looking);
const { completed } = home.samples;
if (home.log === undefined || completed !== writers)
  throw new Error(`${completed} of ${writers} samples came home: ${home.problems.slice(0, 3).join(' ')}`);
process.stdout.write(`${JSON.stringify({ ms, cpuMs: (user + system) / 1_000, files, bucketBytes })}\n`);
