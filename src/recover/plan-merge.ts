import { ActionableError, type SampleId, sampleKeyText } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import {
  type EvalSampleSummary,
  type LogHeader,
  type LogReader,
  openLog,
  sampleMemberName,
  summarize,
} from '../log/index.ts';
import { chooseSamples, type MergeCandidate, type MergeConflict } from './merge-choice.ts';
import { rankOf } from './sample-rank.ts';

export interface OpenedInput {
  readonly path: string;
  readonly reader: LogReader;
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

export async function openInput(disk: Disk, path: string): Promise<OpenedInput> {
  const reader = await openLog(disk, path);
  const checksums = new Map<string, string>();
  for (const { name } of reader.members()) {
    const member = name.startsWith('samples/') ? await reader.rawMember(name) : undefined;
    if (member) checksums.set(name, `${member.crc.toString(16)} ${member.sizeBytes}`);
  }
  return { path, reader, header: await reader.header(), checksums };
}

/**
 * Chooses the best copy of each sample that can be read. What is chosen is read to its end; a copy that turns out to be
 * damaged is none, and the choice is made again without it, so that the order of the logs still does not matter.
 */
export async function planMerge(inputs: readonly OpenedInput[]): Promise<MergePlan> {
  const damaged: MergeDamage[] = [];
  const found: PlannedCopy[] = [];
  for (const input of inputs) found.push(...(await candidatesOf(input, damaged)));
  const sound = new Set<PlannedCopy>();
  let candidates: readonly PlannedCopy[] = found;
  for (;;) {
    const { chosen, conflicts } = chooseSamples(candidates);
    const broken = new Set<PlannedCopy>();
    for (const copy of chosen) {
      if (sound.has(copy)) continue;
      const problem = await problemOf(copy);
      if (problem) broken.add(copy);
      else sound.add(copy);
      if (problem) damaged.push(problem);
    }
    if (broken.size === 0) return { chosen, conflicts, damaged, lost: missingFrom(found, chosen) };
    candidates = candidates.filter((candidate) => !broken.has(candidate));
  }
}

/** A sample that is listed twice is the same member; one that is listed but not there cannot be copied. */
async function candidatesOf(input: OpenedInput, damaged: MergeDamage[]): Promise<PlannedCopy[]> {
  const { reader, path } = input;
  const held = new Map((await reader.samples()).map((key) => [sampleKeyText(key.id, key.epoch), key]));
  const copies: PlannedCopy[] = [];
  const take = (summary: EvalSampleSummary) => {
    if (held.delete(sampleKeyText(summary.id, summary.epoch))) copies.push(copyOf(input, summary));
  };
  const list = await damageOf(path, async () => {
    for await (const summary of reader.summaries()) take(summary);
  });
  if (list) damaged.push(list);
  // What a damaged list does not name is known by the samples themselves.
  for (const key of list ? held.values() : []) {
    const damage = await damageOf(path, async () => {
      const fields = await reader.sampleFields(key.id, key.epoch);
      if (fields) take(summarize(fields));
    });
    if (damage) damaged.push({ ...damage, sample: { id: key.id, epoch: key.epoch } });
  }
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

function missingFrom(found: readonly PlannedCopy[], chosen: readonly PlannedCopy[]): MergePlan['lost'] {
  const held = new Set(chosen.map(({ id, epoch }) => sampleKeyText(id, epoch)));
  const missing = new Map<string, { readonly id: SampleId; readonly epoch: number }>();
  for (const { id, epoch } of found) {
    const name = sampleKeyText(id, epoch);
    if (!held.has(name)) missing.set(name, { id, epoch });
  }
  return [...missing.values()];
}
