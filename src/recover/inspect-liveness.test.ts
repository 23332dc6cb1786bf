import { expect, test } from 'vitest';
import type { ProcessState } from '../disk/index.ts';
import { inspectLiveness } from './inspect-liveness.ts';

const HOUR = 3_600_000;
const NOW = 100 * HOUR;
const running: ProcessState = { kind: 'running', processStart: '1' };
const signs = { filesModifiedMs: undefined, nowMs: NOW };
const database = (modifiedMs: number) => [{ pid: 7, modifiedMs }];

test.each([
  [
    'its process is gone',
    { ...signs, databases: database(NOW), stateOf: () => ({ kind: 'gone' }) as const },
    'dead',
  ],
  [
    'its process runs and writes',
    { ...signs, databases: database(NOW - 0.9 * HOUR), stateOf: () => running },
    'alive',
  ],
  [
    'a process of its number runs, but nothing is written',
    { ...signs, databases: database(NOW - 2 * HOUR), stateOf: () => running },
    'unknown',
  ],
  [
    'the system hides its process',
    { ...signs, databases: database(NOW), stateOf: () => ({ kind: 'hidden' }) as const },
    'unknown',
  ],
  ['only a filestore, fresh', { ...signs, databases: [], filesModifiedMs: NOW - 0.9 * HOUR }, 'unknown'],
  [
    'only a filestore, from a clock that is ahead',
    { ...signs, databases: [], filesModifiedMs: NOW + HOUR },
    'unknown',
  ],
  ['only a filestore, silent for long', { ...signs, databases: [], filesModifiedMs: NOW - 2 * HOUR }, 'dead'],
  ['nothing at all', { ...signs, databases: [] }, 'dead'],
] as const)('%s: %s', (_, given, expected) => {
  expect(inspectLiveness(given).liveness).toBe(expected);
});

test('of several writers one that lives is enough', () => {
  const stateOf = (pid: number): ProcessState => (pid === 7 ? running : { kind: 'gone' });
  const databases = [
    { pid: 8, modifiedMs: NOW },
    { pid: 7, modifiedMs: NOW },
  ];
  expect(inspectLiveness({ ...signs, databases, stateOf }).liveness).toBe('alive');
});
