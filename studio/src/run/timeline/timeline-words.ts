import type { RunTimeline } from '../../../../src/server/api.ts';
import { formatCount, formatDuration, formatPercent, formatTime } from '../../ui/format.ts';
import { outcomeShown } from '../../ui/outcomes.ts';
import type { Gap } from './time-scale.ts';
import { mostActive } from './timeline-marks.ts';

/** The finding: how many at a time, what came between, and whether a few samples held up the rest. */
export function timelineSaid(timeline: RunTimeline, lengthMs: number): string {
  const { samples, marks, active } = timeline;
  const count = (kind: string) => marks.filter((mark) => mark.kind === kind).length;
  const parts = [
    `Up to ${formatCount(mostActive(active))} at a time for ${formatDuration(lengthMs)}`,
    some(count('rate limit'), 'rate limit', 'rate limits'),
    some(count('retry'), 'retry', 'retries'),
    some(count('crash'), 'crash', 'crashes'),
    tailSaid(samples, lengthMs),
  ];
  return parts.filter((part) => part !== '').join(' · ');
}

const TAIL = 0.1;
const LONG_TAIL = 0.3;
const TAIL_SAMPLES_MIN = 20;

/** Whether the last tenth of the samples took much of the time. */
function tailSaid(samples: RunTimeline['samples'], lengthMs: number): string {
  if (samples.length < TAIL_SAMPLES_MIN || lengthMs <= 0) return '';
  const ends = samples.map(({ to }) => to).toSorted((a, b) => a - b);
  const before = ends[Math.floor(ends.length * (1 - TAIL)) - 1] ?? lengthMs;
  const share = (lengthMs - before) / lengthMs;
  return share < LONG_TAIL ? '' : `the last tenth of the samples took ${formatPercent(share)} of the time`;
}

function some(count: number, one: string, many: string): string {
  return count === 0 ? '' : `${formatCount(count)} ${count === 1 ? one : many}`;
}

/** How much of the time nobody worked on the run, from 0 to 1. */
export function idleShare(gaps: readonly Gap[], lengthMs: number): number {
  return lengthMs <= 0 ? 0 : gaps.reduce((sum, { from, to }) => sum + to - from, 0) / lengthMs;
}

/** Everything that is drawn, as rows. */
export function timelineTable({ startMs, samples, marks }: RunTimeline) {
  const rows = [
    ...samples.map(({ id, epoch, from, to, outcome, limit }) => ({
      at: from,
      cells: [
        'sample',
        `${id} (epoch ${epoch})`,
        when(startMs + from),
        when(startMs + to),
        formatDuration(to - from),
        [outcomeShown(outcome).word, limit === undefined ? '' : `limit: ${limit}`].filter(Boolean).join(', '),
      ],
    })),
    ...marks.map(({ at, to, kind, said }) => ({
      at,
      cells: [
        kind,
        said,
        when(startMs + at),
        to === undefined ? '' : when(startMs + to),
        to === undefined ? '' : formatDuration(to - at),
        '',
      ],
    })),
  ];
  return {
    heads: ['what', 'which', 'from', 'to', 'took', 'ended'],
    rows: rows.toSorted((a, b) => a.at - b.at).map(({ cells }) => cells),
  };
}

function when(ms: number): string {
  return formatTime(new Date(ms).toISOString());
}
