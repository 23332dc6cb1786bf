import { InvalidArgumentError } from 'commander';

const UNITS: Readonly<Record<string, number>> = {
  ...{ ms: 1, s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 },
};

/** `30s`, `5m`, `1.5h`, `60d`, `250ms`; a plain number is seconds. Gives milliseconds. */
export function parseDuration(text: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d)?$/.exec(text.trim());
  const ms = Number(found?.[1]) * (UNITS[found?.[2] ?? 's'] ?? Number.NaN);
  if (!Number.isFinite(ms)) throw new InvalidArgumentError('Write a duration such as 30s, 5m or 1.5h.');
  return Math.round(ms);
}

/** A duration after which something ends: none at all makes no sense. */
export function parsePeriod(text: string): number {
  const ms = parseDuration(text);
  if (ms < 1) throw new InvalidArgumentError('Write a duration above 0, such as 30s, 5m or 1.5h.');
  return ms;
}

/** `30d`; a plain number is days. Gives milliseconds. */
export function parseDays(text: string): number {
  const found = /^(\d+(?:\.\d+)?)\s*d?$/.exec(text.trim());
  if (!found) throw new InvalidArgumentError('Write days such as 30d.');
  return Number(found[1]) * 86_400_000;
}

export function parseCount(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1)
    throw new InvalidArgumentError('Write a whole number from 1 up.');
  return value;
}

/** For what this machine has to hold all at once. */
export function parseCountUpTo(max: number): (text: string) => number {
  return (text) => {
    const value = parseCount(text);
    if (value > max) throw new InvalidArgumentError(`Write a whole number from 1 to ${max}.`);
    return value;
  };
}

/** `3/8`: the third of eight slices. */
export function parseShard(text: string): { readonly index: number; readonly count: number } {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(text.trim()) ?? [];
  if (index === undefined || Number(index) < 1 || Number(index) > Number(count))
    throw new InvalidArgumentError('Write which of how many, such as 3/8, from 1/8 to 8/8.');
  return { index: Number(index), count: Number(count) };
}

export function parseNatural(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError('Write a whole number from 0 up.');
  return value;
}

/** 0: any that is free. */
export function parsePort(text: string): number {
  const value = parseNatural(text);
  if (value > 65_535) throw new InvalidArgumentError('Write a port from 0 to 65535.');
  return value;
}

/** `2.50` or `$2.50`. */
export function parseUsd(text: string): number {
  const value = Number(text.replace(/^\$/, ''));
  if (!Number.isFinite(value) || value <= 0)
    throw new InvalidArgumentError('Write US dollars, such as 2.50.');
  return value;
}

const SIZES: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  ki: 2 ** 10,
  mi: 2 ** 20,
  gi: 2 ** 30,
};

/** `256 KiB`, `1 MB`, or a number of bytes. */
export function parseSize(given: string | number): number {
  const found = /^(\d+(?:\.\d+)?)\s*([kmg]i?)?b?$/i.exec(String(given).trim());
  const bytes = Number(found?.[1]) * (SIZES[(found?.[2] ?? '').toLowerCase()] ?? Number.NaN);
  if (!Number.isFinite(bytes)) throw new InvalidArgumentError('Write a size such as 256 KiB or 1 MiB.');
  return Math.round(bytes);
}

/** `<kind>/<key>`: what a unit of artifacts is called. */
export function parseUnit(text: string): string {
  if (/^[^/]+\/./.test(text)) return text;
  throw new InvalidArgumentError('Write a unit as <kind>/<key>, such as knowledge/shop.');
}

/** A count, or a share below 1. */
export function parseErrorsAllowed(text: string): number {
  const value = Number(text);
  const isShare = value > 0 && value < 1;
  if (!isShare && !(Number.isSafeInteger(value) && value >= 1))
    throw new InvalidArgumentError('Write a count (3) or a share (0.1).');
  return value;
}

/** A count from 0, or a share below 1. */
export function parseLimit(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0 && (value < 1 || Number.isSafeInteger(value))))
    throw new InvalidArgumentError('Write a count (3) or a share below 1 (0.1).');
  return value;
}

/** For options that may be given several times, each with one or more values separated by commas. */
export function collect(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}
