import type {
  SharedBuild,
  SharedFailure,
  SharedLease,
  SharedRow,
  SharedWorker,
} from '../../../src/server/api.ts';
import { formatDuration, formatUsd } from '../ui/format.ts';
import type { Shown } from '../ui/outcomes.ts';
import type { Share } from '../ui/share-bar.tsx';

const STATES: Readonly<Record<SharedRow['state'], Shown>> = {
  queued: { glyph: '○', word: 'queued', tone: 'quiet' },
  running: { glyph: '●', word: 'running', tone: 'live' },
  stalled: { glyph: '◆', word: 'stalled', tone: 'limit' },
  interrupted: { glyph: '◇', word: 'interrupted', tone: 'limit' },
  complete: { glyph: '✓', word: 'complete', tone: 'pass' },
  cancelled: { glyph: '⊘', word: 'cancelled', tone: 'limit' },
  unknown: { glyph: '?', word: 'unknown', tone: 'quiet' },
};

export function stateShown({ state }: Pick<SharedRow, 'state'>): Shown {
  return STATES[state];
}

/** Whether anything can still happen to it by itself. */
export function isGoingOn({ state }: Pick<SharedRow, 'state'>): boolean {
  return state !== 'complete' && state !== 'cancelled';
}

const WORKERS: Readonly<Record<SharedWorker['state'], Shown>> = {
  live: { glyph: '●', word: 'live', tone: 'live' },
  silent: { glyph: '◆', word: 'silent', tone: 'limit' },
  ended: { glyph: '■', word: 'ended', tone: 'quiet' },
  unknown: { glyph: '?', word: 'unknown', tone: 'quiet' },
};

export function workerShown({ state, refuses }: Pick<SharedWorker, 'state' | 'refuses'>): Shown {
  return refuses !== undefined && state === 'live'
    ? { glyph: '✕', word: 'refuses', tone: 'error' }
    : WORKERS[state];
}

const BUILDS: Readonly<Record<SharedBuild['state'], Shown>> = {
  running: { glyph: '●', word: 'being built', tone: 'live' },
  errored: { glyph: '!', word: 'failed', tone: 'error' },
  aside: { glyph: '◆', word: 'set aside', tone: 'limit' },
  damaged: { glyph: '✕', word: 'damaged', tone: 'error' },
  due: { glyph: '○', word: 'due', tone: 'quiet' },
  waiting: { glyph: '·', word: 'waits for another', tone: 'quiet' },
  completed: { glyph: '✓', word: 'built', tone: 'pass' },
};

export function buildShown({ state }: Pick<SharedBuild, 'state'>): Shown {
  return BUILDS[state];
}

const FAILURES: Readonly<Record<SharedFailure['is'], Shown>> = {
  errored: { glyph: '!', word: 'error', tone: 'error' },
  aside: { glyph: '◆', word: 'set aside', tone: 'limit' },
  lost: { glyph: '✕', word: 'worker lost', tone: 'limit' },
};

export function failureShown({ is }: Pick<SharedFailure, 'is'>): Shown {
  return FAILURES[is];
}

/** What it cost so far, with a plus where leases of unknown cost come on top. */
export function spentText({ usd, unpriced }: Pick<SharedRow, 'usd' | 'unpriced'>): string {
  return `${formatUsd(usd)}${unpriced > 0 ? '+' : ''}`;
}

/** The samples of a run by what became of them: together they are all of the plan. */
export function sampleShares({ samples }: Pick<SharedRow, 'samples'>): readonly Share[] {
  return [
    { glyph: '✓', word: 'completed', tone: 'pass', count: samples.completed },
    { glyph: '↺', word: 'reused', tone: 'pass', count: samples.reused },
    { glyph: '!', word: 'failed', tone: 'error', count: samples.errored },
    { glyph: '◆', word: 'set aside', tone: 'limit', count: samples.aside },
    { glyph: '✕', word: 'damaged', tone: 'error', count: samples.damaged },
    { glyph: '●', word: 'under way', tone: 'live', count: samples.running },
    { glyph: '○', word: 'due', tone: 'quiet', count: samples.due },
  ];
}

/** A sample by its id, and its epoch where it is not the first; a build by its unit; else the job as it is called. */
export function jobText({ job, sample, unit }: Pick<SharedLease, 'job' | 'sample' | 'unit'>): string {
  if (unit !== undefined) return unit;
  if (sample === undefined) return job;
  return sample.epoch === 1 ? String(sample.id) : `${sample.id} · epoch ${sample.epoch}`;
}

/** How long ago, or for how long. Buckets tell times by the second, and where nobody can tell it is unknown. */
export function ageText(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return 'unknown';
  if (ms < 1_000) return '< 1 s';
  return ms < 60_000 ? `${Math.floor(ms / 1_000)} s` : formatDuration(ms);
}
