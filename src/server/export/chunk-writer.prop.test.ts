import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SimulatedDisk } from '../../../test/sim/simulated-disk.ts';
import { textOfChunk } from '../../../test/sim/studio/export-chunk.ts';
import { seededRandom } from '../../base/index.ts';
import type { DocumentPlace } from '../api.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { scriptChunk } from './script-chunk.ts';

const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<!-- <script>',
  '\u2028 and \u2029',
  'lone \ud800 and \udc00',
  '"];holdfastChunk("x","y");//',
  '\\u0000 \u0000 \\',
  '$\u007b1}`',
  '__proto__',
  ']]>',
  '\ufeff',
];
/** Documents are JSON, so half a pair is always an escape. */
const anyText = fc
  .oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.constantFrom(...HOSTILE),
    // A pair may come to stand on both sides of a cut.
    fc.string({ unit: fc.constantFrom('\ud83d\ude00', 'a', '"', '\udead'), maxLength: 5_000 }),
  )
  .map((text) => JSON.stringify(text));

/** What a browser has after it ran the file: the keys and texts that it was called with. */
function called(script: string): readonly (readonly [string, string])[] {
  const calls: [string, string][] = [];
  runInNewContext(script, { holdfastChunk: (key: string, text: string) => calls.push([key, text]) });
  return calls;
}

async function filesOf(disk: SimulatedDisk): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  for (const { name } of (await disk.list('data')) ?? [])
    files.set(name, Buffer.from((await disk.read(`data/${name}`)) ?? '').toString('utf8'));
  return files;
}

async function written(documents: readonly string[], breaks: ReadonlySet<number> = new Set()) {
  const disk = new SimulatedDisk();
  await disk.makeDir('data');
  const writer = new ChunkWriter(disk, 'data');
  const places: DocumentPlace[] = [];
  for (const [index, document] of documents.entries()) {
    if (breaks.has(index)) await writer.nextChunk();
    places.push(await writer.write(document));
  }
  await writer.finish('{}');
  return { files: await filesOf(disk), places, chunks: writer.chunks, sizeBytes: writer.sizeBytes };
}

function textAt(files: ReadonlyMap<string, string>, [chunk, from, length]: DocumentPlace): string {
  const textOf = (key: number) => textOfChunk(files.get(`${key}.js`) ?? '');
  let text = textOf(chunk).slice(from, from + length);
  for (let next = chunk + 1; text.length < length; next++)
    text += textOf(next).slice(0, length - text.length);
  return text;
}

/** So many UTF-16 units are cut off at once. */
const PIECE = 4_096;

describe('files of data', () => {
  test('[EXP-4] a pair that would stand on a cut comes back whole', async () => {
    for (const before of [PIECE - 2, PIECE - 1, PIECE]) {
      const document = `${'a'.repeat(before)}${'\u{1f600}'.repeat(1_000_000)}`;
      const { files, places } = await written([document]);
      expect(textAt(files, places[0] ?? [0, 0, 0]) === document).toBe(true);
    }
  });

  test('[EXP-2] whatever is written, it is one call of letters that end nothing, and the text comes back as it was', async () => {
    const property = fc.asyncProperty(anyText, async (text) => {
      const script = await scriptChunk('17', text);
      expect(called(script).map(([key]) => key)).toEqual(['17']);
      expect(script).toMatch(/^holdfastChunk\("17","[A-Za-z0-9+/]*={0,2}"\);\n$/);
      expect(textOfChunk(script)).toBe(text);
    });
    await fc.assert(property, { numRuns: 300 });
    const often = JSON.stringify(Array.from({ length: 5_000 }, (_, n) => ({ event: n, role: 'assistant' })));
    expect((await scriptChunk('1', often)).length).toBeLessThan(often.length / 5);
  });

  test('[EXP-4] every document is found again by its place, wherever it begins and however long it is', async () => {
    const documents = fc.array(anyText, { maxLength: 12 });
    const property = fc.asyncProperty(documents, fc.array(fc.nat(11)), async (all, breaks) => {
      const { files, places, chunks } = await written(all, new Set(breaks));
      for (const [index, document] of all.entries()) {
        const place = places[index];
        if (place && document !== '') expect(textAt(files, place)).toBe(document);
      }
      const names = [...files.keys()].sort();
      const numbers = Array.from({ length: chunks }, (_, n) => `${n}.js`);
      expect(names).toEqual([...numbers, 'manifest.js'].sort());
    });
    await fc.assert(property, { numRuns: 100 });
  });

  test('[EXP-3] no file is larger than a megabyte, whatever stands in it, and what fits stands in one', async () => {
    const small = Array.from({ length: 60 }, (_, n) => JSON.stringify({ n, text: 'small '.repeat(9_000) }));
    const random = seededRandom(5);
    const noise = (first: number, count: number, length: number) =>
      JSON.stringify(
        Array.from({ length }, () => String.fromCharCode(first + Math.floor(random.next() * count))).join(''),
      );
    // What compresses least: any letter as likely as any other.
    const huge = [noise(0x20, 0x5f, 1_500_000), noise(0x4e00, 0x5000, 1_200_000), '"'.repeat(1_500_000)];
    const { files, places, sizeBytes } = await written([...small, ...huge]);
    const sizes = [...files.values()].map((text) => Buffer.byteLength(text));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(sizeBytes);
    for (const [index, document] of [...small, ...huge].entries())
      expect(textAt(files, places[index] ?? [0, 0, 0]) === document).toBe(true);
    const inOne = small.filter((document, index) => {
      const [chunk, from] = places[index] ?? [0, 0];
      return textOfChunk(files.get(`${chunk}.js`) ?? '').length >= from + document.length;
    });
    expect(inOne.length).toBe(small.length);
  });
});
