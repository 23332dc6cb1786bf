import { ActionableError, counted, isJsonObject } from '../base/index.ts';
import type { LogReader } from '../log/index.ts';
import type { Plan } from './plan.ts';

/** What differs from when a sample was completed before: the code of its target, or only an artifact that it reads. */
export type Unrecorded = 'code' | 'artifacts';

export type UnrecordedCounts = Readonly<Record<Unrecorded, number>>;

const CHANGED: Readonly<Record<Unrecorded, string>> = {
  code: 'The code of the target has changed',
  artifacts: 'An artifact that the target reads is another one now',
};

/** A function may pay where nobody can see it: what it buys then is bought again whenever its code or its artifacts change. Nothing where there is none. */
export function unrecordedNotes(
  counts: UnrecordedCounts,
  { kind }: { readonly kind: string },
): readonly string[] {
  if (kind !== 'function') return [];
  const changes = (['code', 'artifacts'] as const).filter((change) => counts[change] > 0);
  return changes.map((change) => {
    const which = `${counted(counts[change], 'sample')} that it runs again recorded no call before`;
    return `${CHANGED[change]}, and ${which}: if it pays for something, it pays again. Record its calls (context.fetch, context.model or context.record), or keep the outputs that are there with --keep-outputs.`;
  });
}

/** Since a log was made, for a sample that reads artifacts. */
export async function changeSince(
  log: Promise<LogReader | undefined>,
  { identity }: Pick<Plan, 'identity'>,
): Promise<Unrecorded> {
  try {
    const header = await (await log)?.header();
    const ours = header?.eval.metadata?.holdfast;
    return isJsonObject(ours) && ours.target === identity.target ? 'artifacts' : 'code';
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return 'code'; // What it says of itself cannot be read, which is told elsewhere.
  }
}
