import { expect, test } from 'vitest';
import type { Clock } from '../../base/index.ts';
import { createStyle } from '../style.ts';
import { widthOf } from '../table.ts';
import { renderScreen } from './live-screen.ts';
import { describeForecast, describePrevious } from './progress.ts';
import { RunView } from './run-view.ts';

/** Time that the test moves. */
function manualClock(): Clock & { now: number } {
  const clock = {
    now: 0,
    nowMs: () => clock.now,
    monotonicMs: () => clock.now,
    after: () => ({ [Symbol.dispose]: () => undefined }),
    every: () => ({ [Symbol.dispose]: () => undefined }),
    sleep: () => Promise.resolve(),
  };
  return clock;
}

function runningView(clock: Clock, name = 'capitals'): RunView {
  const view = new RunView({ name, target: 'openai/gpt-5' }, clock, () => undefined);
  view.onSampleKept({ includes: { value: 'C' } }, { id: 'kept', epoch: 1 });
  view.onRunStart({
    runId: 'r',
    eval: name,
    target: 'openai/gpt-5',
    planned: 20,
    kept: 1,
    reused: 0,
    toScore: 0,
    toReplay: 0,
    toBuy: 19,
  });
  return view;
}

const size = { style: createStyle(false), columns: 80, rows: 24 };
const gates = new Map();

test('a run under way shows what is done, running and failed, the score, tokens, money, rate and time left', () => {
  const clock = manualClock();
  const view = runningView(clock);
  for (let index = 0; index < 5; index++) {
    view.onSampleStart();
    clock.now += 1_000;
    const failed = index === 4;
    view.onSampleEnd(
      { id: index, epoch: 1 },
      {
        status: failed ? 'errored' : 'completed',
        scores: failed ? {} : { includes: { value: 'I' } },
        ...(failed ? { error: 'broke' } : {}),
        tokens: 5_000,
        usd: 0.01,
      },
    );
  }
  view.onSampleStart();
  const text = renderScreen([view], gates, size).join('\n');
  expect(text).toContain('capitals · openai/gpt-5');
  expect(text).toContain('6/20  1 running  1 failed  eta 14 s');
  expect(text).toContain('includes 0.200 [0.036, 0.624] · 25k tokens · $0.0500 · 1.0/s');
});

test('epochs are no samples: with several of them there is a mean and no interval', () => {
  const view = runningView(manualClock());
  for (const epoch of [1, 2]) {
    view.onSampleStart();
    const scores = { includes: { value: 'I' } };
    view.onSampleEnd({ id: 'a', epoch }, { status: 'completed', scores, tokens: 0, usd: 0 });
  }
  expect(renderScreen([view], gates, size).join('\n')).toContain('includes 0.333 · ');
});

const DONE = { status: 'completed', scores: {}, tokens: 0, usd: 0 } as const;

test('samples that ran side by side and end side by side do not make the time left look like nothing', () => {
  const clock = manualClock();
  const view = runningView(clock);
  for (let index = 0; index < 4; index++) view.onSampleStart();
  clock.now += 10_000;
  view.onSampleEnd({ id: 0, epoch: 1 }, DONE);
  clock.now += 1;
  view.onSampleEnd({ id: 1, epoch: 1 }, DONE);
  // Two in ten seconds, and seventeen are left.
  expect(Math.round((view.etaMs ?? 0) / 1_000)).toBe(85);
  view.onRunEnd();
  expect(view.etaMs).toBeUndefined();
});

test('a fast run has the rate of its last moments, although only some ends are remembered', () => {
  const clock = manualClock();
  const view = runningView(clock);
  for (let index = 0; index < 2_000; index++) {
    view.onSampleStart();
    clock.now += 2;
    view.onSampleEnd({ id: index, epoch: 1 }, DONE);
  }
  expect(Math.round(view.rate / 10)).toBe(50);
});

test('from 80 columns on no line is wider than the screen, and no screen is higher', () => {
  const clock = manualClock();
  const views = Array.from({ length: 12 }, (_, index) =>
    runningView(clock, `a rather long name of an eval ${index}`),
  );
  for (const columns of [20, 40, 80, 200]) {
    for (const rows of [6, 12, 40]) {
      const lines = renderScreen(views, gates, { ...size, columns, rows });
      expect(lines.length).toBeLessThanOrEqual(Math.max(rows, 6));
      if (columns >= 80) expect(Math.max(...lines.map(widthOf))).toBeLessThanOrEqual(columns);
    }
  }
});

test('a run whose log is being made says so', () => {
  const view = runningView(manualClock());
  view.onSealProgress(1, 2);
  expect(renderScreen([view], gates, size).join('\n')).toContain('sealing the log');
});

test('what the last attempt left is said as a sentence', () => {
  const started = {
    runId: 'r',
    eval: 'x',
    target: 'y',
    planned: 200,
    kept: 112,
    reused: 0,
    toScore: 0,
    toReplay: 6,
    toBuy: 82,
  };
  const previous = {
    diedAt: '2026-11-15T18:52:32+00:00',
    saidGoodbye: false,
    kept: 112,
    inFlight: 6,
    sessions: [],
  };
  expect(describePrevious({ ...started, previous })).toMatch(
    /^the last attempt died at 2026-11-1\d \d\d:52:32; 112 samples kept, 6 were in flight$/,
  );
  expect(describePrevious({ ...started, previous: { ...previous, saidGoodbye: true } })).toContain(
    'was stopped at',
  );
  expect(describePrevious({ ...started, kept: 0, reused: 3 })).toBe('');
});

test('what is going to happen is said in one line, with about what it costs', () => {
  const nothing = { kept: 0, toScore: 0, toReplay: 0, toBuy: 0 };
  expect(describeForecast({ ...nothing, kept: 412, toScore: 88, toBuy: 12, estimateUsd: 0.4 })).toBe(
    '412 kept, 88 scored anew, 12 to buy, about $0.4000',
  );
  expect(describeForecast({ ...nothing, toBuy: 5 })).toBe('5 to buy, cost not known yet');
  expect(describeForecast({ ...nothing, kept: 5 })).toBe('5 kept, nothing to buy');
  expect(describeForecast({ ...nothing, toScore: 5 })).toBe(
    '5 scored anew, nothing to buy but what scorers ask for',
  );
  expect(describeForecast({ ...nothing, toReplay: 6, replayAtMostUsd: 0.6 })).toBe(
    '6 to run again with the answers on record (new requests are bought: at most about $0.6000)',
  );
  expect(describeForecast({ ...nothing, toReplay: 3 })).not.toContain('nothing');
});

test('no line is wider than the terminal, however narrow it is', () => {
  const clock = manualClock();
  const names = ['capitals', 'an-eval-with-a-name-that-is-longer-than-many-a-terminal-is-wide', 'c'];
  const views = names.map((name) => runningView(clock, name));
  for (const view of views)
    for (let index = 0; index < 5; index++) {
      view.onSampleStart();
      clock.now += 1_000;
      view.onSampleEnd({ id: index, epoch: 1 }, { ...DONE, status: 'errored', tokens: 5_000, usd: 0.01 });
    }
  for (const columns of [20, 30, 40, 60, 79, 80])
    for (const isColoured of [false, true]) {
      const style = createStyle(isColoured);
      const waiting = new RunView({ name: 'w', target: 't' }, clock, () => undefined);
      for (const shown of [[...views, waiting], [waiting]])
        for (const line of renderScreen(shown, gates, { style, columns, rows: 10 }))
          expect(widthOf(line), `${columns}: ${line}`).toBeLessThanOrEqual(columns);
    }
});
