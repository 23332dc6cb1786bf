import { ActionableError, type SampleId, type SampleKey, sampleKeyText } from '../base/index.ts';
import {
  type EvalSampleSummary,
  type LogHeader,
  type LogReader,
  type RepairedLog,
  repairedLog,
  sampleMemberName,
} from '../log/index.ts';
import { chooseSamples, type MergeCandidate, type MergeConflict } from './merge-choice.ts';
import { rankOf } from './sample-rank.ts';

export interface OpenedInput {
  readonly path: string;
  readonly reader: RepairedLog;
  readonly header: LogHeader;
  readonly checksums: ReadonlyMap<string, string>;
}

export interface PlannedCopy extends MergeCandidate {
  readonly input: OpenedInput;
  readonly summary: EvalSampleSummary;
}

/** Something of a log that cannot be read, and was taken from another log or left out. */
export interface MergeDamage {
  readonly log: string;
  readonly message: string;
  /** The sample it concerns, if it concerns only one. */
  readonly sample?: { readonly id: SampleId; readonly epoch: number };
}

/** What a merged log will hold, decided once; header, counts and the file all follow from it. */
export interface MergePlan {
  readonly chosen: readonly PlannedCopy[];
  readonly conflicts: readonly MergeConflict[];
  readonly damaged: readonly MergeDamage[];
  /** Samples of which no log has a copy that can be read. */
  readonly lost: readonly { readonly id: SampleId; readonly epoch: number }[];
}

export async function openInput(log: LogReader, path: string): Promise<OpenedInput> {
  const reader = repairedLog(log);
  const checksums = new Map<string, string>();
  for (const { name } of reader.members()) {
    const member = name.startsWith('samples/') ? await reader.rawMember(name) : undefined;
    if (member) checksums.set(name, `${member.crc.toString(16)} ${member.sizeBytes}`);
  }
  return { path, reader, header: await reader.header(), checksums };
}

/**
 * Chooses the best copy of each sample that can be read. Every copy of every log is read to its end, and one that is
 * damaged is none: so neither what is chosen nor what is told of damage depends on the order of the logs.
 */
export async function planMerge(inputs: readonly OpenedInput[]): Promise<MergePlan> {
  const damaged: MergeDamage[] = [];
  const held: SampleKey[] = [];
  const sound: PlannedCopy[] = [];
  for (const input of inputs) {
    held.push(...(await input.reader.samples()));
    for (const copy of await copiesIn(input)) {
      const problem = await problemOf(copy);
      if (problem) damaged.push(problem);
      else sound.push(copy);
    }
    for (const { message, sample } of await input.reader.checkDocuments()) {
      if (damaged.some((known) => known.log === input.path && known.message === message)) continue;
      damaged.push({ log: input.path, message, ...(sample && { sample }) });
    }
  }
  const { chosen, conflicts } = chooseSamples(sound);
  return { chosen, conflicts, damaged, lost: missingFrom(held, chosen) };
}

/** A sample that is listed twice is the same member; one that is listed but not there cannot be copied. */
async function copiesIn(input: OpenedInput): Promise<readonly PlannedCopy[]> {
  const { reader } = input;
  const held = new Set((await reader.samples()).map(({ id, epoch }) => sampleKeyText(id, epoch)));
  const copies: PlannedCopy[] = [];
  for await (const summary of reader.summaries())
    if (held.delete(sampleKeyText(summary.id, summary.epoch))) copies.push(copyOf(input, summary));
  return copies;
}

function copyOf(input: OpenedInput, summary: EvalSampleSummary): PlannedCopy {
  const { id, epoch } = summary;
  return {
    id,
    epoch,
    rank: rankOf(summary),
    checksum: input.checksums.get(sampleMemberName(id, epoch)) ?? '',
    uuid: summary.uuid ?? '',
    place: input.path,
    input,
    summary,
  };
}

async function problemOf({ input, id, epoch }: PlannedCopy): Promise<MergeDamage | undefined> {
  const damage = await damageOf(input.path, async () => {
    await input.reader.sampleFields(id, epoch);
  });
  return damage && { ...damage, sample: { id, epoch } };
}

async function damageOf(log: string, read: () => Promise<void>): Promise<MergeDamage | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    if (error instanceof ActionableError) return { log, message: error.message };
    throw error;
  }
}

function missingFrom(held: readonly SampleKey[], chosen: readonly PlannedCopy[]): MergePlan['lost'] {
  const names = new Set(chosen.map(({ id, epoch }) => sampleKeyText(id, epoch)));
  const missing = new Map<string, SampleKey>();
  for (const { id, epoch } of held) {
    const name = sampleKeyText(id, epoch);
    if (!names.has(name)) missing.set(name, { id, epoch });
  }
  return [...missing.values()];
}
