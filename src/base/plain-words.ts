/** Counts, money, time and scores in sentences, as people read them: short, and never more precise than they are. */

/** `1 sample`, `2 samples` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** What is wrong with a thing, named once: most reasons begin with its place already. */
export function namedOnce(place: string, reason: string): string {
  const sentence = reason.includes(place) ? reason : `${place} (${reason})`;
  return asSentence(sentence);
}

/** With a full stop, and not with two: most reasons are sentences already. */
export function asSentence(text: string): string {
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

/** $0, $0.0042, $1.23, $1,234 */
export function formatUsd(value: number): string {
  if (value === 0) return '$0';
  const size = Math.abs(value);
  if (size < 0.00005) return '<$0.0001';
  if (size < 1) return `$${value.toFixed(4)}`;
  if (size < 1_000) return `$${value.toFixed(2)}`;
  return `$${Math.round(value).toLocaleString('en-US')}`;
}

/** 950, 12.3k, 4.56M */
export function formatCount(value: number): string {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size < 10_000) return String(Math.round(value));
  if (size < 1_000_000) return `${trim(value / 1_000, 3)}k`;
  if (size < 1_000_000_000) return `${trim(value / 1_000_000, 3)}M`;
  return `${trim(value / 1_000_000_000, 3)}G`;
}

/** 0.3 s, 12 s, 3 min 20 s, 2 h 5 min */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms)) return '–';
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min${seconds % 60 ? ` ${seconds % 60} s` : ''}`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 ? ` ${minutes % 60} min` : ''}`;
}

/** Three decimals, as scores are read; NaN is a dash. */
export function formatScore(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Number.isInteger(value) && Math.abs(value) > 1 ? String(value) : value.toFixed(3);
}

function trim(value: number, digits: number): string {
  return Number(value.toPrecision(digits)).toString();
}
