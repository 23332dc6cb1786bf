import type { SampleKey } from './log-reader.ts';
import type { SampleId } from './schema.ts';

/** Inspect's order: by epoch, then by id, numbers as if padded with zeros to 20 digits. */
export function bySampleOrder(a: SampleKey, b: SampleKey): number {
  if (a.epoch !== b.epoch) return a.epoch - b.epoch;
  const [left, right] = [sortText(a.id), sortText(b.id)];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** 1 and "1" are one sample, as they have one member name. */
export function sampleKeyText(id: SampleId, epoch: number): string {
  return `${id}_epoch_${epoch}`;
}

function sortText(id: SampleId): string {
  return typeof id === 'string' ? id : String(id).padStart(20, '0');
}
