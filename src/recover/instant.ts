/**
 * A time that Inspect wrote down, in microseconds. Its own precision matters: a retry may begin within the millisecond in
 * which the attempt before it ended. A time without a zone is UTC.
 */
export function instantOf(text: string | undefined): number | undefined {
  const [, seconds, fraction = '', zone = 'Z'] = INSTANT.exec(text ?? '') ?? [];
  if (seconds === undefined) return undefined;
  const ms = Date.parse(`${seconds.replace(' ', 'T')}${zone || 'Z'}`);
  return Number.isNaN(ms) ? undefined : ms * 1000 + Number(fraction.padEnd(6, '0').slice(0, 6));
}

const INSTANT = /^(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:?\d\d)?$/;
