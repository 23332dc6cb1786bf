import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ActionableError } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { memorySource, openLog, openLogSource, scanTornLog, verifyLog } from './index.ts';
import { encodeCentralEntry, encodeEnd, encodeLocalHeader, type ZipEntry } from './zip-format.ts';

let dir = '';
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'holdfast-damage-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

interface Member {
  readonly name: string;
  readonly text?: string | Uint8Array;
  readonly method?: number;
  /** Compressed bytes and claims that do not fit them. */
  readonly raw?: Uint8Array;
  readonly crc?: number;
  readonly sizeBytes?: number;
}

const header = JSON.stringify({
  version: 2,
  status: 'success',
  eval: { created: '2026-01-01T00:00:00+00:00', task: 't', dataset: {}, model: 'x/y', config: {} },
});
const whole: Member[] = [
  { name: '_journal/start.json', text: header },
  { name: 'samples/1_epoch_1.json', text: '{"id":1,"epoch":1,"input":"q","target":"t","events":[]}' },
  { name: 'summaries.json', text: '[{"id":1,"epoch":1,"input":"q","target":"t"}]' },
  { name: 'header.json', text: header },
];

function zip(members: readonly Member[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const member of members) {
    const text = Buffer.from(member.text ?? '');
    const method = member.method ?? 0;
    const encode = { 0: (bytes: Buffer) => bytes, 8: deflateRawSync, 93: zstdCompressSync }[method];
    const data = Buffer.from(member.raw ?? encode?.(text) ?? text);
    const entry: ZipEntry = {
      name: member.name,
      method,
      crc: member.crc ?? crc32(text),
      compressedBytes: data.length,
      sizeBytes: member.sizeBytes ?? text.length,
      headerOffset: offset,
    };
    const local = encodeLocalHeader(entry);
    parts.push(local, data);
    offset += local.length + data.length;
    directory.push(encodeCentralEntry(entry));
  }
  const central = Buffer.concat(directory);
  return Buffer.concat([
    ...parts,
    central,
    encodeEnd({ count: members.length, offset, sizeBytes: central.length }),
  ]);
}

function replaced(member: Member): Buffer {
  return zip(whole.map((other) => (other.name === member.name ? member : other)));
}

function open(bytes: Uint8Array) {
  return openLogSource(memorySource('test.eval', bytes));
}

async function codeOf(action: () => Promise<unknown>): Promise<string> {
  try {
    await action();
    return 'no error';
  } catch (error) {
    expect(error).toBeInstanceOf(ActionableError);
    return error instanceof ActionableError ? error.code : '';
  }
}

test.each(['1_epoch_2', '2_epoch_1'])(
  '[LOG-21] a member %s that holds sample 1 at epoch 1 is a problem: it would be given for another',
  async (name) => {
    const path = join(dir, `misnamed-${name}.eval`);
    await writeFile(
      path,
      zip(
        whole.map((member) =>
          member.name.startsWith('samples/') ? { ...member, name: `samples/${name}.json` } : member,
        ),
      ),
    );
    expect((await verifyLog(nodeDisk, path)).problems).toContainEqual(
      expect.objectContaining({ message: `It is named for ${name} but holds 1, epoch 1.` }),
    );
  },
);

describe('[LOG-21] wrong input is named for what it is', () => {
  test.each([
    ['an empty file', Buffer.alloc(0), 'E_LOG_EMPTY'],
    ['text', Buffer.from('hello'), 'E_LOG_FOREIGN'],
    ['a foreign ZIP', zip([{ name: 'word/document.xml', text: '<x/>' }]), 'E_LOG_FOREIGN'],
    ['an empty ZIP', zip([]), 'E_LOG_FOREIGN'],
    ['foreign JSON', Buffer.from('{"name":"holdfast"}'), 'E_LOG_FOREIGN'],
    ['broken JSON', Buffer.from('{"eval": {'), 'E_LOG_JSON'],
    ['a JSON list', Buffer.from('[1]'), 'E_LOG_FOREIGN'],
    ['a ZIP without its end', zip(whole).subarray(0, -30), 'E_LOG_TORN'],
    ['a ZIP cut in its first member', zip(whole).subarray(0, 60), 'E_LOG_TORN'],
    ['a log of the future', Buffer.from('{"version":9,"eval":{}}'), 'E_LOG_NEWER'],
    ['JSON that is not UTF-8', Buffer.from('7b226576616c223a7b7d2c2261223a22ff227d', 'hex'), 'E_LOG_UTF8'],
  ])('%s', async (_, bytes, code) => {
    expect(await codeOf(() => open(bytes))).toBe(code);
  });

  test('a directory, and a path where nothing is', async () => {
    await mkdir(join(dir, 'folder.eval'));
    expect(await codeOf(() => openLog(nodeDisk, join(dir, 'folder.eval')))).toBe('E_LOG_IS_DIRECTORY');
    expect(await codeOf(() => openLog(nodeDisk, join(dir, 'none.eval')))).toBe('E_LOG_NOT_FOUND');
  });

  const sample = 'samples/1_epoch_1.json';
  const text = '{"id":1,"epoch":1,"input":"q","target":"t"}';
  const packed = zstdCompressSync(text);
  test.each([
    ['a wrong checksum', { name: sample, text, crc: 1 }, 'E_LOG_CHECKSUM'],
    ['an unknown compression', { name: sample, text, method: 12 }, 'E_LOG_METHOD'],
    [
      'a zstd member cut short',
      { name: sample, text, method: 93, raw: packed.subarray(0, -9) },
      'E_LOG_MEMBER_TRUNCATED',
    ],
    [
      'a deflate member of noise',
      { name: sample, text, method: 8, raw: Buffer.alloc(40, 0xff) },
      'E_LOG_MEMBER_TRUNCATED',
    ],
    [
      'noise after a zstd frame',
      { name: sample, text, method: 93, raw: Buffer.concat([packed, Buffer.from('noise')]) },
      'E_LOG_MEMBER_TRUNCATED',
    ],
    [
      'more content than announced',
      { name: sample, text, method: 93, sizeBytes: 5 },
      'E_LOG_MEMBER_TRUNCATED',
    ],
    ['less content than announced', { name: sample, text, sizeBytes: 500 }, 'E_LOG_MEMBER_TRUNCATED'],
    [
      'bytes that are not UTF-8',
      { name: sample, text: Buffer.from('{"id":1,"epoch":1,"input":"\xff"}', 'latin1') },
      'E_LOG_UTF8',
    ],
    ['text that is not JSON', { name: sample, text: '{"id":1,,}' }, 'E_LOG_JSON'],
    ['JSON without an id', { name: sample, text: '{}' }, 'E_LOG_SHAPE'],
    ['a list', { name: sample, text: '[1]' }, 'E_LOG_SHAPE'],
    [
      'endless nesting',
      { name: sample, text: `{"id":1,"epoch":1,"input":${'['.repeat(5_000)}` },
      'E_LOG_JSON',
    ],
  ] satisfies [string, Member, string][])(
    'a member with %s does not hinder the others',
    async (_, member, code) => {
      const bytes = replaced(member);
      const reader = await open(bytes);
      expect(await codeOf(() => reader.sample(1, 1))).toBe(code);
      expect(await codeOf(() => reader.sampleFields(1, 1))).toBe(code);
      expect((await reader.header()).eval.task).toBe('t');
      expect(await Array.fromAsync(reader.summaries())).toHaveLength(1);

      const path = join(dir, 'damaged.eval');
      await writeFile(path, bytes);
      const report = await verifyLog(nodeDisk, path);
      expect(report.problems.map((problem) => problem.member)).toContain(sample);
    },
  );

  test('a decompression bomb is refused before it unfolds', async () => {
    const raw = zstdCompressSync(Buffer.alloc(2 ** 20));
    const bomb: Member = { name: sample, method: 93, raw, sizeBytes: 60 * 2 ** 30 };
    const reader = await open(replaced(bomb));
    expect(await codeOf(() => reader.sampleFields(1, 1))).toBe('E_LOG_TOO_LARGE');
    const strict = { limits: { memberSizeBytesMax: 100 } };
    const small = await openLogSource(
      memorySource('x', replaced({ name: sample, text: text.padEnd(200) })),
      strict,
    );
    expect(await codeOf(() => small.sample(1, 1))).toBe('E_LOG_TOO_LARGE');
  });

  test('one huge value is refused, not held', async () => {
    const long = JSON.stringify({ id: 1, epoch: 1, input: 'x'.repeat(5_000), target: '' });
    const source = memorySource('x', replaced({ name: sample, text: long }));
    const reader = await openLogSource(source, { limits: { valueSizeBytesMax: 1_000 } });
    expect(await codeOf(() => reader.sampleFields(1, 1))).toBe('E_LOG_TOO_LARGE');
  });
});

describe('[LOG-30] verify lists every kind of problem', () => {
  const verify = async (members: readonly Member[]) => {
    const path = join(dir, 'verified.eval');
    await writeFile(path, zip(members));
    return (await verifyLog(nodeDisk, path)).problems.map(({ code }) => code);
  };

  test('a whole log has none', async () => {
    expect(await verify(whole)).toEqual([]);
  });

  test('an unfinished log', async () => {
    expect(await verify(whole.slice(0, 2))).toEqual(['unfinished']);
  });

  test('summaries without samples, and samples without summaries', async () => {
    const rows = { name: 'summaries.json', text: '[{"id":2,"epoch":1,"input":"q","target":"t"}]' };
    expect(await verify(whole.map((member) => (member.name === rows.name ? rows : member)))).toEqual([
      'summary',
      'summary',
    ]);
  });

  test('references without a target', async () => {
    const sample = {
      id: 1,
      epoch: 1,
      input: 'q',
      target: 't',
      events: [
        { event: 'model', input: [], input_refs: [[0, 3]], call: { request: {}, call_refs: [[0, 1]] } },
        { event: 'info', data: `attachment://${'a'.repeat(32)}` },
      ],
      events_data: { messages: [{}], calls: [] },
    };
    const member = { name: 'samples/1_epoch_1.json', text: JSON.stringify(sample) };
    expect(await verify(whole.map((other) => (other.name === member.name ? member : other)))).toEqual([
      'reference',
      'reference',
    ]);
    // Inspect does not escape what looks like a reference, so nobody can tell whether it is one.
    expect((await verifyLog(nodeDisk, join(dir, 'verified.eval'))).remarks).toMatchObject([
      { code: 'reference', member: 'samples/1_epoch_1.json', sample: { id: 1, epoch: 1 } },
    ]);
  });

  test('a torn file', async () => {
    const path = join(dir, 'torn.eval');
    await writeFile(path, zip(whole).subarray(0, -40));
    expect(await verifyLog(nodeDisk, path)).toMatchObject({
      isWhole: false,
      problems: [{ code: 'E_LOG_TORN' }],
    });
  });
});

describe('[LOG-31] a torn log gives back its whole members', () => {
  test('wherever it was cut', async () => {
    const bytes = zip(whole.map((member) => ({ ...member, method: 93 })));
    let last = 0;
    for (let size = 0; size <= bytes.length; size += 7) {
      const { members, reader, lostBytes } = await scanTornLog(memorySource('torn', bytes.subarray(0, size)));
      expect(members.length).toBeGreaterThanOrEqual(last);
      expect(reader !== undefined).toBe(members.length > 0);
      expect(lostBytes).toBeGreaterThanOrEqual(0);
      last = members.length;
    }
    expect(last).toBe(4);
  });

  test('but not one whose content is not what its checksum says, nor what follows it', async () => {
    const bytes = Buffer.from(zip(whole));
    const at = bytes.indexOf('"input":"q"');
    bytes.write('"input":"z"', at);
    const { members, reader } = await scanTornLog(memorySource('torn', bytes.subarray(0, -30)));
    expect(members).toEqual(['_journal/start.json']);
    expect(await reader?.samples()).toEqual([]);
  });

  test('as an unfinished log with its samples', async () => {
    const bytes = zip(whole);
    const cut = bytes.indexOf('summaries.json') - 10;
    const { reader } = await scanTornLog(memorySource('torn', bytes.subarray(0, cut)));
    expect((await reader?.header())?.status).toBe('started');
    expect((await reader?.sample(1, 1))?.input).toBe('q');
    expect(await Array.fromAsync(reader?.summaries() ?? [])).toMatchObject([
      { id: 1, epoch: 1, completed: true },
    ]);
  });
});

describe('[LOG-25] any bytes give a value or a typed error', () => {
  const readAll = async (bytes: Uint8Array) => {
    const limits = { memberSizeBytesMax: 2 ** 24 };
    const reader = await openLogSource(memorySource('fuzz', bytes), { limits });
    await reader.header();
    for (const { id, epoch } of await reader.samples()) {
      await reader.sample(id, epoch);
      for await (const _ of reader.events(id, epoch));
    }
    for await (const _ of reader.summaries());
    await reader.reductions();
  };
  const mustBeTyped = async (bytes: Uint8Array) => {
    await readAll(bytes).catch((error: unknown) => {
      if (!(error instanceof ActionableError)) throw error;
    });
    await scanTornLog(memorySource('fuzz', bytes)).then(({ reader }) => reader?.close());
  };

  test('random bytes behind a known beginning', async () => {
    const start = fc.constantFrom('', 'PK\x03\x04', 'PK\x05\x06', '{"eval":{', '{');
    const property = fc.asyncProperty(start, fc.uint8Array({ maxLength: 400 }), (begin, rest) =>
      mustBeTyped(Buffer.concat([Buffer.from(begin, 'latin1'), rest])),
    );
    await fc.assert(property, { numRuns: 1_000 });
  });

  const seeds = [
    zip(whole),
    zip(whole.map((member) => ({ ...member, method: 93 }))),
    Buffer.from(`{"samples":[${whole[1]?.text}],${header.slice(1)}`),
  ];
  const shapes = join(import.meta.dirname, '../../test/golden/log/shapes');
  for (const file of ['chunked.eval', 'zstd-frames.eval', '2024-10-07T09-30-00+00-00_rivers_whole.json'])
    seeds.push(readFileSync(join(shapes, file)));
  const change = fc.record({
    at: fc.nat(),
    byte: fc.nat(255),
    kind: fc.constantFrom('set', 'cut', 'drop', 'double'),
  });

  test('real logs with bytes changed, cut, dropped and doubled', async () => {
    const property = fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.array(change, { minLength: 1, maxLength: 6 }),
      (seed, changes) => {
        let bytes: Buffer = Buffer.from(seed);
        for (const { at, byte, kind } of changes) {
          if (bytes.length === 0) break;
          const position = at % bytes.length;
          if (kind === 'set') bytes[position] = byte;
          else if (kind === 'cut') bytes = bytes.subarray(0, position);
          else {
            const end = Math.min(position + byte, bytes.length);
            bytes = Buffer.concat([
              bytes.subarray(0, kind === 'drop' ? position : end),
              bytes.subarray(kind === 'drop' ? end : position),
            ]);
          }
        }
        return mustBeTyped(bytes);
      },
    );
    await fc.assert(property, { numRuns: 500 });
  });

  test('JSON of the right names and the wrong kinds', async () => {
    const odd = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom(null, 0, '', [], {}, [null], [[]]));
    const some = (...keys: string[]) => fc.dictionary(fc.constantFrom(...keys), odd);
    const event = some(
      'event',
      'input',
      'input_refs',
      'call',
      'score',
      'changes',
      'sample',
      'events',
      'from_message',
    ).chain((more) =>
      fc
        .constantFrom('model', 'score', 'sample_init', 'branch', 'state', 'tool')
        .map((tag) => ({ event: tag, ...more })),
    );
    const sample = fc
      .tuple(
        some(
          'input',
          'target',
          'choices',
          'messages',
          'scores',
          'score',
          'metadata',
          'error',
          'limit',
          'error_retries',
          'sandbox',
          'transcript',
          'events_data',
          'attachments',
          'message_pool',
        ),
        fc.array(event, { maxLength: 3 }),
      )
      .map(([more, events]) => ({ id: 1, epoch: 1, events, ...more }));
    const log = fc
      .tuple(
        some('version', 'status', 'plan', 'results', 'stats', 'tags', 'reductions'),
        some('config', 'dataset', 'run_id', 'task_id', 'created', 'sandbox', 'tags', 'metadata'),
        some('scores', 'scorer', 'metrics', 'sample_reductions'),
        sample,
      )
      .map(([top, spec, results, one]) => ({ results, ...top, eval: spec, samples: [one] }));
    await fc.assert(
      fc.asyncProperty(log, (value) => mustBeTyped(Buffer.from(JSON.stringify(value)))),
      { numRuns: 1_000 },
    );
  });
});
