import { expect, test } from 'vitest';
import type { RunStatus } from '../../cluster/index.ts';
import { createStyle } from '../style.ts';
import { hintLines, progressLine, statusLines } from './status-lines.ts';

const by = { by: 'w', at: '' };

test('[SHR-25] what to do about a mistake is said with the code that it is looked up by; other cancellations have neither', () => {
  const hint = 'Name a model.';
  expect(hintLines({ ...by, because: 'mistake', reason: 'No model.', code: 'E_MODEL_NONE', hint })).toEqual([
    'Name a model. (E_MODEL_NONE)',
  ]);
  expect(hintLines({ ...by, because: 'budget', reason: 'the budget is spent' })).toEqual([]);
  expect(hintLines(undefined)).toEqual([]);
});

const counts = { planned: 2, completed: 1, errored: 0, aside: 0, running: 0, due: 1, damaged: 0 };
const status: RunStatus = {
  ...{ run: 'r', state: 'interrupted', round: 1, eval: 'e', target: 't', submittedAt: '', submittedBy: 'a' },
  ...{ samples: { ...counts, reused: 0 }, builds: { ...counts, planned: 0 }, lostLeases: 2, usd: 0.5 },
  ...{ scorersFailed: {}, inFlight: [], workers: [], damaged: [{ key: 'k', problem: 'k is no JSON.' }] },
};
const linesOf = (state: RunStatus['state']) =>
  statusLines({ ...status, state }, { style: createStyle(false), columns: 80 } as Parameters<
    typeof statusLines
  >[1]);

test('whoever looks at a run that goes on without a worker is told to start one; nobody is for one that is over', () => {
  for (const state of ['interrupted', 'queued'] as const) {
    expect(linesOf(state).join('\n')).toContain('start one with "holdfast worker"');
    expect(progressLine({ ...status, state })).toContain('no worker is there');
  }
  for (const state of ['complete', 'cancelled'] as const) {
    expect(linesOf(state).join('\n')).not.toContain('holdfast worker');
    expect(progressLine({ ...status, state })).toContain('0 workers');
  }
});

test('leases that were lost are counted as leases, and damage stands apart from the rest', () => {
  const lines = linesOf('cancelled');
  expect(lines.join('\n')).toContain('$0.5000 spent on what ended, 2 leases lost with workers or processes');
  expect(lines[lines.findIndex((line) => line.startsWith('damaged')) - 1]).toBe('');
});
