/** Wherever a log or a log directory is named, a bucket in S3 can be: real commands, a real server. */
import { randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Bucket } from '../../../src/bucket/index.ts';
import { openS3Bucket } from '../../../src/bucket/s3/s3-bucket.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { bucketLogStore } from '../../../src/log/index.ts';
import { fixtureFields, writeFixtureLog } from '../../sim/log-fixture.ts';
import { startFaultProxy } from '../../sim/s3/fault-proxy.ts';
import { obstacle, onServer, useS3 } from '../../sim/s3/use-s3.ts';
import { makeTempDir } from '../../sim/temp-dir.ts';
import { holdfast, startHoldfast } from '../holdfast.ts';

const s3 = useS3();

/** Samples that answer at once, but for the last, which waits as long as it is told to. */
const EVAL = `
import { appendFileSync } from 'node:fs';
import { defineEval, includes, mockModel } from 'holdfast';
const model = mockModel({ name: 'mock/m', async respond({ text }) {
  appendFileSync(process.env.CALLS ?? '/dev/null', text + '\\n');
  if (text === 'q9') while (process.env.WAIT) await new Promise((resolve) => setTimeout(resolve, 20));
  return 'heard ' + text;
} });
export default defineEval({
  name: 'away',
  data: Array.from({ length: 10 }, (_, n) => ({ id: 's' + n, input: 'q' + n, target: 'q' + n })),
  models: { 'mock/m': model },
  target: async ({ input }, { generate }) => (await generate(input)).text,
  scorers: [includes()],
});
`;

async function place() {
  const dir = await makeTempDir();
  await writeFile(join(dir.path, 'away.eval.ts'), EVAL);
  const url = `s3://tests/${randomUUID()}/my logs`;
  const bucket = await openS3Bucket(url, { disk: nodeDisk });
  const run = ['run', 'away.eval.ts', '--model', 'mock/m', '--log-dir', url];
  return Object.assign(dir, { url, bucket, run });
}

async function logsIn(bucket: Bucket): Promise<readonly string[]> {
  const keys = await Array.fromAsync(bucket.list(''));
  return keys.map(({ key }) => key).filter((key) => key.endsWith('.eval') && !key.includes('/'));
}

describe.skipIf(obstacle !== undefined)(onServer('a log directory in S3'), () => {
  test('is run into, listed, shown, dumped, verified, converted, merged, scored, retried and exported by its address', async () => {
    await using dir = await place();
    const ran = await holdfast(dir.path, dir.run, s3.env);
    expect([ran.code, ran.stderr.includes(s3.server.secretKey)]).toEqual([0, false]);
    const [name = ''] = await logsIn(dir.bucket);
    const log = `${dir.url}/${name}`;
    const said = async (...words: string[]) => {
      const { code, stdout, stderr } = await holdfast(dir.path, words, s3.env);
      expect({ words, code, stderr }).toMatchObject({ words, code: 0 });
      return stdout;
    };
    expect(JSON.parse(await said('log', 'list', dir.url, '--json'))).toMatchObject({
      logs: [{ eval: 'away' }],
    });
    expect(await said('log', 'show', log)).toContain('away');
    expect(JSON.parse(await said('log', 'dump', log, '--header'))).toMatchObject({ status: 'success' });
    expect(await said('log', 'verify', log)).toContain('10 samples');
    await said('log', 'convert', log, 'here.json');
    await said('log', 'merge', log, log, '-o', `${dir.url}/merged.eval`);
    expect(await said('score', log, '--eval', 'away.eval.ts')).toContain(
      log.replace('.eval', '-scored.eval'),
    );
    await said('retry', log);
    await said('log', 'export', log, '--to', 'jsonl', '--table', 'samples', '--out', 'samples.jsonl');
    expect(await logsIn(dir.bucket)).toEqual(
      [name.replace('.eval', '-scored.eval'), name, 'merged.eval'].sort(),
    );
    await said('compare', log, `${dir.url}/${name.replace('.eval', '-scored.eval')}`);
    const listed = JSON.parse(await said('results', 'list', '--source', dir.url, '--json'));
    expect(listed.runs.length).toBeGreaterThan(0);
    // What it takes up is not run again.
    const again = await holdfast(dir.path, [...dir.run, '--json'], s3.env);
    expect(again.code).toBe(0);
  });

  test('the machine is lost: another one goes on, every completed sample is there, and no answer is bought again', async () => {
    await using dir = await place();
    const calls = join(dir.path, 'calls');
    const first = join(dir.path, 'first');
    const second = join(dir.path, 'second');
    for (const machine of [first, second]) {
      mkdirSync(machine);
      await writeFile(join(machine, 'away.eval.ts'), EVAL);
    }
    const started = startHoldfast(first, dir.run, { ...s3.env, CALLS: calls, WAIT: 'yes' });
    const isShipped = async () => {
      const keys = await Array.fromAsync(dir.bucket.list(''));
      return keys.filter(({ key }) => key.endsWith('.zst')).length > 0;
    };
    const asked = () => (existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n').length : 0);
    while (asked() < 10 || !(await isShipped())) await sleep(100);
    // Longer than it keeps anything to itself, also where much else runs.
    await sleep(12_000);
    started.child.kill('SIGKILL');
    await started.ended;
    rmSync(first, { recursive: true });
    const listed = await holdfast(second, ['recover', '--list', dir.url, '--json'], s3.env);
    expect(JSON.parse(listed.stdout).recoverable).toMatchObject([
      { kind: 'holdfast', sources: ['segments'] },
    ]);
    const again = await holdfast(second, [...dir.run, '--json'], { ...s3.env, CALLS: calls });
    expect([again.code, again.stderr]).toEqual([0, expect.any(String)]);
    const words = readFileSync(calls, 'utf8').trim().split('\n');
    expect(words.filter((word) => word !== 'q9').toSorted()).toEqual(
      Array.from({ length: 9 }, (_, n) => `q${n}`),
    );
    const [name = ''] = await logsIn(dir.bucket);
    const verified = await holdfast(second, ['log', 'verify', `${dir.url}/${name}`], s3.env);
    expect(verified.stdout).toContain('10 samples');
    // Nothing of the journal is left where the log is.
    const left = (await Array.fromAsync(dir.bucket.list(''))).filter(({ key }) => key.endsWith('.zst'));
    expect(left).toEqual([]);
  });

  test('a header and one sample of a large log are read by ranges: a small part of it comes over the network', async () => {
    await using dir = await place();
    const path = join(dir.path, 'large.eval');
    const noise = () => randomBytes(400_000).toString('base64');
    const samples = Array.from({ length: 40 }, (_, n) => ({
      fields: fixtureFields(`s${n}`, { input: noise() }),
      events: [],
    }));
    await writeFixtureLog(nodeDisk, path, { samples });
    await dir.bucket.createFromFile('large.eval', path);
    const { size } = statSync(path);
    expect(size).toBeGreaterThan(10_000_000);
    await using proxy = await startFaultProxy(s3.server.endpoint);
    const away = await openS3Bucket(dir.url, { disk: nodeDisk, endpoint: proxy.endpoint });
    const log = await bucketLogStore(away, '', { disk: nodeDisk }).open('large.eval');
    expect((await log?.header())?.status).toBe('success');
    const input = (await log?.sample('s17', 1))?.input;
    expect(String(input).length).toBeGreaterThan(400_000);
    await log?.close();
    expect(proxy.sentBytes).toBeLessThan(size / 8);
    expect(
      proxy.seen.filter(({ method, headers }) => method === 'GET' && headers.range === undefined),
    ).toEqual([]);
    // A sample is gone through more than once, but comes over the network once.
    const ranges = proxy.seen
      .map(({ headers }) => /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? ''))
      .filter((found) => found !== null)
      .map(([, start, end]) => ({ start: Number(start), end: Number(end) }))
      .toSorted((one, other) => one.start - other.start);
    for (const [index, { start }] of ranges.entries())
      expect(start).toBeGreaterThan(ranges[index - 1]?.end ?? -1);
  });

  test('without credentials, with wrong ones and without a bucket it says so, and nothing is run', async () => {
    await using dir = await place();
    const calls = join(dir.path, 'calls');
    const { AWS_ACCESS_KEY_ID: _, AWS_SECRET_ACCESS_KEY: __, ...anonymous } = s3.env;
    const none = { ...anonymous, AWS_EC2_METADATA_DISABLED: 'true', CALLS: calls };
    expect(await holdfast(dir.path, dir.run, none)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no credentials'),
    });
    const wrong = { ...s3.env, AWS_SECRET_ACCESS_KEY: 'wrong', CALLS: calls };
    const refused = await holdfast(dir.path, dir.run, wrong);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('AWS_SECRET_ACCESS_KEY');
    const nowhere = ['run', 'away.eval.ts', '--model', 'mock/m', '--log-dir', 's3://nowhere/logs'];
    const missing = await holdfast(dir.path, nowhere, { ...s3.env, CALLS: calls });
    expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining('no bucket')]);
    expect(existsSync(calls)).toBe(false);
  });
});
