import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unpack } from '../../../test/golden/journal/golden-journal.ts';
import {
  CRASHED_SAMPLES,
  contentsOfJournal,
  crashedJournal,
  expectHonest,
  type JournalContents,
  textOfCrashed,
} from '../../../test/sim/crashed-journal.ts';
import { makeTempDir, type TempDir } from '../../../test/sim/temp-dir.ts';
import { ActionableError, type Random, seededRandom } from '../../base/index.ts';
import type { JournalReader } from '../journal-reader.ts';
import { readJournal } from '../read-journal.ts';
import { cellPointers, isLeafTable, readCell } from './cells.ts';
import { PageImages } from './page-images.ts';
import { RowShapes } from './row-shapes.ts';

/** More with HOLDFAST_FUZZ. The seed of a case that fails is in its message. */
const CASES = Number(process.env.HOLDFAST_FUZZ ?? 36);
const PAGE = 16 * 1024;
const FILES = ['journal.db', 'journal.db-wal'] as const;

let dir: TempDir;
beforeAll(async () => {
  dir = await makeTempDir();
});
afterAll(() => dir[Symbol.asyncDispose]());

/** One way to damage the bytes of a file, of any length. */
type Harm = (bytes: Buffer, random: Random) => Buffer;
const below = (random: Random, end: number) => Math.floor(random.next() * end);

/** Numbers in these files are up to nine bytes long: each of their bytes at the edge of what it can be. */
const EDGES = [0x00, 0x01, 0x05, 0x0d, 0x7f, 0x80, 0xff];

const HARMS: Readonly<Record<string, Harm>> = {
  'random bytes anywhere': (bytes, random) => {
    for (let left = 1 + below(random, 200); left > 0; left--)
      bytes[below(random, bytes.length)] = below(random, 256);
    return bytes;
  },
  'a random page': (bytes, random) => {
    const at = below(random, bytes.length / PAGE) * PAGE;
    Buffer.from(random.bytes(PAGE)).copy(bytes, at);
    return bytes;
  },
  'random first bytes of pages': (bytes, random) => {
    for (let at = 0; at < bytes.length; at += PAGE)
      for (let left = below(random, 6); left > 0; left--)
        bytes[at + below(random, 120)] = EDGES[below(random, EDGES.length)] ?? 0;
    return bytes;
  },
  'runs of one byte': (bytes, random) => {
    for (let left = 1 + below(random, 30); left > 0; left--) {
      const at = below(random, bytes.length);
      bytes.fill(EDGES[below(random, EDGES.length)] ?? 0, at, at + 1 + below(random, 12));
    }
    return bytes;
  },
  'large numbers': (bytes, random) => {
    // An integer of one byte becomes one of eight: in the header of a record, a 1 or 2 after a 0.
    const places: number[] = [];
    for (let at = 1; at < bytes.length; at++)
      if (bytes[at - 1] === 0 && (bytes[at] === 1 || bytes[at] === 2)) places.push(at);
    for (let left = 1 + below(random, 20); left > 0 && places.length > 0; left--)
      bytes[places[below(random, places.length)] ?? 0] = 6;
    return bytes;
  },
  'pages in each other’s place': (bytes, random) => {
    const [from, to] = [below(random, bytes.length / PAGE) * PAGE, below(random, bytes.length / PAGE) * PAGE];
    bytes.copy(bytes, to, from, from + PAGE);
    return bytes;
  },
  'cut anywhere': (bytes, random) => bytes.subarray(0, below(random, bytes.length)),
  'the beginning cut off': (bytes, random) => bytes.subarray(below(random, PAGE)),
  'all of it random': (bytes, random) => Buffer.from(random.bytes(bytes.length)),
};
const KINDS = Object.keys(HARMS);

/** Damages both files of a copy of `original`, or one of them, and reads it. Undefined when nothing can be read, and that is said. */
function readDamaged(original: string, seed: number): { reader: JournalReader | undefined; what: string } {
  const random = seededRandom(seed);
  const copy = join(dir.path, 'copy');
  rmSync(copy, { recursive: true, force: true });
  cpSync(original, copy, { recursive: true, filter: (path) => !path.endsWith('-shm') });
  const hit = FILES.filter((_, index) => (1 + (seed % 3)) & (1 << index));
  const kind = KINDS[below(random, KINDS.length)] ?? '';
  const what = `seed ${seed}, ${basename(original)}: ${kind} in ${hit.join(' and ')}`;
  for (const file of hit)
    writeFileSync(join(copy, file), HARMS[kind]?.(readFileSync(join(copy, file)), random) ?? '');
  try {
    return { reader: readJournal(join(copy, 'journal.db')), what };
  } catch (error) {
    expectCode(error, what);
    return { reader: undefined, what };
  }
}

/** Damage may cost rows, never more than a sentence that says so. */
function expectCode(error: unknown, what: string): void {
  if (!(error instanceof ActionableError)) throw new Error(what, { cause: error });
  expect(error.code, what).toMatch(/^E_JOURNAL_/);
}

/** Which attempts have something on each page of the database, and then on each page of its log. */
function attemptsByImage(original: string): readonly ReadonlySet<number>[] {
  using images = new PageImages(join(original, 'journal.db'), { withLog: true });
  const shapes = new RowShapes(2);
  return Array.from(images.all(), ({ page, bytes }) => {
    const found = new Set<number>();
    for (let id = 0; id < CRASHED_SAMPLES; id++) if (bytes.includes(textOfCrashed(id))) found.add(id + 1);
    for (const at of isLeafTable(bytes, page) ? cellPointers(bytes, page) : []) {
      const cell = readCell({ bytes, at, overflow: (next) => images.newest(next) });
      const row = cell && shapes.recognise(cell);
      if (row) found.add(row.table === 'attempts' ? row.n : Number(row.values[0]));
    }
    return found;
  });
}

/** The pages of both files that are not what they were. */
function hitImages(original: string, copy: string): number[] {
  const pages = readFileSync(join(original, 'journal.db')).length / PAGE;
  const [file, log] = FILES.map((name) => {
    const [before, after] = [original, copy].map((folder) => readFileSync(join(folder, name)));
    return { before: before ?? Buffer.of(), after: after ?? Buffer.of() };
  });
  return [
    ...changedParts(file, { from: 0, bytes: PAGE }),
    ...changedParts(log, { from: 32, bytes: 24 + PAGE }).map((frame) => pages + frame),
  ];
}

function changedParts(
  file: { readonly before: Buffer; readonly after: Buffer } | undefined,
  part: { readonly from: number; readonly bytes: number },
): number[] {
  const changed: number[] = [];
  if (!file) return changed;
  const { before, after } = file;
  for (let index = 0, at = part.from; at < before.length; index++, at += part.bytes)
    if (!before.subarray(at, at + part.bytes).equals(after.subarray(at, at + part.bytes)))
      changed.push(index);
  return changed;
}

describe('random damage', () => {
  let original = '';
  let expected: JournalContents;
  beforeAll(async () => {
    ({ original, expected } = await crashedJournal(dir.path));
  });

  test('[JRN-9] [JRN-10] in a journal: what is given is right, what is not given is named, and what lay elsewhere is given', () => {
    const attempts = attemptsByImage(original);
    for (let seed = 1; seed <= CASES; seed++) {
      const { reader, what } = readDamaged(original, seed);
      if (!reader) continue;
      try {
        const { whole } = expectHonest(reader, expected, what);
        const hit = hitImages(original, join(dir.path, 'copy')).flatMap((image) => [
          ...(attempts[image] ?? []),
        ]);
        for (const n of expected.keys())
          if (!hit.includes(n)) expect(whole.has(n), `${what}: attempt ${n} lay elsewhere`).toBe(true);
      } catch (error) {
        throw new Error(what, { cause: error });
      } finally {
        reader.close();
      }
    }
  });
});

describe('random damage in a journal of version 1', () => {
  test('gives rows, or an error with a code', async () => {
    const original = join(dir.path, 'version-1');
    await unpack(join(import.meta.dirname, '../../../test/golden/journal/v1/good/run'), original);
    for (let seed = 1; seed <= 3 * CASES; seed++) {
      const { reader, what } = readDamaged(original, seed);
      if (!reader) continue;
      try {
        contentsOfJournal(reader);
        reader.run();
      } catch (error) {
        expectCode(error, what);
      } finally {
        reader.close();
      }
    }
  });
});
