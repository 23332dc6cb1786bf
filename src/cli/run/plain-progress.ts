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
  return new PlainProgress(terminal, views, clock);
}

interface Said {
  share: number;
  atMs: number;
  failures: number;
}

class PlainProgress implements Progress {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #notices: CallNotices;
  readonly #ticks: Disposable;
  readonly #said = new Map<RunView, Said>();
  /** Handed on as a function of its own. */
  readonly note: (text: string) => void;

  constructor(terminal: Terminal, views: readonly RunView[], clock: Clock) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.note = (text) => terminal.note(text);
    this.#notices = new CallNotices(clock);
    // Also while no sample starts or ends: silence for minutes looks like a program that hangs.
    this.#ticks = clock.every(TICK_MS, () => {
      const active = views.filter(({ phase }) => phase === 'running' || phase === 'sealing');
      const waiting = views.filter(({ phase }) => phase === 'waiting');
      for (const view of active.length > 0 ? active : waiting.slice(0, 1)) this.#onProgress(view);
    });
  }

  onChange(view: RunView, change: RunChange): void {
    if (change.kind === 'start') this.#onStart(view);
    else if (change.kind === 'progress') this.#onProgress(view);
    else if (change.kind === 'end' && view.started) this.#say(view, `ended, ${progressText(view)}`);
    else if (change.kind === 'failure') this.#onFailure(view, change.text);
    else if (change.kind === 'note') this.#say(view, change.text);
    else if (change.kind === 'failedTry') this.#say(view, this.#notices.sentence(change.failed));
  }

  close(): void {
    this.#ticks[Symbol.dispose]();
  }

  #say(view: RunView, text: string | undefined): void {
    if (text !== undefined) this.#terminal.note(`${runTitle(view.name, view.target)}: ${text}`);
  }

  #saidOf(view: RunView): Said {
    const said = this.#said.get(view) ?? { share: view.share, atMs: this.#clock.monotonicMs(), failures: 0 };
    this.#said.set(view, said);
    return said;
  }

  #onStart(view: RunView): void {
    this.#said.delete(view); // A further attempt starts from its own share.
    this.#saidOf(view);
    const run = view.started;
    if (!run) return;
    const before = describePrevious(run);
    if (before) this.#say(view, before);
    const forecast = describeForecast({ ...run, kept: run.kept + run.reused });
    this.#say(view, `${run.planned} planned: ${forecast}`);
  }

  #onProgress(view: RunView): void {
    const said = this.#saidOf(view);
    const nowMs = this.#clock.monotonicMs();
    const sinceMs = nowMs - said.atMs;
    const hasMoved = view.phase === 'running' && view.share - said.share >= STEP;
    if (!(hasMoved && sinceMs >= PAUSE_MS) && sinceMs < QUIET_MS) return;
    said.share = view.share;
    said.atMs = nowMs;
    this.#say(view, stateText(view));
  }

  #onFailure(view: RunView, text: string): void {
    const said = this.#saidOf(view);
    said.failures++;
    if (said.failures <= FAILURES_SHOWN_MAX) this.#say(view, oneLine(text));
    if (said.failures === FAILURES_SHOWN_MAX) this.#say(view, 'further failures are counted, not shown');
  }
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
