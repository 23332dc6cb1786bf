import { expect, test } from 'vitest';
import { asSentence, counted, namedOnce } from './plain-words.ts';

test('a thing is named once, whether or not the reason names it', () => {
  expect(namedOnce('/a/journal.db', '/a/journal.db is damaged (torn).')).toBe(
    '/a/journal.db is damaged (torn).',
  );
  expect(namedOnce('/a/journal.db', 'it was made by another version')).toBe(
    '/a/journal.db (it was made by another version).',
  );
});

test('one is not many', () => {
  expect([counted(1, 'answer'), counted(2, 'answer'), counted(0, 'answer')]).toEqual([
    '1 answer',
    '2 answers',
    '0 answers',
  ]);
});

test('a reason that is a sentence already gets no second full stop', () => {
  expect(['torn', 'It is torn.', 'Why?'].map(asSentence)).toEqual(['torn.', 'It is torn.', 'Why?']);
});
