import { quoteWord } from '../../process/index.ts';
import type { RecoverReport, SampleAccount } from '../../recover/index.ts';
import { counted, formatCount } from '../quantities.ts';
import { resultLines } from '../run/account-report.ts';
import { runTitle } from '../run/progress.ts';
import { shortPath } from '../short-path.ts';
import { type Column, oneLine, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** A run of thousands must not hide its own account; `--verbose` and `--json` list everything. */
const SAMPLES_SHOWN_MAX = 40;
const SENTENCES_SHOWN_MAX = 100;

export interface AccountView {
  readonly terminal: Terminal;
  readonly isVerbose: boolean;
  readonly isKept: boolean;
  /** The log was made without its transcripts. */
  readonly isWithoutEvents?: boolean;
}

/** What a recovery did, as people read it: counts, sources, each sample, what is missing, and the log. */
export function recoverLines(report: RecoverReport, view: AccountView): string[] {
  const { terminal } = view;
  const { style, cwd } = terminal;
  const { run, status } = report;
  const paint = status === 'success' ? style.good : style.warn;
  const lines = ['', `${style.bold(runTitle(run.task, run.model))}  ${paint(status)}`];
  if (report.wasThere) lines.push(`An earlier recovery had made this log; ${cleanedUp(report)}.`);
  if (report.samples.length > 0)
    lines.push('', countsTable(report, terminal), '', ...samplesTable(report, view));
  lines.push(...missingLines(report, view), ...noteLines(report, view));
  const rows = [
    ...report.sources.map(({ kind, place }) => ['from', kind, shortPath(place, cwd)]),
    ...report.deleted.map((place) => ['deleted', '', style.dim(shortPath(place, cwd))]),
    ...report.left.map((place) => ['left', '', shortPath(place, cwd)]),
    ...resultLines(report.results).map((line) => ['score', '', line]),
    ['log', '', style.accent(shortPath(report.output, cwd))],
  ];
  lines.push(
    '',
    renderTable([{ title: '' }, { title: '' }, { title: '' }], rows, { width: Number.MAX_SAFE_INTEGER }),
  );
  if (view.isKept) lines.push(style.dim('What it was recovered from is still there (--keep).'));
  if (view.isWithoutEvents && report.left.length > 0)
    lines.push(
      'What was left stays because it has the transcripts, which this log is without (--no-events).',
    );
  if (report.waiting !== undefined && !view.isKept)
    lines.push(
      `The journals stay: they have answers for ${counted(report.waiting, 'sample')} that were under way, which the next run of this eval replays.`,
    );
  if (report.notFinalized !== undefined)
    lines.push(style.warn(`Running samples were not ended: ${report.notFinalized}.`));
  return [...lines, ''];
}

function cleanedUp({ deleted, left }: RecoverReport): string {
  if (left.length === 0) return 'what it left was cleaned up';
  return deleted.length > 0 ? 'what it holds was cleaned up' : 'nothing could be cleaned up';
}

/** Something could not be read, or is known to be missing. */
export function isDamaged({ problems, counts, samples }: RecoverReport): boolean {
  return problems.length > 0 || counts.lost > 0 || samples.some(({ missing }) => missing.length > 0);
}

/** Which command goes on with the log. */
export function stepsAfter(
  report: RecoverReport,
  cwd: string,
): ReadonlyArray<{ readonly what: string; readonly command: string }> {
  const log = quoteWord(shortPath(report.output, cwd));
  const retry = report.kind === 'inspect' ? `inspect eval-retry ${log}` : `holdfast retry ${log}`;
  const steps = [{ what: 'To look at it', command: `holdfast log show ${log}` }];
  return report.status === 'success' ? steps : [{ what: 'To run what is missing', command: retry }, ...steps];
}

function countsTable({ counts }: RecoverReport, { style, columns: width }: Terminal): string {
  const { expected, kept, recovered, inFlight, lost } = counts;
  const notRun = expected === undefined ? undefined : expected - kept - recovered - inFlight - lost;
  const columns = ['expected', 'kept', 'recovered', 'in flight', 'not run', 'lost'].map(
    (title): Column => ({ title, align: 'right' }),
  );
  const row = [
    expected === undefined ? '?' : String(expected),
    String(kept),
    String(recovered),
    inFlight > 0 ? style.warn(String(inFlight)) : style.dim('0'),
    notRun === undefined ? '?' : String(Math.max(0, notRun)),
    lost > 0 ? style.bad(String(lost)) : style.good('0'),
  ];
  return renderTable(columns, [row], { width, title: style.dim });
}

const STATES: Readonly<Record<SampleAccount['state'], string>> = {
  flushed: 'kept',
  completed: 'recovered',
  errored: 'recovered, failed',
  'in-flight': 'in flight',
  lost: 'lost',
};

const SAMPLE_COLUMNS: readonly Column[] = [
  { title: 'sample', shrinks: true },
  { title: 'epoch', align: 'right' },
  { title: 'state' },
  { title: 'from' },
  { title: 'events', align: 'right' },
];

function samplesTable({ samples }: RecoverReport, { terminal, isVerbose }: AccountView): string[] {
  const { style, columns: width } = terminal;
  const max = isVerbose ? samples.length : SAMPLES_SHOWN_MAX;
  // What needs a look comes first when not all can be shown.
  const shown =
    samples.length <= max ? samples : [...samples].sort((a, b) => rank(a) - rank(b)).slice(0, max);
  const rows = shown.map((sample) => [
    oneLine(String(sample.id)),
    String(sample.epoch),
    (sample.state === 'lost' ? style.bad : String)(STATES[sample.state]),
    sample.from.join(', '),
    sample.events === undefined ? '' : formatCount(sample.events),
  ]);
  const lines = [renderTable(SAMPLE_COLUMNS, rows, { width, title: style.dim })];
  if (shown.length < samples.length)
    lines.push(style.dim(`… and ${samples.length - shown.length} more (--verbose shows all)`));
  return lines;
}

function rank({ state, missing }: SampleAccount): number {
  if (state === 'lost' || missing.length > 0) return 0;
  return state === 'flushed' ? 2 : 1;
}

/** What is no damage is said to those who want to know more. */
function noteLines({ samples }: RecoverReport, { isVerbose }: AccountView): string[] {
  if (!isVerbose) return [];
  return samples.flatMap(({ id, epoch, notes = [] }) =>
    notes.map((note) => `noted: sample ${oneLine(String(id))}, epoch ${epoch}: ${note}`),
  );
}

function missingLines({ samples, problems }: RecoverReport, { terminal, isVerbose }: AccountView): string[] {
  const { style } = terminal;
  const told = [
    ...problems.map(({ code, message }) => `${message}${isVerbose ? ` (${code})` : ''}`),
    ...samples.flatMap(({ id, epoch, missing }) =>
      missing.map((sentence) => `sample ${oneLine(String(id))}, epoch ${epoch}: ${sentence}`),
    ),
  ];
  // What was found in two ways is one thing.
  const sentences = [...new Set(told)];
  if (sentences.length === 0) return [];
  const shown = isVerbose ? sentences : sentences.slice(0, SENTENCES_SHOWN_MAX);
  const lines = ['', style.bad(`${counted(sentences.length, 'thing')} damaged or missing:`)];
  lines.push(...shown.map((sentence) => `  ${sentence}`));
  if (shown.length < sentences.length)
    lines.push(style.dim(`  … and ${sentences.length - shown.length} more (--verbose shows all)`));
  return lines;
}
