import { expect, test } from 'vitest';
import { hintLines } from './status-lines.ts';

const by = { by: 'w', at: '' };

test('[SHR-25] what to do about a mistake is said with the code that it is looked up by; other cancellations have neither', () => {
  const hint = 'Name a model.';
  expect(hintLines({ ...by, because: 'mistake', reason: 'No model.', code: 'E_MODEL_NONE', hint })).toEqual([
    'Name a model. (E_MODEL_NONE)',
  ]);
  expect(hintLines({ ...by, because: 'budget', reason: 'the budget is spent' })).toEqual([]);
  expect(hintLines(undefined)).toEqual([]);
});
