import type { RunSession } from '../../../../src/server/api.ts';
import { formatCount, formatTime, formatUsd } from '../../ui/format.ts';

/** "2 sessions, 1 crash recovered, $0 lost" */
export function sessionsSaid(sessions: readonly RunSession[]): string {
  const died = sessions.filter(({ ended }) => ended === 'died').length;
  const recovered = sessions.slice(0, -1).filter(({ ended }) => ended === 'died').length;
  const lost = sessions.flatMap(({ lostUsd }) => lostUsd ?? []);
  const parts = [
    counted(sessions.length, 'session', 'sessions'),
    ...(recovered > 0 ? [`${counted(recovered, 'crash', 'crashes')} recovered`] : []),
    ...(died > recovered ? ['died'] : []),
    ...(lost.length > 0 ? [`${formatUsd(lost.reduce((sum, usd) => sum + usd, 0))} lost`] : []),
  ];
  return parts.join(', ');
}

const MARKS: Readonly<Record<RunSession['ended'], { readonly glyph: string; readonly word: string }>> = {
  finished: { glyph: '✓', word: 'finished' },
  stopped: { glyph: '⊘', word: 'stopped' },
  died: { glyph: '✕', word: 'died' },
  running: { glyph: '●', word: 'running' },
  unknown: { glyph: '?', word: 'unknown' },
};

export function sessionMark(ended: RunSession['ended']) {
  return MARKS[ended];
}

/** "died at 14:02, 112 kept, 6 replayed, $0 lost", in the time of whoever reads it. */
export function sessionWords({ how, end, said }: RunSession): string {
  const at = end === undefined ? '' : ` at ${formatTime(end).slice(11, 16)}`;
  return `${how}${at}${said === '' ? '' : `, ${said}`}`;
}

/** `2026-11-17 09:00:12 to 09:32:40 on runner-7` */
export function sessionTimes({ start, end, host }: RunSession): string {
  const from = formatTime(start);
  const to = end === undefined ? '' : formatTime(end);
  const isSameDay = to.slice(0, 10) === from.slice(0, 10);
  const until = to === '' ? '' : ` to ${isSameDay ? to.slice(11) : to}`;
  return `${from}${until}${host === undefined ? '' : ` on ${host}`}`;
}

function counted(count: number, one: string, many: string): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}
