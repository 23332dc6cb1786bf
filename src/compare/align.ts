import { bySampleOrder, type SampleId, type SampleKey } from '../base/index.ts';
import type { Side, SideSample } from './side.ts';

/** A sample that both runs have, at one epoch. */
export interface AlignedSample extends SampleKey {
  readonly before: SideSample;
  readonly after: SideSample;
}

export interface Alignment {
  readonly both: readonly AlignedSample[];
  /** The same, with the epochs of each sample together. */
  readonly samples: readonly AlignedEpochs[];
  readonly onlyBefore: readonly SampleKey[];
  readonly onlyAfter: readonly SampleKey[];
}

/** Matches two runs by sample and epoch. The result does not depend on the order in which either run lists its samples. */
export function alignSides(before: Side, after: Side): Alignment {
  const both: AlignedSample[] = [];
  const onlyBefore: SampleKey[] = [];
  for (const [key, sample] of before.samples) {
    const other = after.samples.get(key);
    const named = keyOf(sample);
    if (other) both.push({ ...named, before: sample, after: other });
    else onlyBefore.push(named);
  }
  const onlyAfter = [...after.samples]
    .filter(([key]) => !before.samples.has(key))
    .map(([, sample]) => keyOf(sample));
  both.sort(bySampleOrder);
  return {
    both,
    samples: bySample(both),
    onlyBefore: onlyBefore.sort(bySampleOrder),
    onlyAfter: onlyAfter.sort(bySampleOrder),
  };
}

/** 1 and "1" are one sample, whichever side writes it how: both are named alike. */
function keyOf({ id, epoch }: SampleKey): SampleKey {
  return { id: plainId(id), epoch };
}

export function plainId(id: SampleId): SampleId {
  return typeof id === 'string' && /^(0|[1-9]\d{0,14})$/.test(id) ? Number(id) : id;
}

/** One sample at all epochs that both runs have of it. */
export type AlignedEpochs = readonly AlignedSample[];

/** The epochs of each sample together, in order. */
function bySample(aligned: readonly AlignedSample[]): AlignedEpochs[] {
  const samples = new Map<SampleId, AlignedSample[]>();
  for (const one of aligned) {
    const epochs = samples.get(one.id);
    if (epochs) epochs.push(one);
    else samples.set(one.id, [one]);
  }
  return [...samples.values()];
}
