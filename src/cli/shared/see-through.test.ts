import { expect, test } from 'vitest';
import type { WaitEnd } from './await-runs.ts';
import { leavesWorkers } from './see-through.ts';

const ENDS: Readonly<Record<WaitEnd, boolean>> = {
  complete: false,
  cancelled: false,
  stalled: false,
  interrupted: false,
  'timed-out': true,
  'no-progress': true,
  unknown: true,
};

test.each(Object.entries(ENDS))(
  'workers that were launched for a run that ended %s: left running %s',
  (end, isLeft) => {
    expect(leavesWorkers(end as WaitEnd)).toBe(isLeft);
  },
);
