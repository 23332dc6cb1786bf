import { z } from 'zod';
import { fn, isPlainObject, text, texts, truth } from '../plain-checks.ts';
import { chosen, must, mustBe, strictObject } from '../strict-object.ts';

/** A word that is fine as a name of a folder everywhere, so that a cache can be looked at. */
const kind = must(
  'a word of small letters, digits, "-" and "_", such as knowledge',
  (value): value is string => typeof value === 'string' && /^[a-z0-9][a-z0-9_-]{0,63}$/.test(value),
);

/** What JSON keeps as it is: two values that differ have two recipes. */
const plainData = must(
  'plain data: texts, numbers, true, false, null, lists and objects of these',
  isPlainData,
);

function isPlainData(value: unknown, within: readonly unknown[] = []): value is unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || within.includes(value)) return false;
  const inside = [...within, value];
  if (Array.isArray(value)) return value.every((item) => isPlainData(item, inside));
  const kind: unknown = Object.getPrototypeOf(value);
  if (kind !== Object.prototype && kind !== null) return false;
  return Object.values(value).every((item) => isPlainData(item, inside));
}

const inputName = z.string().regex(/^[\w$-]{1,100}$/, {
  error: 'is no name of an input: letters, digits, "_", "$" and "-"',
});

const input = chosen((value) => {
  if (isPlainObject(value)) {
    if (value.artifact === 1) return z.unknown();
    if ('file' in value) return strictObject('a file input', { file: text });
    if ('value' in value) return strictObject('a value input', { value: plainData });
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
  inputs: chosen((value) => {
    // A schema does not even see it, and nobody could ask for it.
    if (isPlainObject(value) && Object.hasOwn(value, '__proto__'))
      return 'must have other names than __proto__';
    return z.record(inputName, input, { error: 'must be an object of names and inputs' });
  }).optional(),
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
