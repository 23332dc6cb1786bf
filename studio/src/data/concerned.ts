import type { LiveEvent, RouteName } from '../../../src/server/api.ts';

/** What a query is known by: the route and what was asked. */
export type AskKey = readonly [RouteName, Readonly<Record<string, string | number>>, object];

const LISTS: ReadonlySet<string> = new Set<RouteName>([
  'runs',
  'runWords',
  'evals',
  'eval',
  'sampleOverTime',
  'sampleStrips',
  'store',
  'about',
]);
const WITH_NOTES: ReadonlySet<string> = new Set<RouteName>(['runs', 'run', 'samples', 'sample', 'review']);

/** Whether an answer may be another one now that something happened. */
export function isConcerned(event: LiveEvent, key: readonly unknown[]): boolean {
  const name = String(key[0]);
  switch (event.kind) {
    case 'reset':
      return true;
    case 'index':
      return LISTS.has(name);
    case 'runs':
      return LISTS.has(name) || event.runs.some((run) => isOfRun(key, run));
    case 'run':
      return name === 'runs' || isOfRun(key, event.run);
    case 'notes':
      return (
        WITH_NOTES.has(name) &&
        (name === 'runs' || name === 'review' || event.runs.some((run) => isOfRun(key, run)))
      );
  }
}

/** The same where the address names a commit: what was there stays, but newer results may have come. */
export function isConcernedThen(event: LiveEvent, key: readonly unknown[]): boolean {
  return key[0] === 'about' && (event.kind === 'runs' || event.kind === 'reset');
}

function isOfRun(key: readonly unknown[], run: string): boolean {
  const [, params, query] = key;
  return partOf(params, 'run') === run || partOf(query, 'runs')?.split(',').includes(run) === true;
}

function partOf(from: unknown, key: string): string | undefined {
  if (typeof from !== 'object' || from === null || !(key in from)) return undefined;
  const value: unknown = Reflect.get(from, key);
  return value === undefined ? undefined : String(value);
}
