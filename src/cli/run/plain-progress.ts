import type { Clock } from '../../base/index.ts';
import { formatCount, formatDuration, formatPercent, formatScore, formatUsd } from '../quantities.ts';
import { oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { CallNotices } from './call-notices.ts';
import { describeForecast, describePrevious, type Progress, runTitle } from './progress.ts';
import type { RunChange, RunView } from './run-view.ts';

const QUIET_MS = 10_000;
const STEP = 0.1;
const PAUSE_MS = 1_000;
/** A run whose samples all fail must not fill the build's log. */
const FAILURES_SHOWN_MAX = 5;
const TICK_MS = 1_000;

/** Lines for logs of builds: at the start, every tenth of the way, every ten seconds whatever happens, and at the end. */
export function plainProgress(terminal: Terminal, views: readonly RunView[], clock: Clock): Progress {
  const notices = new CallNotices(clock);
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
    if (state.failures <= FAILURES_SHOWN_MAX) say(view, oneLine(text));
    if (state.failures === FAILURES_SHOWN_MAX) say(view, 'further failures are counted, not shown');
  };

  const onProgress = (view: RunView) => {
    const state = stateOf(view);
    const nowMs = clock.monotonicMs();
    const sinceMs = nowMs - state.atMs;
    const hasMoved = view.phase === 'running' && view.share - state.share >= STEP;
    if (!(hasMoved && sinceMs >= PAUSE_MS) && sinceMs < QUIET_MS) return;
    state.share = view.share;
    state.atMs = nowMs;
    say(view, stateText(view));
  };
  // Also while no sample starts or ends: silence for minutes looks like a program that hangs.
  const ticks = clock.every(TICK_MS, () => {
    const active = views.filter(({ phase }) => phase === 'running' || phase === 'sealing');
    const waiting = views.filter(({ phase }) => phase === 'waiting');
    for (const view of active.length > 0 ? active : waiting.slice(0, 1)) onProgress(view);
  });

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
      else if (change.kind === 'failedTry') {
        const sentence = notices.sentence(change.failed);
        if (sentence !== undefined) say(view, sentence);
      } else if (change.kind === 'note') say(view, change.text);
    },
    note: (text) => terminal.note(text),
    close: () => ticks[Symbol.dispose](),
  };
}

function stateText(view: RunView): string {
  if (view.phase === 'waiting') return 'looking at what is there already';
  if (view.phase === 'sealing') return `sealing the log (${formatPercent(view.sealShare)})`;
  return progressText(view);
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
