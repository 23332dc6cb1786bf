import { counted, definedOf, toJson } from '../../base/index.ts';
import type { LogHeader } from '../../log/index.ts';
import { formatCount, formatDuration, formatInterval, formatScore, formatUsd } from '../../views/index.ts';
import type { AnyJson, Counts, RunItem, RunView } from '../api.ts';
import { Breath } from '../breath.ts';
import type { Call } from '../call.ts';
import { notesOf } from '../notes.ts';
import { previousRun } from '../previous-run.ts';
import { runCommands } from '../run-commands.ts';
import { configOf } from '../run-config.ts';
import { costOfRun } from '../run-cost.ts';
import { countsOf } from '../run-counts.ts';
import { scoresOfRun } from '../run-scores.ts';
import { sessionsOf } from '../run-sessions.ts';
import { sampleItems } from '../sample-items.ts';
import { readSampleRows } from '../sample-rows.ts';
import { Cuts } from '../spool/cuts.ts';
import { withTrends } from '../trends.ts';

/** Everything of a run but its samples. */
export async function run(call: Call<'run'>): Promise<RunView> {
  const { studio, params, query, signal, sameAs } = call;
  await using open = await studio.open(params.run ?? '');
  const { inForms } = open.found;
  // Nobody tells a page of what was that the list has been read meanwhile.
  if (studio.pinned) await studio.index.begun(signal);
  const [item = open.found.item] = withTrends([open.found.item], studio.index.items());
  // What people say of it, and which run came before it, are in the list of runs.
  sameAs(open.version, studio.index.version);
  const rows = await readSampleRows(studio, open, signal);
  const { header } = rows;
  const all = await sampleItems(rows, query.score, new Breath(studio.clock, signal));
  const counts = countsOf(all, header, item);
  const cost = costOfRun(rows, item, counts);
  const previous = await previousRun(studio, { item, rows, signal });
  const scores = scoresOfRun(header, item, all);
  const { eval: spec } = header;
  return {
    item,
    said: saidOf(item, { counts, scores, usd: cost.usd }),
    model: spec.model,
    version: String(spec.task_version),
    dataset: datasetText(header),
    epochs: Math.max(spec.config.epochs ?? 1, ...all.items.map(({ epochs }) => epochs.length), 1),
    scorers: all.scores.length > 0 ? [...all.scores] : (spec.scorers ?? []).map(({ name }) => name),
    ...definedOf({ error: header.error?.message }),
    scores,
    counts,
    cost,
    sessions: await sessionsOf(open, rows),
    ...definedOf({ previous: previous?.since }),
    also: (inForms.also ?? []).map((also) => ({ ...also })),
    notes: notesOf(inForms.marks),
    config: configOf(header, previous?.header),
    problems: [...rows.problems, ...notesUnread(inForms.marks?.damage)],
    commands: runCommands(studio, item, previous?.item),
  };
}

/** The header of a log as it is: a run without a log has what its journals say. */
export async function header({ studio, params, sameAs }: Call<'header'>): Promise<AnyJson> {
  await using open = await studio.open(params.run ?? '');
  sameAs(open.version);
  return new Cuts().settle(toJson(await open.reader.header()));
}

interface Saying {
  readonly counts: Counts;
  readonly scores: RunView['scores'];
  readonly usd: number | null;
}

/** "367 of 500 samples passed (accuracy 0.734 ±0.031), 5 failed with an error, $41.20 in 1h 04m." */
function saidOf({ facts, form }: RunItem, { counts, scores, usd }: Saying): string {
  const { total, pass, partial, fail, error, running, interrupted, missing } = counts;
  const samples = counted(total, 'sample').replace(/^\d+/, (digits) => formatCount(Number(digits)));
  const judged = pass + partial + fail;
  const [score] = scores;
  const figure = score
    ? `${score.metric} ${[formatScore(score.value), formatInterval(score)].join(' ').trim()}`
    : '';
  const parts = [
    judged > 0
      ? `${formatCount(pass)} of ${samples} passed${figure === '' ? '' : ` (${figure})`}`
      : [samples, figure].filter(Boolean).join(', '),
    ...(error > 0 ? [`${formatCount(error)} failed with an error`] : []),
    ...(running > 0 ? [`${formatCount(running)} under way`] : []),
    ...(interrupted > 0 ? [`${formatCount(interrupted)} interrupted`] : []),
    ...(missing > 0 ? [`${formatCount(missing)} ${form === 'running' ? 'to come' : 'missing'}`] : []),
    moneyAndTime(usd, facts?.durationMs),
  ];
  return `${parts.filter((part) => part !== '').join(', ')}.`;
}

function moneyAndTime(usd: number | null, durationMs: number | undefined): string {
  const time = durationMs === undefined || durationMs <= 0 ? '' : `in ${formatDuration(durationMs)}`;
  return [usd === null || usd === 0 ? '' : formatUsd(usd), time].filter((part) => part !== '').join(' ');
}

function datasetText({ eval: { dataset } }: LogHeader): string {
  const { name, location, samples } = dataset;
  const named = name || location || '';
  const rows = samples === undefined ? '' : counted(samples, 'row');
  return [named, rows].filter((part) => part !== '').join(', ');
}

function notesUnread(damage: readonly string[] = []): RunView['problems'] {
  const hint = 'It may come from a newer Holdfast. Everything else of the run is read.';
  return damage.map((message) => ({ code: 'E_RESULT_NOTE', message, hint }));
}
