import type { Digest } from '../base/index.ts';
import type { EvalCode } from '../code/index.ts';
import { type FoundRun, lookAtRun, type RunJournals } from '../journal/index.ts';
import { readMark, type SampleMark } from '../reuse/index.ts';
import type { RunSettings } from './settings.ts';

type AttemptOutline = ReturnType<RunJournals['attemptsAt']>[number];

/** True when modules that a sample imported while it ran say now what they said then. */
export async function saySame(
  later: Readonly<Record<string, Digest>> | undefined,
  code: EvalCode | undefined,
): Promise<boolean> {
  for (const [name, digest] of Object.entries(later ?? {}))
    if ((await code?.moduleNow(name)) !== digest) return false;
  return true;
}

/**
 * What is said of modules that were imported while a sample ran, or was scored, for its mark. Of what was said before nothing is
 * taken back: the output is by the code of that time.
 */
export async function withLater(
  mark: SampleMark | undefined,
  code: EvalCode | undefined,
): Promise<Pick<SampleMark, 'later'>> {
  const later = { ...(await code?.later()), ...mark?.later };
  return Object.keys(later).length > 0 ? { later } : {};
}

/** What an attempt in a journal says about itself. A mark that is too long for a summary is read where it is whole. */
export function markOf({ source, n }: Pick<AttemptOutline, 'source' | 'n'>): SampleMark | undefined {
  return readMark(source.summary(n)?.metadata) ?? readMark(source.result(n)?.fields.metadata);
}

/**
 * True when all that a run has completed was made by code that says now what it said then. Its plan cannot tell: it was made
 * before those modules were known.
 */
export async function isOfSameCode(
  { dir }: FoundRun,
  { disk }: Pick<RunSettings, 'disk'>,
  code: EvalCode | undefined,
): Promise<boolean> {
  const journals = await lookAtRun({ disk, runDir: dir });
  try {
    for (const attempt of journals?.outline() ?? [])
      if (attempt.status === 'completed' && !(await saySame(markOf(attempt)?.later, code))) return false;
    return true;
  } finally {
    journals?.close();
  }
}
