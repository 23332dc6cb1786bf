import { z } from 'zod';
import { fn, isPlainObject, text, texts, truth } from '../plain-checks.ts';
import { chosen, must, mustBe, strictObject } from '../strict-object.ts';

/** A word that is fine as a name of a folder everywhere, so that a cache can be looked at. */
const kind = must(
  'a word of small letters, digits, "-" and "_", such as knowledge',
  (value): value is string => typeof value === 'string' && /^[a-z0-9][a-z0-9_-]{0,63}$/.test(value),
);

const input = chosen((value) => {
  if (isPlainObject(value)) {
    if (value.artifact === 1) return z.unknown();
    if ('file' in value) return strictObject('a file input', { file: text });
    if ('value' in value) return strictObject('a value input', { value: z.unknown() });
  }
  return mustBe('{ file: … }, { value: … } or another artifact', value);
});

export const artifactSchema = strictObject('an artifact', {
  kind,
  key: text,
  version: must(
    'a text or a number',
    (value): value is string | number =>
      (typeof value === 'string' && value !== '') || (typeof value === 'number' && Number.isFinite(value)),
  ),
  inputs: z.record(z.string(), input, { error: 'must be an object of names and inputs' }).optional(),
  model: text.optional(),
  build: fn,
});

const needSchema = strictObject('a requirement', {
  artifact: must(
    'what defineArtifact gives',
    (value): value is object => isPlainObject(value) && value.artifact === 1,
  ),
  build: truth.optional(),
  seed: chosen((value) => (Array.isArray(value) ? texts : text)).optional(),
});

export const requirementSchema = chosen((value) => {
  if (!isPlainObject(value)) return mustBe('what defineArtifact gives, or { artifact, build, seed }', value);
  return value.artifact === 1 ? z.unknown() : needSchema;
});
