import type { RunId } from '../base/index.ts';
import { archiveOf } from './archive.ts';
import type { ResultsPorts } from './change-results.ts';
import { archivedRun, chooseRun, dayIn, isNamedBy } from './choose-run.ts';
import { dayAfter } from './layout.ts';
import { ResultsTree, type RunPlace } from './results-tree.ts';

/** The one run that is meant by as much of its id as was given. One that is only in an archive is said to be there (E_RUN_ARCHIVED). */
export async function idOf(tree: ResultsTree, given: string, ports: ResultsPorts): Promise<RunId> {
  const candidates = await candidatesIn(tree, given);
  if (candidates.length === 0) await refuseArchived(tree, given, ports);
  return chooseRun(given, candidates);
}

async function candidatesIn(tree: ResultsTree, given: string): Promise<readonly RunId[]> {
  const day = dayIn(given);
  const candidates: RunId[] = [];
  for (const one of await tree.days()) {
    if (day !== undefined && one !== day) continue;
    for (const { run } of await tree.runsOf(one)) if (isNamedBy(run, given)) candidates.push(run);
  }
  return candidates;
}

/** An archive may have been made of a branch that had an archive already. */
async function refuseArchived(tree: ResultsTree, given: string, ports: ResultsPorts): Promise<void> {
  for (let newer: ResultsTree | undefined = tree; newer; ) {
    const archive = await archiveOf(newer, ports.objects);
    const older: ResultsTree | undefined = archive && (await ResultsTree.read(ports, [archive.commit]));
    const [run] = older ? await candidatesIn(older, given) : [];
    if (archive && run !== undefined) throw archivedRun(run, archive);
    newer = older;
  }
}

/** The run whose log had a name. Only the days around the time in the name are looked at; all of them when it has none. */
export async function runOfLog(tree: ResultsTree, name: string): Promise<RunId | undefined> {
  const [day] = /^\d{4}-\d\d-\d\d(?=T)/.exec(name) ?? [];
  for (const one of await tree.days()) {
    // The time in a name is that of a place; a day in results is UTC.
    if (day !== undefined && (dayAfter(one) < day || one > dayAfter(day))) continue;
    const places = await tree.runsOf(one);
    await tree.prefetchRows(places);
    for (const place of places) if (await hadName(tree, place, name)) return place.run;
  }
  return undefined;
}

/** A damaged row names no log, and hinders no other. */
async function hadName(tree: ResultsTree, place: RunPlace, name: string): Promise<boolean> {
  return (await tree.revisions(place)).revisions.some(({ row }) => row.log.name === name);
}
