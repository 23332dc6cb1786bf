/** Counts and money in sentences, as people read them. */

/** `1 sample`, `2 samples` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** What is wrong with a thing, named once: most reasons begin with its place already. */
export function namedOnce(place: string, reason: string): string {
  const sentence = reason.includes(place) ? reason : `${place} (${reason})`;
  return sentence.endsWith('.') ? sentence : `${sentence}.`;
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
