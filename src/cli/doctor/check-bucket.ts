import { dirname, join } from 'node:path';
import { ActionableError, messageOf, shortId, systemRandom } from '../../base/index.ts';
import { type Bucket, openBucket } from '../../bucket/index.ts';
import { type Disk, tempPathFor } from '../../disk/index.ts';
import { type Check, fail, ok } from './check.ts';

const RACERS = 8;

/** Where the probes write. */
interface Place {
  readonly bucket: Bucket;
  readonly prefix: string;
  readonly disk: Disk;
  /** A local folder for what is downloaded. */
  readonly scratch: string;
}

/**
 * Tries what Holdfast asks of a bucket, in a folder of its own in it, which is a bucket as well; removes all of it again.
 * `dir` is where the bucket is on this machine, if it is a directory.
 */
export async function checkBucket(
  url: string,
  { disk, scratch, dir }: { readonly disk: Disk; readonly scratch: string; readonly dir: string | undefined },
): Promise<readonly Check[]> {
  const folder = `.holdfast-doctor-${shortId(systemRandom)}`;
  const around = dir === undefined ? undefined : await nearestDirectory(disk, dir);
  try {
    const bucket = await openBucket(`${url.replace(/\/$/, '')}/${folder}`, { disk });
    const place = { bucket, prefix: '', disk, scratch };
    try {
      const probes = [probeCreate, probeReplace, probeRead, probeDownload, probeAbort, probeList];
      const checks: Check[] = [];
      for (const probe of probes) checks.push(await probe(place));
      return checks;
    } finally {
      await removeBelow(bucket, '');
      if (dir !== undefined && around !== undefined) await tidy(disk, join(dir, folder), around);
    }
  } catch (error) {
    const next = error instanceof ActionableError ? error.hint : 'Check the address and the permissions.';
    return [fail('bucket', messageOf(error), next)];
  }
}

/** A directory keeps its folders when they are empty: what was not there before goes. */
async function tidy(disk: Disk, folder: string, around: string): Promise<void> {
  await disk.removeTree(folder);
  for (let at = dirname(folder); at !== around && at.startsWith(around); at = dirname(at)) {
    if ((await disk.list(at))?.length !== 0) return;
    await disk.removeTree(at);
  }
}

/** The directory, or the closest one above it that exists. */
async function nearestDirectory(disk: Disk, dir: string): Promise<string> {
  for (let at = dir; ; at = dirname(at)) if (at === dirname(at) || (await disk.stat(at))) return at;
}

/** [BUCKET-1] Of many writers of one key exactly one wins: no result is overwritten, whoever else writes. */
async function probeCreate({ bucket, prefix }: Place): Promise<Check> {
  const bodies = racers();
  const won = await Promise.all(bodies.map((body) => bucket.create(`${prefix}race`, body)));
  const winners = bodies.filter((_, index) => won[index]);
  const isFair = winners.length === 1 && winners[0]?.equals(await bodyOf(bucket, `${prefix}race`));
  return isFair
    ? ok('bucket: create', `of ${RACERS} writers of one key exactly one won`)
    : fail(
        'bucket: create',
        `${winners.length} of ${RACERS} writers of one key won`,
        'Use a bucket with conditional writes (create if absent).',
      );
}

/** [BUCKET-5] Of many who replace one object exactly one wins: two processes never hold one lease. */
async function probeReplace({ bucket, prefix }: Place): Promise<Check> {
  const key = `${prefix}lease`;
  await bucket.create(key, Buffer.from('nobody'));
  const { etag = '' } = (await bucket.readTagged(key)) ?? {};
  const bodies = racers();
  const etags = await Promise.all(bodies.map((bytes) => bucket.replaceIf(key, { bytes, etag })));
  const winners = bodies.filter((_, index) => etags[index] !== undefined);
  const isFair = winners.length === 1 && winners[0]?.equals(await bodyOf(bucket, key));
  return isFair
    ? ok('bucket: replace', `of ${RACERS} who replaced one object exactly one won`)
    : fail(
        'bucket: replace',
        `${winners.length} of ${RACERS} who replaced one object won`,
        'Use a bucket with conditional writes (replace if it has this etag), or a directory with working locks.',
      );
}

async function probeRead({ bucket, prefix }: Place): Promise<Check> {
  const key = `${prefix}sub/body`;
  await bucket.create(key, Buffer.from('0123456789'));
  const range = await bucket.readRange(key, { start: 2, length: 3 });
  const missing = await bucket.read(`${prefix}missing`);
  const stat = await bucket.stat(key);
  const isRight = Buffer.from(range ?? []).toString() === '234' && stat?.sizeBytes === 10;
  return isRight && missing === undefined
    ? ok('bucket: read', 'whole objects and ranges')
    : fail('bucket: read', 'a range or a missing object is not what it should be', 'Use another bucket.');
}

async function probeDownload({ bucket, prefix, disk, scratch }: Place): Promise<Check> {
  const path = tempPathFor(`${scratch}/body`);
  try {
    await bucket.download(`${prefix}sub/body`, path);
    const found = Buffer.from((await disk.read(path)) ?? []).toString();
    const wasTaken = await bucket.createFromFile(`${prefix}sub/upload`, path);
    const uploaded = (await bodyOf(bucket, `${prefix}sub/upload`)).toString();
    return found === '0123456789' && wasTaken && uploaded === found
      ? ok('bucket: files', 'objects go to files and back, whole')
      : fail('bucket: files', 'a file is not what was stored', 'Use another bucket.');
  } finally {
    await disk.remove(path);
  }
}

/** [BUCKET-9] What is stopped stops, and makes nothing. */
async function probeAbort({ bucket, prefix }: Place): Promise<Check> {
  const reason = new Error('stopped');
  const key = `${prefix}stopped`;
  const outcome = await bucket.create(key, Buffer.from('x'), AbortSignal.abort(reason)).catch(messageOf);
  return outcome === 'stopped' && (await bucket.stat(key)) === undefined
    ? ok('bucket: stop', 'what is stopped makes nothing')
    : fail('bucket: stop', 'a request that was stopped was carried out', 'Use another bucket.');
}

async function probeList({ bucket, prefix }: Place): Promise<Check> {
  const names = ['lease', 'race', 'sub/body', 'sub/upload'].map((name) => `${prefix}${name}`);
  const found = await keysBelow(bucket, prefix);
  const rest = await Array.fromAsync(bucket.list(prefix, { startAfter: `${prefix}race` }), ({ key }) => key);
  const folder = await Array.fromAsync(bucket.listFolder(prefix), ({ key }) => key);
  const isRight =
    found.join() === names.join() &&
    rest.join() === names.slice(2).join() &&
    folder.join() === [...names.slice(0, 2), `${prefix}sub/`].join();
  await removeBelow(bucket, prefix);
  const left = await keysBelow(bucket, prefix);
  return isRight && left.length === 0
    ? ok('bucket: list, remove', 'what was written is listed, what was removed is not')
    : fail(
        'bucket: list, remove',
        `listed ${found.length} of ${names.length} objects, ${left.length} were left`,
        'Use a bucket with strongly consistent listing.',
      );
}

function racers(): readonly Buffer[] {
  return Array.from({ length: RACERS }, (_, index) => Buffer.from(`writer ${index}`));
}

async function bodyOf(bucket: Bucket, key: string): Promise<Buffer> {
  return Buffer.from((await bucket.read(key)) ?? []);
}

async function removeBelow(bucket: Bucket, prefix: string): Promise<void> {
  await bucket.removeAll(await keysBelow(bucket, prefix));
}

async function keysBelow(bucket: Bucket, prefix: string): Promise<readonly string[]> {
  return Array.fromAsync(bucket.list(prefix), ({ key }) => key);
}
