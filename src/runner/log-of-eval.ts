import type { LogHeader, LogStore } from '../log/index.ts';
import type { Plan } from './plan.ts';

/** The header of a log, when that is one of this eval on this target. Only the header is read, in ranges. */
export async function headerOfEval(
  store: LogStore,
  name: string,
  { identity }: Plan,
): Promise<LogHeader | undefined> {
  const log = await store.open(name);
  if (!log) return undefined;
  try {
    const header = await log.header();
    const { task, model } = header.eval;
    return task === identity.eval && model === identity.targetName ? header : undefined;
  } finally {
    await log.close();
  }
}
