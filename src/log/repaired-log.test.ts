import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { damageMember } from '../../test/sim/damage-member.ts';
import { madeSample, placeFinishedLog } from '../../test/sim/inspect-buffer.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { zeroStart } from '../../test/sim/zero-start.ts';
import { nodeDisk } from '../disk/index.ts';
import { openLog, repairedLog, verifyLog } from './index.ts';

const dir = useTempDir();

async function damaged(...members: readonly string[]) {
  const path = join(dir.path, 'x.eval');
  await placeFinishedLog(path, { samples: [madeSample(1), madeSample(2)], status: 'success' });
  for (const member of members) await damageMember(path, member);
  return path;
}

async function readAll(path: string) {
  const log = repairedLog(await openLog(nodeDisk, path));
  try {
    const header = await log.header();
    const rows = await Array.fromAsync(log.summaries());
    return { header, rows, damage: log.damage, log };
  } finally {
    await log.close();
  }
}

describe('a log whose own documents are damaged', () => {
  test('[LOG-38] with a damaged header it is still known who it is, and its end is not', async () => {
    const { header, rows, damage } = await readAll(await damaged('header.json'));
    expect(header).toMatchObject({ status: 'error', eval: { task: 'crashed', run_id: 'RUNID' } });
    expect(header.error?.message).toContain('header.json');
    expect(rows.map(({ id }) => id)).toEqual([1, 2]);
    expect(damage).toMatchObject([{ member: 'header.json' }]);
  });

  test('[LOG-38] a damaged list is made from the samples, and no row of it is believed', async () => {
    const { header, rows, damage } = await readAll(await damaged('summaries.json'));
    expect(header.status).toBe('success');
    expect(rows).toMatchObject([
      { id: 1, completed: true },
      { id: 2, completed: true },
    ]);
    expect(damage).toMatchObject([{ member: 'summaries.json' }]);
  });

  test('[LOG-38] a sample that is damaged as well is left out, and named', async () => {
    const { rows, damage } = await readAll(await damaged('summaries.json', 'samples/1_epoch_1.json'));
    expect(rows.map(({ id }) => id)).toEqual([2]);
    expect(damage).toMatchObject([
      { member: 'summaries.json' },
      { member: 'samples/1_epoch_1.json', sample: { id: 1, epoch: 1 } },
    ]);
  });

  test('[LOG-38] without its start and its header there is nobody left to be', async () => {
    const path = await damaged('header.json', '_journal/start.json');
    await expect(readAll(path)).rejects.toMatchObject({ code: expect.stringMatching(/^E_LOG_/) });
  });

  test('a whole log has no damage', async () => {
    const { damage, log } = await readAll(await damaged());
    expect(damage).toEqual([]);
    expect(log.damage).toEqual([]);
  });

  test('all documents are looked at when that is asked for, and only then', async () => {
    const path = await damaged('_journal/start.json');
    const log = repairedLog(await openLog(nodeDisk, path));
    await log.header();
    expect(log.damage).toEqual([]);
    expect(await log.checkDocuments()).toMatchObject([{ member: '_journal/start.json' }]);
    await log.close();
  });

  test('[LOG-38] a log whose beginning is overwritten is known by its end', async () => {
    const path = await damaged();
    await zeroStart(path, 30);
    const log = await openLog(nodeDisk, path);
    expect(await log.samples()).toHaveLength(2);
    await log.close();
    const { isWhole, problems } = await verifyLog(nodeDisk, path);
    expect(isWhole).toBe(false);
    expect(problems.map(({ member }) => member)).toEqual(['_journal/start.json']);
  });

  test('[LOG-30] verify names a damaged header once, and not every sample for it', async () => {
    const { problems } = await verifyLog(nodeDisk, await damaged('header.json'));
    expect(problems.map(({ member }) => member)).toEqual(['header.json']);
  });
});
