import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { damageMember } from '../../../test/sim/damage-member.ts';
import { newWriter, runRecord, sampleStart } from '../../../test/sim/journal-fixture.ts';
import { type FixtureSample, fixtureEvent, fixtureFields } from '../../../test/sim/log-fixture.ts';
import { runOfDay, writeRun } from '../../../test/sim/results-repo.ts';
import { ask, askLines, type StudioOfLogs, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { wholeSkeleton } from '../../../test/sim/whole-skeleton.ts';
import { type Json, type JsonObject, toJson } from '../../base/index.ts';
import { isTempName } from '../../disk/index.ts';
import { StateDir } from '../../journal/index.ts';
import type { ChatMessage, LogEvent } from '../../log/index.ts';
import type { AnyJson, CutText } from '../api.ts';
import { closeSpools } from '../spool/spools.ts';
import { sample } from './sample.ts';
import { event, eventPlace, events, find, messages, skeleton, text } from './transcript.ts';

const dir = useTempDir();
const RUN = runOfDay(1);
const studios: StudioOfLogs[] = [];

afterEach(async () => {
  for (const studio of studios.splice(0)) {
    await closeSpools(studio);
    await studio[Symbol.asyncDispose]();
  }
  // Whatever was opened, nothing of it stays.
  expect(
    readdirSync(tmpdir()).filter((name) => isTempName(name) && name.includes(`-${process.pid}-`)),
  ).toEqual([]);
});

async function studio(): Promise<StudioOfLogs> {
  const made = await studioOfLogs({ logs: dir.path });
  studios.push(made);
  return made;
}

const say = (
  role: string,
  content: ChatMessage['content'],
  more: Partial<ChatMessage> = {},
): ChatMessage => ({ role, content, ...more });
const modelEvent = (input: readonly ChatMessage[], answer: string, more: Partial<LogEvent> = {}): LogEvent =>
  fixtureEvent({
    event: 'model',
    model: 'mock/m',
    input: toJson(input),
    tools: [],
    tool_choice: 'auto',
    config: {},
    output: {
      model: 'mock/m',
      choices: [{ message: { role: 'assistant', content: answer }, stop_reason: 'stop' }],
      completion: answer,
    },
    ...more,
  });
const answered = (content: string, id: string) => ({
  model: 'mock/m',
  choices: [{ message: { role: 'assistant', content, id }, stop_reason: 'stop' }],
  completion: content,
});
const info = (data: Json, more: Partial<LogEvent> = {}): LogEvent =>
  fixtureEvent({ event: 'info', data, ...more });

const SAMPLE = { run: RUN, sample: 'a', epoch: '1' };

async function written(...given: readonly (readonly LogEvent[] | FixtureSample)[]) {
  const samples = given.map((one, index) =>
    'fields' in one ? one : { fields: fixtureFields(index === 0 ? 'a' : `a${index}`), events: one },
  );
  await writeRun(dir.path, RUN, { samples });
  return studio();
}

const cutOf = (value: AnyJson | undefined): CutText['$cut'] => (value as CutText).$cut;

async function wholeText(of: StudioOfLogs, at: string, length = 100_000, params = SAMPLE): Promise<string> {
  let whole = '';
  for (;;) {
    const piece = await ask(of, 'text', text, { params, query: { at, from: whole.length, length } });
    whole += piece.text;
    if (whole.length >= piece.length || piece.text === '') return whole;
  }
}

describe('the skeleton', () => {
  test('comes in parts, which together are all events', async () => {
    const of = await written(Array.from({ length: 250 }, (_, n) => info(`event ${n}`, { uuid: `u${n}` })));
    const whole = await wholeSkeleton(of, SAMPLE, { limit: 100 });
    expect(whole).toMatchObject({ known: 250, isWhole: true, progress: 1 });
    expect(whole.columns.label).toEqual(Array.from({ length: 250 }, (_, n) => `event ${n}`));
    const part = await ask(of, 'skeleton', skeleton, { params: SAMPLE, query: { from: 100, limit: 100 } });
    expect(part).toMatchObject({ from: 100, known: 250, isWhole: true, kinds: [], kindsFrom: 1 });
    expect(part.columns.label).toHaveLength(100);
    const beyond = await ask(of, 'skeleton', skeleton, { params: SAMPLE, query: { from: 900 } });
    expect(beyond).toMatchObject({ from: 250, columns: { label: [] } });
  });

  test('of a long transcript is answered before all of it was read, and has each event once', async () => {
    const words = 'the agent looks at the file '.repeat(3);
    const of = await written(Array.from({ length: 12_000 }, (_, n) => info(`${n} ${words}`)));
    const first = await ask(of, 'skeleton', skeleton, { params: SAMPLE });
    expect(first.columns.label[0]).toMatch(/^0 the agent/);
    const { columns } = await wholeSkeleton(of, SAMPLE);
    expect(columns.label).toHaveLength(12_000);
    expect(columns.label.every((label, index) => label.startsWith(`${index} the`))).toBe(true);
  });

  test('a sample without events has an empty one, and a sample that is not there is refused', async () => {
    const of = await written([]);
    expect(await ask(of, 'skeleton', skeleton, { params: SAMPLE })).toMatchObject({
      known: 0,
      isWhole: true,
    });
    for (const params of [
      { ...SAMPLE, sample: 'b' },
      { ...SAMPLE, epoch: '2' },
      { ...SAMPLE, epoch: 'x' },
    ])
      await expect(ask(of, 'skeleton', skeleton, { params })).rejects.toMatchObject({
        code: 'E_SAMPLE_UNKNOWN',
      });
  });

  test('a damaged sample is an error for itself, and the others are read', async () => {
    const of = await written([info('x'.repeat(500))], [info('fine')]);
    await damageMember(join(dir.path, `${RUN}.eval`), 'samples/a_epoch_1.json');
    await expect(ask(of, 'skeleton', skeleton, { params: SAMPLE })).rejects.toMatchObject({
      code: expect.stringMatching(/^E_LOG_/),
    });
    await expect(ask(of, 'events', events, { params: SAMPLE })).rejects.toMatchObject({
      code: expect.stringMatching(/^E_LOG_/),
    });
    expect(await wholeSkeleton(of, { ...SAMPLE, sample: 'a1' })).toMatchObject({
      known: 1,
    });
  });

  test('a damaged header keeps no sample from being read', async () => {
    const of = await written([info('here')]);
    await damageMember(join(dir.path, `${RUN}.eval`), 'header.json');
    expect((await wholeSkeleton(of, SAMPLE)).columns.label).toEqual(['here']);
    expect(await ask(of, 'sample', sample, { params: SAMPLE })).toMatchObject({ id: 'a', input: 'question' });
  });

  test.each(['with/slash', 'a b?&#%', 'ünï→😀', '../../x', '007', 'a_epoch_1'])(
    'of a sample called %s',
    async (id) => {
      const of = await written({ fields: fixtureFields(id), events: [info('here')] });
      const part = await wholeSkeleton(of, { ...SAMPLE, sample: id });
      expect(part.columns.label).toEqual(['here']);
    },
  );
});

describe('bodies', () => {
  const long = `${'é'.repeat(5_000)}😀 ${'"quoted"\n'.repeat(2_000)}`;

  test('what is long is cut, with its beginning and its length; what was cut is read piece by piece', async () => {
    // Texts of tool results are no attachments; those of info are.
    const tool = fixtureEvent({
      event: 'tool',
      id: 't',
      function: 'f',
      arguments: { code: long },
      result: long,
      events: [],
    });
    const of = await written([tool, info({ deep: [{ long }] })]);
    const page = await ask(of, 'events', events, { params: SAMPLE });
    const [first, second] = page.events as [
      { result: AnyJson; arguments: { code: AnyJson } },
      { data: { deep: [{ long: AnyJson }] } },
    ];
    for (const value of [first.result, first.arguments.code, second.data.deep[0].long]) {
      const cut = cutOf(value);
      expect(cut.length).toBe(long.length);
      expect(long.startsWith(cut.head)).toBe(true);
      expect(cut.head.length).toBeGreaterThan(8_000);
      expect(await wholeText(of, cut.at)).toBe(long);
      expect(await wholeText(of, cut.at, 977)).toBe(long);
      const middle = await ask(of, 'text', text, {
        params: SAMPLE,
        query: { at: cut.at, from: 5_001, length: 3 },
      });
      expect(middle.text).toBe(long.slice(5_001, 5_004));
    }
  });

  test('a text of five megabytes in any place is never sent whole', async () => {
    const huge = 'word '.repeat(1_000_000);
    const of = await written([
      fixtureEvent({ event: 'tool', id: 't', function: 'f', arguments: {}, result: huge, events: [] }),
      modelEvent([say('user', huge)], huge),
      info({ after: true }),
    ]);
    const page = await ask(of, 'events', events, { params: SAMPLE });
    expect(page.events).toHaveLength(3);
    expect(JSON.stringify(page).length).toBeLessThan(200_000);
    expect(page.events[2]).toMatchObject({ data: { after: true } });
    const [tool] = page.events as [{ result: AnyJson }];
    expect(cutOf(tool.result)).toMatchObject({ length: huge.length });
    const part = await wholeSkeleton(of, SAMPLE);
    expect(part.columns.label[1]).toMatch(/^word word/);
    expect(part.columns.sizeBytes[0]).toBeGreaterThan(5_000_000);
    const end = await ask(of, 'text', text, {
      params: SAMPLE,
      query: { at: cutOf(tool.result).at, from: huge.length - 5, length: 10 },
    });
    expect(end.text).toBe('word ');
  });

  test('pictures are cut to what kind they are, wherever they are', async () => {
    const image = `data:image/png;base64,${'iVBORw0KGgo'.repeat(3_000)}`;
    const of = await written([
      fixtureEvent({
        event: 'tool',
        id: 't',
        function: 'f',
        arguments: {},
        result: [{ type: 'image', image }],
        events: [],
      }),
    ]);
    const page = await ask(of, 'events', events, { params: SAMPLE });
    const [tool] = page.events as [{ result: [{ image: AnyJson }] }];
    expect(cutOf(tool.result[0].image)).toMatchObject({
      head: 'data:image/png;base64,',
      length: image.length,
    });
    expect(await wholeText(of, cutOf(tool.result[0].image).at)).toBe(image);
  });

  test('a page ends when it is large, and the next one goes on', async () => {
    const of = await written(
      Array.from({ length: 60 }, (_, n) =>
        info({ n, list: Array.from({ length: 6 }, () => `${n} `.repeat(2_000)) }),
      ),
    );
    const seen: AnyJson[] = [];
    let pages = 0;
    while (seen.length < 60) {
      const page = await ask(of, 'events', events, {
        params: SAMPLE,
        query: { from: seen.length, limit: 500 },
      });
      expect(JSON.stringify(page).length).toBeLessThan(2_000_000);
      expect(page.from).toBe(seen.length);
      seen.push(...page.events);
      pages++;
    }
    expect(pages).toBeGreaterThan(1);
    expect(seen.map((one) => ((one as JsonObject).data as JsonObject).n)).toEqual(
      Array.from({ length: 60 }, (_, n) => n),
    );
  });

  test('values that JSON has no words for, keys of ours and halves of letters come through', async () => {
    const of = await written([
      info({
        nan: Number.NaN,
        big: 12345678901234567890n,
        lone: 'a\ud800b',
        $cut: { head: 'x' },
        __proto__x: 1,
      }),
    ]);
    const page = await ask(of, 'events', events, { params: SAMPLE });
    expect(page.events[0]).toMatchObject({
      data: { nan: { $number: 'NaN' }, big: '12345678901234567890', lone: 'a\\ud800b', $$cut: { head: 'x' } },
    });
  });

  test('an event is given with its messages; of a long conversation the first and the last ones', async () => {
    const history = Array.from({ length: 450 }, (_, n) =>
      say(n % 2 === 0 ? 'user' : 'assistant', `message ${n} ${'x'.repeat(150)}`),
    );
    const of = await written([
      modelEvent(history.slice(0, 3), 'one', { output: answered('one', 'answer-1') }),
      modelEvent(history, 'two', { uuid: 'second', output: answered('two', 'answer-2') }),
      fixtureEvent({ event: 'tool', id: 't', function: 'f', arguments: {}, message_id: 'result-1' }),
    ]);
    const whole = (await ask(of, 'event', event, { params: { ...SAMPLE, event: '1' } })) as {
      input: AnyJson[];
      input_refs?: AnyJson;
    };
    expect(whole.input_refs).toBeUndefined();
    expect(whole.input).toHaveLength(201);
    expect(whole.input[0]).toMatchObject({ content: history[0]?.content });
    expect(whole.input.at(-1)).toMatchObject({ content: history.at(-1)?.content });
    const left = cutOf(whole.input[20]);
    expect(left.items).toBe(250);
    const rest = JSON.parse(await wholeText(of, left.at, 4_000)) as ChatMessage[];
    expect(rest).toHaveLength(250);
    expect(rest[0]?.role).toBe('user');
    const short = (await ask(of, 'event', event, { params: { ...SAMPLE, event: '0' } })) as {
      input: AnyJson[];
    };
    expect(short.input).toHaveLength(3);
    const page = await ask(of, 'events', events, { params: SAMPLE });
    // What the call answers: everything since the last answer.
    expect(Object.keys(page.messages ?? {})).toEqual(['2']);
    expect(await ask(of, 'eventPlace', eventPlace, { params: SAMPLE, query: { uuid: 'second' } })).toEqual({
      event: 1,
    });
    for (const [uuid, at] of [
      ['answer-2', 1],
      ['answer-1', 0],
      ['result-1', 2],
    ] as const)
      expect(await ask(of, 'eventPlace', eventPlace, { params: SAMPLE, query: { uuid } })).toEqual({
        event: at,
      });
    for (const missing of ['3', '-1', 'x'])
      await expect(ask(of, 'event', event, { params: { ...SAMPLE, event: missing } })).rejects.toMatchObject({
        code: 'E_EVENT_UNKNOWN',
      });
    await expect(
      ask(of, 'eventPlace', eventPlace, { params: SAMPLE, query: { uuid: 'none' } }),
    ).rejects.toMatchObject({ code: 'E_EVENT_UNKNOWN' });
  });

  test('a place that nobody gave is refused', async () => {
    const of = await written([info('x')]);
    for (const at of [
      '',
      'e0',
      'e0@0+3',
      'e9@0+9',
      'a0123',
      'zz',
      'fnone@1+2',
      'e0@5+999999',
      '../../etc/passwd',
      'pm1-2,x',
    ])
      await expect(ask(of, 'text', text, { params: SAMPLE, query: { at } }), at).rejects.toMatchObject({
        code: 'E_TEXT_PLACE',
      });
  });
});

describe('the conversation', () => {
  test('comes in pages, with pictures put back as what they are', async () => {
    const image = `data:image/png;base64,${'AAAA'.repeat(4_000)}`;
    const said = Array.from({ length: 120 }, (_, n) =>
      say('user', n === 7 ? [{ type: 'image', image }] : `said ${n}`),
    );
    const of = await written({ fields: fixtureFields('a', { messages: said }), events: [] });
    const first = await ask(of, 'messages', messages, { params: SAMPLE, query: { limit: 100 } });
    expect(first).toMatchObject({ from: 0, total: 120 });
    expect(first.messages).toHaveLength(100);
    const seventh = first.messages[7] as { content: [{ image: AnyJson }] };
    expect(cutOf(seventh.content[0].image)).toMatchObject({
      head: 'data:image/png;base64,',
      length: image.length,
    });
    expect(await wholeText(of, cutOf(seventh.content[0].image).at)).toBe(image);
    const last = await ask(of, 'messages', messages, { params: SAMPLE, query: { from: 100, limit: 100 } });
    expect(last.messages).toHaveLength(20);
    expect(last.messages[19]).toMatchObject({ content: 'said 119' });
  });

  test('a message of many megabytes is one of them, cut', async () => {
    const huge = '0123456789'.repeat(600_000);
    const of = await written({
      fields: fixtureFields('a', {
        messages: [say('user', 'first'), say('tool', huge), say('user', 'last')],
      }),
      events: [],
    });
    const page = await ask(of, 'messages', messages, { params: SAMPLE });
    expect(page.messages).toHaveLength(3);
    const cut = cutOf((page.messages[1] as { content: AnyJson }).content);
    expect(cut).toMatchObject({ length: huge.length });
    const piece = await ask(of, 'text', text, {
      params: SAMPLE,
      query: { at: cut.at, from: 5_999_990, length: 100 },
    });
    expect(piece).toEqual({ from: 5_999_990, length: huge.length, text: '0123456789' });
  });
});

describe('earlier attempts', () => {
  test('have transcripts of their own, with the texts of their sample', async () => {
    const script = 'echo '.repeat(100);
    const retry = (message: string, found: readonly LogEvent[]) => ({
      message,
      traceback: '',
      traceback_ansi: '',
      events: toJson(found) as Json[],
    });
    const of = await written({
      fields: fixtureFields('a', {
        error_retries: [
          retry('one', [info('first try', { uuid: 'r1' })]),
          retry('two', [info('x'), info({ script, long: 'y'.repeat(20_000) })]),
        ],
      }),
      events: [info('the last')],
    });
    const labels = async (attempt?: number) =>
      (await wholeSkeleton(of, SAMPLE, attempt === undefined ? {} : { attempt })).columns.label;
    expect(await labels()).toEqual(['the last']);
    expect(await labels(1)).toEqual(['first try']);
    expect(await labels(2)).toHaveLength(2);
    expect(await labels(3)).toEqual([]);
    const page = await ask(of, 'events', events, { params: SAMPLE, query: { attempt: 2 } });
    const { data } = page.events[1] as { data: { script: string; long: AnyJson } };
    expect(data.script).toBe(script);
    expect(await wholeText(of, cutOf(data.long).at)).toBe('y'.repeat(20_000));
    const hits = await Array.fromAsync(
      askLines(of, 'find', find, { params: SAMPLE, query: { text: 'first TRY', attempt: 1 } }),
    );
    expect(hits.flatMap((line) => line.hits)).toMatchObject([{ event: 0, hit: 'first try' }]);
  });
});

describe('find', () => {
  const found = async (of: StudioOfLogs, query: { text: string; from?: number; limit?: number }) => {
    const lines = await Array.fromAsync(askLines(of, 'find', find, { params: SAMPLE, query }));
    expect(lines.filter(({ isDone }) => isDone)).toHaveLength(1);
    expect(lines.at(-1)?.isDone).toBe(true);
    return { hits: lines.flatMap(({ hits }) => hits), last: lines.at(-1) };
  };

  test('tells each event that has the text, from where one is on and then from the beginning', async () => {
    const of = await written(
      Array.from({ length: 30 }, (_, n) => info(n % 10 === 3 ? `the NEEDLE “${n}”` : `hay ${n}`)),
    );
    expect((await found(of, { text: 'needle' })).hits.map((hit) => hit.event)).toEqual([3, 13, 23]);
    expect((await found(of, { text: 'needle', from: 13 })).hits.map((hit) => hit.event)).toEqual([13, 23, 3]);
    expect((await found(of, { text: 'needle', from: 9_999 })).hits.map((hit) => hit.event)).toEqual([
      3, 13, 23,
    ]);
    const { hits, last } = await found(of, { text: 'needle “1', limit: 5 });
    expect(hits).toEqual([{ event: 13, before: 'the ', hit: 'NEEDLE “1', after: '3”' }]);
    expect(last).toMatchObject({ scanned: 30, of: 30, isAll: true });
    const few = await found(of, { text: 'hay', limit: 4 });
    expect(few.hits).toHaveLength(4);
    expect(few.last).toMatchObject({ isDone: true, isAll: false });
  });

  test('looks into attachments, and tells a message with the call that it came with', async () => {
    const long = `${'straw '.repeat(100)}the Needle is here`;
    const first = say('user', long);
    const second = say('user', 'nothing');
    const of = await written([
      info('hay'),
      modelEvent([first], 'hm'),
      modelEvent([first, second], 'hm hm'),
      info({ deep: [long] }),
      fixtureEvent({
        event: 'tool',
        id: 't',
        function: 'f',
        arguments: {},
        result: `${'x'.repeat(3_000_000)} needle`,
        events: [],
      }),
    ]);
    const { hits } = await found(of, { text: 'NEEDLE' });
    expect(hits.map((hit) => hit.event)).toEqual([1, 3, 4]);
    expect(hits[0]).toMatchObject({ hit: 'Needle', after: ' is here' });
  });

  const asked = say('user', 'what about straw?');
  const given = { ...say('tool', 'straw in a file'), tool_call_id: 't', function: 'f' };
  const first = [say('assistant', 'an example with straw'), asked];
  const ran = { event: 'tool', id: 't', function: 'f', arguments: {}, result: 'straw in a file', events: [] };

  test('tells what a model said with its call, and what a tool gave with its run, not again with the call after', async () => {
    const since = [...first, say('assistant', 'the straw is here'), given];
    const of = await written([
      modelEvent(first, 'nothing'),
      modelEvent(first, 'the straw is here'),
      fixtureEvent(ran),
      modelEvent(since, 'x'),
      modelEvent([...since, say('user', 'more straw')], 'y'),
    ]);
    expect((await found(of, { text: 'straw' })).hits.map(({ event: at }) => at)).toEqual([0, 1, 2, 4]);
  });

  test('tells what a tool gave with the call after it, where tools have no events', async () => {
    const of = await written([modelEvent(first, 'x'), modelEvent([...first, given], 'x')]);
    expect((await found(of, { text: 'in a file' })).hits.map(({ event: at }) => at)).toEqual([1]);
  });

  test('does so also for a message of more than a megabyte', async () => {
    const huge = `${'x '.repeat(700_000)}straw`;
    const of = await written([modelEvent(first, huge), modelEvent([...first, say('assistant', huge)], 'x')]);
    expect((await found(of, { text: 'x straw' })).hits.map(({ event: at }) => at)).toEqual([0]);
  });

  test('names of keys, kinds and ids are not what was said', async () => {
    const of = await written([
      info({ needle: 1 }, { uuid: 'needle' }),
      fixtureEvent({ event: 'needle' }),
      info('a\nb "c" \\ d'),
    ]);
    expect((await found(of, { text: 'needle' })).hits).toEqual([]);
    expect((await found(of, { text: 'a\nb "C" \\' })).hits).toMatchObject([{ event: 2 }]);
  });

  test('stops when nobody waits any more', async () => {
    const of = await written([info('x')]);
    const gone = new AbortController();
    gone.abort(new Error('gone'));
    await expect(
      Array.fromAsync(
        askLines(of, 'find', find, { params: SAMPLE, query: { text: 'x' }, signal: gone.signal }),
      ),
    ).rejects.toThrow('gone');
  });
});

describe('a sample under way', () => {
  test('goes on where it was, and what was asked for once is not read again', async () => {
    const record = runRecord();
    const writer = await newWriter(StateDir.of(dir.path).path, record);
    const attempt = writer.startAttempt(sampleStart('live'));
    const history: ChatMessage[] = [];
    const turn = (n: number) => {
      history.push(say('user', `question ${n} ${'x'.repeat(200)}`));
      attempt.event(modelEvent([...history], `answer ${n}`, { uuid: `m${n}` }));
      history.push(say('assistant', `answer ${n}`));
    };
    for (let n = 0; n < 5; n++) turn(n);
    await writer.flush();
    const of = await studio();
    const params = { run: record.runId, sample: 'live', epoch: '1' };
    const before = await wholeSkeleton(of, params);
    expect(before.columns.label).toEqual(['answer 0', 'answer 1', 'answer 2', 'answer 3', 'answer 4']);
    for (let n = 5; n < 8; n++) turn(n);
    await writer.flush();
    await new Promise((resolve) => setTimeout(resolve, 250));
    const after = await ask(of, 'skeleton', skeleton, { params, query: { from: 5 } });
    expect(after).toMatchObject({ from: 5, known: 8, isWhole: false, progress: 1 });
    expect(after.columns.turn).toEqual([6, 7, 8]);
    // Before it has ended, its conversation is that of its last call.
    const spoken = await ask(of, 'messages', messages, { params, query: { from: 14 } });
    expect(spoken).toMatchObject({
      total: 16,
      messages: [{ content: expect.stringMatching(/^question 7/) }, { content: 'answer 7' }],
    });
    const whole = (await ask(of, 'event', event, { params: { ...params, event: '7' } })) as {
      input: AnyJson[];
    };
    expect(whole.input).toHaveLength(15);
    expect(whole.input.at(-1)).toMatchObject({ content: `question 7 ${'x'.repeat(200)}` });
    await attempt.finish('completed', fixtureFields('live', { messages: history }));
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(await ask(of, 'messages', messages, { params })).toMatchObject({ total: history.length });
    await writer.end('finished');
    writer.close();
  });

  test('shows the attempt that was begun last', async () => {
    const record = runRecord();
    const writer = await newWriter(StateDir.of(dir.path).path, record);
    const of = await studio();
    const params = { run: record.runId, sample: 'live', epoch: '1' };
    const error = { message: 'boom', traceback: '', traceback_ansi: '' };
    const first = writer.startAttempt({ ...sampleStart('live'), uuid: 'u1' });
    first.event(info('first'));
    await first.finish('errored', fixtureFields('live', { error, uuid: 'u1' }));
    expect((await wholeSkeleton(of, params)).columns.label).toEqual(['first']);
    const second = writer.startAttempt({ ...sampleStart('live'), uuid: 'u2' });
    second.event(info('second'));
    await writer.flush();
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect((await wholeSkeleton(of, params)).columns.label).toEqual(['second']);
    await writer.end('interrupted');
    writer.close();
  });
});

test('only a few samples are kept, and those that are read stay', async () => {
  const samples = Array.from({ length: 7 }, (_, n) => ({
    fields: fixtureFields(`s${n}`),
    events: [info('x'.repeat(1_500_000))],
  }));
  await writeRun(dir.path, RUN, { samples });
  const of = await studio();
  const temps = () =>
    readdirSync(tmpdir()).filter((name) => isTempName(name) && name.includes(`-${process.pid}-`));
  for (let n = 0; n < 7; n++) {
    const params = { run: RUN, sample: `s${n}`, epoch: '1' };
    expect((await wholeSkeleton(of, params)).known).toBe(1);
  }
  expect(temps().length).toBeLessThanOrEqual(4);
  const again = await ask(of, 'events', events, { params: { run: RUN, sample: 's0', epoch: '1' } });
  expect(again.events).toHaveLength(1);
});
