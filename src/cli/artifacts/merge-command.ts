import { resolve } from 'node:path';
import type { ArtifactCache, ArtifactSource, Merged, Waiting } from '../../artifacts/index.ts';
import { formatDuration, toJson } from '../../base/index.ts';
import type { CommonFlags } from '../command.ts';
import type { ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { fileProgress } from './file-progress.ts';
import { exitOfMerge, printMerge } from './merge-lines.ts';

/** Merges into a cache and says what came of it: what `merge`, `import` and `pull` have in common. */
export async function mergeVisibly(
  cache: ArtifactCache,
  sources: readonly ArtifactSource[],
  {
    flags,
    terminal,
  }: { readonly flags: CommonFlags & { readonly report?: string }; readonly terminal: Terminal },
): Promise<ExitCode> {
  const progress = fileProgress(terminal, 'copied');
  const merged = await cache.merge(sources, {
    onProgress: progress.show,
    onWait: (waiting) => terminal.note(waitingText(waiting)),
    reportDirs: flags.report === undefined ? [] : [resolve(terminal.cwd, flags.report)],
  });
  progress.end();
  return sayMerge(merged, flags, terminal);
}

export function sayMerge(merged: Merged, flags: CommonFlags, terminal: Terminal): ExitCode {
  if (flags.json) terminal.json(toJson({ ...merged.report, unwritten: merged.unwritten }));
  else printMerge(merged, terminal);
  return exitOfMerge(merged.report);
}

function waitingText({ unit, pid, sinceMs }: Waiting): string {
  const who = pid === undefined ? 'another process' : `process ${pid}`;
  const since = sinceMs === undefined ? '' : ` for ${formatDuration(sinceMs)}`;
  return `Waiting for ${who}, which has been working on ${unit}${since}.`;
}
