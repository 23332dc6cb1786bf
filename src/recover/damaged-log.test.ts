/** Logs that were finished, or flushed, and damaged later: what is whole in them is saved, and the rest is named. */
import { existsSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { damageMember } from '../../test/sim/damage-member.ts';
import {
  LOG_NAME,
  logStart,
  madeSample,
  modelEvent,
  placeCrashedLog,
  placeDatabase,
  placeFinishedLog,
  user,
} from '../../test/sim/inspect-buffer.ts';
import { headerOf, samplesOf } from '../../test/sim/read-log.ts';
import { useCrashedEval } from '../../test/sim/use-recovery.ts';
import { zeroStart } from '../../test/sim/zero-start.ts';
import { systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { type SampleFields, verifyLog } from '../log/index.ts';
import { listRecoverable } from './index.ts';

const at = useCrashedEval();
const { recover } = at;

const ALL = [madeSample(1), madeSample(2), madeSample(3), madeSample(4)];
const failed = madeSample(4, {
  error: { message: 'boom', traceback: 'boom', traceback_ansi: 'boom' },
  scores: {},
});

async function damaged(
  members: readonly string[],
  samples: readonly SampleFields[] = ALL,
  status: 'success' | 'error' = 'success',
): Promise<string> {
  await placeFinishedLog(at.log, { samples, status });
  for (const member of members) await damageMember(at.log, member);
  return at.log;
}

const list = () =>
  listRecoverable({
    disk: nodeDisk,
    clock: systemClock,
    dataDirs: [at.dataDir],
    scratchDir: at.root,
    dir: at.logDir,
  });

async function expectWhole(path: string): Promise<void> {
  expect((await verifyLog(nodeDisk, path)).problems).toEqual([]);
}

describe('a finished log', () => {
  test('that somebody declared invalid stays so', async () => {
    await placeFinishedLog(at.log, { samples: ALL, invalidated: true });
    await damageMember(at.log, 'summaries.json');
    const { output } = await recover();
    expect((await headerOf(output)).invalidated).toBe(true);
  });

  test.each([['header.json'], ['summaries.json'], ['_journal/start.json']])(
    'with a damaged %s is made whole from what is whole, and is what it was',
    async (member) => {
      const log = await damaged([member]);
      const report = await recover();
      expect(report).toMatchObject({
        status: 'success',
        liveness: 'dead',
        counts: { expected: 4, kept: 4, lost: 0 },
        problems: [{ message: expect.stringContaining(member) }],
        deleted: [],
      });
      await expectWhole(report.output);
      expect(await headerOf(report.output)).toMatchObject({
        status: 'success',
        eval: { task_id: 'TASKID', run_id: 'RUNID' },
        results: { total_samples: 4, completed_samples: 4 },
      });
      expect((await samplesOf(report.output)).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
      expect(existsSync(log)).toBe(true);
    },
  );

  test.each([
    ['had failed', [...ALL.slice(0, 3), failed]],
    ['is missing', ALL.slice(0, 3)],
  ])('with a damaged header is no success when a sample %s', async (_, samples) => {
    await damaged(['header.json'], samples, 'error');
    expect(await recover()).toMatchObject({ status: 'error', counts: { kept: samples.length, lost: 0 } });
  });

  test('with a damaged sample gives the others, and names the one that is lost', async () => {
    await damaged(['samples/2_epoch_1.json']);
    const report = await recover();
    expect(report).toMatchObject({ status: 'error', counts: { expected: 4, kept: 3, lost: 1 } });
    expect(report.problems).toHaveLength(1);
    await expectWhole(report.output);
    expect((await samplesOf(report.output)).map(({ id }) => id)).toEqual([1, 3, 4]);
  });

  test('with a damaged list and a damaged sample names each once', async () => {
    await damaged(['summaries.json', 'samples/2_epoch_1.json']);
    const { problems, counts } = await recover();
    expect(counts).toMatchObject({ kept: 3, lost: 1 });
    expect(problems.map(({ message }) => /summaries|samples/.exec(message)?.[0])).toEqual([
      'samples',
      'summaries',
    ]);
  });

  test('that is whole did not crash', async () => {
    await damaged([]);
    await expect(recover()).rejects.toMatchObject({ code: 'E_RECOVER_FINISHED' });
  });

  test('can be replaced by what was made of it', async () => {
    const log = await damaged(['header.json']);
    expect(await recover({ overwrite: true })).toMatchObject({ output: log, status: 'success' });
    await expectWhole(log);
  });

  test.each([['header.json'], ['summaries.json']])('with a damaged %s is listed', async (member) => {
    await damaged([member]);
    expect(await list()).toMatchObject([
      {
        task: 'crashed',
        flushed: 4,
        liveness: 'dead',
        problems: [{ message: expect.stringContaining(member) }],
      },
    ]);
  });

  test('without header and start gives its samples under the name that it has', async () => {
    await damaged(['header.json', '_journal/start.json']);
    const report = await recover();
    expect(report).toMatchObject({ run: { task: 'crashed', taskId: 'TASKID' }, counts: { kept: 4 } });
    expect(report.problems.map(({ code }) => code)).toContain('E_RECOVER_NO_HEADER');
    await expectWhole(report.output);
  });
});

describe('a crashed log whose beginning was overwritten', () => {
  const buffer = {
    samples: [
      {
        summary: {
          id: 3,
          epoch: 1,
          input: 'q',
          target: 'yes',
          completed: true,
          completed_at: '2026-01-02T03:05:00+00:00',
          uuid: 'buffered-3',
        },
      },
    ],
    events: [{ sample: '3', event: modelEvent({ input: [user('q')], answer: 'yes' }) }],
  };

  test('gives what is behind, and what its database has', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1), madeSample(2)]], start: logStart() });
    await zeroStart(at.log, 40);
    await placeDatabase(at, buffer);
    expect(await list()).toMatchObject([{ flushed: 2, completed: 1, sources: ['database', 'log'] }]);
    const report = await recover();
    expect(report).toMatchObject({ counts: { kept: 2, recovered: 1, lost: 0 } });
    expect(report.problems.map(({ code }) => code)).toContain('E_RECOVER_NO_HEADER');
    await expectWhole(report.output);
  });

  test('and whose end is gone as well: what its database has', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
    await zeroStart(at.log, 40);
    await truncate(at.log, 200);
    const database = await placeDatabase(at, buffer);
    expect(await list()).toMatchObject([
      { completed: 1, sources: ['database'], problems: [{ code: 'E_LOG_FOREIGN' }] },
    ]);
    expect(await recover()).toMatchObject({ counts: { recovered: 1 }, deleted: [database] });
  });

  test('a file that is no log, with nothing beside it, is refused as what it is', async () => {
    await writeFile(join(at.logDir, LOG_NAME), 'hello');
    await expect(recover()).rejects.toMatchObject({ code: 'E_LOG_FOREIGN' });
    expect(await list()).toEqual([]);
  });
});
