import { DamageError, sampleKeyText } from '../base/index.ts';
import type { JournalWriter, RunJournals } from '../journal/index.ts';
import { type LogReader, repairedLog, sampleMemberName } from '../log/index.ts';
import { isMemberWhole } from '../seal/index.ts';
import type { ReuseFindings } from './find-reusable.ts';
import type { OpenRun } from './open-run.ts';
import type { Plan, PlannedSample } from './plan.ts';
import type { RunTally } from './run-tally.ts';
import type { RunSettings } from './settings.ts';

/** What is still to do. */
export interface Stock {
  readonly toRun: readonly PlannedSample[];
  /** How the latest attempt ended of samples that had one before, by name. */
  readonly tried: ReadonlyMap<string, 'errored' | 'interrupted'>;
}

/** Counts what is there already, writes down what other logs lend, and says what is left to run. */
export async function takeStock(
  { journals, writer }: Pick<OpenRun, 'journals' | 'writer'>,
  about: { readonly plan: Plan; readonly findings: ReuseFindings; readonly tally: RunTally },
  settings: RunSettings,
): Promise<Stock> {
  const { plan, findings, tally } = about;
  const { completed, tried } = countAttempts(journals, tally);
  const isMissing = (sample: PlannedSample) => !completed.has(nameOf(sample));
  const wanted = new Set(findings.reusable.size === 0 ? [] : plan.samples.filter(isMissing).map(nameOf));
  const lent = await recordReuse({ writer, findings, wanted, tally }, settings);
  const failedElsewhere = [...findings.errored.keys()].map((name) => [name, 'errored'] as const);
  return {
    toRun: plan.samples.filter((sample) => isMissing(sample) && !lent.has(nameOf(sample))),
    tried: new Map([...failedElsewhere, ...tried]),
  };
}

/** Attempts that were carried over count like those of this run: what tells them apart is their origin. */
function countAttempts(
  journals: RunJournals,
  tally: RunTally,
): { readonly completed: ReadonlySet<string>; readonly tried: Map<string, 'errored' | 'interrupted'> } {
  const completed = new Set<string>();
  const tried = new Map<string, 'errored' | 'interrupted'>();
  for (const { source, n, id, epoch, status } of journals.outline()) {
    const name = sampleKeyText(id, epoch);
    if (status !== 'completed') tried.set(name, status ?? 'interrupted');
    else if (!completed.has(name)) {
      completed.add(name);
      const summary = source.summary(n);
      if (summary) tally.countKept(name, summary);
    }
  }
  return { completed, tried };
}

interface Reuse {
  readonly writer: JournalWriter;
  readonly findings: ReuseFindings;
  readonly wanted: ReadonlySet<string>;
  readonly tally: RunTally;
}

/** Rows are committed in groups of this many, so that few wait in memory. */
const FLUSH_EVERY = 1_000;

/** Writes down which samples come from which logs. A sample whose bytes are damaged is not taken [SEAL-5]. */
async function recordReuse(reuse: Reuse, { places }: RunSettings): Promise<ReadonlySet<string>> {
  const { findings, wanted, writer, tally } = reuse;
  const byLog = Map.groupBy(
    [...findings.reusable].filter(([name]) => wanted.has(name)),
    ([, { log }]) => log,
  );
  const lent = new Set<string>();
  for (const [name, samples] of byLog) {
    const log = await places.logs.open(name);
    if (!log) continue; // Removed meanwhile: its samples are run.
    try {
      const modes = new Map(
        samples.map(([key, { isSame }]) => [key, isSame ? ('same' as const) : ('any' as const)]),
      );
      await lendFrom(repairedLog(log), { name, modes, lent }, reuse);
    } catch (error) {
      if (!(error instanceof DamageError)) throw error;
      tally.noteDamage(
        `${places.logs.placeOf(name)} is damaged: it was left as it is, and its samples are run again.`,
      );
    } finally {
      await log.close();
    }
  }
  await writer.flush();
  return lent;
}

async function lendFrom(
  log: LogReader,
  from: {
    readonly name: string;
    readonly modes: ReadonlyMap<string, 'same' | 'any'>;
    readonly lent: Set<string>;
  },
  { writer, tally }: Reuse,
): Promise<void> {
  const { run_id: runId } = (await log.header()).eval;
  for await (const summary of log.summaries()) {
    const { id, epoch } = summary;
    const key = sampleKeyText(id, epoch);
    const mode = from.modes.get(key);
    if (mode === undefined || from.lent.has(key)) continue;
    const member = sampleMemberName(id, epoch);
    if (!(await isMemberWhole(log, member))) {
      tally.noteDamage(
        `${member} in ${from.name} is damaged: it was left as it is, and the sample is run again.`,
      );
      continue;
    }
    writer.recordReuse({ id, epoch, log: from.name, runId, mode, summary });
    from.lent.add(key);
    tally.countReused(key, summary, from.name);
    if (from.lent.size % FLUSH_EVERY === 0) await writer.flush();
  }
}

function nameOf({ id, epoch }: PlannedSample): string {
  return sampleKeyText(id, epoch);
}
