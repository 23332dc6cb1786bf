import { isAbsolute, join, relative, sep } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fileNameFor, isInside, safeJoin } from './safe-path.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 200 });
const trickyText = fc.string({
  unit: fc.constantFrom('.', '/', '\\', '\0', 'a', 'A', '~', '%', ':', '\ud800', 'é'),
});
const text = fc.oneof(anyText, trickyText);

test.each(['../x', '..', '.', '', '/', '/etc/passwd', 'a/../../b', 'a/../b', 'a//b', 'a/', 'a\0b', './a'])(
  'safeJoin refuses %j',
  (part) => {
    expect(() => safeJoin('/root', part)).toThrow(expect.objectContaining({ code: 'E_PATH_OUTSIDE' }));
    expect(() => safeJoin('/root', 'ok', part)).toThrow(expect.objectContaining({ code: 'E_PATH_OUTSIDE' }));
  },
);

test('safeJoin without parts is refused: the root itself is not below the root', () => {
  expect(() => safeJoin('/root')).toThrow(expect.objectContaining({ code: 'E_PATH_OUTSIDE' }));
});

test('safeJoin joins what goes down', () => {
  expect(safeJoin('/root', 'a', 'b/c')).toBe(join('/root', 'a', 'b', 'c'));
  expect(safeJoin('root', '...', '..a', 'a..')).toBe(join('root', '...', '..a', 'a..'));
});

test('on Windows backslashes, drives and streams are refused too', () => {
  for (const part of ['..\\x', 'a\\b', 'C:x', 'C:', 'a:stream']) {
    expect(isInside(part, 'win32')).toBe(false);
    expect(isInside(part, 'linux')).toBe(true);
  }
});

test('whatever the parts: refused, or strictly below the root', () => {
  fc.assert(
    fc.property(fc.array(text, { maxLength: 3 }), (parts) => {
      let joined: string;
      try {
        joined = safeJoin('/some/root', ...parts);
      } catch (error) {
        expect(error).toMatchObject({ code: 'E_PATH_OUTSIDE' });
        return;
      }
      const below = relative('/some/root', joined);
      expect(below).not.toBe('');
      expect(below.split(sep)[0]).not.toBe('..');
      expect(isAbsolute(below)).toBe(false);
      expect(joined).not.toContain('\0');
    }),
  );
});

test.each([
  ['sample-1', 'sample-1'],
  ['a b/c', 'a%20b%2fc'],
  ['../x', '%2e.%2fx'],
  ['.', '%2e'],
  ['..', '%2e%2e'],
  ['.hidden', '%2ehidden'],
  ['', '~'],
  ['100%', '100%25'],
  ['é', '%c3%a9'],
  ['\ud800', '%ud800'],
  ['con', '%63on'],
  ['nul.txt', '%6eul.txt'],
  ['console', 'console'],
])('the file name for %j is %j', (id, name) => {
  expect(fileNameFor(id)).toBe(name);
});

test('capitals stay readable, and get a tail', () => {
  expect(fileNameFor('HumanEval/7')).toMatch(/^HumanEval%2f7~[0-9a-f]{12}$/);
});

test('every file name is short, safe, below its directory, and the same every time', () => {
  fc.assert(
    fc.property(text, (id) => {
      const name = fileNameFor(id);
      expect(name).toMatch(/^[A-Za-z0-9_.+=,@%~-]{1,120}$/);
      expect(name).not.toMatch(/^\.|\.$/);
      expect(name.split('.')[0]).not.toMatch(/^(con|prn|aux|nul|com\d|lpt\d)$/i);
      expect(fileNameFor(id)).toBe(name);
      expect(safeJoin('/root', name)).toBe(join('/root', name));
    }),
  );
});

test('different ids have different file names, also where case is ignored', () => {
  const nearby = text.chain((id) =>
    fc.tuple(
      fc.constant(id),
      fc.constantFrom(
        id.toUpperCase(),
        id.toLowerCase(),
        `${id}.`,
        fileNameFor(id),
        `${id}~`,
        id.slice(1),
        id.trim(),
      ),
    ),
  );
  fc.assert(
    fc.property(fc.oneof(fc.tuple(text, text), nearby), ([a, b]) => {
      fc.pre(a !== b);
      expect(fileNameFor(a).toLowerCase()).not.toBe(fileNameFor(b).toLowerCase());
    }),
    { numRuns: 2_000 },
  );
});

test('long ids that differ only at their end have different file names', () => {
  const long = 'x'.repeat(5_000);
  expect(fileNameFor(`${long}a`)).not.toBe(fileNameFor(`${long}b`));
  expect(fileNameFor(`${long}a`)).toHaveLength(120);
  expect(fileNameFor(`${long}\ud800`)).not.toBe(fileNameFor(`${long}\ud801`));
});
