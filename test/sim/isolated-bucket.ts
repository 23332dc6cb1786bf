/** A shared run each of whose samples was done by a writer of its own, made without the processes: one is real, the others are copies of it. */
import { join } from 'node:path';
import { digestOf, summedLine, textSum } from '../../src/base/index.ts';
import { type Bucket, directoryBucket } from '../../src/bucket/index.ts';
import { sampleJob } from '../../src/cluster/index.ts';
import { SharedKeys } from '../../src/cluster/shared-keys.ts';
import { nodeDisk, unsynced } from '../../src/disk/index.ts';
import { recordPrefix } from '../../src/journal/record-object.ts';
import { rowSum } from '../../src/journal/row-sum.ts';
import {
  decodeSegment,
  encodeRow,
  encodeSegment,
  type Segment,
  type SegmentRow,
  segmentKey,
  segmentPrefix,
} from '../../src/journal/segment.ts';
import { countingModel, twoTurns } from '../interrupted-run.ts';
import { openZombie, type Submitted, submit } from './shared-machines.ts';

/** A run of so many samples, in a directory that is not synced: it is made for one test. */
export async function isolatedRun(dir: string, writers: number): Promise<Submitted> {
  const bucket = directoryBucket(unsynced(nodeDisk), join(dir, 'bucket'));
  const { model } = countingModel();
  const submitted = await submit(bucket, { dir, eval: { ...twoTurns(writers), isolate: true }, model });
  const first = await openZombie(submitted, { name: 'w-0', model });
  await first.work(sampleJob(0));
  await first.ship();
  await first.close();
  await submitted.shared.refresh();
  const copied = await readFirst(submitted);
  for (let position = 1; position < writers; position++) await copyTo(position, copied, submitted);
  await submitted.shared.refresh();
  return submitted;
}

interface Copied {
  readonly writer: string;
  readonly segments: readonly Segment[];
  readonly record: string | undefined;
  readonly begun: string;
  readonly ended: string;
}

async function readFirst({ shared, place: { bucket, prefix } }: Submitted): Promise<Copied> {
  const writer = shared.leasesOf(sampleJob(0))[0]?.begun.writer ?? '';
  const segments: Segment[] = [];
  for await (const { key } of bucket.list(`${segmentPrefix(prefix, shared.run)}${writer}/`))
    segments.push(decodeSegment((await bucket.read(key)) ?? new Uint8Array(), key));
  const keys = new SharedKeys(prefix, shared.run);
  const job = sampleJob(0);
  return {
    ...{ writer, segments, record: await textOf(bucket, `${recordPrefix(prefix, shared.run)}${writer}`) },
    begun: (await textOf(bucket, keys.begun(job, 1))) ?? '',
    ended: (await textOf(bucket, keys.ended(job, 1))) ?? '',
  };
}

async function copyTo(position: number, copied: Copied, { shared, place }: Submitted): Promise<void> {
  const { bucket, prefix } = place;
  const writer = `${copied.writer.slice(0, -6)}${String(position).padStart(6, '0')}`;
  const renamed = (text: string) =>
    text
      .replaceAll(copied.writer, writer)
      .replaceAll(/"q0"|^q0$/g, (found) => found.replace('q0', `q${position}`))
      .replaceAll('question 0', `question ${position}`)
      .replaceAll('answer 0', `answer ${position}`)
      .replaceAll(/"uuid":"......../g, `"uuid":"${String(position).padStart(8, 'u')}`)
      .replaceAll('"s0"', `"s${position}"`);
  if (copied.record !== undefined)
    await bucket.create(
      `${recordPrefix(prefix, shared.run)}${writer}`,
      bytesOf(recordOf(copied.record, copied.writer, writer)),
    );
  let previous: Segment['header']['previous'] = null;
  for (const { header, rows } of copied.segments) {
    const own = { ...header, writer, chain: writer, previous };
    const bytes = encodeSegment(
      own,
      rows.map((row) => encodeRow(renamedRow(row, renamed, [copied.writer, writer]))),
    );
    previous = digestOf(bytes);
    await bucket.create(segmentKey(prefix, own), bytes);
  }
  const keys = new SharedKeys(prefix, shared.run);
  const job = sampleJob(position);
  await bucket.create(keys.begun(job, 1), bytesOf(resummed(renamed(copied.begun))));
  await bucket.create(keys.ended(job, 1), bytesOf(resummed(renamed(copied.ended))));
}

/** The run record names all samples: in it only the writer is another. */
function renamedRow(
  row: SegmentRow,
  renamed: (text: string) => string,
  [from, to]: readonly [string, string],
): SegmentRow {
  const { table, n, values } = row;
  if (table === 'contents') return row;
  const cells = values
    .slice(0, -1)
    .map((cell) =>
      typeof cell !== 'string' ? cell : table === 'meta' ? cell.replaceAll(from, to) : renamed(cell),
    );
  return { table, n, values: [...cells, rowSum(table, cells)] };
}

/** With the checksum of what it says now. */
function resummed(line: string): string {
  return summedLine(line.replace(/,"sum":"\w+"\}\s*$/, '}'));
}

function recordOf(record: string, from: string, to: string): string {
  const json = record.split('\n')[0]?.replaceAll(from, to) ?? '';
  return `${json}\n${textSum(json)}\n`;
}

async function textOf(bucket: Bucket, key: string): Promise<string | undefined> {
  const bytes = await bucket.read(key);
  return bytes && Buffer.from(bytes).toString('utf8');
}

function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}
