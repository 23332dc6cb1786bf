import type { Digest } from '../base/index.ts';
import type { EvalCode } from '../code/index.ts';
import { type FoundRun, lookAtRun, type RunJournals } from '../journal/index.ts';
import { fitsLimits, readMark, type SampleMark } from '../reuse/index.ts';
import type { RunSettings, RunTask } from './settings.ts';

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
 * True when all that a run has completed still holds: the code that was imported late says now what it said then, and whatever
 * was ended by a limit would be ended by it now. Its plan cannot tell: it was made before any of that was known.
 */
export async function holdsStill(
  { dir }: FoundRun,
  { disk }: Pick<RunSettings, 'disk'>,
  { code, eval: { limits } }: Pick<RunTask, 'code' | 'eval'>,
): Promise<boolean> {
  const journals = await lookAtRun({ disk, runDir: dir });
  try {
    for (const source of journals?.readers ?? []) {
      // Nearly all samples say neither: those are not even read.
      for (const n of source.resultsThatSay(['"later":', '"limit":'])) {
        const mark = markOf({ source, n });
        const isLimited = mark?.limit && !fitsLimits({ ...NOTHING_USED, ended: mark.limit }, limits);
        if (isLimited || !(await saySame(mark?.later, code))) return false;
      }
    }
    return true;
  } finally {
    journals?.close();
  }
}

const NOTHING_USED = { tokens: 0, turns: 0, messages: 0, usd: 0 };
