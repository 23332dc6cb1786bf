import { ActionableError, DamageError, messageOf, type SampleKey } from '../base/index.ts';
import type { RunJournals } from '../journal/index.ts';
import {
  type Attachment,
  type EvalSampleSummary,
  type LogFile,
  type LogHeader,
  type LogReader,
  type LogStore,
  openAsFarAsWhole,
  sampleMemberName,
  unionOfAnswers,
} from '../log/index.ts';
import type { ApplySealOptions } from './apply-seal.ts';
import { type Chosen, nameOfChosen } from './choice-list.ts';
import type { SealPlan } from './plan-seal.ts';
import { resultsCollector, StatsCollector } from './run-results.ts';
import { fieldsOf, storedFieldsOf, summariesOf } from './sample-parts.ts';

/** Samples whose rows, or whose lender, cannot be read after all: a log is to be made without them. */
export class UnreadableSamples extends Error {
  override readonly name = 'UnreadableSamples';
  /** The reason of each, by the name of the sample. */
  readonly reasons: ReadonlyMap<string, string>;

  constructor(reasons: ReadonlyMap<string, string>) {
    super(`${reasons.size} samples cannot be read`);
    this.reasons = reasons;
  }
}

/**
 * Writes the samples that were chosen, then their summaries, numbers and the header. Takes no decision of its own: when
 * samples cannot be read it says which, all of them at once.
 */
export async function writePlan(
  file: LogFile,
  plan: SealPlan,
  options: ApplySealOptions,
): Promise<LogHeader> {
  const { run, choices } = plan;
  await file.writeStart(run.start);
  await writeSamples(file, plan, options);
  const stats = new StatsCollector(run);
  const collector = resultsCollector(plan);
  await file.writeSummaries(watched(summariesOf(choices), [stats, collector]));
  const { results, reductions } = collector.finish();
  if (reductions.length > 0) await file.writeReductions(reductions);
  const { status, error } = options.outcome;
  // Inspect shows what the eval's own metadata says, and makes the log's from it: so both say the same.
  const metadata = { ...run.start.eval.metadata, ...options.metadata?.(plan) };
  const header: LogHeader = {
    version: run.start.version,
    status,
    eval: { ...run.start.eval, metadata },
    plan: run.start.plan,
    results,
    stats: stats.finish(options),
    ...(error ? { error } : {}),
    invalidated: false,
    tags: run.start.eval.tags ?? [],
    metadata,
  };
  await file.writeHeader(header);
  return header;
}

/** Summaries are put together from several rows each: they are read once, whoever wants to see them. */
function* watched(
  summaries: Iterable<EvalSampleSummary>,
  watchers: readonly { add(summary: EvalSampleSummary): void }[],
): Iterable<EvalSampleSummary> {
  for (const summary of summaries) {
    for (const watcher of watchers) watcher.add(summary);
    yield summary;
  }
}

/** `samples/<id>_epoch_<n>.json` → its name; undefined for any other member. */
export function sampleOfMember(member: string): string | undefined {
  return /^samples\/(.*_epoch_\d+)(?:\.json|\/.*)$/s.exec(member)?.[1];
}

async function writeSamples(
  file: LogFile,
  { choices, journals }: SealPlan,
  options: ApplySealOptions,
): Promise<void> {
  const lenders = new OpenLenders(options.lenders ?? options.logs);
  const unreadable = new Map<string, string>();
  let done = 0;
  try {
    for (const chosen of choices) {
      // After the first failure this file comes to nothing: the others are only read, to know all that fail.
      const write = () =>
        unreadable.size === 0
          ? writeSample(file, chosen, { ...options, journals, open: lenders })
          : readSample(chosen, lenders);
      const reason = await reasonOfFailure(write);
      if (reason !== undefined) unreadable.set(nameOfChosen(chosen), reason);
      options.onProgress?.(++done, choices.length);
    }
  } finally {
    await lenders.close();
  }
  if (unreadable.size > 0) throw new UnreadableSamples(unreadable);
}

const OF_THE_DISK: ReadonlySet<string> = new Set(['E_DISK_FULL', 'E_DISK_IO', 'E_DISK_DENIED']);

/** A failed disk ends the seal; what cannot be read of one sample does not. */
async function reasonOfFailure(work: () => Promise<void>): Promise<string | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    if (!(error instanceof ActionableError) || OF_THE_DISK.has(error.code)) throw error;
    return messageOf(error);
  }
}

async function readSample(chosen: Chosen, lenders: OpenLenders): Promise<void> {
  const { source } = chosen;
  if (chosen.from === 'log') {
    const { row } = chosen;
    const lender = await lenders.lender(row.log);
    for await (const _ of lender.readMember(sampleMemberName(row.id, row.epoch)) ?? []);
    return;
  }
  const { n } = chosen.attempt;
  fieldsOf(chosen);
  for (const parts of [
    source.events(n),
    source.attachments(n),
    source.pool(n, 'message'),
    source.pool(n, 'call'),
  ])
    for (const _ of parts);
  refuseDamaged(chosen);
}

async function writeSample(
  file: LogFile,
  chosen: Chosen,
  {
    open,
    journals,
    withEvents = true,
  }: ApplySealOptions & {
    readonly open: OpenLenders;
    readonly journals: RunJournals;
  },
): Promise<void> {
  const { source } = chosen;
  if (chosen.from === 'log') {
    const { row } = chosen;
    return await copyLent(file, row, { lender: await open.lender(row.log), journals });
  }
  const { n } = chosen.attempt;
  const { fields, attachments } = storedFieldsOf(chosen);
  await file.writeSample({
    fields,
    events: withEvents ? source.events(n) : [],
    attachments: joined(source.attachments(n), attachments),
    messages: withEvents ? source.pool(n, 'message') : [],
    calls: withEvents ? source.pool(n, 'call') : [],
    answers: journals.answersAt(fields.id, fields.epoch),
  });
  refuseDamaged(chosen);
}

/** What was bought for it here as well, before another log lent it, is not lost: both are one union [SEAL-6]. */
async function copyLent(
  file: LogFile,
  row: SampleKey,
  { lender, journals }: { readonly lender: LogReader; readonly journals: RunJournals },
): Promise<void> {
  const own = journals.answersAt(row.id, row.epoch);
  const isThere = own.length === 0 && (await file.copySample(lender, row));
  if (isThere) return;
  await file.copyMember(lender, sampleMemberName(row.id, row.epoch));
  await file.writeAnswers(row, unionOfAnswers([own, await listed(lender.answers(row))]));
}

async function listed<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/**
 * A journal gives out no row whose checksum is wrong, and notes it: an attempt that was planned as ended and turns out to
 * lack something is not what was planned [SEAL-5].
 */
function refuseDamaged({ source, attempt }: Extract<Chosen, { from: 'journal' }>): void {
  const why = attempt.status === undefined ? undefined : source.damage().attempts.get(attempt.n);
  if (why === undefined) return;
  throw new DamageError({
    code: 'E_JOURNAL_DAMAGED',
    message: `Attempt ${attempt.n} in ${source.place} is damaged: ${why}.`,
    hint: 'Its journal is kept.',
  });
}

/** Each hash once: what is put together anew may refer to what the journal has already. */
function* joined(own: Iterable<Attachment>, added: readonly Attachment[]): Iterable<Attachment> {
  const left = new Map(added.map((attachment) => [attachment.hash, attachment]));
  for (const attachment of own) {
    left.delete(attachment.hash);
    yield attachment;
  }
  yield* left.values();
}

/** Logs that samples are copied from, each opened once. */
class OpenLenders {
  readonly #logs: LogStore;
  readonly #open = new Map<string, LogReader>();

  constructor(logs: LogStore) {
    this.#logs = logs;
  }

  async lender(name: string): Promise<LogReader> {
    const known = this.#open.get(name);
    if (known) return known;
    const opened = await openAsFarAsWhole(this.#logs, name);
    if (!opened) throw lenderGone(this.#logs.placeOf(name));
    this.#open.set(name, opened.log);
    return opened.log;
  }

  async close(): Promise<void> {
    for (const reader of this.#open.values()) await reader.close();
  }
}

function lenderGone(place: string): ActionableError {
  return new ActionableError({
    code: 'E_REUSED_GONE',
    message: `${place}, from which samples were to be taken over, was removed while the log was written.`,
    hint: 'Everything else is safe. Run the same command again: those samples are then run anew.',
  });
}
