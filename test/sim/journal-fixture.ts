import { join } from 'node:path';
import {
  type Digest,
  type Json,
  newRunId,
  type SampleId,
  shortId,
  systemClock,
  systemRandom,
} from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import {
  type AttemptStart,
  createWriter,
  type JournalWriter,
  type RunRecord,
} from '../../src/journal/index.ts';
import type { LogEvent, SampleAnswer, SampleFields } from '../../src/log/index.ts';
import { fixtureSpec } from './log-fixture.ts';

export const RUN: RunRecord = {
  runId: newRunId(0, systemRandom),
  created: '2026-01-01T00:00:00+00:00',
  start: {
    version: 2,
    eval: fixtureSpec({
      run_id: newRunId(0, systemRandom),
      task: 'sealed',
      model: 'mock/none',
      config: { epochs: 1 },
      scorers: [{ name: 'exact' }],
    }),
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

export const sampleFields = (id: SampleId, more: Partial<SampleFields> = {}): SampleFields => ({
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

export const sampleStart = (id: SampleId, epoch = 1): AttemptStart => ({
  id,
  epoch,
  key: `key ${id} ${epoch}` as Digest,
  uuid: `u-${id}`,
  startedAt: '2026-01-01T00:00:00+00:00',
  sample: { input: `question ${id}`, target: 'yes', metadata: {} },
});

export const infoEvent = (data: Json): LogEvent => ({
  event: 'info',
  timestamp: '2026-01-01T00:00:00+00:00',
  data,
});

/** A paid answer; equal digests differ by their occurrence. */
export const someAnswer = (value: Json, occurrence = 0): SampleAnswer => ({
  kind: 'model',
  digest: 'q' as Digest,
  occurrence,
  value,
  costUsd: 0.25,
  tokens: 7,
});

export interface SomeWriter {
  readonly writer?: string;
  readonly generation?: number;
  readonly after?: readonly string[];
  readonly held?: Readonly<Record<string, { answers: number; results: number; usd: number }>>;
}

/** A new writer of a run below a state directory. */
export function newWriter(dir: string, run: RunRecord, about: SomeWriter = {}): Promise<JournalWriter> {
  return createWriter({
    runDir: join(dir, run.runId),
    run,
    writer: { writer: shortId(systemRandom), generation: 1, after: [], reuse: 'same', ...about },
    ports: { disk: nodeDisk, clock: systemClock },
  });
}

/** A journal with two completed samples, one that failed and one that was under way. */
export async function filledJournal(
  dir: string,
  run = runRecord(),
  about: SomeWriter = {},
): Promise<JournalWriter> {
  const journal = await newWriter(dir, run, about);
  for (const [id, status] of [
    ['a', 'completed'],
    ['b', 'completed'],
    ['c', 'errored'],
    ['d', undefined],
  ] as const) {
    const attempt = journal.startAttempt(sampleStart(id));
    attempt.event(infoEvent(`${id} ${'long '.repeat(40)}`));
    const error = { message: 'boom', traceback: 'boom', traceback_ansi: 'boom' };
    if (status)
      await attempt.finish(status, sampleFields(id, status === 'errored' ? { error, scores: {} } : {}));
  }
  await journal.flush();
  return journal;
}
