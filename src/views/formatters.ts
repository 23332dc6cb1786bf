/** Numbers as the Studio shows them, in the browser and in sentences that the server writes: short, never more precise than they are. */

const NONE = '–';

/** `0.734`; whole numbers above one as they are. */
export function formatScore(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  return Number.isInteger(value) && Math.abs(value) > 1 ? formatCount(value) : withMinus(value.toFixed(3));
}

/**
 * `±0.031` where an interval goes as far on both sides, to the last digit that is shown; else `[0.785, 0.967]`: the interval of a
 * share is never wider than 0 to 1, and half of its width says something else. Nothing where there is none.
 */
export function formatInterval({ value, low, high }: Estimate): string {
  if (low === undefined || high === undefined) return '';
  const below = (value ?? Number.NaN) - low;
  const above = high - (value ?? Number.NaN);
  // Then the ends are off by half of the last digit at most.
  if (Math.abs(above - below) <= 0.001) return `±${((high - low) / 2).toFixed(3)}`;
  return `[${formatScore(low)}, ${formatScore(high)}]`;
}

interface Estimate {
  readonly value: number | null;
  readonly low?: number | undefined;
  readonly high?: number | undefined;
}

/** `+0.021`, `−0.044`, `0.000`. */
export function formatDifference(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  const text = formatScore(value);
  return Number(value.toFixed(3)) > 0 ? `+${text}` : text.replace(/^−(0\.000)$/, '$1');
}

/** `73 %`; `<1 %` and `>99 %` where rounding would say none or all. */
export function formatPercent(share: number | undefined): string {
  if (share === undefined || !Number.isFinite(share)) return NONE;
  if (share > 0 && share < 0.005) return '<1 %';
  if (share < 1 && share >= 0.995) return '>99 %';
  return `${withMinus(String(Math.round(share * 100)))} %`;
}

/** `$0`, `$0.0042` (two significant figures below a cent), `$0.31`, `$41.20`, `$1,234`. */
export function formatUsd(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  if (value === 0) return '$0';
  const size = Math.abs(value);
  const sign = value < 0 ? '−' : '';
  if (size >= 999.995) return `${sign}$${formatCount(Math.round(size))}`;
  if (size >= 0.00995) return `${sign}$${size.toFixed(2)}`;
  if (size < 1e-9) return `${sign}<$0.000000001`;
  const decimals = 1 - Math.floor(Math.log10(size));
  return `${sign}$${Number(size.toPrecision(2)).toFixed(decimals).replace(/0+$/, '')}`;
}

/** `830 ms`, `12.4 s`, `6m 12s`, `1h 04m`, `2d 03h`. */
export function formatDuration(ms: number | undefined): string {
  if (ms === undefined || !Number.isFinite(ms) || ms < 0) return NONE;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const minutes = Math.round(ms / 60_000);
  if (minutes < 1_440) return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
  const hours = Math.round(ms / 3_600_000);
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

/** How long a run took. Logs that tell time in seconds say 0 of a shorter one: it was not nothing. */
export function formatRunTime(ms: number | undefined): string {
  return ms === 0 ? '<1 s' : formatDuration(ms);
}

/** `12,345`. Written by hand: the same in every browser. */
export function formatCount(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  const [whole = '', rest] = String(Math.abs(value)).split('.');
  if (whole.includes('e')) return withMinus(String(value));
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return `${value < 0 ? '−' : ''}${grouped}${rest === undefined ? '' : `.${rest}`}`;
}

/** `950`, `12.3k`, `4.56M`: where there is little room. */
export function formatShortCount(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  for (const [step, unit] of SHORT)
    if (size >= step * 0.99995) return `${withMinus(significant(value / step))}${unit}`;
  return withMinus(significant(value));
}

const SHORT = [
  [1e9, 'G'],
  [1e6, 'M'],
  [1e3, 'k'],
] as const;

/** `812 B`, `14.2 KB`, `3.1 MB`. */
export function formatBytes(bytes: number | undefined): string {
  if (bytes === undefined || !Number.isFinite(bytes)) return NONE;
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 999_500) return `${significant(bytes / 1e3)} KB`;
  if (bytes < 999_500_000) return `${significant(bytes / 1e6)} MB`;
  return `${significant(bytes / 1e9)} GB`;
}

/** `now`, `3m`, `2h`, `5d`, `4w`, then the date: how long ago. */
export function formatAgo(iso: string, nowMs: number): string {
  const ms = nowMs - Date.parse(iso);
  if (Number.isNaN(ms)) return NONE;
  if (ms < 60_000) return 'now';
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)}m`;
  if (ms < 86_400_000) return `${Math.floor(ms / 3_600_000)}h`;
  if (ms < 30 * 86_400_000) return `${Math.floor(ms / 86_400_000)}d`;
  return iso.slice(0, 10);
}

/** `p = .008`, `p < .001`. */
export function formatP(p: number | undefined): string {
  if (p === undefined || !Number.isFinite(p)) return NONE;
  return p < 0.001 ? 'p < .001' : `p = ${p.toFixed(3).replace(/^0/, '')}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function significant(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function withMinus(text: string): string {
  return text.replace(/^-/, '−');
}
