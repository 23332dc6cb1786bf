// Recovery of what real releases of Inspect left when they were killed (test/golden/inspect/README.md).

import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Expected,
  type ExpectedSample,
  type GoldenCase,
  goldenDir,
  listGoldenCases,
  type PlaceOptions,
  placeGoldenCase,
  readExpected,
} from '../../test/golden/inspect/golden-case.ts';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { ActionableError, systemClock } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { addUsage, type EvalSample, type ModelUsage, openLog, verifyLog } from '../log/index.ts';
import { type RecoverOptions, type RecoverReport, recoverLog } from './index.ts';

interface Crash extends GoldenCase {
  readonly expected: Expected;
}
const all: Crash[] = [];
for (const golden of await listGoldenCases()) all.push({ ...golden, expected: await readExpected(golden) });
const crashes = all.filter(({ expected }) => !expected.finished);
const shared = crashes.filter(({ expected }) => expected.filestore !== null);

let temp: TempDir;
let count = 0;
beforeAll(async () => {
  temp = await makeTempDir();
});
afterAll(() => temp[Symbol.asyncDispose]());

interface Recovered {
  readonly report: RecoverReport;
  readonly samples: ReadonlyMap<string, EvalSample>;
}

const name = ({ id, epoch }: { readonly id: string | number; readonly epoch: number }) => `${id}/${epoch}`;

async function recover(
  golden: GoldenCase,
  parts: PlaceOptions = {},
  change?: (placed: { readonly log: string; readonly logDir: string }) => Promise<void>,
): Promise<Recovered> {
  const placed = await placeGoldenCase(golden, join(temp.path, String(count++)), parts);
  await change?.(placed);
  const options: RecoverOptions = {
    disk: nodeDisk,
    clock: systemClock,
    log: placed.log,
    dataDirs: [placed.dataDir],
    forceDead: true,
  };
  const report = await recoverLog(options);
  expect(
    (await verifyLog(nodeDisk, report.output)).problems.filter(({ code }) => code !== 'reference'),
  ).toEqual([]);
  const reader = await openLog(nodeDisk, report.output);
  const samples = new Map<string, EvalSample>();
  for (const key of await reader.samples()) {
    const sample = await reader.sample(key.id, key.epoch);
    if (sample) samples.set(name(sample), sample);
  }
  await reader.close();
  return { report, samples };
}

const eventIds = (sample: EvalSample | undefined) => sample?.events.map(({ uuid }) => uuid);
/** Whether the log has a record of a sample, be it of an earlier attempt. */
const isRecorded = ({ members }: Expected, { id, epoch }: ExpectedSample) =>
  members.names.includes(`samples/${id}_epoch_${epoch}.json`);
const started = (expected: Expected) => expected.samples.filter(({ state }) => state !== 'unstarted');

test('there are crashes of every kind, so that what is asked of each kind below is asked of something', async () => {
  const samples = crashes.flatMap(({ expected }) => expected.samples);
  for (const kind of ['flushed', 'completed', 'running', 'unstarted'])
    expect(samples.filter(({ state }) => state === kind).length, kind).toBeGreaterThan(3);
  expect(shared.length).toBeGreaterThan(1);
  expect(crashes.filter(({ expected }) => expected.database !== null).length).toBeGreaterThan(5);
  const logs = await Promise.all(
    crashes.map((golden) => readFile(join(goldenDir(golden), 'logs', golden.expected.log))),
  );
  const torn = logs.map((bytes) => membersBefore(bytes, Math.ceil(bytes.length * TORN_SHARE)));
  const useful = torn.filter(
    (members) => members.includes('_journal/start.json') && samplesAmong(members).length > 0,
  );
  expect(useful.length).toBeGreaterThan(5);
  const startless = torn.filter(
    (members) => !members.includes('_journal/start.json') && samplesAmong(members).length > 0,
  );
  expect(startless.length).toBeGreaterThan(0);
  const theirs = await Promise.all(crashes.map((golden) => theirSamples(golden)));
  expect(theirs.filter((list) => list.length > 0).length).toBeGreaterThan(5);
});

describe.each(crashes)('$version/$name', (golden) => {
  const { expected } = golden;
  let whole: Promise<Recovered> | undefined;
  const recoverWhole = () => {
    whole ??= recover(golden);
    return whole;
  };

  test('every sample and every event that was committed is in the log, once and in order', async () => {
    const { report, samples } = await recoverWhole();
    expect(report.problems).toEqual([]);
    const { totals } = expected;
    expect(report.counts).toEqual({
      expected: totals.samples,
      kept: totals.flushed,
      recovered: totals.completed,
      inFlight: totals.running,
      lost: 0,
    });
    expect([...samples.keys()].sort()).toEqual(started(expected).map(name).sort());
    for (const sample of started(expected)) {
      const found = samples.get(name(sample));
      expect(found?.id).toBe(sample.id);
      if (sample.state !== 'flushed') expect(eventIds(found)).toEqual(sample.eventIds);
      if (sample.uuid !== null) expect(found?.uuid).toBe(sample.uuid);
    }
  });

  test('what was running says so, with the usage of every answered call and what its store is known to hold', async () => {
    const { samples } = await recoverWhole();
    for (const sample of expected.samples.filter(({ state }) => state === 'running')) {
      const found = samples.get(name(sample));
      expect(found?.error?.message).toBe('CancelledError()');
      expect(found?.scores).toEqual({});
      expect(totalOf(found?.model_usage)).toEqual(totalOf(usageOfLastAttempt(sample)));
      const live = sample.live?.store ?? {};
      // Only what a step has set and not yet told is missing: everything that is there is as it was.
      for (const [key, value] of Object.entries(found?.store ?? {})) expect(value).toEqual(live[key]);
    }
  });

  test('holds every sample and event that Inspect’s own recovery holds', async () => {
    const { samples } = await recoverWhole();
    for (const theirs of await theirSamples(golden)) {
      const found = samples.get(name(theirs));
      const ids = new Set(eventIds(found));
      expect(theirs.eventIds.filter((id) => !ids.has(id))).toEqual([]);
    }
  });

  test.skipIf(expected.database === null)(
    'without its log, the buffer alone gives all that was not flushed',
    async () => {
      const { samples, report } = await recover(golden, { log: false });
      for (const sample of started(expected).filter(({ state }) => state !== 'flushed'))
        expect(eventIds(samples.get(name(sample)))).toEqual(sample.eventIds);
      expect(report.problems.map(({ code }) => code)).toContain('E_RECOVER_NO_HEADER');
    },
  );

  test('without its buffers, the log alone gives all that was flushed', async () => {
    const { report, samples } = await recover(golden, { database: false, filestore: false });
    const flushed = expected.samples.filter((sample) => isRecorded(expected, sample));
    expect(report.counts.kept).toBe(flushed.length);
    expect([...samples.keys()].sort()).toEqual(flushed.map(name).sort());
  });

  test('torn in its middle, the log gives up its whole members, and the buffers all that they have', async () => {
    const whole: string[] = [];
    const tear = async ({ log }: { readonly log: string }) => {
      const bytes = await readFile(log);
      const size = Math.ceil(bytes.length * TORN_SHARE);
      whole.splice(0, whole.length, ...membersBefore(bytes, size));
      await truncate(log, size);
    };
    const alone = recover(golden, { database: false, filestore: false }, tear);
    const kept = await alone.then(({ samples }) => [...samples.keys()].sort(), codeOf);
    // Whole records are given back also when the start of the run is not there: a retry writes it after them.
    const hasStart = whole.includes('_journal/start.json');
    const isAnything = hasStart || samplesAmong(whole).length > 0;
    expect(kept).toEqual(isAnything ? samplesAmong(whole).sort() : 'E_RECOVER_HOPELESS');
    const { report } = await recover(golden, {}, tear);
    const codes = report.problems.map(({ code }) => code);
    expect(codes.includes('E_RECOVER_NO_HEADER')).toBe(!hasStart);
    expect(report.run.task).toBe(taskIn(expected.log));
    // A sample that was flushed says which model it asked.
    if (samplesAmong(whole).length > 0) expect(report.run.model).not.toBe('unknown');
    const { recovered, inFlight } = report.counts;
    // What was flushed and cut off may still be in old segments.
    expect(recovered + inFlight).toBeGreaterThanOrEqual(expected.totals.completed + expected.totals.running);
  });
});

describe.each(shared)('$version/$name from its segments alone', (golden) => {
  const { expected } = golden;
  const inStore = expected.filestore?.samples.filter(({ inManifest }) => inManifest) ?? [];

  test('all that was shared is there', async () => {
    const { report, samples } = await recover(golden, { database: false });
    expect(report.sources.map(({ kind }) => kind)).toEqual(['log', 'filestore']);
    for (const buffered of inStore)
      expect(eventIds(samples.get(name(buffered)))).toHaveLength(buffered.events);
    for (const theirs of await theirSamples(golden, '-filestore')) {
      const ids = new Set(eventIds(samples.get(name(theirs))));
      expect(theirs.eventIds.filter((id) => !ids.has(id))).toEqual([]);
    }
  });

  test.each(['torn', 'missing'])('with a %s manifest the events are the same', async (how) => {
    const { report, samples } = await recover(golden, { database: false }, async ({ logDir }) => {
      const path = join(logDir, '.buffer', expected.log.replace(/\.eval$/, ''), 'manifest.json');
      if (how === 'missing') await rm(path);
      else await writeFile(path, (await readFile(path)).subarray(0, 200));
    });
    for (const buffered of inStore)
      expect(eventIds(samples.get(name(buffered)))).toHaveLength(buffered.events);
    expect(report.problems.map(({ code }) => code)).toContain('E_BUFFER_MANIFEST');
  });

  test('with a segment missing, the others are there and the gap is said', async () => {
    const { report, samples } = await recover(golden, { database: false }, async ({ logDir }) => {
      await rm(join(logDir, '.buffer', expected.log.replace(/\.eval$/, ''), 'segment.2.zip'));
    });
    expect(report.problems.map(({ code }) => code)).toEqual(['E_BUFFER_SEGMENT']);
    const hit = inStore.filter(({ manifestSegments }) => manifestSegments.includes(2));
    expect(hit.length).toBeGreaterThan(0);
    for (const { id, epoch } of hit) {
      const account = report.samples.find((sample) => String(sample.id) === id && sample.epoch === epoch);
      expect(account?.missing.join()).toContain('segment 2');
      expect(samples.get(name({ id, epoch }))).toBeDefined();
    }
  });
});

test('completed samples are recovered exactly as the same eval finishes them', async () => {
  const [epochs] = crashes.filter(({ version, name: title }) => version === '0.3.285' && title === 'epochs');
  const [finished] = all.filter(({ version, name: title }) => version === '0.3.285' && title === 'finished');
  if (!epochs || !finished) throw new Error('the golden data are not there');
  const placed = await placeGoldenCase(finished, join(temp.path, 'finished'));
  const reader = await openLog(nodeDisk, placed.log);
  const { samples } = await recover(epochs);
  const completed = epochs.expected.samples.filter(({ state }) => state === 'completed');
  expect(completed.length).toBeGreaterThan(0);
  for (const { id, epoch } of completed) {
    const truth = await reader.sample(id, epoch);
    const found = samples.get(name({ id, epoch }));
    for (const field of ['target', 'store', 'model_usage', 'role_usage'] as const)
      expect(found?.[field]).toEqual(truth?.[field]);
    const said = (sample: EvalSample | undefined) =>
      sample?.messages.map(({ role, content }) => ({ role, content }));
    expect(said(found)).toEqual(said(truth));
    expect(JSON.stringify(found?.input).replace(/"id":"\w+"/g, '')).toBe(
      JSON.stringify(truth?.input).replace(/"id":"\w+"/g, ''),
    );
    expect(Object.keys(found?.scores ?? {})).toEqual(Object.keys(truth?.scores ?? {}));
    for (const [scorer, score] of Object.entries(truth?.scores ?? {}))
      expect(found?.scores?.[scorer]).toMatchObject({ value: score.value, explanation: score.explanation });
  }
  await reader.close();
});

/** `<time>_<task>_<id>.eval` */
function taskIn(log: string): string {
  return log.split('_')[1] ?? '';
}

const TORN_SHARE = 0.7;

/** The members of a ZIP that end before a place: told by where the next one begins, without any reader of ours. */
function membersBefore(bytes: Buffer, end: number): string[] {
  const starts: number[] = [];
  for (let at = bytes.indexOf('PK\x03\x04'); at >= 0; at = bytes.indexOf('PK\x03\x04', at + 4))
    starts.push(at);
  return starts
    .filter((_, index) => (starts[index + 1] ?? bytes.indexOf('PK\x01\x02')) <= end)
    .map((at) => bytes.toString('utf8', at + 30, at + 30 + bytes.readUInt16LE(at + 26)));
}

function samplesAmong(members: readonly string[]): string[] {
  const found = members.flatMap((member) => SAMPLE_MEMBER.exec(member)?.slice(1).join('/') ?? []);
  return [...new Set(found)];
}

const SAMPLE_MEMBER = /^samples\/(.*)_epoch_(\d+)\.json$/;

function codeOf(error: unknown): string {
  if (error instanceof ActionableError) return error.code;
  throw error;
}

function usageOfLastAttempt(sample: ExpectedSample): Record<string, ModelUsage> {
  const last = Math.max(...sample.modelCalls.map(({ attempt }) => attempt), 0);
  let total: ModelUsage | undefined;
  for (const { attempt, usage } of sample.modelCalls)
    if (attempt === sample.attempts && attempt === last) total = addUsage(total, usage);
  return total ? { all: total } : {};
}

function totalOf(usage: Readonly<Record<string, ModelUsage>> | undefined): ModelUsage | undefined {
  let total: ModelUsage | undefined;
  for (const item of Object.values(usage ?? {})) total = addUsage(total, item);
  return total;
}

/** What the newest Inspect recovered; nothing where it refused. */
async function theirSamples(
  golden: GoldenCase,
  suffix = '',
): Promise<
  readonly { readonly id: string | number; readonly epoch: number; readonly eventIds: readonly string[] }[]
> {
  const path = join(goldenDir(golden), 'theirs', `0.3.285${suffix}.json`);
  const text = await readFile(path, 'utf8').catch(() => '{}');
  return JSON.parse(text).whole?.samples ?? [];
}
