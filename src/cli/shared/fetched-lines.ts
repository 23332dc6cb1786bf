import { dirname, join } from 'node:path';
import { counted, formatBytes, formatUsd } from '../quantities.ts';
import { roundAbove } from '../run/account-money.ts';
import { resultLines, scorerSentences } from '../run/account-report.ts';
import { shortPath } from '../short-path.ts';
import { oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { damageLines } from './damage-lines.ts';
import type { Fetched } from './fetch-run.ts';
import { hintLines } from './status-lines.ts';

const SHOWN_MAX = 20;

/** What came home, as people read it: nothing that is missing is left unsaid. */
export function fetchedLines(
  { home, nameOf, missed, results, artifacts, scorerTroubles }: Fetched,
  { style, cwd }: Terminal,
): string[] {
  const { run, round, samples, log, lostLeases, aside, lostResults, problems, writers, usd, damaged } = home;
  const lines = [
    `${style.bold(run)}  ${home.isComplete ? style.good('home') : style.warn(partialText(home))}, round ${round}`,
    ...hintLines(home.cancelled).map((line) => style.warn(line)),
    `${counted(samples.planned, 'sample')}: ${endsOf(home, style).join(', ')}`,
    `${formatUsd(usd)} spent on samples by ${counted(writers, 'writer')}${buildsText(home)}`,
    ...resultLines(results),
    ...[...scorerSentences({ scorerTroubles }), ...missed].map((sentence) => style.bad(sentence)),
    ...cut(aside.map(({ job, reason }) => style.bad(`set aside ${nameOf(job)}: ${oneLine(reason)}`))),
    ...cut(
      lostLeases.map(
        ({ job, n, reason }) => `lost worker on ${nameOf(job)} (lease ${n}): ${oneLine(reason)}`,
      ),
    ),
    ...cut(lostResults.map((job) => style.bad(`lost result of ${nameOf(job)}`))),
    ...cut(problems.map((sentence) => style.bad(sentence))),
    ...damageLines(run, damaged, style),
  ];
  if (artifacts) {
    const counts = Map.groupBy(artifacts.entries, ({ state }) => state);
    lines.push(
      `artifacts: ${[...counts].map(([state, of]) => `${of.length} ${state}`).join(', ') || 'none'}`,
    );
  }
  lines.push(...evidenceLines(home, { style, cwd }));
  if (log !== undefined) lines.push(`log ${style.accent(shortPath(log, cwd))}`);
  return [...lines, ...nextLines(home)];
}

/** How the samples ended: what is not as it should be is said only where there is some. */
function endsOf({ samples, lostResults }: Fetched['home'], style: Terminal['style']): string[] {
  return [
    `${samples.completed} completed`,
    `${samples.reused} reused`,
    ...(samples.errored > 0 ? [style.bad(`${samples.errored} failed`)] : []),
    ...(samples.aside > 0 ? [style.bad(`${samples.aside} set aside`)] : []),
    ...(samples.damaged > 0 ? [style.bad(`${samples.damaged} damaged`)] : []),
    ...(samples.due > 0 ? [style.warn(`${samples.due} still due`)] : []),
    lostResults.length > 0 ? style.bad(`${lostResults.length} lost`) : style.good('0 lost'),
  ];
}

function partialText({ cancelled, log, isUndone }: Fetched['home']): string {
  if (!cancelled) return 'partial: no log yet';
  const why = cancelled.reason === undefined ? '' : ` (${cancelled.reason})`;
  if (isUndone) return `cancelled before anything was done${why}, so there is no log`;
  return `partial: cancelled${why}${log === undefined ? ', no log yet' : ''}`;
}

/** What can be done about what is missing. */
function nextLines(home: Fetched['home']): string[] {
  const { run, isComplete, cancelled, log, budgetUsd, usd, builds, isUndone } = home;
  if (isComplete) return [];
  if (!cancelled) return [`To have a log of what is there: holdfast runs cancel ${run}, and fetch it again`];
  const isSpent = cancelled.because === 'budget' && budgetUsd !== undefined;
  const more = isSpent ? ` --budget ${roundAbove(Math.max(budgetUsd, usd + builds.usd))}` : '';
  return [
    ...(log === undefined && !isUndone
      ? ['Something of it is still under way: fetch it again when that has ended']
      : []),
    `${goOnText(cancelled)}: holdfast runs resume ${run}${more}`,
  ];
}

/** What was submitted cannot be changed any more: only what workers bring along can be put right. */
function goOnText({ because }: NonNullable<Fetched['home']['cancelled']>): string {
  return because === 'mistake'
    ? 'Put it right and submit again; or, when it was the workers that lacked something and have it now'
    : 'To go on with what is missing';
}

function buildsText({ builds }: Fetched['home']): string {
  const all = builds.completed + builds.errored + builds.aside;
  if (all === 0) return '';
  const failed = builds.errored + builds.aside;
  const why = failed === 0 ? '' : `, ${failed} of which failed`;
  return `, and ${formatUsd(builds.usd)} on ${counted(all, 'build')}${why}`;
}

function cut(lines: readonly string[]): readonly string[] {
  if (lines.length <= SHOWN_MAX) return lines;
  return [...lines.slice(0, SHOWN_MAX), `${lines.length - SHOWN_MAX} more of these: see --json`];
}

/** Best effort, and said as that: what is not there is no damage. */
function evidenceLines(
  { evidence, log }: Fetched['home'],
  { style, cwd }: Pick<Terminal, 'style' | 'cwd'>,
): string[] {
  if (!evidence) return [];
  const { attempts, files, bytes, folder, underWay, cutBytes, leftOut, unstoredBytes, problems } = evidence;
  const missing = [
    ...(cutBytes > 0 ? [`${formatBytes(cutBytes)} cut`] : []),
    ...(leftOut > 0 ? [`${leftOut} left out`] : []),
    ...(unstoredBytes > 0 ? [`${formatBytes(unstoredBytes)} never stored`] : []),
    ...(underWay > 0 ? [`${counted(underWay, 'attempt')} under way`] : []),
  ];
  if (attempts === 0 && missing.length === 0 && problems.length === 0) return [];
  // As the log names it: from the folder that the log is in.
  const where = log === undefined ? folder : shortPath(join(dirname(log), folder), cwd);
  const what = `evidence of ${counted(attempts, 'attempt')}: ${counted(files, 'file')}, ${formatBytes(bytes)}`;
  return [
    `${[what, ...missing].join(', ')} ${style.dim(where)}`,
    ...cut(problems.map((sentence) => style.warn(sentence))),
  ];
}
