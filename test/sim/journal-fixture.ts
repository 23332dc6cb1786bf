import { join } from 'node:path';
import { type Digest, newRunId, systemClock, systemRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { createJournal, type Journal, type RunRecord } from '../../src/journal/index.ts';
import type { SampleFields } from '../../src/log/index.ts';

export const RUN: RunRecord = {
  runId: newRunId(0, systemRandom),
  writer: 'w',
  created: '2026-01-01T00:00:00+00:00',
  start: {
    version: 2,
    eval: {
      eval_id: 'e',
      run_id: newRunId(0, systemRandom),
      created: '2026-01-01T00:00:00+00:00',
      task: 'sealed',
      task_id: 't',
      task_version: 0,
      task_attribs: {},
      task_args: {},
      task_args_passed: {},
      dataset: {},
      model: 'mock/none',
      model_generate_config: {},
      model_args: {},
      config: { epochs: 1 },
      packages: {},
      scorers: [{ name: 'exact' }],
    },
    plan: { name: 'plan', steps: [], config: {} },
  },
  identity: {
    eval: 'sealed',
    version: '0',
    targetName: 't',
    target: 't' as Digest,
    definition: 'd' as Digest,
    plan: 'p' as Digest,
  },
  planned: 4,
  logName: 'sealed.eval',
};

/** Run ids are random: the spec must name the record's own. */
export const runRecord = (): RunRecord => {
  const runId = newRunId(0, systemRandom);
  return { ...RUN, runId, start: { ...RUN.start, eval: { ...RUN.start.eval, run_id: runId } } };
};

export const sampleFields = (id: string, more: Partial<SampleFields> = {}): SampleFields => ({
  id,
  epoch: 1,
  input: `question ${id}`,
  target: 'yes',
  messages: [],
  output: { choices: [] },
  scores: { exact: { value: 1 } },
  metadata: {},
  store: {},
  model_usage: {},
  role_usage: {},
  ...more,
});

/** A journal with two completed samples, one that failed and one that was under way. */
export async function filledJournal(dir: string, run = runRecord()): Promise<Journal> {
  const journal = await createJournal(join(dir, run.runId), run, { disk: nodeDisk, clock: systemClock });
  for (const [id, status] of [
    ['a', 'completed'],
    ['b', 'completed'],
    ['c', 'errored'],
    ['d', undefined],
  ] as const) {
    const attempt = journal.startAttempt({
      id,
      epoch: 1,
      key: `key ${id}` as Digest,
      uuid: id,
      startedAt: '2026-01-01T00:00:00+00:00',
      sample: { input: `question ${id}`, target: 'yes', metadata: {} },
    });
    attempt.event({
      event: 'info',
      timestamp: '2026-01-01T00:00:00+00:00',
      data: `${id} ${'long '.repeat(40)}`,
    });
    const error = { message: 'boom', traceback: 'boom', traceback_ansi: 'boom' };
    if (status)
      await attempt.finish(status, sampleFields(id, status === 'errored' ? { error, scores: {} } : {}));
  }
  await journal.flush();
  return journal;
}
