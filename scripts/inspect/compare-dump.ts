// Compares what Inspect reads from a log with what our own reader gives, value by value.

import { isJsonArray, isJsonObject, type Json, type JsonObject, parseJson } from '../../src/base/index.ts';
import { runPython, type Workplace } from './workplace.ts';

const DIFFERENCES_MAX = 10;
const TIME = /^\d{4}-\d\d-\d\dT/;

/** Everything that Inspect reads otherwise than `ours` says, the text of `holdfast log dump`. Inspect may add its defaults. */
export async function readingDifferences(place: Workplace, log: string, ours: string): Promise<string[]> {
  const args = ['-m', 'inspect_ai', 'log', 'dump', log, '--resolve-attachments', 'full'];
  const finished = await runPython(place, args);
  if (finished.exitCode !== 0)
    return [`inspect log dump ended with ${finished.exitCode}: ${finished.stderr.slice(-500)}`];
  // Inspect makes the metadata of a log anew, from those of its eval and from its updates.
  const { metadata: _, ...comparable } = parseJson(ours) as JsonObject;
  const found = [...differences(comparable, parseJson(finished.stdout), '')];
  const more = found.length - DIFFERENCES_MAX;
  return [...found.slice(0, DIFFERENCES_MAX), ...(more > 0 ? [`and ${more} more differences`] : [])];
}

function* differences(ours: Json, theirs: Json | undefined, path: string): Generator<string> {
  if (ours === null) {
    if ((theirs ?? null) !== null) yield unlike(path, ours, theirs);
  } else if (isJsonArray(ours)) {
    if (!isJsonArray(theirs) || theirs.length !== ours.length) yield unlike(path, ours, theirs);
    else for (const [at, item] of ours.entries()) yield* differences(item, theirs[at], `${path}[${at}]`);
  } else if (isJsonObject(ours)) {
    if (!isJsonObject(theirs)) yield unlike(path, ours, theirs);
    else
      for (const [key, item] of Object.entries(ours))
        if (item !== undefined) yield* differences(item, theirs[key], `${path}.${key}`);
  } else if (!isSame(ours, theirs)) yield unlike(path, ours, theirs);
}

function isSame(ours: Json, theirs: Json | undefined): boolean {
  if (Object.is(ours, theirs) || (ours === 0 && theirs === 0)) return true;
  if (typeof ours === 'string' && typeof theirs === 'string' && TIME.test(ours))
    return Date.parse(ours) === Date.parse(theirs);
  return false;
}

function unlike(path: string, ours: Json, theirs: Json | undefined): string {
  const text = (value: Json | undefined) =>
    (JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item)) ?? 'nothing').slice(
      0,
      160,
    );
  return `${path}: we read ${text(ours)}, Inspect reads ${text(theirs)}`;
}
