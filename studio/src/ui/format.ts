/** Numbers as the Studio writes them. */

const MINUS = '−';
export const NOTHING = '–';

/** `0.734`, `12.4`, `1,250`: as many digits as say something. */
export function formatNumber(value: number): string {
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'NaN' : value < 0 ? `${MINUS}∞` : '∞';
  const size = Math.abs(value);
  const digits = size >= 1_000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return withMinus(
    value.toLocaleString('en-US', {
      minimumFractionDigits: Number.isInteger(value) && size >= 10 ? 0 : digits,
      maximumFractionDigits: digits,
    }),
  );
}

/** `+.021`, `−.044`, `+1.20`: with its sign, and without the nought that every one of them would have. */
export function formatDifference(value: number): string {
  if (!Number.isFinite(value)) return formatNumber(value);
  const size = Math.abs(value);
  const text = size < 1 ? size.toFixed(3).replace(/^0/, '') : formatNumber(size);
  return `${value < 0 ? MINUS : '+'}${text}`;
}

/** Half the width of an interval: `±0.031`. */
export function formatSpread(low: number, high: number): string {
  return `±${formatNumber((high - low) / 2)}`;
}

export function formatInterval(low: number, high: number): string {
  return `[${formatNumber(low)}, ${formatNumber(high)}]`;
}

/** `$41.20`, `$0.012`, `$0.0042`: two significant figures below a cent. */
export function formatMoney(usd: number): string {
  const size = Math.abs(usd);
  const sign = usd < 0 ? MINUS : '';
  if (size === 0) return '$0';
  if (size < 0.01) return `${sign}$${trimmed(size)}`;
  if (size < 1) return `${sign}$${size.toFixed(3).replace(/0$/, '')}`;
  const digits = size >= 1_000 ? 0 : 2;
  return `${sign}$${size.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })}`;
}

function trimmed(size: number): string {
  if (size < 1e-6) return size.toExponential(0);
  const digits = Math.min(20, 1 - Math.floor(Math.log10(size)));
  return size.toFixed(digits);
}

/** `1h 04m`, `12m 30s`, `12.4 s`, `830 ms`. */
export function formatDuration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return NOTHING;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${twoDigits(seconds % 60)}s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours}h ${twoDigits(minutes % 60)}m`;
  return `${Math.floor(hours / 24)}d ${twoDigits(hours % 24)}h`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** `12k`, `1.2M`: for tokens in narrow places. */
export function formatShortCount(value: number): string {
  if (value < 1_000) return String(value);
  const [unit, size] =
    value < 1_000_000 ? ['k', value / 1_000] : value < 1e9 ? ['M', value / 1e6] : ['G', value / 1e9];
  return `${size < 10 ? size.toFixed(1).replace(/\.0$/, '') : Math.round(size)}${unit}`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  const [unit, size] =
    bytes < 1e6 ? ['kB', bytes / 1e3] : bytes < 1e9 ? ['MB', bytes / 1e6] : ['GB', bytes / 1e9];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}

/** A rate as a percentage: `73.4 %`. */
export function formatPercent(rate: number): string {
  return `${(rate * 100).toFixed(1)} %`;
}

const STEPS = [
  [60, 's', 1],
  [3_600, 'm', 60],
  [86_400, 'h', 3_600],
  [86_400 * 14, 'd', 86_400],
  [86_400 * 60, 'w', 86_400 * 7],
] as const;

/** `now`, `2m`, `5h`, `3d`, `6w`; then the date. */
export function formatAgo(time: string, nowMs: number): string {
  const ms = Date.parse(time);
  if (Number.isNaN(ms)) return NOTHING;
  const seconds = Math.round((nowMs - ms) / 1_000);
  if (seconds < 10) return seconds < -60 ? time.slice(0, 10) : 'now';
  for (const [below, unit, size] of STEPS) if (seconds < below) return `${Math.floor(seconds / size)}${unit}`;
  return new Date(ms).toISOString().slice(0, 10);
}

/** The moment as it was here: `2026-11-17 14:02:33`. */
export function formatTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const day = `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`;
  return `${day} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}:${twoDigits(date.getSeconds())}`;
}

function withMinus(text: string): string {
  return text.replace('-', MINUS);
}
