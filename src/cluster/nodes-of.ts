import { definedOf } from '../base/index.ts';
import type { WriterRecord } from '../journal/index.ts';

/** A version of Node, and who ran with it. */
export interface UsedNode {
  /** Exact, such as `24.11.1`; `unknown` where a writer did not say. */
  readonly version: string;
  readonly writers: number;
  /** Who they are, unless they are the most: so it is known of each writer, and thousands that are alike are not listed. */
  readonly names?: readonly string[];
}

/** Which Node the writers of a run ran with, the most common first. A bundle asks for the major version alone. */
export function nodesOf(records: Iterable<Pick<WriterRecord, 'writer' | 'node'>>): readonly UsedNode[] {
  const byVersion = new Map<string, string[]>();
  for (const { writer, node = 'unknown' } of records) {
    const names = byVersion.get(node);
    if (names) names.push(writer);
    else byVersion.set(node, [writer]);
  }
  return [...byVersion]
    .sort(([a, some], [b, others]) => others.length - some.length || (a < b ? -1 : 1))
    .map(([version, names], at) => ({
      ...{ version, writers: names.length },
      ...definedOf({ names: at === 0 ? undefined : names.sort() }),
    }));
}
