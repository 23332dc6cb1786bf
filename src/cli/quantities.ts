/** Numbers as people read them: short, and never more precise than they are. */

export { counted, formatUsd } from '../base/index.ts';

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

/** 812 B, 14.2 KB, 3.1 MB */
export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${trim(bytes / 1_000, 3)} KB`;
  if (bytes < 1_000_000_000) return `${trim(bytes / 1_000_000, 3)} MB`;
  return `${trim(bytes / 1_000_000_000, 3)} GB`;
}

/** Three decimals, as scores are read; NaN is a dash. */
export function formatScore(value: number): string {
  if (!Number.isFinite(value)) return '–';
  return Number.isInteger(value) && Math.abs(value) > 1 ? String(value) : value.toFixed(3);
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
