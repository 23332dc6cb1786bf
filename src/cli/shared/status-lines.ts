import type { RunStatus } from '../../cluster/index.ts';
import { counted, formatDuration, formatUsd } from '../quantities.ts';
import type { Style } from '../style.ts';
import { oneLine, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';
import { damageLines } from './damage-lines.ts';
import { namedJob } from './event-lines.ts';

const IN_FLIGHT_SHOWN_MAX = 20;

/** `20261118-… running: 120/400 done, 8 running, 2 failed · 4 workers · $1.20` */
export function progressLine(status: RunStatus): string {
  const { run, state, samples, builds, workers, usd } = status;
  const done = samples.completed + samples.errored + samples.aside + samples.reused;
  const live = workers.filter((worker) => worker.state === 'live').length;
  const parts = [
    `${done}/${samples.planned} done`,
    ...(samples.running > 0 ? [`${samples.running} running`] : []),
    ...(samples.errored > 0 ? [`${samples.errored} failed`] : []),
    ...(samples.aside > 0 ? [`${samples.aside} set aside`] : []),
    ...(samples.damaged > 0 ? [`${samples.damaged} damaged`] : []),
    ...(builds.planned > 0 ? [`${builds.completed}/${counted(builds.planned, 'build')}`] : []),
  ];
  const money = usd > 0 ? ` · ${formatUsd(usd)}` : '';
  const who = live === 0 && !isOver(state) ? 'no worker is there' : counted(live, 'worker');
  const refusal = workers.flatMap(({ refuses }) => refuses).find((one) => one.run === run);
  const why = refusal === undefined ? '' : ` · refused by a worker: ${refusal.reason}`;
  return `${run} ${state}${whyCancelled(status)}: ${parts.join(', ')} · ${who}${money}${why}`;
}

/** Why nobody will begin a run that lies in the queue; undefined when somebody may. */
export function unservedText({ run, state, workers }: RunStatus): string | undefined {
  if (state !== 'queued') return undefined;
  const live = workers.filter((worker) => worker.state === 'live');
  const reasons = live.map(({ refuses }) => refuses.find((one) => one.run === run)?.reason);
  if (live.length === 0)
    return `${run}: no worker serves this bucket. Start one, on any machine: holdfast worker`;
  if (reasons.includes(undefined)) return undefined;
  const why = [...new Set(reasons)].slice(0, 3).join('; ');
  return `${run}: all workers refuse it (${live.length}): ${why}`;
}

function whyCancelled({ cancelled }: RunStatus): string {
  return cancelled?.reason === undefined ? '' : ` (${cancelled.reason})`;
}

/** What to do about a mistake that cancelled it, and the code that it is looked up by [SHR-25]. */
export function hintLines(cancelled: RunStatus['cancelled']): string[] {
  if (cancelled?.hint === undefined) return [];
  const { hint, code } = cancelled;
  return [code === undefined ? hint : `${hint} (${code})`];
}

export function stateText(state: RunStatus['state'], style: Style): string {
  if (state === 'complete') return style.good(state);
  if (state === 'running' || state === 'queued') return style.accent(state);
  return style.warn(state);
}

/** One run as people read it. */
export function statusLines(status: RunStatus, { style, columns: width }: Terminal): string[] {
  const { run, eval: name, target, state, round, submittedAt, submittedBy, samples, builds } = status;
  const lines = [
    `${style.bold(`${name} · ${target}`)}  ${stateText(state, style)}${whyCancelled(status)}`,
    ...hintLines(status.cancelled).map((line) => style.warn(line)),
    `run ${run}, round ${round}, submitted ${submittedAt} by ${submittedBy}`,
    '',
    countsTable(
      [
        ['samples', { ...samples }],
        ...(builds.planned > 0 ? [['builds', { ...builds, reused: 0 }] as const] : []),
      ],
      status,
    ),
  ];
  const shown = status.inFlight.slice(0, IN_FLIGHT_SHOWN_MAX);
  if (shown.length > 0)
    lines.push(
      '',
      renderTable(
        ['in flight', 'for', 'worker', ''].map((title) => ({ title })),
        shown.map(({ ageMs, worker, state: of, ...held }) => [
          namedJob(held.job, held),
          ageMs === null ? 'unknown' : formatDuration(ageMs),
          worker,
          of === 'live' ? '' : style.warn(of),
        ]),
        { width, title: style.dim },
      ),
    );
  if (status.inFlight.length > shown.length)
    lines.push(style.dim(`and ${status.inFlight.length - shown.length} more`));
  lines.push(...scorerLines(status).map((line) => style.bad(line)));
  const damage = damageLines(run, status.damaged, style);
  return [...lines, ...workerLines(status, { style, width }), ...(damage.length > 0 ? ['', ...damage] : [])];
}

/** Nobody needs a worker for it any more. */
function isOver(state: RunStatus['state']): boolean {
  return state === 'complete' || state === 'cancelled';
}

/** A scorer that failed is no failure of its sample, but of the run. */
export function scorerLines({ scorersFailed }: RunStatus): string[] {
  return Object.entries(scorersFailed).map(
    ([scorer, samples]) => `${oneLine(scorer)} failed on ${counted(samples, 'sample')}`,
  );
}

function countsTable(
  rows: readonly (readonly [string, RunStatus['samples']])[],
  { usd, budgetUsd, isBudgetShared, lostLeases }: RunStatus,
): string {
  const keys = ['planned', 'completed', 'reused', 'errored', 'aside', 'running', 'due'] as const;
  const titles = ['', 'planned', 'completed', 'reused', 'failed', 'set aside', 'running', 'due'];
  // Nearly always nothing is: then there is no column for it.
  const isDamaged = rows.some(([, { damaged }]) => damaged > 0);
  const table = renderTable(
    [...titles, ...(isDamaged ? ['damaged'] : [])].map((title, at) =>
      at > 0 ? { title, align: 'right' as const } : { title },
    ),
    rows.map(([name, counts]) => [
      name,
      ...keys.map((key) => String(counts[key])),
      ...(isDamaged ? [String(counts.damaged)] : []),
    ]),
    { width: Number.POSITIVE_INFINITY },
  );
  const lost = lostLeases === 0 ? '' : `, ${counted(lostLeases, 'lease')} lost with workers or processes`;
  const whose = isBudgetShared ? ' for all runs of its submit' : '';
  const budget = budgetUsd === undefined ? '' : ` of ${formatUsd(budgetUsd)}${whose}`;
  return `${table}\n${formatUsd(usd)}${budget} spent on what ended${lost}`;
}

function workerLines(
  { workers, run, state }: RunStatus,
  { style, width }: { readonly style: Style; readonly width: number },
): string[] {
  if (workers.length === 0)
    return isOver(state)
      ? []
      : ['', style.warn('No worker is there: start one with "holdfast worker", on any machine.')];
  const rows = workers.map(({ worker, host, state, slots, busy, silentMs, refuses, problem }) => [
    worker,
    host ?? '',
    state === 'live' ? style.good(state) : style.warn(state),
    `${busy.length}/${slots}`,
    silentMs === null ? 'unknown' : `${formatDuration(silentMs)} ago`,
    problem ?? refuses.find((one) => one.run === run)?.reason ?? '',
  ]);
  return [
    '',
    renderTable(
      ['worker', 'host', 'state', 'busy', 'last sign', ''].map((title) => ({ title })),
      rows,
      { width, title: style.dim },
    ),
  ];
}
