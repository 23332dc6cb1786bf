import type { Clock } from '../../base/index.ts';
import { formatCount, formatDuration, formatPercent, formatScore, formatUsd } from '../quantities.ts';
import { cutEnd, oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { describeForecast, describePrevious, type Progress, runTitle } from './progress.ts';
import type { RunChange, RunView } from './run-view.ts';

const QUIET_MS = 10_000;
const STEP = 0.1;
const PAUSE_MS = 1_000;
/** A run whose samples all fail must not fill the build's log. */
const FAILURES_SHOWN_MAX = 5;
const FAILURE_CHARS_MAX = 400;

/** Lines for logs of builds: at the start, every tenth of the way or every ten seconds, at the end. */
export function plainProgress(terminal: Terminal, clock: Clock): Progress {
  const last = new Map<RunView, { share: number; atMs: number; failures: number }>();
  const say = (view: RunView, text: string) => terminal.note(`${runTitle(view.name, view.target)}: ${text}`);

  const stateOf = (view: RunView) => {
    const state = last.get(view) ?? { share: view.share, atMs: clock.monotonicMs(), failures: 0 };
    last.set(view, state);
    return state;
  };

  const onFailure = (view: RunView, text: string) => {
    const state = stateOf(view);
    state.failures++;
    if (state.failures <= FAILURES_SHOWN_MAX) say(view, cutEnd(oneLine(text), FAILURE_CHARS_MAX));
    if (state.failures === FAILURES_SHOWN_MAX) say(view, 'further failures are counted, not shown');
  };

  const onProgress = (view: RunView) => {
    const state = stateOf(view);
    const nowMs = clock.monotonicMs();
    const sinceMs = nowMs - state.atMs;
    const isDue = (view.share - state.share >= STEP && sinceMs >= PAUSE_MS) || sinceMs >= QUIET_MS;
    if (!isDue || view.phase !== 'running') return;
    state.share = view.share;
    state.atMs = nowMs;
    say(view, progressText(view));
  };

  const onStart = (view: RunView) => {
    last.delete(view); // A further attempt starts from its own share.
    stateOf(view);
    const run = view.started;
    if (!run) return;
    const before = describePrevious(run);
    if (before) say(view, before);
    say(view, `${run.planned} planned: ${describeForecast({ ...run, kept: run.kept + run.reused })}`);
  };

  return {
    onChange(view: RunView, change: RunChange) {
      if (change.kind === 'start') onStart(view);
      else if (change.kind === 'progress') onProgress(view);
      else if (change.kind === 'end' && view.started) say(view, `ended, ${progressText(view)}`);
      else if (change.kind === 'failure') onFailure(view, change.text);
      else if (change.kind === 'note') say(view, change.text);
    },
    note: (text) => terminal.note(text),
    close: () => undefined,
  };
}

function progressText(view: RunView): string {
  const parts = [`${view.done}/${view.planned} (${formatPercent(view.share)})`];
  if (view.running > 0) parts.push(`${view.running} running`);
  if (view.failed > 0) parts.push(`${view.failed} failed`);
  const [score] = view.scores();
  if (score) parts.push(`${score[0]} ${formatScore(score[1].mean)}`);
  parts.push(`${formatCount(view.tokens)} tokens`);
  if (view.usd > 0) parts.push(formatUsd(view.usd));
  const { etaMs } = view;
  if (etaMs !== undefined && etaMs > 0) parts.push(`eta ${formatDuration(etaMs)}`);
  return parts.join(', ');
}
