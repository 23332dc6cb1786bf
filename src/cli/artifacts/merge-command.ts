import { resolve } from 'node:path';
import type { ArtifactCache, ArtifactSource, Expected, Merged, Waiting } from '../../artifacts/index.ts';
import { formatDuration, toJson } from '../../base/index.ts';
import type { CommonFlags } from '../command.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { fileProgress } from './file-progress.ts';
import { exitOfMerge, printMerge } from './merge-lines.ts';
import { stoppable } from './stoppable.ts';

export interface MergeVisiblyOptions {
  readonly flags: CommonFlags & { readonly report?: string };
  readonly terminal: Terminal;
  readonly expected?: readonly Expected[];
  /** Folders of runs that artifacts come from. */
  readonly runDirs?: readonly string[];
}

/** Merges into a cache and says what came of it: what `merge`, `import` and `pull` have in common. */
export async function mergeVisibly(
  cache: ArtifactCache,
  sources: readonly ArtifactSource[],
  { flags, terminal, expected = [], runDirs = [] }: MergeVisiblyOptions,
): Promise<ExitCode> {
  const asked = flags.report === undefined ? [] : [resolve(terminal.cwd, flags.report)];
  const progress = fileProgress(terminal, 'copied');
  const merged = await stoppable(terminal, (stops) =>
    cache.merge(sources, {
      ...stops,
      expected,
      onProgress: progress.show,
      onWait: (waiting) => terminal.note(waitingText(waiting)),
      reportDirs: [...new Set([...asked, ...runDirs])],
    }),
  );
  progress.end();
  return sayMerge(merged, flags, terminal);
}

export function sayMerge(merged: Merged, flags: CommonFlags, terminal: Terminal): ExitCode {
  const { report, unwritten, isInterrupted } = merged;
  if (flags.json) terminal.json(toJson({ ...report, unwritten, isInterrupted }));
  else printMerge(merged, terminal);
  return exitOfMerge(merged);
}

function waitingText({ unit, pid, sinceMs }: Waiting): string {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  const since = sinceMs === undefined ? '' : ` for ${formatDuration(sinceMs)}`;
  return `Waiting for ${who}, which has been working on ${unit}${since}.`;
}
