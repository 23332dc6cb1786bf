import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newWriter, runRecord, sampleStart, someAnswer } from '../../test/sim/journal-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { type Digest, seededRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { openRunJournals } from '../journal/index.ts';
import { answersToReplay, JournalRecorder } from './journal-recorder.ts';

const REQUEST = { kind: 'model', digest: 'q' as Digest } as const;

test('[REP-1] answers are replayed up to the first that is missing: what comes behind a gap is asked for again', async () => {
  await using dir = await makeTempDir();
  const run = runRecord();
  const writer = await newWriter(dir.path, run);
  const attempt = writer.startAttempt(sampleStart('a'));
  for (const occurrence of [0, 1, 3]) await attempt.answer(someAnswer(occurrence, occurrence), []);
  writer.close();
  const journals = await openRunJournals({ disk: nodeDisk, runDir: join(dir.path, run.runId) });
  const answers = answersToReplay(
    journals.answersAt('a', 1).map((answer) => ({ from: run.runId, ...answer })),
  );
  expect([...answers.values()].map((list) => list.map(({ value }) => value))).toEqual([[0, 1]]);
  journals.close();
});

test('[JRN-13] nothing is bought for a journal that takes nothing more, and nothing is replayed either', async () => {
  await using dir = await makeTempDir();
  const writer = await newWriter(dir.path, runRecord());
  const first = writer.startAttempt(sampleStart('a'));
  for (const occurrence of [0, 1]) await first.answer(someAnswer(occurrence, occurrence), []);
  const runDir = join(dir.path, writer.run.runId);
  const journals = await openRunJournals({ disk: nodeDisk, runDir });
  const answers = answersToReplay(journals.answersAt('a', 1).map((answer) => ({ from: 'run', ...answer })));
  journals.close();
  const attempt = writer.startAttempt(sampleStart('a'));
  const recorder = new JournalRecorder(attempt, answers, { random: seededRandom(1), journal: writer });
  expect(recorder.recall(REQUEST)?.value).toBe(0);
  const failure = new Error('the disk is full');
  writer.fail(failure);
  expect(() => recorder.recall(REQUEST)).toThrow(failure);
  writer.close();
});
