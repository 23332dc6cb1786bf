import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  CRASHED_SAMPLES,
  contentsOfJournal,
  crashedJournal,
  expectHonest,
  type JournalContents,
  textOfCrashed,
} from '../../test/sim/crashed-journal.ts';
import {
  infoEvent,
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
  someAnswer,
} from '../../test/sim/journal-fixture.ts';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { createDatabase } from './database.ts';
import type { JournalReader } from './journal-reader.ts';
import { readJournal } from './read-journal.ts';
import { cellPointers, isLeafTable, readCell } from './salvage/cells.ts';
import { RowShapes } from './salvage/row-shapes.ts';

const SAMPLES = CRASHED_SAMPLES;
const PAGE = 16 * 1024;

/** More with HOLDFAST_FLIPS: every k-th byte of each file is flipped in turn. */
const FLIPS = Number(process.env.HOLDFAST_FLIPS ?? 40);

let dir: TempDir;
/** A journal as a crash leaves it: some of it in the database, some in the write-ahead log. */
let original = '';
/** What each attempt holds, as text, by its number. */
let expected: JournalContents;

beforeAll(async () => {
  dir = await makeTempDir();
  ({ original, expected } = await crashedJournal(dir.path));
});
afterAll(() => dir[Symbol.asyncDispose]());

/** A fresh copy of the journal, damaged by `harm`. */
function damagedCopy(harm: (path: string) => void): JournalReader {
  const copy = join(dir.path, 'copy');
  rmSync(copy, { recursive: true, force: true });
  cpSync(original, copy, { recursive: true });
  rmSync(join(copy, 'journal.db-shm'), { force: true });
  harm(join(copy, 'journal.db'));
  return readJournal(join(copy, 'journal.db'));
}

function checkHonest(reader: JournalReader, what: string): { readonly whole: number } {
  return { whole: expectHonest(reader, expected, what).whole.size };
}

function flip(path: string, at: number, bits = 0x41): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ bits;
  writeFileSync(path, bytes);
}

test.each(['answers', 'outputs', 'results', 'events'] as const)(
  'an attempt whose own row is gone is named by its %s alone',
  async (table) => {
    const writer = await newWriter(join(dir.path, `orphan-${table}`), runRecord());
    const attempt = writer.startAttempt(sampleStart('a'));
    if (table === 'answers') await attempt.answer(someAnswer('bought'), []);
    else if (table === 'outputs') await attempt.output({ output: 'made', fields: {} });
    else if (table === 'results') await attempt.finish('completed', sampleFields('a'));
    else attempt.event(infoEvent('happened'));
    await writer.flush();
    writer.close();
    const db = new DatabaseSync(writer.reader.path);
    db.exec('DELETE FROM attempts');
    expect(db.prepare(`SELECT count(*) AS rows FROM ${table}`).get()).toEqual({ rows: 1 });
    db.close();
    const reader = readJournal(writer.reader.path);
    expect([...reader.damage().attempts]).toEqual([[1, 'its beginning is not there']]);
    reader.close();
  },
);

describe('a flipped byte', () => {
  for (const file of ['journal.db', 'journal.db-wal'] as const) {
    test(`[JRN-9] [JRN-10] anywhere in ${file}: what is given is right, and what is not given is named`, () => {
      const sizeBytes = statSync(join(original, file)).size;
      const step = Math.max(1, Math.floor(sizeBytes / FLIPS)) | 1;
      for (let at = 0; at < sizeBytes; at += step) {
        const reader = damagedCopy((path) => flip(join(dirname(path), file), at));
        const { whole } = checkHonest(reader, `byte ${at} of ${file}`);
        expect(whole, `byte ${at} of ${file}`).toBeGreaterThanOrEqual(SAMPLES - 3);
        reader.close();
      }
    });
  }

  test('[JRN-9] in the text of an answer: that answer is never given, all others are', () => {
    // The same text lies in every image of its page: all are changed alike, so that no other copy can stand for it.
    const change = (text: string, at: number, to: number) => (path: string) => {
      for (const file of [path, `${path}-wal`]) {
        const bytes = readFileSync(file);
        for (let from = bytes.indexOf(text); from >= 0; from = bytes.indexOf(text, from + 1))
          bytes[from + at] = to;
        writeFileSync(file, bytes);
      }
    };
    const start = damagedCopy(change('{"id":3,"uuid":"u-3"', 6, 0x34));
    expect(checkHonest(start, 'the beginning of an attempt').whole).toBe(SAMPLES - 1);
    expect(start.damage().attempts.has(4)).toBe(true);
    start.close();
    const answer = damagedCopy(change(`1 ${textOfCrashed(4)}`, 0, 0x32));
    expect(checkHonest(answer, 'the text of an answer').whole).toBe(SAMPLES - 1);
    expect([...answer.answers(5)].map(({ occurrence }) => occurrence)).toEqual([0, 2]);
    expect(answer.damage().attempts.has(5)).toBe(true);
    expect(answer.damage().lost).toEqual({ answers: 1, results: 0, usd: 0.25 });
    // Each thing is said once: what is damaged, whom that costs something, and what is lost.
    expect(answer.damage().sentences).toEqual([
      expect.stringMatching(/ is damaged: row \d+ of contents has a wrong checksum\.$/),
      expect.stringMatching(/^Attempt 5 in .+ is damaged: .+[^.]\.$/),
      expect.stringMatching(
        / holds less than was acknowledged: .+1 of 72 answers cannot be read, for which \$0\.25/,
      ),
    ]);
    answer.close();
  });
});

test('a table whose own description is changed is read past it', () => {
  const reader = damagedCopy((path) => {
    for (const file of [path, `${path}-wal`]) {
      const text = readFileSync(file, 'latin1').replaceAll('json TEXT NOT NULL', 'jsan TEXT NOT NULL');
      writeFileSync(file, text, 'latin1');
    }
  });
  expect(contentsOfJournal(reader)).toEqual(expected);
  expect(reader.damage().sentences).toEqual([expect.stringContaining('no such column: json')]);
  reader.close();
});

describe('pages', () => {
  test('a page that is zeroed or cut off costs only the attempts that lay there', () => {
    const path = join(original, 'journal.db');
    const bytes = readFileSync(path);
    const pages = bytes.length / PAGE;
    expect(pages).toBeGreaterThan(15);
    for (let page = 0; page < pages; page++) {
      const reader = damagedCopy((copy) => {
        const damaged = Buffer.from(bytes);
        damaged.fill(0, page * PAGE, (page + 1) * PAGE);
        writeFileSync(copy, damaged);
        rmSync(`${copy}-wal`);
      });
      expectOnlyThosePages(reader, page, page + 1);
      reader.close();
    }
    for (const cut of [1, 2, 5]) {
      const reader = damagedCopy((copy) => {
        truncateSync(copy, bytes.length - cut * PAGE);
        rmSync(`${copy}-wal`);
      });
      expectOnlyThosePages(reader, pages - cut, pages);
      reader.close();
    }
  });

  /** Attempts that lie in the database, none of whose own texts are on the lost pages, come back whole. */
  function expectOnlyThosePages(reader: JournalReader, from: number, to: number): void {
    const touched = new Set<number>();
    for (let page = from; page < to; page++) for (const n of attemptsOnPage(page)) touched.add(n);
    const found = contentsOfJournal(reader);
    expect(reader.run().logName).toBe('sealed.eval');
    for (const [n, text] of inDatabase()) {
      if (found.get(n) === text) continue;
      expect(reader.damage().sentences.length, `pages ${from} to ${to}, attempt ${n}`).toBeGreaterThan(0);
      expect(touched.has(n), `pages ${from} to ${to}: attempt ${n} was elsewhere`).toBe(true);
    }
  }

  let known: ReadonlyMap<number, string> | undefined;
  /** What the database holds without its write-ahead log. */
  function inDatabase(): ReadonlyMap<number, string> {
    if (!known) {
      const reader = damagedCopy((path) => rmSync(`${path}-wal`));
      known = new Map([...contentsOfJournal(reader)].filter(([n, text]) => expected.get(n) === text));
      reader.close();
    }
    expect(known.size).toBeGreaterThan(10);
    return known;
  }

  /** The attempts that have a row on a page: by what its cells say, and by the texts on it. */
  function attemptsOnPage(index: number): ReadonlySet<number> {
    const bytes = readFileSync(join(original, 'journal.db')).subarray(index * PAGE, (index + 1) * PAGE);
    const found = new Set<number>();
    for (const n of expected.keys()) if (bytes.includes(textOfCrashed(n - 1))) found.add(n);
    if (!isLeafTable(bytes, index + 1)) return found;
    const file = readFileSync(join(original, 'journal.db'));
    const overflow = (page: number) => file.subarray((page - 1) * PAGE, page * PAGE);
    for (const at of cellPointers(bytes, index + 1)) {
      const cell = readCell({ bytes, at, overflow });
      const row = cell && new RowShapes(2).recognise(cell);
      if (row?.table === 'attempts') found.add(row.n);
      else if (typeof row?.values[0] === 'number') found.add(row.values[0]);
    }
    return found;
  }
});

describe('the mark', () => {
  test('[JRN-11] a write-ahead log that is gone, cut, replaced by an older one or without its header: what is lost is counted, with its price', () => {
    const wal = readFileSync(join(original, 'journal.db-wal'));
    const frame = PAGE + 24;
    const cases: ReadonlyArray<readonly [string, (path: string) => void]> = [
      ['gone', (path) => rmSync(path)],
      ['empty', (path) => truncateSync(path, 0)],
      ...[1, 2, 3, 5, 8, 13].map(
        (frames) =>
          [`cut after ${frames}`, (path: string) => truncateSync(path, 32 + frames * frame)] as const,
      ),
      ['of zeros', (path) => writeFileSync(path, Buffer.alloc(wal.length))],
    ];
    for (const [what, harm] of cases) {
      const reader = damagedCopy((path) => harm(`${path}-wal`));
      checkHonest(reader, what);
      const all = [...expected.keys()].length * 3;
      const readable = [...reader.outline()].reduce((sum, { n }) => sum + [...reader.answers(n)].length, 0);
      const { lost } = reader.damage();
      expect(lost?.answers, what).toBe(all - readable);
      expect(lost?.usd, what).toBeCloseTo((all - readable) * 0.25);
      expect(lost?.results, what).toBeGreaterThan(0);
      reader.close();
    }
  });

  test('[JRN-11] a header that is flipped loses nothing: the rows behind it are told by their checksums', () => {
    for (const at of [0, 3, 9, 17, 25, 40]) {
      const reader = damagedCopy((path) => flip(`${path}-wal`, at));
      expect(contentsOfJournal(reader)).toEqual(expected);
      expect(reader.damage().lost).toBeUndefined();
      expect(reader.damage().sentences.length).toBeGreaterThan(0);
      reader.close();
    }
  });

  test('[JRN-11] an older write-ahead log in place of the newest is noticed', async () => {
    const writer = await newWriter(join(dir.path, 'older'), runRecord());
    const attempt = writer.startAttempt(sampleStart('a'));
    await attempt.answer(someAnswer('first'), []);
    const older = join(dir.path, 'older.wal');
    copyFileSync(`${writer.reader.path}-wal`, older);
    await attempt.answer(someAnswer('second', 1), []);
    const copy = join(dir.path, 'older-copy');
    cpSync(writer.dir, copy, { recursive: true, filter: (path) => !path.endsWith('/lock') });
    writer.close();
    copyFileSync(older, join(copy, 'journal.db-wal'));
    rmSync(join(copy, 'journal.db-shm'), { force: true });
    const reader = readJournal(join(copy, 'journal.db'));
    expect([...reader.answers(1)].map(({ value }) => value)).toEqual(['first']);
    expect(reader.damage().lost).toEqual({ answers: 1, results: 0, usd: 0.25 });
    reader.close();
  });

  test('[JRN-11] without its mark nobody can tell whether something is missing: that is said', () => {
    for (const harm of [rmSync, (path: string) => truncateSync(path, 100)]) {
      const reader = damagedCopy((path) => harm(join(dirname(path), 'acknowledged')));
      expect(contentsOfJournal(reader)).toEqual(expected);
      expect(reader.damage().sentences).toEqual([
        `${reader.path} has no mark of what was acknowledged: whether something is missing cannot be told.`,
      ]);
      reader.close();
    }
    const cut = damagedCopy((path) => {
      rmSync(join(dirname(path), 'acknowledged'));
      rmSync(`${path}-wal`);
    });
    expect(cut.damage().sentences).toContainEqual(expect.stringContaining('has no mark'));
    cut.close();
    const born = damagedCopy((path) => {
      rmSync(dirname(path), { recursive: true });
      mkdirSync(dirname(path));
      createDatabase(path).close();
    });
    expect(born.damage().sentences).toEqual([]);
    born.close();
  });

  test('a database that SQLite cannot read is named once, with its reason', () => {
    for (const harm of [
      (path: string) => truncateSync(path, 0),
      (path: string) => writeFileSync(path, 'garbage'),
      rmSync,
    ]) {
      const reader = damagedCopy((path) => harm(path));
      for (const sentence of reader.damage().sentences) {
        expect(sentence.split(reader.path), sentence).toHaveLength(2);
        expect(sentence).not.toMatch(/\.\)|\.\./);
      }
      const general = reader.damage().sentences.filter((sentence) => sentence.includes('is damaged ('));
      expect(general).toEqual([expect.stringMatching(/ is damaged \(it [^()]+\)\. Everything/)]);
      reader.close();
    }
  });

  test('[JRN-11] a slot that is torn leaves the other one, and a database that is gone is not absent', () => {
    for (const at of [10, 522]) {
      const reader = damagedCopy((path) => flip(join(dirname(path), 'acknowledged'), at));
      expect(contentsOfJournal(reader)).toEqual(expected);
      reader.close();
    }
    const reader = damagedCopy((path) => {
      rmSync(path);
      rmSync(`${path}-wal`);
      expect(existsSync(path)).toBe(false);
    });
    expect(reader.run().logName).toBe('sealed.eval');
    expect(reader.damage().lost).toEqual({ answers: SAMPLES * 3, results: 20, usd: SAMPLES * 3 * 0.25 });
    reader.close();
  });
});
