/** Figures of a sample over its epochs. */
import type { SampleEpoch, SampleItem } from '../server/api.ts';
import { scoreOf } from './outcomes.ts';

/** The mean over the epochs that have one. */
export function meanScore({ epochs }: SampleItem, name: string | undefined): number | undefined {
  return mean(epochs.map((epoch) => scoreOf(epoch, name)));
}

export function costOf({ epochs }: SampleItem): number | undefined {
  return sumOf(epochs, ({ usd }) => usd ?? undefined);
}

export function tokensOf({ epochs }: SampleItem): number | undefined {
  return sumOf(epochs, ({ tokens }) => tokens);
}

export function retriesOf({ epochs }: SampleItem): number | undefined {
  return sumOf(epochs, ({ retries }) => retries ?? 0);
}

/** Of the epoch that had most. */
export function turnsOf({ epochs }: SampleItem): number | undefined {
  return mostOf(epochs, ({ turns }) => turns);
}

export function messagesOf({ epochs }: SampleItem): number | undefined {
  return mostOf(epochs, ({ messages }) => messages);
}

/** Of the epoch that took longest. */
export function durationOf({ epochs }: SampleItem): number | undefined {
  return mostOf(epochs, ({ durationMs }) => durationMs);
}

export function mean(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0) / known.length;
}

function sumOf(
  epochs: readonly SampleEpoch[],
  of: (epoch: SampleEpoch) => number | undefined,
): number | undefined {
  const known = epochs.map(of).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

function mostOf(
  epochs: readonly SampleEpoch[],
  of: (epoch: SampleEpoch) => number | undefined,
): number | undefined {
  const known = epochs.map(of).filter((value) => value !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
