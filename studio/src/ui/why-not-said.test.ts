import { describe, expect, test } from 'vitest';
import { whyNotSaid } from './why-not-said.ts';

const about = { version: '1', places: [], canWrite: true, isExport: false };
const run = { run: 'r', form: 'published' as const, place: '/repo', name: 'r' };
const log = { run: 'l', form: 'log' as const, place: '/my logs/', name: 'l.eval' };

describe('why nothing can be said of a run', () => {
  test('is what the server says where nothing can be written at all', () => {
    expect(whyNotSaid({ ...about, canWrite: false, whyNot: 'It is an export.' }, [run])).toBe(
      'It is an export.',
    );
    expect(whyNotSaid({ ...about, canWrite: false }, [])).toBe('Nothing can be written here.');
  });

  test('is that it is not published, with what to do', () => {
    expect(whyNotSaid(about, [log])).toBe(
      'This run is not published, and what people say is kept beside published runs: "holdfast results publish \'/my logs/l.eval\'" publishes it.',
    );
    expect(whyNotSaid(about, [run, log])).toMatch(/^1 run of these is not published/);
    expect(whyNotSaid(about, [{ ...log, form: 'running' }])).toMatch(/once it has a log\.$/);
    expect(whyNotSaid(about, [{ ...log, form: 'agentv' }])).toMatch(/only read\.$/);
  });

  test('is nothing where it can, also of a run whose newer log is shown', () => {
    expect(whyNotSaid(about, [run, { ...log, isPublished: true }])).toBeUndefined();
    expect(whyNotSaid(undefined, [log])).toBeUndefined();
  });
});
