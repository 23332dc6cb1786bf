import { definedOf, type RunId } from '../base/index.ts';
import type { RunMarks } from '../results/index.ts';
import type { RunForm, SourceRun } from './run-source.ts';
import type { SourceRow } from './source-row.ts';

/** One run of the list over all sources, in however many forms it is kept. */
export interface RunInForms {
  readonly run: RunId;
  /** All forms that it is kept in; the one that is shown comes first. */
  readonly forms: readonly RunForm[];
  /** Of the form that is shown. */
  readonly place: string;
  readonly name: string;
  readonly row?: SourceRow;
  readonly damage?: string;
  /** How a log that is not the published one stands to it: it ended later or earlier, or only its content is another. */
  readonly logIs?: 'newer' | 'older' | 'different';
  /** What people said of it, where it is published. */
  readonly marks?: RunMarks;
  /** The same run in other places. */
  readonly also?: readonly AlsoKept[];
}

export interface AlsoKept {
  readonly form: RunForm;
  readonly place: string;
  readonly name: string;
  readonly damage?: string;
}

/** What is finished before what is not. */
const RANKS: Readonly<Record<RunForm, number>> = {
  published: 0,
  log: 1,
  agentv: 2,
  running: 3,
  unknown: 4,
  interrupted: 5,
};

/**
 * Makes one row of all forms of one run. The published one is shown, unless a log of it ended later; what cannot be read is
 * shown only when nothing of the run can.
 */
export function oneRow(kept: readonly SourceRun[]): RunInForms & { readonly shown: SourceRun } {
  const ranked = kept.toSorted((a, b) => RANKS[a.form] - RANKS[b.form]);
  const { shown, published, log } = shownOf(ranked, ({ form, row }) => ({ form, end: row?.end }));
  const logIs = published?.row && log?.row ? compareLog(log.row, published.row) : undefined;
  const others = ranked.filter((one) => one !== shown);
  const { run, place, name, damage } = shown;
  const marks = kept.find((one) => one.marks)?.marks;
  const row = shown.row && marks ? { ...shown.row, tags: [...marks.tags] } : shown.row;
  return {
    run,
    forms: [...new Set([shown, ...others].map(({ form }) => form))],
    place,
    name,
    ...(row ? { row } : damage === undefined ? {} : { damage }),
    ...(logIs ? { logIs } : {}),
    ...(marks ? { marks } : {}),
    ...definedOf({ also: alsoOf(shown, others) }),
    shown,
  };
}

/** Which of several forms of a run is shown. `aboutOf` tells the end of what can be read. */
export function shownOf<T>(
  kept: readonly T[],
  aboutOf: (one: T) => { readonly form: RunForm; readonly end: string | undefined },
): { readonly shown: T; readonly published: T | undefined; readonly log: T | undefined } {
  const all = kept.map((one) => ({ one, ...aboutOf(one) })).sort((a, b) => RANKS[a.form] - RANKS[b.form]);
  const readable = all.filter(({ end }) => end !== undefined);
  const published = readable.find(({ form }) => form === 'published');
  const log = readable
    .filter(({ form }) => form === 'log')
    .reduce<(typeof all)[number] | undefined>(later, undefined);
  const isNewer = published && log && msOf(log.end) > msOf(published.end);
  const shown = isNewer ? log : (readable[0] ?? all[0]);
  return { shown: shown?.one as T, published: published?.one, log: log?.one };
}

function later<T extends { readonly end: string | undefined }>(one: T | undefined, other: T): T {
  return one && !(msOf(other.end) > msOf(one.end)) ? one : other;
}

function msOf(iso: string | undefined): number {
  return Date.parse(iso ?? '');
}

function alsoOf(shown: SourceRun, others: readonly SourceRun[]): readonly AlsoKept[] | undefined {
  const also = [shown, ...others].flatMap((kept) => [
    ...(kept === shown ? [] : [alsoKept(kept)]),
    ...(kept.copies ?? []).map((copy) => ({ form: kept.form, place: kept.place, ...copy })),
  ]);
  return also.length > 0 ? also : undefined;
}

function alsoKept({ form, place, name, damage }: SourceRun): AlsoKept {
  return { form, place, name, ...definedOf({ damage }) };
}

/** Undefined when they are the same, as far as that can be told from the number and size of their documents. */
function compareLog(log: SourceRow, published: SourceRow): RunInForms['logIs'] {
  const later = Date.parse(log.end) - Date.parse(published.end);
  if (later !== 0) return later > 0 ? 'newer' : 'older';
  const isSame =
    log.log?.documents === undefined ||
    (log.log.documents === published.log?.documents && log.log.sizeBytes === published.log.sizeBytes);
  return isSame ? undefined : 'different';
}
