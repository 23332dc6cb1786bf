import type { RunSession } from '../../../../src/server/api.ts';

/** "2 sessions, 1 crash recovered, $0 lost"; nothing when all went in one go. */
export function sessionsSaid(sessions: readonly RunSession[]): string {
  const crashes = sessions.filter(({ ended }) => ended === 'died');
  if (sessions.length < 2 && crashes.length === 0) return '';
  const parts = [sessions.length === 1 ? '1 session' : `${sessions.length} sessions`];
  if (crashes.length > 0) {
    const isRecovered = sessions.at(-1)?.ended !== 'died';
    parts.push(
      `${crashes.length} ${crashes.length === 1 ? 'crash' : 'crashes'}${isRecovered ? ' recovered' : ''}`,
    );
  }
  const lost = crashes.map(({ said }) => /\$[\d.,]+ lost/.exec(said)?.[0]).filter((one) => one !== undefined);
  if (lost.length > 0) parts.push(lost.every((one) => one === '$0 lost') ? '$0 lost' : (lost.at(-1) ?? ''));
  return parts.join(', ');
}
