import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { type Bucket, bucketFolder, directoryBucket } from '../../src/bucket/index.ts';
import { buildJob, LeaseBook, Prints, sampleJob } from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { defineArtifact, defineEval, includes } from '../../src/evals/index.ts';
import { openLog } from '../../src/log/index.ts';
import { mockModel } from '../../src/targets/index.ts';
import { type BucketFault, FaultyBucket } from './faulty-bucket.ts';
import {
  bringHome,
  nextRound,
  openZombie,
  type Submitted,
  startWorker,
  submit,
  until,
  untilComplete,
} from './shared-machines.ts';
import { useTempDir } from './use-temp-dir.ts';
import { withMethods } from './with-methods.ts';

const dir = useTempDir();
const model = mockModel({ name: 'mock/scripted', respond: () => 'unused' });
const bucketHere = () => directoryBucket(nodeDisk, join(dir.path, 'bucket'));

/** Streams of a process that is not the one of the tests. */
function ownStreams() {
  const printed: string[] = [];
  const write = (text: unknown) => printed.push(String(text)) > 0;
  const streams = { stdout: { write }, stderr: { write } };
  const prints = new Prints();
  prints.listen(streams);
  return { streams, prints, printed };
}

const agents = (script: string) =>
  defineEval({
    name: 'agents',
    data: [{ id: 'a', input: 'a', target: 'done a' }],
    target: { command: ['/bin/sh', '-c', script, 'sh', '{{input}}'] },
    scorers: [includes()],
  });

const workOf = ({ settings, shared }: Submitted) => settings.places.state.workDir(shared.run);
const attemptsOf = (submitted: Submitted) => readdirSync(workOf(submitted)).sort();
const readOf = (submitted: Submitted, attempt: string, path: string) =>
  readFileSync(join(workOf(submitted), attempt, path), 'utf8');

function submitAgents(bucket: Bucket, script: string, intervalMs = 30) {
  const evidence = { disk: nodeDisk, intervalMs, lastMs: 300 };
  return submit(bucket, { dir: dir.path, eval: agents(script), model, evidence });
}

test('[EVI-8] evidence comes home by attempt, the log names it, and a fetch never changes what is here', async () => {
  const submitted = await submitAgents(bucketHere(), 'echo "done $1"; echo made > made.txt');
  const worker = await startWorker(submitted, { name: 'a' });
  await untilComplete(submitted);
  await worker.stop();
  const report = await bringHome(submitted);
  const [attempt = '', ...others] = attemptsOf(submitted);
  expect(others).toEqual([]);
  expect(readOf(submitted, attempt, '1-1/agent-1.stdout')).toBe('done a\n');
  expect(readOf(submitted, attempt, '1-1/workspace/made.txt')).toBe('made\n');
  expect(report.evidence).toMatchObject({
    ...{ folder: `.holdfast/work/${report.run}`, attempts: 1, files: 2, bytes: 12, underWay: 0 },
    ...{ cutBytes: 0, leftOut: 0, unstoredBytes: 0, problems: [] },
  });
  const log = await openLog(nodeDisk, report.log ?? '');
  expect((await log.header()).eval.metadata).toMatchObject({
    holdfast_shared: { evidence: report.evidence },
  });
  await log.close();
  // Somebody looked at it, and wrote something beside it.
  writeFileSync(join(workOf(submitted), attempt, '1-1/workspace/made.txt'), 'mine');
  expect((await bringHome(submitted)).evidence).toEqual(report.evidence);
  expect(readOf(submitted, attempt, '1-1/workspace/made.txt')).toBe('mine');
});

test('[EVI-8] what a worker writes after it was declared lost comes beside what came before', async () => {
  const go = join(dir.path, 'go');
  const script = `echo begun; if [ ! -e ${go}.first ]; then : > ${go}.first; while [ ! -e ${go} ]; do sleep 0.05; done; fi; echo "done $1"`;
  const submitted = await submitAgents(bucketHere(), script);
  const zombie = await openZombie(submitted, { name: 'a' });
  const held = zombie.work(sampleJob(0));
  await until(() => existsSync(`${go}.first`));
  await until(async () => (await bringHome(submitted)).evidence?.underWay === 1);
  const worker = await startWorker(submitted, { name: 'b' });
  await untilComplete(submitted);
  expect((await bringHome(submitted)).evidence).toMatchObject({ attempts: 2, underWay: 0 });
  const before = attemptsOf(submitted);
  expect(before).toHaveLength(2);
  writeFileSync(go, '');
  await held;
  await worker.stop();
  await zombie.close();
  expect((await bringHome(submitted)).evidence).toMatchObject({ attempts: 2, problems: [] });
  const [first = '', later = '', second = ''] = attemptsOf(submitted);
  expect([first, second]).toEqual(before);
  expect(later).toMatch(/^s0\.1\.\w+\.\d+$/);
  expect(readOf(submitted, first, '1-1/agent-1.stdout')).toBe('begun\n');
  expect(readOf(submitted, later, '1-1/agent-1.stdout')).toBe('begun\ndone a\n');
  expect(readOf(submitted, second, '1-1/agent-1.stdout')).toBe('begun\ndone a\n');
});

test('[EVI-7] a bucket that refuses evidence neither fails nor slows a sample, and the account says what is missing', async () => {
  const bucket = bucketHere();
  const refusing = withMethods(bucket, {
    create: (key, bytes, signal) =>
      key.includes('/evidence/') ? new Promise(() => undefined) : bucket.create(key, bytes, signal),
  });
  const submitted = await submitAgents(refusing, 'echo "done $1"', 60_000);
  const startMs = systemClock.monotonicMs();
  const worker = await startWorker(submitted, { name: 'a' });
  await untilComplete(submitted);
  // Far from the interval after which evidence is looked for.
  expect(systemClock.monotonicMs() - startMs).toBeLessThan(45_000);
  await worker.stop();
  const report = await bringHome(submitted);
  expect(report).toMatchObject({ samples: { completed: 1 }, problems: [], lostResults: [] });
  expect(report.evidence).toMatchObject({ attempts: 0, problems: [] });
  expect(report.evidence?.unstoredBytes).toBeGreaterThan(0);
});

test('[EVI-7] a bucket that is away while evidence is listed fails no fetch', async () => {
  const fault: BucketFault = { on: 'list', kind: 'timeout', at: /\/evidence\// };
  using bucket = new FaultyBucket(bucketHere(), [fault]);
  const submitted = await submitAgents(bucket, 'echo "done $1"');
  const worker = await startWorker(submitted, { name: 'a' });
  await untilComplete(submitted);
  await worker.stop();
  const report = await bringHome(submitted);
  expect(report).toMatchObject({ isComplete: true, problems: [] });
  expect(report.evidence?.problems).toEqual([expect.stringMatching(/^The evidence is not all here: /)]);
  expect((await bringHome(submitted)).evidence).toMatchObject({ attempts: 1, problems: [] });
});

test('[EVI-8] evidence that this machine does not take is not home: that is said, and the next fetch brings it', async () => {
  const submitted = await submitAgents(bucketHere(), 'echo "done $1"; echo made > made.txt');
  const worker = await startWorker(submitted, { name: 'a' });
  await untilComplete(submitted);
  await worker.stop();
  const full = withMethods(nodeDisk, {
    open: async (path, mode) => {
      if (/made\.txt|renamed/.test(path) && mode === 'create') throw new Error('no space left');
      return nodeDisk.open(path, mode);
    },
  });
  const { evidence } = await bringHome(submitted, full);
  expect(evidence).toMatchObject({ isWhole: false, attempts: 0, files: 0 });
  expect(evidence?.problems).toEqual([expect.stringMatching(/could not be written here: no space left/)]);
  expect(attemptsOf(submitted)).toEqual([]);
  const again = await bringHome(submitted);
  expect(again.evidence).toMatchObject({ isWhole: true, attempts: 1, files: 2, problems: [] });
});

test('[EVI-8] a file whose name this machine does not take comes home under another, and that stays said', async () => {
  const bucket = bucketHere();
  const submitted = await submitAgents(bucket, 'echo "done $1"; echo made > made.txt');
  const worker = await startWorker(submitted, { name: 'a' });
  await untilComplete(submitted);
  await worker.stop();
  const long = withMethods(nodeDisk, {
    open: async (path, mode) => {
      if (path.includes('made.txt')) throw new Error('name too long');
      return nodeDisk.open(path, mode);
    },
  });
  const { evidence } = await bringHome(submitted, long);
  expect(evidence).toMatchObject({ isWhole: true, attempts: 1, files: 2 });
  const [problem = ''] = evidence?.problems ?? [];
  const [attempt = ''] = attemptsOf(submitted);
  const [, name = ''] =
    /made\.txt of s0\.1\.\w+ is here as (renamed\/\w+): name too long/.exec(problem) ?? [];
  expect(readOf(submitted, attempt, name)).toBe('made\n');
  expect((await bringHome(submitted)).evidence).toEqual(evidence);
});

test('[EVI-2] a damaged part is told, hinders nothing else, and names of parts lead nowhere else', async () => {
  const bucket = bucketHere();
  const submitted = await submitAgents(bucket, 'echo "done $1"');
  const worker = await startWorker(submitted, { name: 'a' });
  await untilComplete(submitted);
  await worker.stop();
  const { run } = submitted.shared;
  const folder = `.holdfast/${run}/evidence/s0/0001/`;
  const keys: string[] = [];
  for await (const { key } of bucket.list(folder)) keys.push(key);
  const [key = ''] = keys;
  const whole = Buffer.from((await bucket.read(key)) ?? []);
  const next = key.replace(/\d{6}$/, '000099');
  await bucket.create(next, Buffer.from(whole.toString().replace('done a', 'DONE A')));
  const outside = whole.toString().replaceAll('1-1/agent-1.stdout', '../../../outside');
  await bucket.create(key.replace(/\d{6}$/, '000098'), Buffer.from(outside));
  const { evidence } = await bringHome(submitted);
  expect(evidence?.problems).toEqual([
    expect.stringContaining('000099 is damaged'),
    expect.stringContaining('../../../outside of s0.1.'),
  ]);
  const [attempt = ''] = attemptsOf(submitted);
  expect(readOf(submitted, attempt, '1-1/agent-1.stdout')).toBe('done a\n');
});

test('builds leave evidence as samples do: what they print and what they write, also when they fail', async () => {
  const { streams, prints, printed } = ownStreams();
  const fail = join(dir.path, 'fail');
  writeFileSync(fail, '');
  const knowledge = defineArtifact({
    ...{ kind: 'knowledge', key: 'shop', version: 1, inputs: {} },
    build: async ({ dir: folder }) => {
      streams.stdout.write('building\n');
      writeFileSync(join(folder, 'draft.txt'), 'half');
      if (!existsSync(fail)) return;
      await systemClock.sleep(300);
      streams.stderr.write('it broke\n');
      throw new Error('it broke');
    },
  });
  const definition = defineEval({
    name: 'uses',
    data: [{ id: 'a', input: 'a', target: 'a' }],
    requires: [knowledge],
    target: async ({ input }) => {
      streams.stdout.write(`asked ${input}\n`);
      return input;
    },
    scorers: [includes()],
  });
  const evidence = { disk: nodeDisk, prints, intervalMs: 30 };
  const bucket = bucketHere();
  const store = bucketFolder(bucket, 'artifacts');
  const submitted = await submit(bucket, { dir: dir.path, eval: definition, model, evidence, store });
  const worker = await startWorker(submitted, { name: 'a' });
  await untilComplete(submitted);
  rmSync(fail);
  await nextRound(submitted);
  await untilComplete(submitted);
  await worker.stop();
  expect(await bringHome(submitted)).toMatchObject({ samples: { completed: 1 }, builds: { completed: 1 } });
  const [build] = submitted.shared.submission.builds;
  const job = build?.job ?? buildJob('');
  const read = (n: number, of: string, path: string) => {
    const name = attemptsOf(submitted).find((attempt) => attempt.startsWith(`${of}.${n}.`)) ?? 'absent';
    return readOf(submitted, name, path);
  };
  expect(read(1, job, 'printed.stdout')).toBe('building\n');
  expect(read(1, job, 'printed.stderr')).toBe('it broke\n');
  expect(read(1, job, 'build/draft.txt')).toBe('half');
  expect(read(2, job, 'printed.stdout')).toBe('building\n');
  expect(read(2, 's0', 'printed.stdout')).toBe('asked a\n');
  expect(printed).toEqual(['building\n', 'it broke\n', 'building\n', 'asked a\n']);
  const book = new LeaseBook(submitted.place, { run: submitted.shared.run, clock: systemClock });
  expect(await book.readEnd(job, 1)).toMatchObject({ status: 'errored', evidence: { parts: 2 } });
});
