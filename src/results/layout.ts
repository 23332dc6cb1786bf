import { type Digest, digestOf, isRunId, type RunId } from '../base/index.ts';

/** Where the results of a project are kept, unless the user says otherwise. */
export const RESULTS_BRANCH = 'holdfast/results';
export const RESULTS_REF = `refs/heads/${RESULTS_BRANCH}`;

/** [RES-1] What makes a ref one of results: this file, in the root, with a version that we know. */
export const FORMAT_FILE = 'format.json';
export const FORMAT_VERSION = 1;
export const FORMAT_TEXT = `${JSON.stringify({ format: 'holdfast-results', version: FORMAT_VERSION })}\n`;

/** The list row of a run. */
export const ROW_FILE = 'run.json';
/** Below it are the documents of the log, under the names that they have there. */
export const LOG_FOLDER = 'log';
/** Below it are pointers to documents that are kept elsewhere, under the same names [RES-11]. */
export const POINTERS_FOLDER = 'pointers';
/** Below it are further revisions of a run, each under the beginning of its digest [RES-5]. */
export const REVISIONS_FOLDER = 'revisions';
const REVISION_DIGITS = 16;

/** [RES-3] A day with more runs than this puts the others one level deeper, so that no tree grows without bounds. */
export const DAY_RUNS_MAX = 256;
/** [RES-4] The same for samples: beyond this many they are spread over folders. */
export const FLAT_SAMPLES_MAX = 256;

/** Ids begin with the time at which a run began, so they can be compared with times. */
export function isSince(run: RunId, sinceMs: number): boolean {
  return run.slice(0, TIME_DIGITS) >= timeText(sinceMs);
}

/** `20261115T185232123` */
const TIME_DIGITS = 18;

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:.Z]/g, '');
}

/** `2026-11-16`, in UTC. */
export function dayOf(run: RunId): string {
  return `${run.slice(0, 4)}-${run.slice(4, 6)}-${run.slice(6, 8)}`;
}

/** The folder of a run, in a day that has so many runs beside it. */
export function runPath(run: RunId, { runsBeside }: { readonly runsBeside: number }): string {
  const day = `runs/${dayOf(run)}`;
  return runsBeside < DAY_RUNS_MAX ? `${day}/${run}` : `${day}/${fanOf(run)}/${run}`;
}

export function revisionPath(path: string, digest: Digest): string {
  return `${path}/${REVISIONS_FOLDER}/${revisionName(digest)}`;
}

export function revisionName(digest: string): string {
  return digest.slice(0, REVISION_DIGITS);
}

/** The folder of the run that a revision is of, from the folder of the revision. */
export function runFolderOf(path: string): string {
  return path.replace(/\/revisions\/[^/]+$/, '');
}

/** Whether a path is the folder of a run. */
export function isRunFolder(path: string): boolean {
  const [, name] = /^runs\/\d{4}-\d\d-\d\d\/(?:[0-9a-f]{2}\/)?([^/]+)$/.exec(path) ?? [];
  return name !== undefined && isRunId(name);
}

/** Two hex digits: 256 folders. */
export function fanOf(name: string): string {
  return digestOf(name).slice(0, 2);
}

export function isFan(name: string): boolean {
  return /^[0-9a-f]{2}$/.test(name);
}

export function isDay(name: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(name);
}

export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + 86_400_000).toISOString().slice(0, 10);
}

const SAMPLE_MEMBER = /^(samples|holdfast\/answers)\/(.*)$/s;
const SAMPLE_PATH = /^(samples|holdfast\/answers)\/(?:[0-9a-f]{2}\/)?([^/]+)$/s;

/** Whether a document belongs to one sample: those are many, and may be large. */
export function isBody(name: string): boolean {
  return SAMPLE_MEMBER.test(name);
}

/** Where a document of a log is kept, below `log/` or `pointers/`: names of samples are users' own, and may be anything [RES-4]. */
export function memberPath(name: string, { isFanned }: { readonly isFanned: boolean }): string {
  const [, folder, rest] = SAMPLE_MEMBER.exec(name) ?? [];
  if (folder === undefined || rest === undefined) return name;
  const file = escapeStep(rest);
  return `${folder}/${isFanned ? `${fanOf(file)}/` : ''}${file}`;
}

/** The name of a document in its log, from its path below `log/`. */
export function memberOfPath(path: string): string {
  const [, folder, file] = SAMPLE_PATH.exec(path) ?? [];
  return folder === undefined || file === undefined ? path : `${folder}/${unescapeStep(file)}`;
}

/** One step of a path, from any text, and back. Nobody checks these trees out, so letters may be what they are. */
function escapeStep(text: string): string {
  const escaped = text.replace(UNSAFE, (one) => `%${one.charCodeAt(0).toString(16).padStart(2, '0')}`);
  return escaped.replace(/^\./, '%2e');
}

function unescapeStep(step: string): string {
  return step.replace(/%([0-9a-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be in a path
const UNSAFE = /[%/\\"\u0000-\u001f\u007f]/g;

/**
 * [RES-2] Runs of other tools have ids of their own: theirs is put behind the time at which they began. Inspect gives all tasks of
 * one command the same run id; what is one run here is what it calls an eval.
 */
export function runIdFor(about: {
  readonly runId: string;
  readonly evalId: string;
  readonly created: string;
}): RunId {
  if (isRunId(about.runId)) return about.runId;
  return foreignRunId(about.evalId, about.created);
}

/** An id for what another tool knows by an id of its own, and that began then. */
export function foreignRunId(id: string, created: string): RunId {
  const beganMs = Date.parse(created);
  return `${timeText(Number.isNaN(beganMs) ? 0 : beganMs)}-${digestOf(id).slice(0, 10)}` as RunId;
}

/** [RES-8] The folder of what people say of a run. Always spread, so that no tree grows without bounds and all clones agree. */
export function notesSteps(run: RunId): readonly [string, string, string, string] {
  return ['notes', dayOf(run), fanOf(run), run];
}
