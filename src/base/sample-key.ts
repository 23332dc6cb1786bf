/** A sample is a row at an epoch. This is the one way to name, compare and order samples, in every room. */
export type SampleId = string | number;

export interface SampleKey {
  readonly id: SampleId;
  readonly epoch: number;
}

/** 1 and "1" are one sample, since a log has one member name for both. */
export function sampleKeyText(id: SampleId, epoch: number): string {
  return `${id}_epoch_${epoch}`;
}

export function isSameSample(a: SampleKey, b: SampleKey): boolean {
  return a.epoch === b.epoch && String(a.id) === String(b.id);
}

/** Inspect's order: by epoch, then by id, numbers as if padded with zeros to 20 digits. */
export function bySampleOrder(a: SampleKey, b: SampleKey): number {
  if (a.epoch !== b.epoch) return a.epoch - b.epoch;
  const [left, right] = [sortText(a.id), sortText(b.id)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function sortText(id: SampleId): string {
  return typeof id === 'string' ? id : String(id).padStart(20, '0');
}
