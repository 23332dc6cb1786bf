/** What a crashed run of Inspect left in a bucket of S3 (its log, and `.buffer` beside it) becomes a finished log there. */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { describe, expect, test } from 'vitest';
import type { Bucket } from '../../../src/bucket/index.ts';
import { openS3Bucket } from '../../../src/bucket/s3/s3-bucket.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { placeGoldenCase } from '../../golden/inspect/golden-case.ts';
import {
  LOG_NAME,
  madeEvent,
  madeSample,
  placeCrashedLog,
  placeFilestore,
  segmentEvent,
} from '../../sim/inspect-buffer.ts';
import { BUCKET } from '../../sim/s3/s3-server.ts';
import { obstacle, onServer, useS3 } from '../../sim/s3/use-s3.ts';
import { makeTempDir } from '../../sim/temp-dir.ts';
import { filesBelow, holdfast } from '../holdfast.ts';

const s3 = useS3();

/** A place in S3, and a machine that has nothing but its address. */
async function place() {
  const dir = await makeTempDir();
  const url = `s3://${BUCKET}/${randomUUID()}/my logs`;
  const bucket = await openS3Bucket(url, { disk: nodeDisk });
  const run = (...words: string[]) =>
    holdfast(dir.path, words, { ...s3.env, XDG_DATA_HOME: join(dir.path, 'data') });
  const json = async (...words: string[]) => JSON.parse((await run(...words, '--json')).stdout);
  return Object.assign(dir, { url, bucket, run, json });
}

/** Puts the logs of a folder there as Inspect does, with what `s3fs` and consoles put beside them: empty objects that stand for folders. */
async function upload(bucket: Bucket, from: string): Promise<void> {
  const names = filesBelow(from).filter((name) => statSync(join(from, name)).isFile());
  for (const name of names) await bucket.createFromFile(name, join(from, name));
  const client = new S3Client({ region: 'us-east-1', forcePathStyle: true });
  const prefix = bucket.url.slice(`s3://${BUCKET}/`.length);
  for (const folder of new Set(names.map((name) => dirname(name))))
    if (folder !== '.')
      await client.send(
        new PutObjectCommand({ Bucket: BUCKET, Key: `${prefix}/${folder}/`, Body: new Uint8Array() }),
      );
  client.destroy();
}

const keysOf = async (bucket: Bucket) => (await Array.fromAsync(bucket.list(''))).map(({ key }) => key);
const row = (id: number, completed: boolean) => ({
  summary: {
    id,
    epoch: 1,
    input: `question ${id}`,
    target: 'yes',
    metadata: {},
    completed,
    ...(completed && { completed_at: '2026-01-02T03:05:00+00:00', scores: { match: { value: 'C' } } }),
  },
  segments: [1, 2],
});

/** One sample in the log, one that is complete in the segments, one that was under way. */
async function placeCrash(bucket: Bucket, dir: string): Promise<void> {
  const made = join(dir, 'made');
  await placeCrashedLog(join(made, LOG_NAME), { batches: [[madeSample(1)]] });
  const event = (number: number, sample: string) =>
    segmentEvent(number, madeEvent('info', { data: number }), sample);
  await placeFilestore(made, {
    manifest: { metrics: [], samples: [row(2, true), row(3, false)], segments: [] },
    segments: {
      1: { '2_1.json': { events: [event(1, '2')] } },
      2: { '2_1.json': { events: [event(2, '2')] }, '3_1.json': { events: [event(3, '3')] } },
    },
  });
  await upload(bucket, made);
}

describe.skipIf(obstacle !== undefined)(onServer('a crashed run of Inspect in S3'), () => {
  test('is listed, refused while it may be alive, and recovered there; its buffer goes and its log stays', async () => {
    await using dir = await place();
    await placeCrash(dir.bucket, dir.path);
    const listed = await dir.json('recover', '--list', dir.url);
    expect(listed).toMatchObject({
      dir: dir.url,
      recoverable: [
        {
          kind: 'inspect',
          place: `${dir.url}/${LOG_NAME}`,
          flushed: 1,
          completed: 1,
          inFlight: 1,
          sources: ['filestore', 'log'],
          liveness: 'unknown',
        },
      ],
      next: [{ command: `holdfast recover '${dir.url}/${LOG_NAME}' --force-dead` }],
    });
    const refused = await dir.run('recover', `${dir.url}/${LOG_NAME}`);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('less than an hour ago')]);
    const before = await keysOf(dir.bucket);

    const recovered = await dir.json('recover', `${dir.url}/${LOG_NAME}`, '--force-dead');
    const name = LOG_NAME.replace('.eval', '-recovered.eval');
    expect(recovered).toMatchObject({
      exitCode: 0,
      output: `${dir.url}/${name}`,
      counts: { kept: 1, recovered: 1, inFlight: 1, lost: 0 },
      problems: [],
      deleted: [`${dir.url}/.buffer/${LOG_NAME.replace('.eval', '')}`],
    });
    expect(before).toContain(LOG_NAME);
    expect(await keysOf(dir.bucket)).toEqual([name, LOG_NAME].sort());
    const verified = await dir.run('log', 'verify', `${dir.url}/${name}`);
    expect([verified.code, verified.stdout]).toEqual([
      0,
      expect.stringContaining(`ok       ${dir.url}/${name}  3 samples`),
    ]);
    const sample = await dir.json('log', 'dump', `${dir.url}/${name}`, '--sample', '2');
    expect(sample.events.map(({ data }: { data: number }) => data)).toEqual([1, 2]);
    expect((await dir.run('recover', '--list', dir.url)).stdout).toContain('Nothing here');
    expect(readdirSync(dir.path).toSorted()).toEqual(['made']);
  });

  test('can be named by its .buffer folder, keeps its sources with --keep, goes where --output says, and replaces with --overwrite', async () => {
    await using dir = await place();
    await placeCrash(dir.bucket, dir.path);
    const folder = `${dir.url}/.buffer/${LOG_NAME.replace('.eval', '')}`;
    const kept = await dir.json('recover', folder, '--force-dead', '--keep');
    expect(kept).toMatchObject({ exitCode: 0, counts: { recovered: 1 }, deleted: [] });
    expect(await keysOf(dir.bucket)).toContain(`.buffer/${LOG_NAME.replace('.eval', '')}/manifest.json`);
    const other = `${dir.url}/elsewhere/x.eval`;
    expect(await dir.json('recover', `${folder}/`, '--force-dead', '--keep', '-o', other)).toMatchObject({
      output: other,
    });
    const outside = await dir.run('recover', `${dir.url}/${LOG_NAME}`, '--force-dead', '-o', 'here.eval');
    expect([outside.code, outside.stderr]).toEqual([2, expect.stringContaining('is not in it')]);
    const replaced = await dir.json('recover', `${dir.url}/${LOG_NAME}`, '--force-dead', '--overwrite');
    expect(replaced).toMatchObject({ exitCode: 0, output: `${dir.url}/${LOG_NAME}` });
    expect(await keysOf(dir.bucket)).toEqual(
      [LOG_NAME, LOG_NAME.replace('.eval', '-recovered.eval'), 'elsewhere/x.eval'].sort(),
    );
  });

  test('a real one of Inspect, with its database on this machine and with its segments alone, gives the same samples', async () => {
    await using dir = await place();
    const local = await placeGoldenCase({ version: '0.3.285', name: 'shared' }, join(dir.path, 'golden'));
    await upload(dir.bucket, local.logDir);
    const log = `${dir.url}/${basename(local.log)}`;
    // Where Inspect has the database of a log directory in S3: in a folder named by its address.
    const at = join(dir.path, 'data/inspect_ai/samplebuffer');
    const database = filesBelow(local.dataDir).find((name) => name.endsWith('.db')) ?? '';
    await nodeDisk.makeDir(at);
    renameSync(
      dirname(join(local.dataDir, database)),
      join(at, createHash('sha256').update(dir.url).digest('hex')),
    );
    const listed = await dir.json('recover', '--list', dir.url);
    expect(listed.recoverable).toMatchObject([
      { sources: ['database', 'filestore', 'log'], liveness: 'dead' },
    ]);
    const both = await dir.json('recover', log, '--keep');
    renameSync(join(dir.path, 'data'), join(dir.path, 'lost machine'));
    const alone = await dir.json('recover', log, '--force-dead', '--keep', '-o', `${dir.url}/alone.eval`);
    expect(both.counts).toMatchObject({ kept: alone.counts.kept, lost: 0 });
    expect(alone.counts.recovered).toBeGreaterThan(0);
    const { totals } = local.expected;
    expect(both.counts.kept + both.counts.recovered).toBe(totals.flushed + totals.completed);
    expect((await dir.run('log', 'verify', `${dir.url}/alone.eval`)).code).toBe(0);
    expect(existsSync(join(dir.path, 'golden'))).toBe(true);
  });

  test('a segment that is damaged is named, the rest is recovered, and nothing is removed', async () => {
    await using dir = await place();
    await placeCrash(dir.bucket, dir.path);
    const key = `.buffer/${LOG_NAME.replace('.eval', '')}/segment.2.zip`;
    const path = join(dir.path, 'made', key);
    await dir.bucket.remove(key);
    await dir.bucket.create(key, readFileSync(path).subarray(0, 60));
    const { code, stdout } = await dir.run('recover', `${dir.url}/${LOG_NAME}`, '--force-dead', '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      problems: expect.arrayContaining([expect.objectContaining({ code: 'E_BUFFER_SEGMENT' })]),
      deleted: [],
    });
    expect(await keysOf(dir.bucket)).toContain(key);
  });
});
