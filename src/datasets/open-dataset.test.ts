import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { ActionableError } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { idFilter, type Row, type SampleRow } from '../evals/index.ts';
import { type Dataset, type OpenDatasetInput, openDataset } from './index.ts';

type Options = Omit<OpenDatasetInput, 'baseDir' | 'disk' | 'data'>;

/** Opens data in a folder that holds the given files, and hands the dataset to `use`. */
async function withData<T>(
  data: OpenDatasetInput['data'],
  files: Readonly<Record<string, string | Uint8Array>>,
  use: (dataset: Dataset) => T,
  options: Options = {},
): Promise<Awaited<T>> {
  await using dir = await makeTempDir();
  for (const [name, content] of Object.entries(files)) await writeFile(join(dir.path, name), content);
  const dataset = await openDataset({
    data,
    baseDir: dir.path,
    disk: nodeDisk,
    tempDir: dir.path,
    ...options,
  });
  try {
    return await use(dataset);
  } finally {
    await dataset.close();
    const left = (await nodeDisk.list(dir.path))?.map((entry) => entry.name) ?? [];
    expect(left.sort()).toEqual(Object.keys(files).sort());
  }
}

function allRows(dataset: Dataset): Promise<SampleRow[]> {
  return Promise.all(Array.from({ length: dataset.count }, (_, index) => dataset.row(index)));
}

async function rowsOf(
  name: string,
  content: string | Uint8Array,
  options: Options = {},
): Promise<SampleRow[]> {
  return withData(name, { [name]: content }, allRows, options);
}

async function problemOf(open: Promise<unknown>): Promise<ActionableError> {
  const error = await open.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof ActionableError)) throw error ?? new Error('it was accepted');
  return error;
}

const ROWS = [
  { id: 'a', input: 'one', target: '1' },
  { id: 'b', input: 'zażółć', target: '2', metadata: { topic: 'art' } },
  { id: 3, input: ['x', { y: null }], choices: ['p', 'q'] },
];

describe('files', () => {
  test.each([
    ['lines', ROWS.map((row) => JSON.stringify(row)).join('\n')],
    ['a last line break', ROWS.map((row) => `${JSON.stringify(row)}\n`).join('')],
    [
      'CRLF, blank lines and a byte order mark',
      `\ufeff\r\n${ROWS.map((row) => JSON.stringify(row)).join('\r\n\r\n')}\r\n \r\n`,
    ],
  ])('JSONL with %s', async (_name, text) => {
    expect(await rowsOf('data.jsonl', text)).toEqual(ROWS);
  });

  test.each([
    ['one line', JSON.stringify(ROWS)],
    ['many lines', `\ufeff \n${JSON.stringify(ROWS, undefined, 2)}\n\n`],
  ])('a JSON list on %s', async (_name, text) => {
    expect(await rowsOf('data.json', text)).toEqual(ROWS);
  });

  test('CSV: quotes, line breaks inside fields, choices, metadata and further columns', async () => {
    const text = [
      '\ufeffid,input,target,choices,metadata,topic',
      '1,"Say ""hi"",\r\nplease",hi,a|b,"{""n"": 1}",art',
      '',
      '2,plain 5" pipe,,"[""x, y"", ""z""]",,',
    ].join('\r\n');
    expect(await rowsOf('data.csv', text)).toEqual([
      {
        id: '1',
        input: 'Say "hi",\r\nplease',
        target: 'hi',
        choices: ['a', 'b'],
        metadata: { n: 1, topic: 'art' },
      },
      { id: '2', input: 'plain 5" pipe', choices: ['x, y', 'z'] },
    ]);
  });

  test('TSV and YAML', async () => {
    expect(await rowsOf('data.tsv', 'id\tinput\nx\ta, b\n')).toEqual([{ id: 'x', input: 'a, b' }]);
    expect(await rowsOf('data.yaml', '- id: x\n  input: |\n    two\n    lines\n')).toEqual([
      { id: 'x', input: 'two\nlines\n' },
    ]);
  });

  test('columns can have other names, and what is left becomes metadata', async () => {
    const data = { file: 'q.jsonl', fields: { input: 'question', target: 'answer', id: 'n' } };
    const rows = await withData(
      data,
      { 'q.jsonl': '{"n": 7, "question": "q", "answer": "a", "level": 2}' },
      allRows,
    );
    expect(rows).toEqual([{ id: 7, input: 'q', target: 'a', metadata: { level: 2 } }]);
  });

  test('several files and patterns are read in order', async () => {
    const files = {
      'b-2.jsonl': '{"id": 2, "input": "b"}',
      'b-1.csv': 'id,input\n1,a\n',
      'z.jsonl': '{"id": 3, "input": "c"}',
    };
    await withData({ file: ['b-*', 'z.jsonl'] }, files, async (dataset) => {
      expect(dataset.ids).toEqual(['1', 2, 3]);
      expect((await dataset.row(2)).input).toBe('c');
    });
  });

  test('a record longer than any chunk, and records that end at a chunk', async () => {
    const long = 'x'.repeat(700_000);
    const lines = Array.from({ length: 400 }, (_, index) => ({
      id: index,
      input: 'y'.repeat(1_200 + (index % 97)),
    }));
    const rows = [{ id: 'long', input: long }, ...lines];
    expect(await rowsOf('data.jsonl', rows.map((row) => JSON.stringify(row)).join('\n'))).toEqual(rows);
    expect(await rowsOf('data.json', JSON.stringify(rows))).toEqual(rows);
    const csv = `id,input\n${rows.map(({ id, input }) => `${id},"${input}""\n"""\n`).join('')}`;
    expect(await rowsOf('data.csv', csv)).toEqual(
      rows.map(({ id, input }) => ({ id: `${id}`, input: `${input}"\n"` })),
    );
  });

  test('NaN, big integers and lone surrogates are kept', async () => {
    const [row] = await rowsOf(
      'data.jsonl',
      '{"id": 1, "input": "\\ud800 x", "metadata": {"n": NaN, "b": 12345678901234567890}}',
    );
    expect(row).toEqual({ id: 1, input: '\ud800 x', metadata: { n: Number.NaN, b: 12345678901234567890n } });
  });

  test('the data knows its name and size', async () => {
    await withData('data.jsonl', { 'data.jsonl': '{"input": 1}\n{"input": 2}\n' }, (dataset) => {
      expect(dataset).toMatchObject({ name: 'data', count: 2, totalCount: 2, isShuffled: false });
      expect(dataset.location).toMatch(/data\.jsonl$/);
    });
  });

  test('a file that changes under the run is noticed', async () => {
    await using dir = await makeTempDir();
    const path = join(dir.path, 'd.jsonl');
    await writeFile(path, '{"id": 1, "input": "a"}\n{"id": 2, "input": "b"}\n');
    const dataset = await openDataset({ data: 'd.jsonl', baseDir: dir.path, disk: nodeDisk });
    await writeFile(path, '{"id": 1, "input": "a"}\n{"id": 2, "input": "c"}\n');
    expect(await dataset.row(0)).toEqual({ id: 1, input: 'a' });
    expect((await problemOf(dataset.row(1))).code).toBe('E_DATA_CHANGED');
    await dataset.close();
  });
});

describe('rows from the program', () => {
  const rows: readonly Row[] = [{ input: 'a' }, { input: 'b', target: new Date(0) }];

  test.each<[string, OpenDatasetInput['data']]>([
    ['an array', rows],
    ['an iterable', new Set(rows)],
    [
      'a generator',
      (function* () {
        yield* rows;
      })(),
    ],
    ['a function', () => rows],
    ['an async function', async () => rows],
    [
      'an async generator function',
      async function* () {
        yield* rows;
      },
    ],
  ])('%s', async (_name, data) => {
    const found = await withData(data, {}, allRows);
    expect(found.map(({ input, target }) => ({ input, target }))).toEqual([
      { input: 'a', target: undefined },
      { input: 'b', target: new Date(0) },
    ]);
  });

  test('many rows go to a temporary file and come back as they were', async () => {
    const make = (index: number) => ({
      input: `${index} ${'z'.repeat(4_000)}`,
      metadata: { n: Number.NaN, s: '\udc00' },
    });
    const data = function* () {
      for (let index = 0; index < 3_000; index++) yield make(index);
    };
    await withData(data, {}, async (dataset) => {
      expect(dataset.count).toBe(3_000);
      for (const index of [0, 1_500, 2_999]) expect(await dataset.row(index)).toMatchObject(make(index));
    });
  });
});

describe('what is refused', () => {
  test.each<[string, string | Uint8Array, string, string]>([
    ['broken JSON', '{"input": 1}\n\n{"input": tru}\n', 'E_DATA_ROW', 'd.jsonl:3: not valid JSON'],
    ['a row without input', '{"target": "x"}\n', 'E_DATA_ROW', 'd.jsonl:1: "input" is missing'],
    ['a row that is no object', '{"input": 1}\n[1]\n', 'E_DATA_ROW', 'd.jsonl:2: the row is a list'],
    [
      'an id of another kind',
      '{"input": 1, "id": 1.5}',
      'E_DATA_ROW',
      'd.jsonl:1: "id" must be a whole number, or a text that is not blank, of at most 1000 characters',
    ],
    [
      'choices of another kind',
      '{"input": 1, "choices": "ab"}',
      'E_DATA_ROW',
      '"choices" must be a list of texts',
    ],
    [
      'the same id twice',
      '{"input": 1, "id": "x"}\n{"input": 2, "id": "x"}',
      'E_DATA_DUPLICATE_ID',
      'd.jsonl:1 and at d.jsonl:2',
    ],
    ['1 and "1"', '{"input": 1, "id": 1}\n{"input": 2, "id": "1"}', 'E_DATA_DUPLICATE_ID', 'used twice'],
    ['no rows', '\n\n', 'E_DATA_EMPTY', 'd.jsonl has no rows'],
    ['an empty file', '', 'E_DATA_EMPTY', 'd.jsonl has no rows'],
    [
      'invalid UTF-8',
      Buffer.concat([Buffer.from('{"input": 1}\n{"input": "'), Buffer.from([0xff, 0x22, 0x7d])]),
      'E_DATA_ROW',
      'd.jsonl:2: not valid UTF-8',
    ],
    ['UTF-16', Buffer.from('\ufeff{"input": 1}', 'utf16le'), 'E_DATA_FILE', 'UTF-16'],
  ])('%s', async (_name, content, code, message) => {
    const error = await problemOf(rowsOf('d.jsonl', content));
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
    expect(error.hint).not.toBe('');
  });

  test.each<[string, string, string]>([
    ['d.csv', 'id,input\n1,a\n\n2,b,c\n', 'd.csv:4: the row has 3 fields'],
    ['d.csv', 'id,input\n1,a\n2,"b\n', 'd.csv:3: a quote that is opened here is never closed'],
    ['d.json', '[\n{"input": 1},\n{"target": 1}\n]', 'd.json:3: "input" is missing'],
    ['d.json', '[\n{"input": 1},\n', 'd.json:3: the list is not closed'],
    ['d.json', '{"input": 1}', 'd.json:1: the file must hold a list of rows'],
    ['d.json', '[{"input": 1}] x', 'not valid JSON'],
    ['d.json', '[{"input": 1},,{"input": 2}]', 'not valid JSON'],
    ['d.yaml', '- input: a\n- target: b\n', 'd.yaml:2: "input" is missing'],
    ['d.yaml', 'input: a\n', 'd.yaml:1: the file must hold a list of rows'],
    ['d.yaml', '- input: "a\n', 'not valid YAML'],
    ['d.txt', 'a', 'd.txt is not a kind of file'],
  ])('%s with %j', async (name, content, message) => {
    const error = await problemOf(rowsOf(name, content));
    expect(error.message).toContain(message);
  });

  test('a missing file, and a pattern that matches nothing', async () => {
    expect((await problemOf(withData('no.jsonl', {}, () => 0))).message).toBe('no.jsonl does not exist.');
    expect((await problemOf(withData('no-*.jsonl', {}, () => 0))).message).toBe(
      'no-*.jsonl matches no file.',
    );
    expect((await problemOf(withData('no.yaml', {}, () => 0))).message).toBe('no.yaml does not exist.');
  });

  test('an input column of another name is pointed out', async () => {
    const error = await problemOf(rowsOf('d.csv', 'question,answer\nq,a\n'));
    expect(error.hint).toContain('fields: { input: "question" }');
  });

  test('rows of a program are named by number, with the word that was meant', async () => {
    const misspelt = { input: 'b', targt: 'x' };
    const data: Row[] = [{ input: 'a' }, misspelt];
    const error = await problemOf(withData(data, {}, () => 0));
    expect(error.message).toBe('row 2: "targt" is not a word of a row; did you mean "target"?');
  });

  test('a data function that throws, rows that cannot be stored, a filter that throws', async () => {
    const failing = async function* (): AsyncGenerator<Row> {
      yield { input: 'a' };
      throw new Error('no network');
    };
    expect((await problemOf(withData(failing, {}, () => 0))).message).toContain('no network');
    const unstorable = () => [{ input: () => 1 }];
    expect((await problemOf(withData(unstorable, {}, () => 0))).message).toContain(
      'row 1: the row cannot be stored',
    );
    const filter = () => {
      throw new Error('odd');
    };
    expect((await problemOf(withData([{ input: 1 }], {}, () => 0, { filter }))).code).toBe('E_DATA_SOURCE');
  });

  test('a filter that leaves nothing', async () => {
    const error = await problemOf(withData([{ input: 1 }], {}, () => 0, { filter: () => false }));
    expect(error.message).toBe('The data has 1 rows, and the filter leaves none.');
  });

  test('ids that no row has: they are named, and some that there are', async () => {
    const rows = [
      { id: 'a', input: 1 },
      { id: 2, input: 1 },
    ];
    const filter = idFilter(['nosuch'], undefined);
    const error = await problemOf(withData(rows, {}, () => 0, { filter }));
    expect(error).toMatchObject({ code: 'E_DATA_EMPTY' });
    expect(error.message).toBe('The data has no row to run with the id nosuch.');
    expect(error.hint).toContain('a, 2');
  });

  test('one id of several that no row has, and an empty one, are refused as well', async () => {
    const rows = [{ id: 'a', input: 1 }];
    for (const id of ['nosuch', '']) {
      const filter = idFilter(['a', id], undefined);
      const error = await problemOf(withData(rows, {}, () => 0, { filter }));
      expect(error).toMatchObject({ code: 'E_DATA_EMPTY' });
      expect(error.message).toBe(`The data has no row to run with the id ${id}.`);
    }
  });
});

describe('filter, shuffle, limit', () => {
  const rows = Array.from({ length: 20 }, (_, index) => ({
    id: index,
    input: index,
    metadata: { odd: index % 2 === 1 },
  }));
  const idsOf = (options: Options) => withData(rows, {}, (dataset) => dataset.ids, options);

  test('they are applied in this order', async () => {
    const all = await idsOf({ filter: { 'metadata.odd': true }, shuffle: 7 });
    expect([...all].sort()).toEqual(
      rows
        .filter((row) => row.metadata.odd)
        .map((row) => row.id)
        .sort(),
    );
    expect(await idsOf({ filter: { 'metadata.odd': true }, shuffle: 7, limit: 3 })).toEqual(all.slice(0, 3));
    expect(await idsOf({ filter: (row) => Number(row.id) > 17 })).toEqual([18, 19]);
    expect(await idsOf({ filter: { id: [3, 4] } })).toEqual([3, 4]);
  });

  test('a seed gives this order on every machine and in every release', async () => {
    expect(await idsOf({ shuffle: 42, limit: 8 })).toEqual([13, 0, 19, 4, 6, 1, 9, 16]);
  });

  test('the same seed gives the same order, and every row once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), async (seed) => {
        const order = await idsOf({ shuffle: seed });
        expect(await idsOf({ shuffle: seed })).toEqual(order);
        expect([...order].sort((a, b) => Number(a) - Number(b))).toEqual(rows.map((row) => row.id));
      }),
      { numRuns: 20 },
    );
  });
});

test('whatever the order of rows, each keeps its id and digest', async () => {
  const row = fc.record(
    {
      input: fc.string({ unit: 'grapheme' }),
      target: fc.string(),
      metadata: fc.dictionary(fc.string(), fc.integer()),
    },
    { requiredKeys: ['input'] },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 12 }), fc.integer(), async (rows, seed) => {
      const summary = (data: readonly Row[]) =>
        withData(data, {}, async (dataset) => {
          const found = await allRows(dataset);
          return found
            .map((item, index) => `${item.id} ${dataset.contentDigest(index)} ${JSON.stringify(item.input)}`)
            .sort();
        });
      const order = rows.map((_, index) => index).sort((a, b) => Math.sin(a + seed) - Math.sin(b + seed));
      expect(await summary(order.map((index) => rows[index] as Row))).toEqual(await summary(rows));
    }),
    { numRuns: 40 },
  );
});

test('files of any shape give back what was written', async () => {
  const row = fc.record({
    id: fc.uuid(),
    input: fc.string({ unit: 'binary' }),
    target: fc.string({ unit: 'binary' }),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(row, { selector: (item) => item.id, minLength: 1, maxLength: 6 }),
      async (rows) => {
        const quote = (text: string) => `"${text.replaceAll('"', '""')}"`;
        const wellFormed = rows.map(({ id, input, target }) => ({
          id,
          input: `i${input.toWellFormed()}`,
          target: `t${target.toWellFormed()}`,
        }));
        const csv = `id,input,target\n${wellFormed.map(({ id, input, target }) => `${id},${quote(input)},${quote(target)}\n`).join('')}`;
        expect(await rowsOf('d.csv', csv)).toEqual(wellFormed);
        expect(await rowsOf('d.jsonl', rows.map((item) => JSON.stringify(item)).join('\n'))).toEqual(rows);
        expect(await rowsOf('d.json', JSON.stringify(rows, undefined, 1))).toEqual(rows);
      },
    ),
    { numRuns: 30 },
  );
});

test.each([
  ['an alias of nothing', '- input: *nowhere'],
  ['an alias of nothing as the whole file', '*a'],
  ['an alias of what stands behind it', '- *b\n- &b {input: 1}'],
  ['a merge of an alias of nothing', '- {input: 1, <<: *a}'],
  ['aliases that expand without end', bomb()],
  ['a value that is part of itself', '- &a {input: *a}'],
  ['a list that is part of itself', '&a [*a]'],
  ['nesting without end', `- input: ${'['.repeat(20_000)}`],
  ['maps without end', `- input: ${'{a: '.repeat(20_000)}`],
])('[regression] YAML with %s gives rows or an error a person can act on', async (_, text) => {
  const error = await problemOf(rowsOf('d.yaml', text));
  expect(error.code).toBe('E_DATA_ROW');
});

/** Nine levels of nine aliases each: a few hundred bytes that stand for half a billion values. */
function bomb(): string {
  const levels = ['- &l0 [x, x, x, x, x, x, x, x, x]'];
  for (let level = 1; level < 9; level++) {
    levels.push(`- &l${level} [${Array.from({ length: 9 }, () => `*l${level - 1}`).join(', ')}]`);
  }
  return levels.join('\n');
}

test('any bytes give rows or an error a person can act on', async () => {
  const noise = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .string({ unit: fc.constantFrom(...'{}[]",:\n\r\t \\inputx1-'), maxLength: 80 })
      .map((text) => Buffer.from(text)),
    fc
      .array(
        fc.constantFrom(
          '*a',
          '&a ',
          '- ',
          '{input: ',
          '}',
          '<<: ',
          '? ',
          '[',
          ']',
          '!!set ',
          '\n',
          ' x',
          '|',
          '%',
        ),
        {
          maxLength: 14,
        },
      )
      .map((words) => Buffer.from(words.join(''))),
  );
  await fc.assert(
    fc.asyncProperty(
      noise,
      fc.constantFrom('d.jsonl', 'd.json', 'd.csv', 'd.tsv', 'd.yaml'),
      async (bytes, name) => {
        await rowsOf(name, bytes).catch((error: unknown) => {
          expect(error).toBeInstanceOf(ActionableError);
        });
      },
    ),
    { numRuns: 250 },
  );
});

describe('slices', () => {
  const rows = Array.from({ length: 10 }, (_, index) => ({ id: index, input: `row ${index}` }));
  const idsOf = (more: Options) => withData(rows, {}, ({ ids }) => [...ids], more);

  test.each([{}, { limit: 7 }, { shuffle: 3 }, { shuffle: 3, limit: 8 }])(
    'together have every row once, after %j',
    async (more) => {
      const slices = await Promise.all(
        [1, 2, 3].map((index) => idsOf({ ...more, shard: { index, count: 3 } })),
      );
      expect(slices.flat().sort()).toEqual((await idsOf(more)).sort());
      const sizes = slices.map(({ length }) => length);
      expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    },
  );

  test('one that has no row says so', async () => {
    await expect(idsOf({ limit: 2, shard: { index: 3, count: 3 } })).rejects.toMatchObject({
      code: 'E_SHARD_EMPTY',
      message: 'Shard 3/3 has no samples: there are 2 rows for 3 shards.',
    });
  });
});
