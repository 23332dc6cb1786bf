import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { COST, PRODUCER, partsOf } from '../../test/sim/artifact-fixture.ts';
import { digestOf, seededRandom } from '../base/index.ts';
import { canonicalJson } from './canonical-json.ts';
import { clashIn, problemOfPath } from './file-paths.ts';
import { newGenerationId } from './generation.ts';
import { type Manifest, recipeOf } from './index.ts';
import { decodeManifest, encodeManifest, isManifest, makeManifest } from './manifest.ts';

const GENERATION = newGenerationId(1_700_000_000_000, seededRandom(1));

function manifestOf(paths: readonly string[] = ['a.md', 'b/c.md']): Manifest {
  return makeManifest({
    ...partsOf(),
    generation: GENERATION,
    supersedes: [],
    created: '2026-11-17T00:00:00.000+00:00',
    producer: PRODUCER,
    cost: COST,
    files: paths.map((path) => ({ path, size: 3, sha256: digestOf(path), executable: false })),
  });
}

describe('recipes', () => {
  test('[ART-1] one value has one text, whatever the order of its keys', () => {
    const property = fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value as never);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(canonicalJson(JSON.parse(text))).toBe(text);
    });
    fc.assert(property);
    expect(canonicalJson({ b: 1, a: { d: 2, c: [3] } })).toBe('{"a":{"c":[3],"d":2},"b":1}');
  });

  test('[ART-2] a recipe depends on every part, not on the order of inputs, nor on the generation of an input', () => {
    const inputs = [
      { name: 'a', kind: 'file', digest: digestOf('1') },
      { name: 'b', kind: 'artifact', digest: digestOf('2') },
    ] as const;
    const { recipe } = recipeOf(partsOf('db', { inputs }));
    const used = { generation: GENERATION, digest: digestOf('3') };
    expect(recipeOf(partsOf('db', { inputs: inputs.toReversed() })).recipe).toBe(recipe);
    expect(recipeOf(partsOf('db', { inputs: inputs.map((input) => ({ ...input, used })) })).recipe).toBe(
      recipe,
    );
    const others = [
      partsOf('db2', { inputs }),
      partsOf('db', { inputs, kind: 'index' }),
      partsOf('db', { inputs, version: '2' }),
      partsOf('db', { inputs, parameters: { model: 'other' } }),
      partsOf('db', { inputs: inputs.slice(1) }),
      partsOf('db', { inputs: [{ ...inputs[0], digest: digestOf('9') }, inputs[1]] }),
      partsOf('db', { inputs: [{ ...inputs[0], kind: 'folder' }, inputs[1]] }),
    ].map((parts) => recipeOf(parts).recipe);
    expect(new Set([recipe, ...others]).size).toBe(others.length + 1);
  });

  test('what has no recipe is refused: empty words, an input named twice', () => {
    const input = { name: 'a', kind: 'value', digest: digestOf('1') } as const;
    const bad = [
      partsOf(''),
      partsOf('x'.repeat(1_001)),
      partsOf('\ud800'),
      partsOf('db', { inputs: [input, input] }),
    ];
    for (const parts of bad)
      expect(() => recipeOf(parts)).toThrow(expect.objectContaining({ code: 'E_ARTIFACT_RECIPE' }));
  });
});

describe('manifests', () => {
  test('[ART-5] a manifest is read back as it was, and its bytes are the same every time', () => {
    const manifest = manifestOf();
    expect(decodeManifest(encodeManifest(manifest))).toEqual(manifest);
    expect(encodeManifest(manifest)).toEqual(encodeManifest({ ...manifest }));
  });

  test('[ART-5] any bytes give a manifest or say what is wrong: a changed one never passes', () => {
    const bytes = encodeManifest(manifestOf());
    const flips = fc.property(fc.nat(bytes.length - 2), fc.integer({ min: 1, max: 255 }), (at, by) => {
      const changed = Uint8Array.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ by;
      expect(isManifest(decodeManifest(changed))).toBe(false);
    });
    fc.assert(flips, { numRuns: 500 });
    const cuts = fc.property(fc.nat(bytes.length - 2), (length) => {
      expect(isManifest(decodeManifest(bytes.subarray(0, length)))).toBe(false);
    });
    fc.assert(cuts);
    fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), (any) => !isManifest(decodeManifest(any))));
  });

  test('[ART-5] a digest that fits does not make up for what is wrong inside', () => {
    const wrong: readonly Partial<Manifest>[] = [
      { files: [] },
      { supersedes: ['yesterday'] },
      { recipe: digestOf('another') },
      { files: manifestOf(['b', 'a']).files },
      { files: manifestOf(['../a']).files },
      { files: manifestOf(['A', 'a']).files },
      { cost: { usd: -1, tokens: 0, calls: 0 } },
      { key: '' },
      { inputs: [...partsOf().inputs, ...partsOf().inputs] },
    ];
    for (const change of wrong) {
      const { digest: _, ...rest } = { ...manifestOf(), ...change };
      const bytes = Buffer.from(
        canonicalJson({ ...rest, digest: digestOf(canonicalJson(rest as never)) } as never),
      );
      expect([change, isManifest(decodeManifest(bytes))]).toEqual([change, false]);
    }
  });

  test('[ART-5] a later format is told apart from damage', () => {
    expect(decodeManifest(Buffer.from('{"format":2}'))).toMatchObject({ isNewer: true });
    expect(decodeManifest(Buffer.from('{"format":1}'))).toMatchObject({ isNewer: false });
  });

  test('[ART-4] paths that lead out, or that are one on another disk, are refused', () => {
    for (const path of [
      '',
      '.',
      '..',
      'a/../b',
      '/a',
      'a//b',
      'a/',
      'a\\b',
      'a\0',
      '\ud800',
      'x'.repeat(256),
    ])
      expect([path, problemOfPath(path)]).not.toEqual([path, undefined]);
    for (const path of ['a', 'a/b.md', '.hidden', 'ä/ö', '...']) expect(problemOfPath(path)).toBeUndefined();
    expect(clashIn(['a/b', 'A/c'])).toEqual(['a/b', 'A/c']);
    expect(clashIn(['a', 'a/b'])).toEqual(['a', 'a/b']);
    expect(clashIn(['é', 'e\u0301'])).toEqual(['é', 'e\u0301']);
    expect(clashIn(['a/b', 'a/c', 'b/a'])).toBeUndefined();
  });
});
