import { ActionableError, messageOf, shortId } from '../../base/index.ts';
import { type Bucket, openBucket } from '../../bucket/index.ts';
import type { Disk } from '../../disk/index.ts';
import { type Check, fail, ok } from './check.ts';

const RACERS = 8;

/** Tries what Holdfast asks of a bucket, on the bucket itself, under a name of its own; removes all of it again. */
export async function checkBucket(url: string, disk: Disk): Promise<readonly Check[]> {
  const prefix = `.holdfast-doctor/${shortId()}/`;
  try {
    const bucket = await openBucket(url, { disk });
    try {
      return [
        await probeRace(bucket, prefix),
        await probeRead(bucket, prefix),
        await probeList(bucket, prefix),
      ];
    } finally {
      await removeAll(bucket, prefix);
    }
  } catch (error) {
    const next = error instanceof ActionableError ? error.hint : 'Check the address and the permissions.';
    return [fail('bucket', messageOf(error), next)];
  }
}

/** [BUCKET-1] Of many writers of one key exactly one wins: no result is overwritten, whoever else writes. */
async function probeRace(bucket: Bucket, prefix: string): Promise<Check> {
  const bodies = Array.from({ length: RACERS }, (_, index) => Buffer.from(`writer ${index}`));
  const won = await Promise.all(bodies.map((body) => bucket.create(`${prefix}race`, body)));
  const winners = bodies.filter((_, index) => won[index]);
  const stored = Buffer.from((await bucket.read(`${prefix}race`)) ?? []);
  const isFair = winners.length === 1 && winners[0]?.equals(stored);
  return isFair
    ? ok('bucket: create', `of ${RACERS} writers of one key exactly one won`)
    : fail(
        'bucket: create',
        `${winners.length} of ${RACERS} writers of one key won`,
        'Use a bucket with conditional writes (create if absent).',
      );
}

async function probeRead(bucket: Bucket, prefix: string): Promise<Check> {
  const key = `${prefix}body`;
  await bucket.put(key, Buffer.from('0123456789'));
  const range = Buffer.from((await bucket.readRange(key, 2, 3)) ?? []).toString();
  const missing = await bucket.read(`${prefix}missing`);
  return range === '234' && missing === undefined
    ? ok('bucket: read', 'whole objects and ranges')
    : fail('bucket: read', 'a range or a missing object is not what it should be', 'Use another bucket.');
}

async function probeList(bucket: Bucket, prefix: string): Promise<Check> {
  const found = await keysBelow(bucket, prefix);
  const isRight = found.join() === [`${prefix}body`, `${prefix}race`].join();
  await removeAll(bucket, prefix);
  const left = await keysBelow(bucket, prefix);
  return isRight && left.length === 0
    ? ok('bucket: list, remove', 'what was written is listed, what was removed is not')
    : fail(
        'bucket: list, remove',
        `listed ${found.length} of 2 objects, ${left.length} were left`,
        'Use a bucket with strongly consistent listing.',
      );
}

async function removeAll(bucket: Bucket, prefix: string): Promise<void> {
  for (const key of await keysBelow(bucket, prefix)) await bucket.remove(key);
}

async function keysBelow(bucket: Bucket, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of bucket.list(prefix)) keys.push(key);
  return keys;
}
