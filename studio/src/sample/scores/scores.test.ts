import { describe, expect, test } from 'vitest';
import type { Skeleton } from '../../../../src/server/api.ts';
import { firstOfTurn } from '../transcript/landmarks.ts';
import { SkeletonStore } from '../transcript/skeleton-store.ts';
import { citationsOf } from './citations.ts';
import { judgeCall } from './judge-call.ts';

describe('what a score cites', () => {
  const saidOf = (explanation: string) => citationsOf({ explanation }).map(({ said }) => said);

  test('messages, events, turns and ids are known by how they are written, each once', () => {
    const explanation =
      'See [M12] and [E3]: in turn 31 it gave up (Turn 31), as [M12] shows; msg_01AbCdEf, ' +
      '3f2a1c00-0000-4000-8000-00000000abcd and VyQ3bXk9LmN2pRtS5uWz7A.';
    expect(citationsOf({ explanation }).map(({ to }) => to)).toEqual([
      { message: 12 },
      { event: 3 },
      { turn: 31 },
      { id: 'msg_01AbCdEf' },
      { id: '3f2a1c00-0000-4000-8000-00000000abcd' },
      { id: 'VyQ3bXk9LmN2pRtS5uWz7A' },
    ]);
  });

  test('ordinary words are no citations', () => {
    expect(
      saidOf('It took 3 turns; in return 12 [X1] internationalizationss aaaaaaaaaaaaaaaaaaaaaa'),
    ).toEqual([]);
  });

  test('what the score itself says that a citation stands for goes before counting', () => {
    const metadata = { references: [{ type: 'message', cite: '[M2]', id: 'theId' }], why: 'as in [E4]' };
    expect(citationsOf({ explanation: 'wrong in [M2]', metadata })).toEqual([
      { said: '[M2]', to: { id: 'theId' } },
      { said: '[E4]', to: { event: 4 } },
    ]);
  });

  test('however much is cited, a few are shown', () => {
    expect(saidOf(Array.from({ length: 500 }, (_, n) => `[M${n}]`).join(' '))).toHaveLength(24);
  });
});

/** An agent with two turns; then scorers, of which only the first asks a model for its score. */
function scoredStore(): SkeletonStore {
  const events = [
    ['model', 0, 1, 'said'],
    ['tool', 0, 1, 'bash'],
    ['model', 0, 2, 'done'],
    ['span_begin', 1, 2, 'rubric'],
    ['model', 1, 2, 'GRADE: C'],
    ['score', 1, 2, 'rubric C because'],
    ['score', 1, 2, 'exact I'],
    ['model', 1, 2, 'GRADE: I'],
    ['span_begin', 1, 2, 'length'],
    ['score', 1, 2, 'length 7'],
  ] as const;
  const kinds = ['model', 'tool', 'span_begin', 'score'];
  const zeros = events.map(() => 0);
  const columns: Skeleton['columns'] = {
    ...{
      depth: zeros,
      start: zeros,
      durationMs: zeros,
      tokens: zeros,
      usd: zeros,
      flags: zeros,
      sizeBytes: zeros,
    },
    kind: events.map(([kind]) => kinds.indexOf(kind)),
    lane: events.map(([, lane]) => lane),
    turn: events.map(([, , turn]) => turn),
    label: events.map(([, , , label]) => label),
  };
  const store = new SkeletonStore();
  const names = { kinds, kindsFrom: 0, lanes: ['main', 'scoring'], lanesFrom: 0 };
  store.put({ from: 0, known: events.length, isWhole: true, progress: 1, ...names, columns });
  return store;
}

describe('who judged', () => {
  test('is the model that the scorer asked, and nobody where it asked none', () => {
    const store = scoredStore();
    expect(judgeCall(store, 'rubric')).toBe(4);
    expect(judgeCall(store, 'exact')).toBeUndefined();
    expect(judgeCall(store, 'length')).toBeUndefined();
    expect(judgeCall(store, 'rub')).toBeUndefined();
  });

  test('a turn that is cited begins with its first event', () => {
    const store = scoredStore();
    expect([firstOfTurn(store, 1), firstOfTurn(store, 2), firstOfTurn(store, 3)]).toEqual([0, 2, 10]);
  });
});
