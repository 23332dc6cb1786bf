import { join, resolve } from 'node:path';
import { ActionableError } from '../../base/index.ts';
import { isBucketUrl } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { openFolder, openSource, type RunSource } from '../../sources/index.ts';
import type { CommandCall } from '../command.ts';
import { LOG_DIR, openSources, type SourceFlags, sourceContext } from './run-sources.ts';

export type StudioCall = Pick<CommandCall<SourceFlags>, 'flags' | 'terminal' | 'isGiven'>;

/**
 * What the Studio shows: the places that were named, else the results and the log directory of this folder. That neither is there
 * yet is no reason not to look: runs may come.
 */
export async function openStudioSources(
  places: readonly string[],
  call: StudioCall,
): Promise<readonly RunSource[]> {
  if (places.length === 0) return (await openSources({ ...call, mayBeEmpty: true })).sources;
  const sources: RunSource[] = [];
  try {
    for (const place of places) sources.push(...(await openPlace(place, call)));
    return sources;
  } catch (error) {
    for (const source of sources) await source[Symbol.asyncDispose]();
    throw error;
  }
}

/** A project has results and logs: both are meant by its folder. */
async function openPlace(place: string, { terminal, flags }: StudioCall): Promise<readonly RunSource[]> {
  const context = sourceContext(terminal);
  const opened = await openSource(place, context);
  const isProject = opened.some(({ kind }) => kind === 'results') && !isBucketUrl(place);
  const logs = join(resolve(terminal.cwd, place), flags.logDir ?? LOG_DIR);
  if (!isProject || (await nodeDisk.stat(logs))?.kind !== 'directory') return opened;
  try {
    return [...opened, ...(await openFolder(logs, context))];
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return opened;
  }
}
