import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdDecompressSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { damageMember } from '../../test/sim/damage-member.ts';
import { FaultyDisk } from '../../test/sim/faulty-disk.ts';
import { type FixtureLog, fixtureFields } from '../../test/sim/log-fixture.ts';
import { withLog, writeRun } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { type Disk, nodeDisk } from '../disk/index.ts';
import { repairedLog } from '../log/index.ts';
import { rowOfLog } from '../results/index.ts';
import { type ExportedRun, exportTables, type TableFormat } from './index.ts';

const temp = useTempDir();
const RUN = '20261116T181503393-KvkpiQSMQs';

async function runOf(more: FixtureLog = {}, run = RUN): Promise<ExportedRun> {
  const path = await writeRun(temp.path, run, more);
  const row = await withLog(path, (log) => rowOfLog(log, `${run}.eval`));
  return { row, read: (work) => withLog(path, (log) => work(repairedLog(log))) };
}

function filesFor(format: TableFormat, dir = 'out') {
  const path = (name: string) => join(temp.path, dir, `${name}.${format}`);
  return { runs: path('runs'), samples: path('samples'), scores: path('scores') };
}

type Row = Record<string, unknown>;

async function readParquet(path: string): Promise<Row[]> {
  const bytes = readFileSync(path);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return parquetReadObjects({
    file,
    compressors: { ZSTD: (input) => new Uint8Array(zstdDecompressSync(input)) },
  });
}

function readJsonl(path: string): Row[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

const read: Readonly<Record<TableFormat, (path: string) => Row[] | Promise<Row[]>>> = {
  parquet: readParquet,
  jsonl: readJsonl,
  csv: (path) => parse(readFileSync(path), { columns: true, bom: false }) as Row[],
};

async function exported(format: TableFormat, ...runs: ExportedRun[]) {
  const files = filesFor(format);
  const report = await exportTables(nodeDisk, { runs, format, files, replace: true });
  return {
    report,
    runs: await read[format](files.runs),
    samples: await read[format](files.samples),
    scores: await read[format](files.scores),
  };
}

const usage = { input_tokens: 10, output_tokens: 5, total_tokens: 15, total_cost: 0.25 };

function sample(id: string | number, more: Parameters<typeof fixtureFields>[1] = {}) {
  return { fields: fixtureFields(id, more), events: [] };
}

test.each(['parquet', 'jsonl', 'csv'] as const)(
  '%s: runs, samples and scores read back as they are in the log',
  async (format) => {
    const run = await runOf({
      header: {
        results: {
          total_samples: 2,
          completed_samples: 2,
          scores: [
            {
              name: 'exact',
              scorer: 'exact',
              params: {},
              metrics: { accuracy: { name: 'accuracy', value: 0.5, params: {} } },
            },
          ],
        },
      },
      samples: [
        sample('a', {
          input: [{ role: 'user', content: 'hello, "world"\r\nnext' }],
          target: ['x', 'y'],
          output: { choices: [{ message: { role: 'assistant', content: 'Grüße 🎉' }, stop_reason: 'stop' }] },
          scores: { exact: { value: 1, explanation: 'because', answer: 'A' } },
          model_usage: { m: usage },
          total_time: 1.5,
          started_at: '2026-11-16T18:15:03.393+00:00',
          metadata: { level: 3, holdfast: { made: { how: 'kept', from: 'R0' } } },
        }),
        sample('b', {
          epoch: 2,
          error: { message: 'broke', traceback: '', traceback_ansi: '' },
          scores: {},
          limit: { type: 'time', limit: 9 },
        }),
      ],
    });
    const { report, ...tables } = await exported(format, run);
    expect(report).toMatchObject({
      problems: [],
      tables: [
        { table: 'runs', rows: 1 },
        { table: 'samples', rows: 2 },
        { table: 'scores', rows: 1 },
      ],
    });
    const text = (row: Row | undefined) =>
      Object.fromEntries(
        Object.entries(row ?? {}).map(([key, value]) => [
          key,
          value instanceof Date ? value.toISOString() : String(value ?? ''),
        ]),
      );
    expect(text(tables.runs[0])).toMatchObject({
      run: RUN,
      eval: 'capitals',
      target: 'mock/m',
      status: 'success',
      samples: '2',
      completed: '1',
      errored: '1',
      metric_exact_accuracy: '0.5',
    });
    expect(text(tables.samples[0])).toMatchObject({
      run: RUN,
      id: 'a',
      epoch: '1',
      status: 'completed',
      input: 'user: hello, "world"\r\nnext',
      target: 'x\ny',
      output: 'Grüße 🎉',
      error: '',
      total_tokens: '15',
      cost_usd: '0.25',
      seconds: '1.5',
      started: '2026-11-16T18:15:03.393Z',
      made: 'kept',
      made_from: 'R0',
      metadata: '{"level":3}',
      score_exact: '1',
    });
    expect(text(tables.samples[1])).toMatchObject({
      id: 'b',
      epoch: '2',
      status: 'error',
      error: 'broke',
      limit: 'time',
      limit_at: '9',
      score_exact: '',
    });
    expect(text(tables.scores[0])).toMatchObject({
      run: RUN,
      id: 'a',
      scorer: 'exact',
      part: '',
      value: '1',
      number: '1',
      answer: 'A',
      explanation: 'because',
    });
  },
);

test('parquet keeps kinds: counts are integers, times are times, what is absent is null', async () => {
  const { samples, runs } = await exported(
    'parquet',
    await runOf({ samples: [sample('a', { model_usage: { m: usage }, started_at: 'never' })] }),
  );
  expect(samples[0]).toMatchObject({
    epoch: 1n,
    total_tokens: 15n,
    cost_usd: 0.25,
    started: null,
    made: null,
    score_exact: 1,
  });
  expect(runs[0]).toMatchObject({ revision: 1n, is_dirty: null });
});

test('a column of mixed kinds becomes text, and none of its values is lost', async () => {
  const values = [1, 'C', true, null, { a: 1, b: 'x' }, [1, 2]];
  const samples = values.map((value, index) => sample(`s${index}`, { scores: { judge: { value } } }));
  const { samples: rows } = await exported('parquet', await runOf({ samples }));
  expect(rows.map((row) => row.score_judge)).toEqual(['1', 'C', 'true', null, null, '[1,2]']);
  expect(rows[4]).toMatchObject({ score_judge_a: 1, score_judge_b: 'x' });
});

test('NaN, infinities and integers beyond 2^53 are kept', async () => {
  const scored = (id: string, value: number | bigint, big: bigint | number) =>
    sample(id, {
      scores: {
        rate: { value },
        big: { value: big },
        huge: { value: 2n ** 70n },
        both: { value: big === 7 ? 0.5 : big },
      },
    });
  const run = await runOf({
    samples: [scored('a', Number.NaN, 2n ** 60n + 1n), scored('b', Number.NEGATIVE_INFINITY, 7)],
  });
  const parquet = await exported('parquet', run);
  expect(parquet.samples).toMatchObject([
    {
      score_rate: Number.NaN,
      score_big: 2n ** 60n + 1n,
      score_huge: '1180591620717411303424',
      score_both: '1152921504606846977',
    },
    { score_rate: Number.NEGATIVE_INFINITY, score_big: 7n, score_both: '0.5' },
  ]);
  const line = readFileSync((await exported('jsonl', run)).report.tables[1]?.path ?? '', 'utf8');
  expect(line).toContain('"score_rate":"NaN","score_big":1152921504606846977');
  expect((await exported('csv', run)).samples[0]).toMatchObject({
    score_rate: 'NaN',
    score_big: '1152921504606846977',
  });
});

test('half a surrogate pair is written out, as logs do it, in every format', async () => {
  const run = await runOf({ samples: [sample('a', { input: 'x\ud800y 𝔘' })] });
  for (const format of ['parquet', 'jsonl', 'csv'] as const)
    expect((await exported(format, run)).samples[0]?.input).toBe('x\\ud800y 𝔘');
});

test('scorers whose names would make one column of two have one each', async () => {
  const run = await runOf({
    samples: [
      sample('a', { scores: { a: { value: { b: 1 } }, a_b: { value: 2 }, __proto__: { value: 3 } } }),
    ],
  });
  expect((await exported('jsonl', run)).samples[0]).toMatchObject({ score_a_b: 1, score_a_b_2: 2 });
});

test('the columns are those of all runs, also of the last one', async () => {
  const one = await runOf({ samples: [sample('a', { scores: { first: { value: 1 } } })] });
  const two = await runOf(
    { samples: [sample('a', { scores: { second: { value: 'C' } } })] },
    '20261117T181503393-KvkpiQSMQs',
  );
  const { samples } = await exported('parquet', one, two);
  expect(samples).toMatchObject([
    { score_first: 1, score_second: null },
    { score_first: null, score_second: 'C' },
  ]);
});

test('large tables are several row groups, and every row is there once', async () => {
  const input = 'x'.repeat(50_000);
  const samples = Array.from({ length: 150 }, (_, index) => sample(index, { input: `${index} ${input}` }));
  const { samples: rows, report } = await exported('parquet', await runOf({ samples }));
  expect(rows.map((row) => Number(String(row.input).split(' ')[0])).sort((a, b) => a - b)).toEqual(
    samples.map((_, index) => index),
  );
  const bytes = readFileSync(report.tables[1]?.path ?? '');
  const { row_groups } = parquetMetadata(
    bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
  );
  expect(row_groups.length).toBeGreaterThan(1);
});

test('texts that look like formulas are left as they are and counted; for a spreadsheet they are guarded', async () => {
  const run = await runOf({ samples: [sample('a', { input: '=1+1', target: '-3' })] });
  const { report, samples } = await exported('csv', run);
  expect(report.formulas).toBe(2);
  expect(samples[0]).toMatchObject({ input: '=1+1', target: '-3' });
  await exportTables(nodeDisk, {
    runs: [run],
    format: 'csv',
    files: filesFor('csv'),
    replace: true,
    isForSpreadsheet: true,
  });
  expect((await read.csv(filesFor('csv').samples))[0]).toMatchObject({ input: "'=1+1", target: "'-3" });
});

test('CSV ends lines as RFC 4180 does, and tells the empty text from nothing', async () => {
  const run = await runOf({ samples: [sample('a', { input: '', error_retries: [] })] });
  await exported('csv', run);
  const [header = '', line = '', end] = readFileSync(filesFor('csv').samples, 'utf8').split('\r\n');
  expect(header).toMatch(/^run,eval,run_target,id,epoch,status,input,target,output,/);
  expect(line).toContain(',completed,"",answer,"",,');
  expect(end).toBe('');
});

test('what is there is not overwritten unless it is said so', async () => {
  const run = await runOf();
  const files = filesFor('csv');
  mkdirSync(join(temp.path, 'out'));
  writeFileSync(files.scores, 'mine');
  const options = { runs: [run], format: 'csv' as const, files };
  await expect(exportTables(nodeDisk, { ...options, replace: false })).rejects.toMatchObject({
    code: 'E_FILE_EXISTS',
  });
  expect(readdirSync(join(temp.path, 'out'))).toEqual(['scores.csv']);
  expect(readFileSync(files.scores, 'utf8')).toBe('mine');
  await exportTables(nodeDisk, { ...options, replace: true });
  expect(statSync(files.scores).size).toBeGreaterThan(10);
});

test('what comes to be there while the tables are written is not overwritten either', async () => {
  const run = await runOf();
  const files = filesFor('csv');
  const meeting: Disk = {
    ...nodeDisk,
    async open(path, mode) {
      const file = await nodeDisk.open(path, mode);
      if (mode === 'create') writeFileSync(files.samples, 'of somebody else');
      return file;
    },
  };
  const options = { runs: [run], format: 'csv' as const, files, replace: false };
  await expect(exportTables(meeting, options)).rejects.toMatchObject({ code: 'E_FILE_EXISTS' });
  expect(readFileSync(files.samples, 'utf8')).toBe('of somebody else');
});

test('a full disk leaves nothing behind, and what was there stays', async () => {
  const run = await runOf();
  const files = filesFor('jsonl');
  await exportTables(nodeDisk, { runs: [run], format: 'jsonl', files, replace: false });
  const before = readFileSync(files.samples, 'utf8');
  using disk = new FaultyDisk(nodeDisk, [{ on: 'write', errno: 'ENOSPC', afterBytes: 100 }]);
  await expect(
    exportTables(disk, { runs: [run, run], format: 'jsonl', files, replace: true }),
  ).rejects.toThrow();
  expect(readdirSync(join(temp.path, 'out')).sort()).toEqual(['runs.jsonl', 'samples.jsonl', 'scores.jsonl']);
  expect(readFileSync(files.samples, 'utf8')).toBe(before);
});

test('a sample that is damaged is told, and is a row of what the list says of it', async () => {
  const run = await runOf({ samples: [sample('a'), sample('b')] });
  await damageMember(join(temp.path, `${RUN}.eval`), 'samples/a_epoch_1.json');
  const { report, samples } = await exported('jsonl', run);
  expect(report.problems).toMatchObject([{ run: RUN, id: 'a', epoch: 1 }]);
  expect(samples).toMatchObject([
    { id: 'a', input: 'question', output: null, score_exact: 1 },
    { id: 'b', input: 'question' },
  ]);
});

test('no run at all gives tables with headers and no rows', async () => {
  expect((await exported('parquet')).samples).toEqual([]);
  expect((await exported('csv')).runs).toEqual([]);
});
