import { expect, test } from 'vitest';
import { loggedCode, revisionIn } from './logged-code.ts';
import type { LogHeader } from './schema.ts';

const specOf = (more: Partial<LogHeader['eval']>) => more as LogHeader['eval'];

test('a revision holds what Inspect keeps of one, and the branch stands in our own metadata', () => {
  const code = { commit: 'c0ffee', branch: 'main', isDirty: true };
  const revision = revisionIn(code);
  expect(Object.keys(revision).sort()).toEqual(['commit', 'dirty', 'origin', 'type']);
  expect(loggedCode(specOf({ revision, metadata: { holdfast: { branch: 'main' } } }))).toEqual(code);
  expect(loggedCode(specOf({ revision }))).toEqual({ commit: 'c0ffee', isDirty: true });
  expect(loggedCode(specOf({ metadata: { holdfast: { branch: 'main' } } }))).toBeUndefined();
});
