import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { damageMember } from '../../test/sim/damage-member.ts';
import { logStart, madeSample, placeFinishedLog } from '../../test/sim/inspect-buffer.ts';
import { fixtureHeader } from '../../test/sim/log-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import {
  type EvalSpec,
  type LogHeader,
  type MeritRank,
  openLog,
  type SampleFields,
  summarize,
  verifyLog,
} from '../log/index.ts';
import { mergeLogs } from './index.ts';
import { chooseSamples, type MergeCandidate } from './merge-choice.ts';
import { mergedHeader } from './merge-header.ts';
import { rankOf } from './sample-rank.ts';

const dir = useTempDir();

const failed = (id: number, message: string): SampleFields =>
  madeSample(id, { error: { message, traceback: message, traceback_ansi: message }, scores: {} });

const placeLog = (
  name: string,
  samples: readonly SampleFields[],
  more: { readonly spec?: Partial<EvalSpec>; readonly status?: LogHeader['status'] } = {},
) => placeFinishedLog(join(dir.path, name), { samples, status: 'error', ...more });

const merge = (logs: readonly string[], name = 'merged.eval') =>
  mergeLogs({ disk: nodeDisk, logs, output: join(dir.path, name) });

/** All that a log says, without what differs from file to file. */
async function contentOf(path: string) {
  const log = await openLog(nodeDisk, path);
  const header = await log.header();
  const members: string[] = [];
  for (const { name } of log.members()) {
    const raw = await log.rawMember(name);
    if (name.startsWith('samples/')) members.push(`${name} ${raw?.crc}`);
  }
  const reductions = await log.reductions();
  await log.close();
  return { header, members, reductions };
}

describe('attempts at one eval', () => {
  test('complete beats errored beats interrupted, sample by sample', async () => {
    const a = await placeLog('a.eval', [madeSample(1), failed(2, 'boom'), failed(3, 'CancelledError()')]);
    const b = await placeLog('b.eval', [
      failed(1, 'boom'),
      failed(2, 'CancelledError()'),
      failed(3, 'boom'),
      madeSample(4),
    ]);
    const report = await merge([a, b]);
    expect(report).toMatchObject({
      samples: 4,
      completed: 2,
      errored: 2,
      cancelled: 0,
      conflicts: [],
      status: 'error',
    });
    expect(report.from).toEqual({ [a]: 2, [b]: 2 });
    const log = await openLog(nodeDisk, report.output);
    expect((await log.sampleFields(3, 1))?.error?.message).toBe('boom');
    expect((await log.header()).results).toMatchObject({ total_samples: 4, completed_samples: 2 });
    await log.close();
    expect((await verifyLog(nodeDisk, report.output)).problems).toEqual([]);
  });

  test('1 and "1" are one sample, also in the list of those that there should be', async () => {
    const spec = (ids: readonly (number | string)[]) => ({
      dataset: { samples: ids.length, sample_ids: ids },
    });
    const a = await placeLog('a.eval', [madeSample(1), madeSample(2)], { spec: spec([1, 2]) });
    const b = await placeLog('b.eval', [madeSample(10)], { spec: spec(['1', '2', 10]) });
    for (const logs of [
      [a, b],
      [b, a],
    ]) {
      const report = await merge(logs, `merged-${logs.indexOf(a)}.eval`);
      expect(report).toMatchObject({ samples: 3, completed: 3, status: 'success' });
      const log = await openLog(nodeDisk, report.output);
      expect((await log.header()).eval.dataset.sample_ids?.map(String)).toEqual(['1', '2', '10']);
      await log.close();
    }
  });

  test('shards that make a whole are a success, and name all samples', async () => {
    const spec = (ids: readonly number[]) => ({ dataset: { samples: 4, sample_ids: ids } });
    const a = await placeLog('a.eval', [madeSample(1), madeSample(2)], { spec: spec([1, 2]) });
    const b = await placeLog('b.eval', [madeSample(3), madeSample(4)], { spec: spec([3, 4]) });
    const report = await merge([a, b]);
    expect(report.status).toBe('success');
    const { header } = await contentOf(report.output);
    expect(header.eval.dataset.sample_ids).toEqual([1, 2, 3, 4]);
    expect(header.stats.model_usage['mock/model']).toMatchObject({ input_tokens: 40 });
  });

  test('two complete copies that differ are a conflict, which is listed', async () => {
    const a = await placeLog('a.eval', [madeSample(1)]);
    const b = await placeLog('b.eval', [
      madeSample(1, { scores: { match: { value: 'I' } }, completed_at: '2026-01-02T03:09:00+00:00' }),
    ]);
    const { conflicts } = await merge([b, a]);
    expect(conflicts).toMatchObject([{ id: 1, epoch: 1 }]);
    expect([conflicts[0]?.taken, ...(conflicts[0]?.left ?? [])].sort()).toEqual([a, b]);
    expect((await merge([a, b], 'again.eval')).conflicts).toEqual(conflicts);
  });

  test('which of two complete copies is taken does not depend on any clock', async () => {
    const copy = (uuid: string, completed_at: string) => madeSample(1, { uuid, completed_at });
    const a = await placeLog('a.eval', [copy('a', '2026-01-02T03:09:00+00:00')]);
    const b = await placeLog('b.eval', [copy('b', '2026-01-02T03:01:00+00:00')]);
    expect((await merge([b, a])).conflicts).toEqual([{ id: 1, epoch: 1, taken: a, left: [b] }]);
  });

  test('members are copied raw', async () => {
    const a = await placeLog('a.eval', [madeSample(1)]);
    const { output } = await merge([a]);
    expect((await contentOf(output)).members).toEqual((await contentOf(a)).members);
  });

  test('sources are kept as provenance, also through a second merge', async () => {
    const spec = (eval_id: string) => ({ spec: { eval_id } });
    const a = await placeLog('a.eval', [madeSample(1)], spec('A'));
    const b = await placeLog('b.eval', [madeSample(2)], spec('B'));
    const c = await placeLog('c.eval', [madeSample(3)], spec('C'));
    const first = await merge([a, b], 'ab.eval');
    const { header } = await contentOf((await merge([first.output, c], 'abc.eval')).output);
    const ids = (header.metadata.holdfast_merged as { eval_id: string }[]).map(({ eval_id }) => eval_id);
    expect(ids.sort()).toEqual(['A', 'B', 'C']);
  });

  test('the order of logs does not matter, and merging again changes nothing', async () => {
    const a = await placeLog('a.eval', [madeSample(1), failed(2, 'boom')], { spec: { eval_id: 'A' } });
    const b = await placeLog('b.eval', [madeSample(2), failed(3, 'x')], { spec: { eval_id: 'B' } });
    const one = await contentOf((await merge([a, b], '1.eval')).output);
    const other = await contentOf((await merge([b, a], '2.eval')).output);
    expect(other).toEqual(one);
    const again = await contentOf((await merge([join(dir.path, '1.eval'), a, b, a], '3.eval')).output);
    expect(again).toEqual(one);
  });
});

describe('a damaged log', () => {
  test('gives way, sample by sample, to another log, and is named', async () => {
    const a = await placeLog('a.eval', [madeSample(1, { uuid: 'a' }), madeSample(2)]);
    const b = await placeLog('b.eval', [madeSample(1, { uuid: 'b' }), failed(3, 'boom')]);
    await damageMember(a, 'samples/1_epoch_1.json');
    const report = await merge([a, b]);
    expect(report).toMatchObject({ samples: 3, completed: 2, errored: 1, conflicts: [], lost: [] });
    expect(report.damaged).toMatchObject([{ log: a, sample: { id: 1, epoch: 1 } }]);
    const log = await openLog(nodeDisk, report.output);
    expect((await log.sampleFields(1, 1))?.uuid).toBe('b');
    await log.close();
    expect((await verifyLog(nodeDisk, report.output)).problems).toEqual([]);
    const { output, ...other } = await merge([b, a], 'other.eval');
    expect({ ...other, output: report.output }).toEqual(report);
    expect(await contentOf(output)).toEqual(await contentOf(report.output));
  });

  test('a worse copy that can be read is taken before a better one that cannot', async () => {
    const a = await placeLog('a.eval', [madeSample(1)]);
    const b = await placeLog('b.eval', [failed(1, 'boom')]);
    await damageMember(a, 'samples/1_epoch_1.json');
    expect(await merge([a, b])).toMatchObject({ samples: 1, completed: 0, errored: 1 });
  });

  test('what no log has whole is lost and said, and the log is no success', async () => {
    const spec = { dataset: {} };
    const a = await placeLog('a.eval', [madeSample(1), madeSample(2)], { spec });
    await damageMember(a, 'samples/2_epoch_1.json');
    const report = await merge([a]);
    expect(report).toMatchObject({ samples: 1, status: 'error', lost: [{ id: 2, epoch: 1 }] });
  });

  test.each([
    ['first', 'a.eval'],
    ['last', 'b.eval'],
  ])('is told of also where another copy would be taken: the %s', async (_, name) => {
    const a = await placeLog('a.eval', [madeSample(1)]);
    const b = await placeLog('b.eval', [madeSample(1)]);
    const damaged = name === 'a.eval' ? a : b;
    await damageMember(damaged, 'samples/1_epoch_1.json');
    const report = await merge([a, b]);
    expect(report).toMatchObject({ completed: 1, lost: [], damaged: [{ log: damaged, sample: { id: 1 } }] });
    expect(report.damaged).toHaveLength(1);
  });

  test('is told of also where a worse copy is damaged, which is not wanted', async () => {
    const a = await placeLog('a.eval', [madeSample(1)]);
    const b = await placeLog('b.eval', [failed(1, 'boom')]);
    await damageMember(b, 'samples/1_epoch_1.json');
    expect((await merge([a, b])).damaged).toMatchObject([{ log: b }]);
  });

  test('whose header is damaged gives its samples all the same, and is named', async () => {
    const a = await placeLog('a.eval', [madeSample(1)]);
    const b = await placeLog('b.eval', [madeSample(2)]);
    await damageMember(a, 'header.json');
    const report = await merge([a, b]);
    expect(report).toMatchObject({ samples: 2, completed: 2, damaged: [{ log: a }] });
    expect((await verifyLog(nodeDisk, report.output)).problems).toEqual([]);
  });

  test('whose list is damaged gives its samples all the same', async () => {
    const a = await placeLog('a.eval', [madeSample(1), failed(2, 'boom')]);
    await damageMember(a, 'summaries.json');
    const report = await merge([a]);
    expect(report).toMatchObject({ samples: 2, completed: 1, errored: 1, damaged: [{ log: a }] });
    expect(report.damaged[0]?.sample).toBeUndefined();
  });
});

describe('refused', () => {
  test('logs of different evals', async () => {
    const a = await placeLog('a.eval', [madeSample(1)]);
    const b = await placeLog('b.eval', [madeSample(1)], { spec: { task: 'other' } });
    await expect(merge([a, b])).rejects.toMatchObject({ code: 'E_MERGE_DIFFERENT' });
    const c = await placeLog('c.eval', [madeSample(1)], { spec: { model: 'other/model' } });
    await expect(merge([a, c])).rejects.toMatchObject({ code: 'E_MERGE_DIFFERENT' });
  });

  test('no logs, a log that is not there, an output that is', async () => {
    await expect(merge([])).rejects.toMatchObject({ code: 'E_MERGE_NOTHING' });
    await expect(merge([join(dir.path, 'nowhere.eval')])).rejects.toMatchObject({ code: 'E_LOG_NOT_FOUND' });
    const a = await placeLog('a.eval', [madeSample(1)]);
    await writeFile(join(dir.path, 'merged.eval'), 'mine');
    await expect(merge([a])).rejects.toMatchObject({ code: 'E_RECOVER_EXISTS' });
    expect((await readdir(dir.path)).sort()).toEqual(['a.eval', 'merged.eval']);
  });
});

test('rank: by the words of the error', () => {
  expect(rankOf({})).toBe('complete');
  expect(rankOf({ error: 'boom' })).toBe('errored');
  expect(rankOf({ error: 'CancelledError()' })).toBe('interrupted');
  expect(rankOf({ error: 'The run was interrupted while this sample was under way.' })).toBe('interrupted');
});

const candidate = fc.record<MergeCandidate>({
  id: fc.constantFrom<string | number>(1, 2, 'a'),
  epoch: fc.constantFrom(1, 2),
  rank: fc.constantFrom<MeritRank>('complete', 'errored', 'interrupted'),
  checksum: fc.constantFrom('x', 'y'),
  uuid: fc.constantFrom('', 'u', 'v'),
  place: fc.constantFrom('/a', '/b', '/c'),
});

test('law: the choice does not depend on the order, nor on how often a copy is given', () => {
  fc.assert(
    fc.property(
      fc.array(candidate, { maxLength: 20 }),
      fc.array(candidate, { maxLength: 5 }),
      (all, some) => {
        const { chosen } = chooseSamples(all);
        expect(chooseSamples([...all].reverse()).chosen).toEqual(chosen);
        expect(chooseSamples([...all, ...all]).chosen).toEqual(chosen);
        // Associative: what was chosen stands for what it was chosen from.
        const whole = chooseSamples([...all, ...some]).chosen;
        expect(chooseSamples([...chosen, ...some]).chosen).toEqual(whole);
        for (const { id, epoch, rank } of whole) {
          const copies = [...all, ...some].filter((one) => one.id === id && one.epoch === epoch);
          if (rank !== 'complete') expect(copies.some((one) => one.rank === 'complete')).toBe(false);
        }
      },
    ),
  );
});

test('law: the header follows from the set of headers', () => {
  const header = fc
    .record({
      id: fc.constantFrom('A', 'B', 'C'),
      created: fc.constantFrom('2026-01-01', '2026-01-02'),
      tag: fc.constantFrom('t', 'u'),
      invalidated: fc.boolean(),
    })
    .map(
      ({ id, created, tag, invalidated }): LogHeader =>
        fixtureHeader({
          ...logStart({ eval_id: id, created: `${created}T00:00:00+00:00` }),
          status: 'error',
          stats: { ...fixtureHeader().stats, started_at: created, completed_at: created },
          tags: [tag],
          invalidated,
        }),
    );
  fc.assert(
    fc.property(fc.array(header, { minLength: 1, maxLength: 6 }), (headers) => {
      const merged = mergedHeader(headers, []);
      expect(merged.invalidated).toBe(headers.some(({ invalidated }) => invalidated));
      expect(mergedHeader([...headers].reverse(), [])).toEqual(merged);
      expect(mergedHeader([...headers, ...headers], [])).toEqual(merged);
      expect(mergedHeader([merged, ...headers], [])).toEqual(merged);
    }),
  );
});

test('logs of machines in different zones begin with the earliest and end with the latest of their times', () => {
  const header = (created: string, end: string): LogHeader => {
    const { eval: spec, stats, ...rest } = fixtureHeader();
    return {
      ...rest,
      eval: { ...spec, created },
      stats: { ...stats, started_at: created, completed_at: end },
    };
  };
  const berlin = header('2026-06-10T18:00:00+02:00', '2026-06-10T18:05:00+02:00');
  const boston = header('2026-06-10T12:10:00-04:00', '2026-06-10T12:20:00-04:00');
  for (const headers of [
    [berlin, boston],
    [boston, berlin],
  ]) {
    const { eval: spec, stats } = mergedHeader(headers, []);
    expect(spec.created).toBe(berlin.eval.created);
    expect(stats.started_at).toBe(berlin.stats.started_at);
    expect(stats.completed_at).toBe(boston.stats.completed_at);
  }
});

test('merged logs have as many epochs as any of them, and lack what is missing of those', () => {
  const header = (created: string, epochs: number): LogHeader => {
    const { eval: spec, ...rest } = fixtureHeader();
    const dataset = { ...spec.dataset, samples: 1, sample_ids: [1] };
    return { ...rest, eval: { ...spec, created, dataset, config: { ...spec.config, epochs } } };
  };
  const headers = [header('2026-06-10T18:00:00Z', 1), header('2026-06-10T19:00:00Z', 2)];
  const summaries = [1, 2].map((epoch) => summarize({ ...madeSample(1), epoch }));
  const merged = mergedHeader(headers, summaries);
  expect(merged).toMatchObject({ status: 'success', eval: { config: { epochs: 2 } } });
  expect(mergedHeader(headers, summaries.slice(0, 1)).status).toBe('error');
});
