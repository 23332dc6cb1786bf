import { DamageError, isJsonObject, type JsonObject, NotKeptError, sampleKeyText } from '../base/index.ts';
import type { JournalWriter, RunJournals } from '../journal/index.ts';
import { type LogReader, sampleMemberName } from '../log/index.ts';
import { type FoundSample, withMark } from '../reuse/index.ts';
import { isMemberWhole } from '../seal/index.ts';
import type { RunArtifacts } from './artifacts/run-artifacts.ts';
import type { EarlierRuns, Lent } from './earlier-runs.ts';
import type { OpenRun } from './open-run.ts';
import type { Plan, PlannedSample } from './plan.ts';
import type { RunTally } from './run-tally.ts';
import { addCosts, costsOf, type KnownCosts, NO_COSTS } from './sample-costs.ts';
import type { UnrecordedCounts } from './unrecorded.ts';

/** What is still to do. */
export interface Stock {
  /** To be scored anew, or to be run. */
  readonly toDo: readonly PlannedSample[];
  /** Outputs that are there: only scoring is left. By name. */
  readonly outputs: ReadonlyMap<string, FoundSample>;
  /** Those to be run of which answers are on record. */
  readonly toReplay: number;
  /** Those that cannot run: an artifact that they need cannot be had. */
  readonly refused: number;
  /** Those to be run by a function whose calls nobody recorded before, by what has changed since. */
  readonly unrecorded: UnrecordedCounts;
  /** How the latest attempt ended of samples that had one before, by name. */
  readonly tried: ReadonlyMap<string, 'errored' | 'interrupted'>;
  /** What the samples cost that this run has completed. */
  readonly costs: KnownCosts;
}

/** What was begun with `--fresh` stays fresh, however often it is gone on with. */
export function isBegunFresh(journals: RunJournals): boolean {
  return journals.writers().some(({ generation, reuse }) => generation <= 1 && reuse === 'none');
}

/** Counts what is there already, writes down what other logs lend, and says what is left to do. */
export async function takeStock(
  { journals, writer }: Pick<OpenRun, 'journals' | 'writer'>,
  about: {
    readonly plan: Plan;
    readonly earlier: EarlierRuns;
    readonly tally: RunTally;
    readonly artifacts?: Pick<RunArtifacts, 'isRefused'> | undefined;
  },
): Promise<Stock> {
  const { plan, earlier, tally, artifacts } = about;
  const { completed, tried, costs } = countAttempts(journals, tally);
  const missing = plan.samples.filter((sample) => !completed.has(nameOf(sample)));
  const lent = await lendAll(missing, { writer, earlier, tally });
  const toDo = missing.filter((sample) => !lent.has(nameOf(sample)));
  const outputs = new Map<string, FoundSample>();
  let [toReplay, refused] = [0, 0];
  const unrecorded = { code: 0, artifacts: 0 };
  for (const sample of toDo) {
    const output = await earlier.output(sample);
    if (output) {
      outputs.set(nameOf(sample), output);
      continue;
    }
    const wasTried = tried.has(nameOf(sample));
    if (!wasTried && earlier.failure(sample) !== undefined) tried.set(nameOf(sample), 'errored');
    if (artifacts?.isRefused(sample.index)) refused++;
    else if ((wasTried && isPaidFor(journals, sample)) || (await earlier.hasAnswers(sample))) toReplay++;
    else {
      const change = await earlier.unrecorded(sample);
      if (change) unrecorded[change]++;
    }
  }
  for (const note of earlier.absenceNotes(toDo.filter((sample) => !outputs.has(nameOf(sample)))))
    tally.note(note);
  return { toDo, outputs, toReplay, refused, unrecorded, tried, costs };
}

/** A sample whose every call failed has nothing on record. */
function isPaidFor(journals: RunJournals, { id, epoch }: PlannedSample): boolean {
  return journals.attemptsAt(id, epoch).some(({ source, n }) => source.isPaid(n));
}

/** Attempts that were carried over count like those of this run: what tells them apart is their origin. */
function countAttempts(
  journals: RunJournals,
  tally: RunTally,
): {
  readonly completed: ReadonlySet<string>;
  readonly tried: Map<string, 'errored' | 'interrupted'>;
  readonly costs: KnownCosts;
} {
  let costs = NO_COSTS;
  const completed = new Set<string>();
  const tried = new Map<string, 'errored' | 'interrupted'>();
  for (const { source, n, id, epoch, status } of journals.outline()) {
    const name = sampleKeyText(id, epoch);
    if (status !== 'completed') tried.set(name, status ?? 'interrupted');
    else if (!completed.has(name)) {
      completed.add(name);
      const summary = source.summary(n);
      if (!summary) continue;
      tally.countKept(name, summary);
      costs = addCosts(costs, costsOf(summary));
    }
  }
  return { completed, tried, costs };
}

interface Lending {
  readonly writer: JournalWriter;
  readonly earlier: EarlierRuns;
  readonly tally: RunTally;
}

/** Rows are committed in groups of this many, so that few wait in memory. */
const FLUSH_EVERY = 1_000;

/**
 * Writes down which samples come from which logs. A sample whose bytes are damaged in one log is looked for in the next
 * [SEAL-5].
 */
async function lendAll(missing: readonly PlannedSample[], lending: Lending): Promise<ReadonlySet<string>> {
  const lent = new Set<string>();
  for (let wanted = missing; wanted.length > 0; ) {
    const byLog = new Map<string, Wanted>();
    for (const planned of wanted) {
      const found = await lending.earlier.result(planned);
      if (!found) continue;
      const ofLog = byLog.get(found.log) ?? new Map();
      byLog.set(found.log, ofLog.set(nameOf(planned), { planned, found }));
    }
    const refused: PlannedSample[] = [];
    for (const [log, samples] of byLog) refused.push(...(await lendFrom(log, { samples, lent }, lending)));
    wanted = refused;
  }
  await lending.writer.flush();
  return lent;
}

type Wanted = Map<string, { readonly planned: PlannedSample; readonly found: Lent }>;

/** Gives those that the log does not hold whole. */
async function lendFrom(
  name: string,
  { samples, lent }: { readonly samples: Wanted; readonly lent: Set<string> },
  { writer, earlier, tally }: Lending,
): Promise<readonly PlannedSample[]> {
  const left = new Map(samples);
  try {
    const home = await earlier.home(name);
    const log = await earlier.log(home);
    for await (const summary of log?.summaries() ?? []) {
      const key = sampleKeyText(summary.id, summary.epoch);
      const wanted = left.get(key);
      if (!wanted || !log || !(await isWhole(log, { name: home, tally }, summary))) continue;
      const { isSame, runId } = wanted.found;
      const made = { made: { how: 'kept', from: keptFrom(summary.metadata) ?? runId } };
      writer.recordReuse({
        id: summary.id,
        epoch: summary.epoch,
        log: home,
        runId,
        mode: isSame ? 'same' : 'any',
        summary: { ...summary, metadata: withMark(summary.metadata, made) },
      });
      left.delete(key);
      lent.add(key);
      tally.countReused(key, summary, home);
      if (lent.size % FLUSH_EVERY === 0) await writer.flush();
    }
  } catch (error) {
    if (error instanceof NotKeptError)
      tally.note(`${earlier.placeOf(name)} lends nothing as it is: ${error.message}`);
    else if (error instanceof DamageError)
      tally.noteDamage(`${earlier.placeOf(name)} is damaged: it was left as it is.`);
    else throw error;
  }
  const refused = [...left.values()].map(({ planned }) => planned);
  for (const planned of refused) earlier.refuse(planned, name);
  return refused;
}

/** The run that made it, when the log that lends it had it from there as well. */
function keptFrom(metadata: JsonObject): string | undefined {
  const { holdfast } = metadata;
  const made = isJsonObject(holdfast) ? holdfast.made : undefined;
  return isJsonObject(made) && made.how === 'kept' && typeof made.from === 'string' ? made.from : undefined;
}

async function isWhole(
  log: LogReader,
  { name, tally }: { readonly name: string; readonly tally: RunTally },
  { id, epoch }: Pick<PlannedSample, 'id' | 'epoch'>,
): Promise<boolean> {
  const member = sampleMemberName(id, epoch);
  if (await isMemberWhole(log, member)) return true;
  tally.noteDamage(`${member} in ${name} is damaged: it was left as it is.`);
  return false;
}

function nameOf({ id, epoch }: PlannedSample): string {
  return sampleKeyText(id, epoch);
}
