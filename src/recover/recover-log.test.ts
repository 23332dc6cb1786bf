import { existsSync } from 'node:fs';
import { readdir, readFile, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { damageMember } from '../../test/sim/damage-member.ts';
import {
  DEAD_PID,
  LOG_NAME,
  logStart,
  type MadeBuffer,
  madeEvent,
  madeSample,
  modelEvent,
  placeCrashedLog,
  placeDatabase,
  placeFinishedLog,
  user,
} from '../../test/sim/inspect-buffer.ts';
import { headerOf, samplesOf } from '../../test/sim/read-log.ts';
import { useCrashedEval } from '../../test/sim/use-recovery.ts';
import type { JsonObject } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { createLogFile, openLog, verifyLog } from '../log/index.ts';

const at = useCrashedEval();
const { recover } = at;
const place = (buffer: MadeBuffer, more: { readonly pid?: number } = {}) =>
  placeDatabase({ ...at, ...more }, buffer);

const row = (id: number | string, more: JsonObject = {}): { readonly summary: JsonObject } => ({
  summary: { id, epoch: 1, input: `question ${id}`, target: 'yes', metadata: {}, completed: false, ...more },
});
const doneRow = (id: number | string, more: JsonObject = {}) =>
  row(id, {
    completed: true,
    completed_at: '2026-01-02T03:05:00+00:00',
    started_at: '2026-01-02T03:04:00+00:00',
    scores: { match: { value: 'C' } },
    model_usage: { 'mock/model': { input_tokens: 10, output_tokens: 5, total_tokens: 15 } },
    uuid: `buffered-${id}`,
    ...more,
  });
const talk = (sample: number | string, epoch = 1) => ({
  sample: String(sample),
  epoch,
  event: modelEvent({ input: [user(`question ${sample}`)], answer: 'yes' }),
});

/** 2 flushed, 1 completed and 1 running in the database. */
async function mixed(): Promise<string> {
  await placeCrashedLog(at.log, { batches: [[madeSample(1), madeSample(2)]] });
  return place({ samples: [doneRow(3), row(4)], events: [talk(3), talk(4)] });
}

describe('a crashed eval', () => {
  test('flushed, completed and running samples make one log, whole and with status error', async () => {
    await mixed();
    const report = await recover();
    expect(report).toMatchObject({
      kind: 'inspect',
      output: join(at.logDir, LOG_NAME.replace('.eval', '-recovered.eval')),
      status: 'error',
      liveness: 'dead',
      counts: { expected: 4, kept: 2, recovered: 1, inFlight: 1, lost: 0 },
      problems: [],
    });
    expect(report.sources.map(({ kind }) => kind)).toEqual(['log', 'database']);
    expect((await verifyLog(nodeDisk, report.output)).problems).toEqual([]);
    const samples = await samplesOf(report.output);
    expect(samples.map(({ id }) => id)).toEqual([1, 2, 3, 4]);
    expect(samples[3]?.error?.message).toBe('CancelledError()');
    expect(samples[0]?.messages).toHaveLength(2);
    const header = await headerOf(report.output);
    expect(header.error?.message).toBe('Eval recovered from crash');
    expect(header.eval).toMatchObject({
      task: 'crashed',
      task_id: 'TASKID',
      eval_id: 'EVALID',
      model: 'mock/model',
    });
    expect(header.plan.steps[0]?.solver).toBe('generate');
    expect(header.results).toMatchObject({ total_samples: 4, completed_samples: 3 });
    expect(header.results?.scores[0]?.metrics.accuracy?.value).toBe(1);
    expect(header.stats.model_usage['mock/model']).toMatchObject({ input_tokens: 30, output_tokens: 15 });
    expect(header.stats.started_at).not.toBe('');
    expect(header.stats.completed_at).not.toBe('');
  });

  test('the account says for each sample where it came from', async () => {
    await mixed();
    const { samples } = await recover();
    expect(samples).toMatchObject([
      { id: 1, state: 'flushed', from: ['log'] },
      { id: 2, state: 'flushed', from: ['log'] },
      { id: 3, state: 'completed', from: ['database'], events: 1, missing: [] },
      { id: 4, state: 'in-flight', from: ['database'], events: 1, missing: [] },
    ]);
  });

  test('flushed samples are copied raw: their bytes are those of the crashed log', async () => {
    await mixed();
    const { output } = await recover({ keep: true });
    const [before, after] = [await openLog(nodeDisk, at.log), await openLog(nodeDisk, output)];
    for (const name of ['samples/1_epoch_1.json', 'samples/2_epoch_1.json', '_journal/start.json']) {
      const [one, other] = [await before.rawMember(name), await after.rawMember(name)];
      const bytes = async (chunks: AsyncIterable<Uint8Array> | undefined) => {
        const parts: Uint8Array[] = [];
        for await (const chunk of chunks ?? []) parts.push(chunk);
        return Buffer.concat(parts).toString('hex');
      };
      expect(await bytes(other?.chunks)).toBe(await bytes(one?.chunks));
    }
    await before.close();
    await after.close();
  });

  test('several epochs and ids of both kinds are in Inspect’s order', async () => {
    await placeCrashedLog(at.log, {
      batches: [[madeSample('b'), madeSample(10), madeSample(9, { epoch: 2 })]],
      start: logStart({ dataset: { sample_ids: ['b', 10, 9, 'a/b c'] }, config: { epochs: 2 } }),
    });
    await place({
      samples: [doneRow(9), doneRow('a/b c', { epoch: 2 })],
      events: [talk(9), talk('a/b c', 2)],
    });
    const { output, counts } = await recover();
    expect(counts.expected).toBe(8);
    expect((await samplesOf(output)).map(({ id, epoch }) => [epoch, id])).toEqual([
      [1, 9],
      [1, 10],
      [1, 'b'],
      [2, 9],
      [2, 'a/b c'],
    ]);
  });

  test('a sample that is both flushed and buffered is there once, as it was flushed', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
    await place({ samples: [doneRow(1), doneRow(2)], events: [talk(1), talk(2)] });
    const { output } = await recover();
    expect((await samplesOf(output)).map(({ uuid }) => uuid)).toEqual(['flushed-1', 'buffered-2']);
  });

  test('before the first flush everything comes from the database', async () => {
    await placeCrashedLog(at.log);
    await place({ samples: [doneRow(1), doneRow(2)], events: [talk(1), talk(2)] });
    const { output, counts } = await recover();
    expect(counts).toMatchObject({ kept: 0, recovered: 2 });
    for (const sample of await samplesOf(output))
      expect(sample.scores).toMatchObject({ match: { value: 'C' } });
  });

  test('a database with nothing in it: what was flushed is the log', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
    await place({});
    expect((await recover()).counts).toMatchObject({ kept: 1, recovered: 0, inFlight: 0 });
  });

  test('nothing buffered and nothing flushed is still a log, with status error', async () => {
    await placeCrashedLog(at.log);
    await place({});
    const { output, status } = await recover();
    expect(status).toBe('error');
    expect((await verifyLog(nodeDisk, output)).isWhole).toBe(true);
  });

  test('two batches with more in the database: 1 to 7, in order', async () => {
    await placeCrashedLog(at.log, {
      batches: [
        [madeSample(1), madeSample(2)],
        [madeSample(3), madeSample(4)],
      ],
    });
    await place({ samples: [doneRow(5), doneRow(6), row(7)], events: [talk(5), talk(6), talk(7)] });
    const samples = await samplesOf((await recover()).output);
    expect(samples.map(({ id }) => id)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(samples[6]).toMatchObject({ error: { message: 'CancelledError()' }, scores: {} });
    expect(samples[0]?.messages).toHaveLength(2);
  });

  test('summaries: every sample is listed, running ones as completed with their error', async () => {
    await mixed();
    const { output } = await recover();
    const reader = await openLog(nodeDisk, output);
    const rows = [];
    for await (const summary of reader.summaries()) rows.push(summary);
    await reader.close();
    expect(rows.map(({ id }) => id).sort()).toEqual([1, 2, 3, 4]);
    expect(rows.find(({ id }) => id === 4)).toMatchObject({
      completed: true,
      error: 'CancelledError()',
      message_count: 2,
    });
    expect(rows.find(({ id }) => id === 3)).toMatchObject({
      scores: { match: { value: 'C' } },
      message_count: 2,
    });
  });

  test('usage of all kinds is summed, for models and roles', async () => {
    const usage = {
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 15,
      input_tokens_cache_read: 2,
      input_tokens_cache_write: 1,
      reasoning_tokens: 3,
      total_cost: 0.125,
    };
    await placeCrashedLog(at.log, {
      batches: [[madeSample(1, { model_usage: { m: usage }, role_usage: { grader: usage } })]],
    });
    await place({ samples: [doneRow(2, { model_usage: { m: usage }, role_usage: { grader: usage } })] });
    const { stats } = await headerOf((await recover()).output);
    const both = {
      input_tokens: 20,
      output_tokens: 10,
      total_tokens: 30,
      input_tokens_cache_read: 4,
      input_tokens_cache_write: 2,
      reasoning_tokens: 6,
      total_cost: 0.25,
    };
    expect(stats.model_usage).toEqual({ m: both });
    expect(stats.role_usage).toEqual({ grader: both });
  });

  test('changes of the configuration are carried over', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
    const update = {
      changes: [{ config: 'eval', name: 'max_samples', value: 3 }],
      scope: 'task',
      provenance: { author: 'x' },
    };
    await appendMember(at.log, '_journal/config_updates/1.json', update);
    const { output } = await recover({ forceDead: true });
    expect((await headerOf(output)).config_updates).toEqual([update]);
  });

  test('--no-events: events are left out, messages stay', async () => {
    await mixed();
    const { output, samples } = await recover({ noEvents: true });
    const [, , third] = await samplesOf(output);
    expect(third?.events).toEqual([]);
    expect(third?.messages).toHaveLength(2);
    expect(samples[2]?.events).toBe(0);
  });

  test('--no-events deletes no buffer that has the transcripts, and no later command does', async () => {
    const database = await mixed();
    expect(await recover({ noEvents: true })).toMatchObject({ deleted: [], left: [database], problems: [] });
    expect(await recover({ noEvents: true })).toMatchObject({
      wasThere: true,
      deleted: [],
      left: [database],
    });
    expect(existsSync(database)).toBe(true);
    const output = join(at.root, 'with-events.eval');
    expect(await recover({ output })).toMatchObject({ deleted: [database], left: [] });
    expect((await samplesOf(output))[2]?.events).toHaveLength(1);
  });

  test('a completed sample that failed keeps its error and has no scores; its neighbour is scored', async () => {
    await placeCrashedLog(at.log);
    await place({ samples: [doneRow(1, { error: 'rate limit exceeded', scores: null }), doneRow(2)] });
    const report = await recover();
    const [first, second] = await samplesOf(report.output);
    expect(first).toMatchObject({ error: { message: 'rate limit exceeded' }, scores: {} });
    expect(second?.scores).toMatchObject({ match: { value: 'C' } });
    expect(report.samples[0]?.state).toBe('errored');
    expect((await headerOf(report.output)).results).toMatchObject({ total_samples: 2, completed_samples: 1 });
  });
});

/** Puts one more member into a log, as a flush does. */
async function appendMember(path: string, name: string, value: JsonObject): Promise<void> {
  const reader = await openLog(nodeDisk, path);
  const file = await createLogFile(nodeDisk, `${path}.new`);
  for (const member of reader.members()) await file.copyMember(reader, member.name);
  await file.writeJson(name, value);
  await file.finish();
  await reader.close();
  await nodeDisk.rename(`${path}.new`, path);
}

describe('what Inspect refuses', () => {
  test('flushed samples only, without any buffer, are recovered', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1), madeSample(2)]] });
    const report = await recover({ forceDead: true });
    expect(report.counts).toMatchObject({ kept: 2, recovered: 0 });
    expect(report.sources.map(({ kind }) => kind)).toEqual(['log']);
  });

  test('a buffer without its log is recovered, with what its name tells', async () => {
    await place({ samples: [doneRow(1), row('two')], events: [talk(1), talk('two')] });
    const report = await recover();
    const header = await headerOf(report.output);
    expect(header.eval).toMatchObject({
      task: 'crashed',
      task_id: 'TASKID',
      created: '2026-01-02T03:04:05+00:00',
      model: 'mock/model',
    });
    expect(report.counts).toMatchObject({ expected: undefined, recovered: 1, inFlight: 1 });
    expect(report.problems.map(({ code }) => code)).toEqual(['E_RECOVER_NO_HEADER']);
  });

  test('an empty log beside a buffer is no hindrance', async () => {
    await writeFile(at.log, '');
    await place({ samples: [doneRow(1)], events: [talk(1)] });
    const report = await recover();
    expect(report.counts.recovered).toBe(1);
    expect(report.problems.map(({ code }) => code)).toContain('E_LOG_EMPTY');
  });

  test('a torn log gives up its whole members; what was cut off comes from the buffer or is lost', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1)], [madeSample(2)], [madeSample(3)]] });
    const bytes = await readFile(at.log);
    const third = bytes.indexOf('samples/3_epoch_1.json');
    await truncate(at.log, third + 60);
    await place({ samples: [doneRow(3)], events: [talk(3)] });
    const report = await recover();
    expect(report.counts).toMatchObject({ kept: 2, recovered: 1, lost: 0 });
    expect(report.sources.map(({ kind }) => kind)).toEqual(['torn log', 'database']);
    expect(report.problems.map(({ code }) => code)).toContain('E_LOG_TORN');
  });

  test('a flushed sample whose bytes are damaged is taken from the buffer, or said to be lost', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1), madeSample(2)]] });
    for (const id of [1, 2]) await damageMember(at.log, `samples/${id}_epoch_1.json`);
    await place({ samples: [doneRow(1)], events: [talk(1)] });
    const report = await recover();
    expect(report.counts).toMatchObject({ kept: 0, recovered: 1, lost: 1 });
    expect(report.samples.find(({ id }) => id === 2)).toMatchObject({ state: 'lost', from: [] });
    expect(report.problems.some(({ sample }) => sample?.id === 2)).toBe(true);
  });

  test('a finished log whose end was cut off gets its own status back', async () => {
    await placeCrashedLog(at.log, {
      batches: [[madeSample(1), madeSample(2), madeSample(3), madeSample(4)]],
    });
    await place({});
    const { output } = await recover({ incomplete: 'error' });
    expect((await headerOf(output)).status).toBe('success');
    await truncate(output, (await stat(output)).size - 30);
    const again = await recover({ log: output, forceDead: true });
    expect(again.status).toBe('success');
    expect(again.counts).toMatchObject({ kept: 4, lost: 0 });
  });

  test('a database named by its own path is recovered where it lies', async () => {
    const path = await place({ samples: [doneRow(1)], events: [talk(1)] });
    const output = join(at.root, 'out.eval');
    const report = await recover({ log: path, output, keep: true });
    expect(report.counts.recovered).toBe(1);
    expect(existsSync(output)).toBe(true);
  });
});

describe('several databases of one log', () => {
  test('make a union by sample', async () => {
    await placeCrashedLog(at.log);
    await place({ samples: [doneRow(1)], events: [talk(1)] });
    await place({ samples: [doneRow(10), row(11)], events: [talk(10), talk(11)] }, { pid: DEAD_PID - 1 });
    expect((await samplesOf((await recover()).output)).map(({ id }) => id)).toEqual([1, 10, 11]);
  });

  test('two attempts at one sample: the completed one is taken, however old, and the other is named', async () => {
    await placeCrashedLog(at.log);
    const old = await place({ samples: [doneRow(1)], events: [talk(1)] });
    const young = await place(
      { samples: [row(1)], events: [talk(1), talk(1), talk(1)] },
      { pid: DEAD_PID - 1 },
    );
    await utimes(old, 1000, 1000);
    const report = await recover();
    expect(report.counts).toMatchObject({ recovered: 1, inFlight: 0 });
    expect(report.samples[0]?.missing).toEqual([`Another attempt at it, in ${young}, was left out.`]);
  });
});

describe('safety', () => {
  test('the sources go after the log is whole; the crashed log stays', async () => {
    const path = await mixed();
    const report = await recover();
    expect(report.deleted).toEqual([path]);
    expect(existsSync(path)).toBe(false);
    expect(existsSync(dirname(path))).toBe(false);
    expect(existsSync(at.log)).toBe(true);
  });

  test('--keep leaves them', async () => {
    const path = await mixed();
    expect((await recover({ keep: true })).deleted).toEqual([]);
    expect(existsSync(path)).toBe(true);
  });

  test('an eval that runs is never touched, whatever is vouched for', async () => {
    const path = await mixed();
    const stateOf = () => ({ kind: 'running', processStart: '1' }) as const;
    await expect(recover({ stateOf, forceDead: true })).rejects.toMatchObject({ code: 'E_RECOVER_ALIVE' });
    expect(existsSync(path)).toBe(true);
    expect(await readdir(at.logDir)).toEqual([LOG_NAME]);
  });

  test('one that may run is refused, unless somebody vouches that it is dead', async () => {
    await mixed();
    const stateOf = () => ({ kind: 'hidden' }) as const;
    await expect(recover({ stateOf })).rejects.toMatchObject({ code: 'E_RECOVER_UNKNOWN' });
    expect((await recover({ stateOf, forceDead: true })).liveness).toBe('unknown');
  });

  test('a source that changes meanwhile is alive: nothing is written, nothing deleted', async () => {
    const path = await mixed();
    const recovering = recover({
      onProgress: (done) => {
        if (done === 4) {
          const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
          const db = new DatabaseSync(path);
          db.exec(
            "INSERT INTO events (event_id, sample_id, sample_epoch, data) VALUES ('new', '4', 1, '{}')",
          );
          db.close();
        }
      },
    });
    await expect(recovering).rejects.toMatchObject({ code: 'E_RECOVER_CHANGED' });
    expect(existsSync(path)).toBe(true);
    expect(await readdir(at.logDir)).toEqual([LOG_NAME]);
  });

  test('a successful log of the same task beside the output stands in the way', async () => {
    await mixed();
    const other = '2026-02-02T03-04-05+00-00_crashed_TASKID.eval';
    await placeFinishedLog(join(at.logDir, other));
    await expect(recover()).rejects.toMatchObject({ code: 'E_RECOVER_SUPERSEDED' });
    await expect(recover({ overwrite: true })).rejects.toMatchObject({ code: 'E_RECOVER_SUPERSEDED' });
    expect((await readdir(at.logDir)).sort()).toEqual([LOG_NAME, other].sort());
    const report = await recover({ output: join(at.root, 'elsewhere/x.eval') });
    expect(report.counts.kept).toBe(2);
  });

  test('a file that is there already is not overwritten', async () => {
    await mixed();
    const output = join(at.logDir, 'mine.eval');
    await writeFile(output, 'mine');
    await expect(recover({ output })).rejects.toMatchObject({ code: 'E_RECOVER_EXISTS' });
    expect(await readFile(output, 'utf8')).toBe('mine');
  });

  test('--overwrite puts the recovered log in the place of the crashed one', async () => {
    await mixed();
    const report = await recover({ overwrite: true });
    expect(report.output).toBe(at.log);
    expect(await readdir(at.logDir)).toEqual([LOG_NAME]);
    expect((await samplesOf(at.log)).map(({ id }) => id)).toEqual([1, 2, 3, 4]);
  });

  test('--overwrite and --output together make no sense', async () => {
    await mixed();
    await expect(recover({ overwrite: true, output: 'x.eval' })).rejects.toMatchObject({
      code: 'E_RECOVER_OPTIONS',
    });
  });

  test('a recovery that died before it could clean up is finished by the next', async () => {
    const path = await mixed();
    await recover({ overwrite: true, keep: true });
    const report = await recover();
    expect(report).toMatchObject({ wasThere: true, deleted: [path] });
    expect(existsSync(path)).toBe(false);
    await expect(recover()).rejects.toMatchObject({ code: 'E_RECOVER_FINISHED' });
  });

  test('what an interrupted recovery left is no log, and is swept when it is old', async () => {
    await mixed();
    const [young, old] = ['.holdfast-aaaaaaaaaaaaaaaaaaaaaa.tmp', '.holdfast-bbbbbbbbbbbbbbbbbbbbbb.tmp'];
    for (const name of [young, old]) await writeFile(join(at.logDir, name), 'half a log');
    await utimes(join(at.logDir, old), 1000, 1000);
    await recover();
    expect(existsSync(join(at.logDir, young))).toBe(true);
    expect(existsSync(join(at.logDir, old))).toBe(false);
  });
});

describe('incomplete samples', () => {
  test('--incomplete=error ends them; with every expected sample there the log is a success', async () => {
    await mixed();
    const report = await recover({ incomplete: 'error' });
    expect(report.status).toBe('success');
    expect(report.notFinalized).toBeUndefined();
    const [, , , fourth] = await samplesOf(report.output);
    expect(fourth?.error?.message).toBe('terminated by operator during recovery');
  });

  test('samples that never ran keep the log from being finished, and it says so', async () => {
    await placeCrashedLog(at.log, { batches: [[madeSample(1)]] });
    await place({ samples: [row(2)], events: [talk(2)] });
    const report = await recover({ incomplete: 'error' });
    expect(report).toMatchObject({ status: 'error', notFinalized: '2 samples were never run' });
  });

  test('epochs that never ran keep the log from being finished, too', async () => {
    const start = logStart({ dataset: { sample_ids: [1, 2] }, config: { epochs: 2 } });
    await placeCrashedLog(at.log, { start, batches: [[madeSample(1), madeSample(1, { epoch: 2 })]] });
    await place({ samples: [row(2)], events: [talk(2)] });
    const report = await recover({ incomplete: 'error' });
    expect(report).toMatchObject({ status: 'error', notFinalized: '1 samples were never run' });
  });

  test.each([
    [1, 'success'],
    [0, 'error'],
    [0.25, 'success'],
    [0.2, 'error'],
  ])('--incomplete-max=%s of 4: %s', async (incompleteMax, status) => {
    await mixed();
    const report = await recover({ incomplete: 'error', incompleteMax });
    expect(report.status).toBe(status);
    if (status === 'error') expect(report.notFinalized).toContain('1 samples were running');
  });

  test.each([-1, 1.5, Number.NaN])('--incomplete-max=%s is refused', async (incompleteMax) => {
    await mixed();
    await expect(recover({ incomplete: 'error', incompleteMax })).rejects.toMatchObject({
      code: 'E_RECOVER_INCOMPLETE_MAX',
    });
  });
});

test('ids that look like paths write nothing outside the log', async () => {
  await placeCrashedLog(at.log);
  await place({ samples: [doneRow('../../etc/passwd')], events: [talk('../../etc/passwd')] });
  const { output } = await recover();
  expect((await samplesOf(output)).map(({ id }) => id)).toEqual(['../../etc/passwd']);
  expect((await readdir(at.root)).sort()).toEqual(['data', 'logs']);
});

test('events that cannot be read are said per sample, and all others are there', async () => {
  await placeCrashedLog(at.log);
  const path = await place({
    samples: [doneRow(1)],
    events: [talk(1), { event: madeEvent('info', { data: 'x' }) }],
  });
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(path);
  db.exec("UPDATE events SET data = 'not json' WHERE id = 2");
  db.close();
  const report = await recover();
  expect(report.samples[0]?.missing).toEqual(['1 of its events could not be read.']);
  expect(report.problems.map(({ code }) => code)).toEqual(['E_BUFFER_ROW']);
  expect((await samplesOf(report.output))[0]?.events).toHaveLength(1);
});

test('references to attachments that are gone are said per sample', async () => {
  await placeCrashedLog(at.log);
  const data = `attachment://${'e'.repeat(32)}`;
  await place({ samples: [doneRow(1)], events: [{ event: madeEvent('info', { data }) }] });
  const report = await recover();
  expect(report.samples[0]?.missing[0]).toContain('1 attachments are missing');
});

test('a transaction that must be rolled back first is read from a copy; the original is not changed', async () => {
  await placeCrashedLog(at.log);
  const path = await place({ samples: [doneRow(1)], events: [talk(1)], schema: 'old' });
  await leaveHotJournal(path);
  const before = [await readFile(path), await readFile(`${path}-journal`)];
  const report = await recover({ keep: true });
  expect(report.samples).toMatchObject([{ id: 1, state: 'completed', events: 1, missing: [] }]);
  expect([await readFile(path), await readFile(`${path}-journal`)]).toEqual(before);
  expect((await readdir(at.logDir)).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

/** What a crash in the middle of a large transaction leaves: half-written pages, and the journal that undoes them. */
async function leaveHotJournal(path: string): Promise<void> {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(path);
  db.exec("PRAGMA cache_size = 2; BEGIN; UPDATE events SET data = 'overwritten'");
  const insert = db.prepare(
    "INSERT INTO events (event_id, sample_id, sample_epoch, data) VALUES (?, '1', 1, ?)",
  );
  for (let n = 0; n < 200; n++) insert.run(`never-committed-${n}`, '{"event": "info"}'.padEnd(3000));
  const [database, journal] = [await readFile(path), await readFile(`${path}-journal`)];
  db.exec('ROLLBACK');
  db.close();
  await writeFile(path, database);
  await writeFile(`${path}-journal`, journal);
}
