import { expect, test } from 'vitest';
import { partsOf } from '../../test/sim/artifact-fixture.ts';
import { makeGenerationData } from '../../test/sim/generation-maker.ts';
import { digestOf } from '../base/index.ts';
import { diffManifests } from './index.ts';

test('two generations differ in what they were made of and in what came out', () => {
  const inputs = [{ name: 'data', kind: 'file', digest: digestOf('x') }] as const;
  const before = makeGenerationData({ number: 1, files: { a: '1', b: '2', c: '3' } }).manifest;
  const parts = partsOf('db', { version: '2', inputs, parameters: { model: 'other', depth: 3 } });
  const after = makeGenerationData({ number: 2, parts, files: { a: '1', b: '9', d: '4' } }).manifest;
  expect(diffManifests(before, after)).toEqual({
    recipe: [
      { what: 'version', before: '1', after: '2' },
      { what: 'parameters.depth', before: undefined, after: 3 },
      { what: 'parameters.model', before: 'mock', after: 'other' },
      { what: 'inputs.data', before: undefined, after: `file ${digestOf('x')}` },
      { what: 'inputs.schema', before: `file ${digestOf('schema of db')}`, after: undefined },
    ],
    used: [],
    files: { added: ['d'], removed: ['c'], changed: ['b'], same: 1 },
  });
  expect(diffManifests(before, before)).toEqual({
    recipe: [],
    used: [],
    files: { added: [], removed: [], changed: [], same: 3 },
  });
});
