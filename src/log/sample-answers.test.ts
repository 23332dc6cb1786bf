import { expect, test } from 'vitest';
import type { Digest } from '../base/index.ts';
import { type SampleAnswer, unionOfAnswers } from './sample-answers.ts';

const answer = (value: string, more: Partial<SampleAnswer> = {}): SampleAnswer => ({
  kind: 'model',
  digest: 'q' as Digest,
  occurrence: 0,
  value,
  ...more,
});

test('[LOG-37] of what was answered to one request in several attempts the later counts, and nothing else is lost', () => {
  const lists = [
    [answer('first'), answer('again', { occurrence: 1 }), answer('tool', { kind: 'tool' })],
    [answer('second'), answer('other', { digest: 'r' as Digest })],
  ];
  expect(unionOfAnswers(lists).map(({ value }) => value)).toEqual(['second', 'again', 'tool', 'other']);
  expect(unionOfAnswers([...lists, ...lists])).toEqual(unionOfAnswers(lists));
});
