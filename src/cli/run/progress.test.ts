/** What runs show while they are under way, on a terminal and elsewhere. */
import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { manualClock } from '../../../test/sim/manual-clock.ts';
import type { RunStarted } from '../../runner/index.ts';
import type { FailedTry } from '../../targets/index.ts';
import { createStyle } from '../style.ts';
import type { Terminal } from '../terminal.ts';
import { liveScreen } from './live-screen.ts';
import { plainProgress } from './plain-progress.ts';
import type { Progress } from './progress.ts';
import { RunView } from './run-view.ts';

const STARTED: RunStarted = {
  runId: 'r',
  eval: 'x',
  target: 'openai/gpt-5',
  planned: 4,
  kept: 0,
  reused: 0,
  toScore: 0,
  toReplay: 0,
  toBuy: 4,
};
const FAILED: FailedTry = {
  model: 'openai/gpt-5',
  reason: `HTTP 500: it begins ${'and goes on '.repeat(40)}and ends`,
  tries: 2,
  triesMax: 9,
  nextMs: 4_000,
};

/** A terminal of 80 columns that only listens. */
function listening() {
  const lines: string[] = [];
  const stderr = Object.assign(new PassThrough(), { columns: 80, rows: 24, isTTY: true });
  stderr.on('data', (chunk: Buffer) => lines.push(stripVTControlCharacters(chunk.toString())));
  const style = createStyle(false);
  const terminal: Terminal = {
    env: {},
    cwd: '/',
    style,
    noteStyle: style,
    columns: 80,
    isLive: true,
    stderr: stderr as never,
    line: () => undefined,
    json: () => undefined,
    write: async () => undefined,
    note: (text) => void lines.push(text),
  };
  return { terminal, text: () => lines.join('\n') };
}

function viewOf(clock: ReturnType<typeof manualClock>, progress: () => Progress): RunView {
  return new RunView({ name: 'x', target: 'openai/gpt-5' }, clock, (view, change) =>
    progress().onChange(view, change),
  );
}

test('[CALL-1] a terminal shows a failed call at once, and all of its cause', async () => {
  const { terminal, text } = listening();
  let progress: Progress | undefined;
  const view = viewOf(manualClock(), () => progress as Progress);
  progress = liveScreen(terminal, [view], new Map());
  view.onRunStart(STARTED);
  view.onFailedTry(FAILED);
  view.onSampleEnd(
    { id: 7, epoch: 1 },
    { status: 'errored', scores: {}, error: `oh ${'no '.repeat(60)}end`, tokens: 0, usd: 0 },
  );
  progress.close();
  await new Promise((resolve) => setImmediate(resolve));
  const words = text().replace(/\s+/g, ' ');
  expect(words).toContain('call to openai/gpt-5 failed: HTTP 500: it begins and goes on');
  expect(words).toContain('and goes on and ends – try 2 of 9, next in 4.0 s');
  expect(words).toContain('sample 7 failed: oh no no');
  expect(words).toContain('no no end');
});

test('[CALL-1] of failures of one kind three are told at once, and the rest together after ten seconds', async () => {
  const clock = manualClock();
  const { terminal, text } = listening();
  let progress: Progress | undefined;
  const view = viewOf(clock, () => progress as Progress);
  progress = plainProgress(terminal, [view], clock);
  view.onRunStart(STARTED);
  for (let count = 0; count < 8; count++) view.onFailedTry(FAILED);
  view.onFailedTry({ ...FAILED, reason: 'another one', nextMs: undefined });
  expect(text().match(/it begins/g)).toHaveLength(3);
  expect(text()).toContain('another one – try 2 of 9, no more tries');
  await clock.advance(10_000);
  view.onFailedTry(FAILED);
  expect(text()).toContain('next in 4.0 s (and 5 more like it)');
  progress.close();
});

test('a plain line comes every ten seconds, whatever the run is doing', async () => {
  const clock = manualClock();
  const { terminal, text } = listening();
  let progress: Progress | undefined;
  const view = viewOf(clock, () => progress as Progress);
  progress = plainProgress(terminal, [view], clock);
  await clock.advance(12_000);
  expect(text().match(/looking at what is there already/g)).toHaveLength(1);
  view.onRunStart(STARTED);
  view.onSampleStart();
  await clock.advance(31_000);
  expect(text().match(/0\/4 \(0 %\), 1 running/g)).toHaveLength(3);
  view.onSealProgress(1, 2);
  await clock.advance(10_000);
  expect(text()).toContain('sealing the log (50 %)');
  progress.close();
  const before = text();
  await clock.advance(30_000);
  expect(text()).toBe(before);
});
