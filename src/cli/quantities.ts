/** Numbers as people read them: short, and never more precise than they are. */

export { counted, formatCount, formatDuration, formatScore, formatUsd } from '../base/index.ts';

/** 812 B, 14.2 KB, 3.1 MB */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${trim(bytes / 1_000, 3)} KB`;
  if (bytes < 1_000_000_000) return `${trim(bytes / 1_000_000, 3)} MB`;
  return `${trim(bytes / 1_000_000_000, 3)} GB`;
}

export function formatPercent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

/** `2026-11-15 18:52:32`, local time. */
export function formatTime(iso: string): string {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return iso;
  const two = (value: number) => String(value).padStart(2, '0');
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  return `${day} ${two(time.getHours())}:${two(time.getMinutes())}:${two(time.getSeconds())}`;
}

function trim(value: number, digits: number): string {
  return Number(value.toPrecision(digits)).toString();
}
