import type { RunItem } from '../../../src/server/api.ts';
import type { Tone } from '../ui/outcomes.ts';

interface RunLook {
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
}

const STATUSES: Readonly<Record<string, RunLook>> = {
  error: { glyph: '!', word: 'error', tone: 'error' },
  cancelled: { glyph: '⊘', word: 'cancelled', tone: 'limit' },
  started: { glyph: '●', word: 'started', tone: 'quiet' },
  running: { glyph: '●', word: 'running', tone: 'quiet' },
  interrupted: { glyph: '◇', word: 'interrupted', tone: 'limit' },
  unknown: { glyph: '?', word: 'unknown', tone: 'quiet' },
};

/** How a run that did not simply end well is marked. */
export function lookOfRun({ form, facts }: RunItem): RunLook | undefined {
  if (form === 'interrupted') return STATUSES.interrupted;
  const status = facts?.status ?? 'unknown';
  return status === 'success' ? undefined : (STATUSES[status] ?? { glyph: '?', word: status, tone: 'quiet' });
}
