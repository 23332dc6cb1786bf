import { definedOf, isJsonArray, isJsonObject, type Json } from '../../base/index.ts';
import { epochOutcome, type ToldFigure } from '../../compare/index.ts';
import type { LogHeader } from '../../log/index.ts';
import type { RunTimeline } from '../api.ts';
import { Breath } from '../breath.ts';
import type { Call } from '../call.ts';
import { sessionsOf } from '../run-sessions.ts';
import { sampleItems } from '../sample-items.ts';
import { readSampleRows, type SampleRows } from '../sample-rows.ts';
import { type SpentTokens, tokenRate } from '../token-rate.ts';

type Mark = RunTimeline['marks'][number];

/** What happened when in a run: which samples were under way, and what came between. */
export async function timeline({
  studio,
  params,
  query,
  signal,
  sameAs,
}: Call<'timeline'>): Promise<RunTimeline> {
  await using open = await studio.open(params.run ?? '');
  sameAs(open.version);
  const rows = await readSampleRows(studio, open, signal);
  const sessions = await sessionsOf(open, rows);
  const isLive = open.found.item.form === 'running';
  const nowMs = studio.clock.nowMs();
  const { startMs, endMs } = spanOf(rows, isLive ? nowMs : undefined);
  const { told } = await sampleItems(rows, query.score, new Breath(studio.clock, signal));
  const samples = samplesOf(rows, told, { startMs, endMs });
  const marks = [
    ...limitMarks(rows.header),
    ...configMarks(rows.header),
    ...retryMarks(rows),
    ...sessions
      .filter(({ ended }) => ended === 'died')
      .flatMap(({ end, how, said }) => crashMark(end, `${how}, ${said}`)),
  ];
  return {
    startMs,
    endMs,
    samples,
    active: activeOf(samples),
    ...definedOf({ tokens: tokenRate(spentOf(rows, { startMs, endMs }), endMs - startMs) }),
    marks: marks.map((mark) => relative(mark, startMs)).sort((a, b) => a.at - b.at),
  };
}

/** What was kept from an earlier run was not spent in this one. */
function spentOf(rows: SampleRows, { startMs, endMs }: Span): readonly SpentTokens[] {
  return rows.more.flatMap((more, place) => {
    const ended = endOf(rows, place, endMs);
    if (Number.isNaN(more.startMs) || ended < startMs) return [];
    const from = Math.max(0, more.startMs - startMs);
    return { from, to: Math.max(from, ended - startMs), tokens: rows.table.tokens[place] ?? 0 };
  });
}

function samplesOf(rows: SampleRows, told: ToldFigure, { startMs, endMs }: Span): RunTimeline['samples'] {
  return rows.more.flatMap((more, place) => {
    const ended = endOf(rows, place, endMs);
    // What was kept from an earlier run ended before this one began.
    if (Number.isNaN(more.startMs) || ended < startMs) return [];
    const from = Math.max(0, more.startMs - startMs);
    return {
      id: rows.table.ids[place] ?? '',
      epoch: rows.table.epochs[place] ?? 1,
      from,
      to: Math.max(from, ended - startMs),
      outcome: epochOutcome(rows.table, told, place),
      ...definedOf({ limit: more.limit }),
    };
  });
}

/** As the log says; where it does not, from its first sample to its last. */
function spanOf({ header, more }: SampleRows, nowMs: number | undefined): Span {
  const told = Date.parse(header.stats.started_at || header.eval.created);
  const starts = more.map(({ startMs }) => startMs).filter((ms) => !Number.isNaN(ms));
  const startMs = Number.isNaN(told) ? (least(starts) ?? 0) : told;
  const ends = [nowMs ?? Date.parse(header.stats.completed_at), ...more.map(({ endMs }) => endMs)];
  return { startMs, endMs: Math.max(startMs, most(ends.filter((ms) => !Number.isNaN(ms))) ?? startMs) };
}

interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

function least(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((one, other) => Math.min(one, other));
}

function most(values: readonly number[]): number | undefined {
  return values.length === 0 ? undefined : values.reduce((one, other) => Math.max(one, other));
}

/** What has not ended goes on until now, or until the end of the run. */
function endOf({ more, table }: SampleRows, place: number, endMs: number): number {
  const { startMs = 0, endMs: told = Number.NaN } = more[place] ?? {};
  if (!Number.isNaN(told)) return told;
  const seconds = table.seconds[place] ?? Number.NaN;
  return Number.isNaN(seconds) ? endMs : startMs + seconds * 1_000;
}

/** How many were under way, at each change. */
function activeOf(samples: RunTimeline['samples']): RunTimeline['active'] {
  const changes = new Map<number, number>();
  const add = (at: number, by: number) => changes.set(at, (changes.get(at) ?? 0) + by);
  for (const { from, to } of samples) {
    add(from, 1);
    add(to, -1);
  }
  let count = 0;
  const active: [number, number][] = [];
  for (const [at, by] of [...changes].sort(([a], [b]) => a - b)) {
    if (by === 0) continue;
    count += by;
    active.push([at, count]);
  }
  return active;
}

/** The provider had too much to do, so fewer calls at a time were made; until they were more again. */
function limitMarks({ stats }: LogHeader): Mark[] {
  return stats.connection_limit_history.flatMap((change) => {
    if (!isJsonObject(change) || change.reason !== 'rate_limit') return [];
    const { timestamp, model, old_limit, new_limit } = change;
    if (typeof timestamp !== 'number') return [];
    const said = `${text(model)}: ${text(old_limit)} calls at a time, then ${text(new_limit)}`;
    return [{ at: timestamp * 1_000, kind: 'rate limit', said }];
  });
}

/** Settings that a person changed while the run went on. */
function configMarks({ config_updates = [] }: LogHeader): Mark[] {
  return config_updates.flatMap((update) => {
    if (!isJsonObject(update) || !isJsonObject(update.provenance)) return [];
    const at = Date.parse(text(update.provenance.timestamp));
    if (Number.isNaN(at)) return [];
    const changes = isJsonArray(update.changes) ? update.changes.map(changeText) : [];
    return [{ at, kind: 'config', said: changes.join(', ') || 'settings were changed' }];
  });
}

function changeText(change: Json): string {
  if (!isJsonObject(change)) return '';
  return `${text(change.name)}: ${text(change.previous)}, then ${text(change.cleared === true ? null : change.value)}`;
}

/** Tries that failed are told where their sample began: when each of them failed, no list says. */
function retryMarks({ more, table }: SampleRows): Mark[] {
  return more.flatMap(({ retries, startMs }, place) => {
    if (retries === undefined || Number.isNaN(startMs)) return [];
    const said = `${retries === 1 ? 'a try' : `${retries} tries`} of ${table.ids[place]} (epoch ${table.epochs[place]}) failed before`;
    return [{ at: startMs, kind: 'retry', said }];
  });
}

function crashMark(end: string | undefined, said: string): Mark[] {
  const at = end === undefined ? Number.NaN : Date.parse(end);
  return Number.isNaN(at) ? [] : [{ at, kind: 'crash', said }];
}

function relative(mark: Mark, startMs: number): Mark {
  return { ...mark, at: Math.max(0, mark.at - startMs) };
}

function text(value: Json | undefined): string {
  return value === undefined || value === null ? '–' : String(value);
}
