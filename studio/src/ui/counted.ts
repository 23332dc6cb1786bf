import { formatCount } from './format.ts';

/** `1 hit`, `12 hits`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
