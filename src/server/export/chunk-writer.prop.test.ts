import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SimulatedDisk } from '../../../test/sim/simulated-disk.ts';
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
const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.constantFrom(...HOSTILE),
  // Halves of pairs may come to stand on both sides of a cut.
  fc.string({ unit: fc.constantFrom('\ud83d', '\ude00', 'a', '"'), maxLength: 5_000 }),
);

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
  const textOf = (key: number) => called(files.get(`${key}.js`) ?? '')[0]?.[1] ?? '';
  let text = textOf(chunk).slice(from, from + length);
  for (let next = chunk + 1; text.length < length; next++)
    text += textOf(next).slice(0, length - text.length);
  return text;
}

describe('files of data', () => {
  test('[EXP-2] whatever is written, it is one call, and the text comes back as it was', () => {
    const property = fc.property(anyText, anyText, (key, text) => {
      const script = scriptChunk(key, text);
      expect(called(script)).toEqual([[key, text]]);
      expect(script.isWellFormed()).toBe(true);
      expect(script).not.toMatch(/<\/|<!|\u2028|\u2029/);
      const [, inner = ''] = /^holdfastChunk\((.*)\);\n$/s.exec(script) ?? [];
      expect(JSON.parse(`[${inner}]`)).toEqual([key, text]);
      expect(Buffer.from(Buffer.from(script).toString('utf8')).equals(Buffer.from(script))).toBe(true);
    });
    fc.assert(property, { numRuns: 500 });
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
    const huge = [
      '"'.repeat(1_500_000),
      '\u0001'.repeat(700_000),
      '東京'.repeat(600_000),
      '\ud800'.repeat(400_000),
    ];
    const { files, places, sizeBytes } = await written([...small, ...huge]);
    const sizes = [...files.values()].map((text) => Buffer.byteLength(text));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000_000);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(sizeBytes);
    for (const [index, document] of [...small, ...huge].entries())
      expect(textAt(files, places[index] ?? [0, 0, 0]) === document).toBe(true);
    const inOne = small.filter((document, index) => {
      const [chunk, from] = places[index] ?? [0, 0];
      return (called(files.get(`${chunk}.js`) ?? '')[0]?.[1].length ?? 0) >= from + document.length;
    });
    expect(inOne.length).toBe(small.length);
  });
});
