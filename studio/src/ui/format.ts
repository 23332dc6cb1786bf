/** How the Studio writes numbers: as the views do, and a few more. */
import { formatScore } from '../../../src/views/index.ts';

export {
  formatAgo,
  formatBytes,
  formatCount,
  formatDifference,
  formatDuration,
  formatInterval,
  formatP,
  formatPercent,
  formatRunTime,
  formatScore,
  formatShortCount,
  formatUsd,
} from '../../../src/views/index.ts';

/** `95 % [0.703, 0.765]`. */
export function formatRange(low: number, high: number): string {
  return `95 % [${formatScore(low)}, ${formatScore(high)}]`;
}

/** The moment as it was here: `2026-11-17 14:02:33`. */
export function formatTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return time;
  const day = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
  return `${day} ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':')}`;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `14 Nov 09:12`; of another year than this `14 Nov 2025 09:12`. */
export function formatMoment(ms: number, nowMs: number = Date.now()): string {
  const date = new Date(ms);
  const year = date.getFullYear();
  const day = [
    date.getDate(),
    MONTHS[date.getMonth()],
    ...(year === new Date(nowMs).getFullYear() ? [] : [year]),
  ];
  return `${day.join(' ')} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
