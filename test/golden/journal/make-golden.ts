/**
 * Makes the golden journals and segments of version 2, and the damaged ones of all versions (see README.md). What is there
 * already is never made again: a golden store is data of a released version.
 */
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import type { RunId } from '../../../src/base/index.ts';
import { directoryBucket } from '../../../src/bucket/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { type JournalWriter, readJournal } from '../../../src/journal/index.ts';
import { summarize } from '../../../src/log/index.ts';
import { infoEvent, newWriter, RUN, sampleFields, sampleStart, someAnswer } from '../../sim/journal-fixture.ts';
import { describeJournal, describeSegments, toGoldenText, unpack } from './golden-journal.ts';

const HERE = import.meta.dirname;
const SEGMENTS = join(HERE, '..', 'segment');
/** A segment with rows of attempts before it and after it. */
const MIDDLE = 5;
const PAGE_BYTES = 16 * 1024;
const BOOM = { message: 'boom', traceback: 'boom', traceback_ansi: 'boom' };
const scratch = await mkdtemp(join(tmpdir(), 'golden-journal-'));

if (!existsSync(join(HERE, 'v2/good'))) await makeVersion2();
for (const version of ['v1', 'v2']) {
  await makeDamaged(version, 'cut', (db) => truncateSync(db, readFileSync(db).length - 2 * PAGE_BYTES));
  await makeDamaged(version, 'zeroed-page', (db) => zeroPageWith(db, 'question two'));
}
await makeDamaged('v2', 'log-gone', (db) => rmSync(`${db}-wal`));
for (const version of ['v1', 'v2']) {
  await makeDamagedSegments(version, 'gap', (segments) => rmSync(segments[MIDDLE] ?? ''));
  await makeDamagedSegments(version, 'flipped', (segments) => flipByte(segments[MIDDLE] ?? ''));
  await makeDamagedSegments(version, 'cut', (segments) => truncateSync(segments.at(-1) ?? '', 60));
}
rmSync(scratch, { recursive: true });

async function makeVersion2(): Promise<void> {
  const runId = '20260202T000000000-AbCdEfGh34' as RunId;
  const run = { ...RUN, runId, start: { ...RUN.start, eval: { ...RUN.start.eval, run_id: runId } } };
  const lender = await newWriter(scratch, run, { writer: 'first-writer' });
  await fill(lender, ['carried']);
  const writer = await newWriter(scratch, run, { writer: 'second-writer', generation: 2, after: ['first-writer'] });
  const bucket = directoryBucket(nodeDisk, join(scratch, 'bucket'));
  const shipper = writer.shipTo({ bucket, prefix: '', bytesMax: 1_500 });
  await fill(writer, [1, 'two']);
  writer.checkpoint();
  writer.copyFrom(lender.reader, [1]);
  const summary = summarize(sampleFields(7));
  writer.recordReuse({ id: 7, epoch: 1, log: 'other.eval', runId: 'r', mode: 'any', summary });
  await shipper.ship();
  await fill(writer, ['failed', 'under way', '3']);
  await shipper.ship();
  const copy = join(scratch, 'copy');
  cpSync(writer.dir, copy, { recursive: true, filter: (path) => !/lock$|-shm$/.test(path) });
  const expected = toGoldenText(describeJournal(writer.reader));
  writer.close();
  lender.close();
  pack(copy, join(HERE, 'v2/good/run'));
  pack(join(scratch, 'bucket'), join(SEGMENTS, 'v2/good/bucket'));
  for (const dir of [HERE, SEGMENTS]) writeFileSync(join(dir, 'v2/good/expected.json'), expected);
}

async function fill(journal: JournalWriter, ids: readonly (string | number)[]): Promise<void> {
  for (const id of ids) {
    const attempt = journal.startAttempt(sampleStart(id));
    attempt.event({
      event: 'model',
      timestamp: '2026-01-01T00:00:00+00:00',
      model: 'm',
      input: [
        { role: 'user', content: `long ${id} ${'text '.repeat(60)}` },
        { role: 'user', content: 'short' },
      ],
      output: { choices: [] },
    });
    for (let turn = 0; turn < 2; turn++) {
      const text = `answer ${turn} of ${id} \0 \ud800 ${'words '.repeat(50)}`;
      await attempt.answer(someAnswer({ text, odd: [Number.NaN, 'NUL \0 and \udc00'] }, turn), [
        infoEvent(`turn ${turn} ${'i'.repeat(200)}`),
      ]);
    }
    if (id === 'under way') await attempt.output({ output: `out ${'o'.repeat(200)}`, fields: { a: 1 } });
    else if (id === 'failed') await attempt.finish('errored', sampleFields(id, { error: BOOM, scores: {} }));
    else await attempt.finish('completed', sampleFields(id));
  }
}

/** Damages a copy of the good journal and writes down what can still be read of it. */
async function makeDamaged(version: string, name: string, harm: (db: string) => void): Promise<void> {
  const target = join(HERE, version, name);
  if (existsSync(target)) return;
  const copy = join(scratch, version, name);
  await unpack(join(HERE, version, 'good/run'), copy);
  const db = join(copy, 'journal.db');
  harm(db);
  pack(copy, join(target, 'run'));
  const reader = readJournal(db);
  writeFileSync(join(target, 'expected.json'), toGoldenText(describeJournal(reader)));
  reader.close();
}

/** The same for the segments of a chain, which `harm` is given in order. */
async function makeDamagedSegments(
  version: string,
  name: string,
  harm: (segments: readonly string[]) => void,
): Promise<void> {
  const target = join(SEGMENTS, version, name);
  if (existsSync(target)) return;
  const copy = join(scratch, 'segments', version, name);
  await unpack(join(SEGMENTS, version, 'good/bucket'), join(copy, 'bucket'));
  harm(globSync('bucket/**/*.zst', { cwd: copy }).sort().map((path) => join(copy, path)));
  pack(join(copy, 'bucket'), join(target, 'bucket'));
  writeFileSync(join(target, 'expected.json'), toGoldenText(await describeSegments(copy)));
}

function flipByte(path: string): void {
  const bytes = readFileSync(path);
  const at = bytes.length >> 1;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(path, bytes);
}

/** The first page of the database that holds this text; the write-ahead log goes, or it would have the page again. */
function zeroPageWith(db: string, text: string): void {
  const bytes = readFileSync(db);
  const page = Math.floor(bytes.indexOf(text) / PAGE_BYTES);
  bytes.fill(0, page * PAGE_BYTES, (page + 1) * PAGE_BYTES);
  writeFileSync(db, bytes);
  rmSync(`${db}-wal`);
}

function pack(from: string, to: string): void {
  for (const name of globSync('**/*', { cwd: from, withFileTypes: true })) {
    if (!name.isFile()) continue;
    const path = join(name.parentPath, name.name);
    const packed = `${join(to, path.slice(from.length))}.br`;
    mkdirSync(dirname(packed), { recursive: true });
    writeFileSync(packed, brotliCompressSync(readFileSync(path)));
  }
}
