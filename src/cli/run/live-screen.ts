import { createLogUpdate } from 'log-update';
import { systemClock } from '../../base/index.ts';
import type { ModelGate } from '../../targets/index.ts';
import { formatCount, formatDuration, formatScore, formatUsd } from '../quantities.ts';
import type { Style } from '../style.ts';
import { cutStyled, oneLine, shorten, widthOf, wrapWords } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { CallNotices } from './call-notices.ts';
import { describeForecast, describePrevious, type Progress, runTitle } from './progress.ts';
import type { RunChange, RunView } from './run-view.ts';

const FRAME_MS = 100;
const BAR_WIDTH = 28;
const FAILURES_SHOWN_MAX = 5;
const NOTE_INDENT = 8;

/** A screen that is drawn again ten times a second: a block of three lines for each run under way, notes above. */
export function liveScreen(
  terminal: Terminal,
  views: readonly RunView[],
  gates: ReadonlyMap<string, ModelGate>,
): Progress {
  const update = createLogUpdate(terminal.stderr);
  const style = terminal.noteStyle;
  const notices = new CallNotices(systemClock);
  let failures = 0;
  let isClosed = false;
  const draw = () => {
    if (isClosed) return;
    const { columns, rows } = sizeOf(terminal);
    const lines = renderScreen(views, gates, { style, columns, rows: rows - 1 });
    update(lines.join('\n'));
  };
  const note = (text: string) => {
    if (isClosed) return terminal.note(text);
    update.persist(wrapWords(text, sizeOf(terminal).columns, NOTE_INDENT));
    draw();
  };
  const frames = systemClock.every(FRAME_MS, draw);
  draw();

  return {
    onChange(view: RunView, change: RunChange) {
      if (change.kind === 'start' && view.started) {
        const { started } = view;
        const before = describePrevious(started);
        if (before) note(`${style.accent('resume')}  ${view.name}: ${before}`);
        const forecast = describeForecast({ ...started, kept: started.kept + started.reused });
        note(`${style.accent('plan')}    ${view.name}: ${forecast}`);
      } else if (change.kind === 'note') note(`${style.warn('note')}    ${view.name}: ${change.text}`);
      else if (change.kind === 'failure' && ++failures <= FAILURES_SHOWN_MAX) {
        note(`${style.bad('failed')}  ${oneLine(`${view.name}: ${change.text}`)}`);
        if (failures === FAILURES_SHOWN_MAX)
          note(style.dim('        further failures are counted, not shown'));
      } else if (change.kind === 'failedTry') {
        const sentence = notices.sentence(change.failed);
        if (sentence !== undefined) note(`${style.warn('retry')}   ${view.name}: ${sentence}`);
      }
    },
    note,
    close() {
      if (isClosed) return;
      isClosed = true;
      frames[Symbol.dispose]();
      update.clear();
      update.done();
    },
  };
}

/** A terminal that does not know its size says 0. */
function sizeOf({ stderr }: Terminal): { readonly columns: number; readonly rows: number } {
  return { columns: stderr.columns || 80, rows: stderr.rows || 24 };
}

interface ScreenSize {
  readonly style: Style;
  readonly columns: number;
  readonly rows: number;
}

/** Runs under way get a block each; what does not fit is counted. */
export function renderScreen(
  views: readonly RunView[],
  gates: ReadonlyMap<string, ModelGate>,
  size: ScreenSize,
): string[] {
  const active = views.filter(({ phase }) => phase === 'running' || phase === 'sealing');
  const ended = views.filter(({ phase }) => phase === 'ended').length;
  const waiting = views.length - active.length - ended;
  const room = Math.max(1, Math.floor((size.rows - 2) / 4));
  const lines = active.slice(0, room).flatMap((view) => ['', ...renderRun(view, gates, size)]);
  const hidden = active.length - Math.min(room, active.length);
  const rest = [
    hidden > 0 ? `${hidden} more running` : '',
    waiting > 0 && views.length > 1 ? `${waiting} waiting` : '',
    ended > 0 && views.length > 1 ? `${ended} of ${views.length} runs ended` : '',
  ].filter(Boolean);
  if (lines.length === 0 && waiting > 0) lines.push('', size.style.dim('looking at what is there already …'));
  if (rest.length > 0) lines.push('', size.style.dim(rest.join(' · ')));
  // A line that the terminal breaks is two where one was counted, and every later frame is drawn in the wrong place.
  return lines.map((line) => cutStyled(line, size.columns));
}

function renderRun(view: RunView, gates: ReadonlyMap<string, ModelGate>, size: ScreenSize): string[] {
  const { style, columns } = size;
  const title = runTitle(style.bold(view.name), view.target, style.dim(' · '));
  return [
    apart(title, style.dim(formatDuration(view.elapsedMs)), columns),
    progressLine(view, style),
    fitParts(figures(view, gates), columns, style),
  ];
}

function progressLine(view: RunView, style: Style): string {
  if (view.phase === 'sealing') {
    return `${bar(view.sealShare, style)}  sealing the log`;
  }
  const failed = view.failed > 0 ? `  ${style.bad(`${view.failed} failed`)}` : '';
  const eta = view.etaMs === undefined ? '' : `  ${style.dim(`eta ${formatDuration(view.etaMs)}`)}`;
  return `${bar(view.share, style)}  ${style.bold(`${view.done}/${view.planned}`)}  ${view.running} running${failed}${eta}`;
}

function bar(share: number, style: Style): string {
  const full = Math.round(Math.min(1, Math.max(0, share)) * BAR_WIDTH);
  return style.good('━'.repeat(full)) + style.dim('─'.repeat(BAR_WIDTH - full));
}

function figures(view: RunView, gates: ReadonlyMap<string, ModelGate>): string[] {
  const scores = [...view.scores()].map(([name, { mean, interval, scored }]) => {
    if (scored === 0) return `${name} –`;
    const range = interval ? ` [${formatScore(interval.lower)}, ${formatScore(interval.upper)}]` : '';
    return `${name} ${formatScore(mean)}${range}`;
  });
  // A function may call models by names of its own; with one gate in all there is no doubt which.
  const gate = gates.get(view.target) ?? (gates.size === 1 ? [...gates.values()][0] : undefined);
  return [
    ...scores,
    `${formatCount(view.tokens)} tokens`,
    ...(view.usd > 0 ? [formatUsd(view.usd)] : []),
    ...(view.rate > 0 ? [`${view.rate.toFixed(view.rate < 10 ? 1 : 0)}/s`] : []),
    ...(gate ? [`${gate.active}/${gate.limit} calls`] : []),
  ];
}

/** As many as fit, the first ones first. */
function fitParts(parts: readonly string[], columns: number, style: Style): string {
  const gap = style.dim(' · ');
  let line = '';
  for (const part of parts) {
    const next = line === '' ? part : line + gap + part;
    if (widthOf(next) > columns && line !== '') return line;
    line = next;
  }
  return widthOf(line) > columns ? shorten(line, columns) : line;
}

function apart(left: string, right: string, columns: number): string {
  const room = columns - widthOf(left) - widthOf(right);
  return room > 1 ? left + ' '.repeat(room) + right : left;
}
