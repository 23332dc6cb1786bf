import { ActionableError, counted, messageOf, sampleKeyText } from '../base/index.ts';
import type { ReusedOutline, RunJournals } from '../journal/index.ts';
import { type LogReader, type LogStore, openAsFarAsWhole, sampleMemberName } from '../log/index.ts';

/** What the logs that are to lend samples still hold. */
export interface Lenders {
  /** True when the sample is in its log, and every byte of it is right. */
  isWhole(row: ReusedOutline): boolean;
  readonly problems: readonly string[];
}

/** Looks at every sample that another log lends. A log that is gone, or a sample that is damaged, lends nothing. */
export async function checkLenders(journals: RunJournals, logs: LogStore): Promise<Lenders> {
  const rows = Map.groupBy(journals.reused(), ({ log }) => log);
  const whole = new Set<string>();
  const problems: string[] = [];
  for (const [name, lent] of rows) {
    const lender = await openLender(logs, name);
    if (typeof lender === 'string') {
      problems.push(`${name}, which lends ${counted(lent.length, 'sample')}, ${lender}.`);
      continue;
    }
    try {
      for (const row of lent) {
        if (await isMemberWhole(lender, sampleMemberName(row.id, row.epoch))) whole.add(keyOf(row));
        else problems.push(`Sample ${row.id}, epoch ${row.epoch}, of ${name} is damaged, and is not taken.`);
      }
    } finally {
      await lender.close();
    }
  }
  return { isWhole: (row) => whole.has(keyOf(row)), problems };
}

/** Reads a sample to its end: its checksum is right, or it is not whole. */
export async function isMemberWhole(log: LogReader, member: string): Promise<boolean> {
  try {
    const chunks = log.readMember(member);
    if (!chunks) return false;
    for await (const _ of chunks);
    return true;
  } catch (error) {
    if (error instanceof ActionableError) return false;
    throw error;
  }
}

async function openLender(logs: LogStore, name: string): Promise<LogReader | string> {
  try {
    return (await openAsFarAsWhole(logs, name))?.log ?? 'is gone';
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return `cannot be read (${messageOf(error)})`;
  }
}

function keyOf({ log, id, epoch }: ReusedOutline): string {
  return `${log}\n${sampleKeyText(id, epoch)}`;
}
