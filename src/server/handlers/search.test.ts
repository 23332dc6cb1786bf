import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { damageMember } from '../../../test/sim/damage-member.ts';
import { type FixtureSample, fixtureEvent, fixtureFields } from '../../../test/sim/log-fixture.ts';
import { initRepository, openResults, runIdAt, runOfDay, writeRun } from '../../../test/sim/results-repo.ts';
import { askLines, type StudioOfLogs, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import type { RunId } from '../../base/index.ts';
import type { ChatMessage, LogEvent, SampleFields } from '../../log/index.ts';
import type { SearchHit, SearchLine } from '../api.ts';
import { search } from './search.ts';

const dir = useTempDir();
let days = 0;
beforeEach(() => {
  days = 0;
});

const model = (input: readonly ChatMessage[], content: string, more: Partial<LogEvent> = {}): LogEvent =>
  fixtureEvent({
    ...{ event: 'model', model: 'mock/m', input, tools: [], tool_choice: 'auto', config: {} },
    output: { model: 'mock/m', choices: [{ message: { role: 'assistant', content }, stop_reason: 'stop' }] },
    ...more,
  });
const tool = (name: string, args: object, result: string): LogEvent =>
  fixtureEvent({ event: 'tool', id: 't', function: name, arguments: { ...args }, result });

function talk(id: string, said: readonly string[], more: Partial<SampleFields> = {}): FixtureSample {
  const messages: ChatMessage[] = [{ role: 'user', content: 'question' }];
  const events: LogEvent[] = [fixtureEvent({ event: 'info', data: 'begun' })];
  for (const content of said) {
    events.push(model([...messages], content));
    messages.push({ role: 'assistant', content }, { role: 'user', content: 'go on' });
  }
  return { fields: fixtureFields(id, { messages, ...more }), events };
}

async function run(...samples: readonly FixtureSample[]): Promise<RunId> {
  const id = runOfDay(++days);
  await writeRun(dir.path, id, { samples });
  return id;
}

async function withStudio<T>(work: (studio: StudioOfLogs) => Promise<T>): Promise<T> {
  await using studio = await studioOfLogs({ logs: dir.path });
  return await work(studio);
}

const linesOf = (studio: StudioOfLogs, text: string, more: object = {}): Promise<SearchLine[]> =>
  Array.fromAsync(askLines(studio, 'search', search, { query: { text, ...more } }));
const found = (text: string, more: object = {}) =>
  withStudio(async (studio) => {
    const lines = await linesOf(studio, text, more);
    return { lines, hits: lines.flatMap(({ hits }) => hits), last: lines.at(-1) as SearchLine };
  });
const places = (hits: readonly SearchHit[]) => hits.map(({ sample, where, event }) => [sample, where, event]);

describe('in transcripts', () => {
  test('hits come newest run first, sample by sample, event by event, with the words around them', async () => {
    const first = await run(talk('a', ['nothing', 'there is a Zebra here']));
    const second = await run(talk('a', ['zebra one']), talk('b', ['no', 'ZEBRA two']), talk('c', ['no']));
    const { hits, last } = await found('zebra');
    expect(hits.map(({ run: id, sample, event, hit }) => [id, sample, event, hit])).toEqual([
      [second, 'a', 1, 'zebra'],
      [second, 'b', 2, 'ZEBRA'],
      [first, 'a', 2, 'Zebra'],
    ]);
    expect(hits[2]).toMatchObject({
      ...{ eval: 'capitals', target: 'mock/m', epoch: 1, outcome: 'pass', where: 'model' },
      ...{ before: 'there is a ', hit: 'Zebra', after: ' here' },
    });
    expect(last).toMatchObject({ runsSearched: 2, runsOf: 2, samplesSearched: 4, isDone: true, isAll: true });
  });

  test('when enough was found, runs that nobody looked into do not count as searched', async () => {
    for (let count = 0; count < 6; count++) await run(talk('a', ['zebra one', 'zebra two']));
    const { hits, last } = await found('zebra', { limit: 2 });
    expect(hits).toHaveLength(2);
    expect(last).toMatchObject({ runsOf: 6, isDone: true, isAll: false });
    expect(last.runsSearched).toBeLessThan(6);
  });

  test('what a conversation repeats is told once, where it was said first; long texts too', async () => {
    const long = `${'much '.repeat(100)}zebra ${'more '.repeat(100)}`;
    await run(talk('short', ['a zebra', 'other', 'last']), talk('long', ['first', long, 'last']));
    expect(places((await found('zebra')).hits)).toEqual([
      ['long', 'model', 2],
      ['short', 'model', 1],
    ]);
  });

  test('what comes from outside is told at the call that it came in with', async () => {
    const messages: ChatMessage[] = [{ role: 'user', content: 'question' }];
    const come: ChatMessage = { role: 'user', content: `an operator says: ${'please '.repeat(30)} zebra` };
    const events = [
      model(messages, 'one'),
      model([...messages, { role: 'assistant', content: 'one' }, come], 'two'),
    ];
    await run({ fields: fixtureFields('a', { messages: [...messages, come] }), events });
    expect(places((await found('zebra')).hits)).toEqual([['a', 'model', 1]]);
  });

  test('tools, errors, inputs, targets, explanations and outputs are searched; names of keys, ids and times are not', async () => {
    const events = [
      tool('bash', { cmd: 'ls zebra', n: 1 }, 'a\nb'),
      tool('bash', { cmd: 'x' }, `${'long '.repeat(50)}ZEBRA at the end`),
      fixtureEvent({ event: 'error', error: { message: 'zebra broke', traceback: '', traceback_ansi: '' } }),
      fixtureEvent({ event: 'info', uuid: 'zebra', data: { zebra: 1 }, timestamp: 'zebra' }),
    ];
    await run({
      fields: fixtureFields('a', {
        input: 'the zebra question',
        target: 'Zebra!',
        scores: { exact: { value: 'I', explanation: 'no zebras' } },
        metadata: { zebra: 'x' },
        output: {
          model: 'm',
          choices: [{ message: { role: 'assistant', content: 'a zebra?' }, stop_reason: 'stop' }],
        },
      }),
      events,
    });
    const { hits } = await found('zebra');
    expect(places(hits)).toEqual([
      ['a', 'input', undefined],
      ['a', 'target', undefined],
      ['a', 'tool', 0],
      ['a', 'tool', 1],
      ['a', 'error', 2],
      ['a', 'output', undefined],
      ['a', 'answer', undefined],
    ]);
    expect(new Set(hits.map(({ outcome }) => outcome))).toEqual(new Set(['fail']));
  });

  test('texts with escapes, quotes, other alphabets and markup are found as they are read', async () => {
    const text = 'ligne\nsuivante « ÉTÉ » "quoted" C:\\dir <script>alert(1)</script> 😀 end';
    await run(talk('a', [text]));
    for (const needle of [
      'ligne\nsuiv',
      'été',
      '"quoted" c:\\DIR',
      '<script>alert(1)</script>',
      '😀 end',
      'LIGNE',
    ])
      expect((await found(needle)).hits.length, needle).toBe(1);
    expect((await found('<script>alert')).hits[0]).toMatchObject({
      hit: '<script>alert',
      after: '(1)</script> 😀 end',
    });
    expect((await found('nsuivante')).hits).toEqual([]);
  });

  test('no more hits than are asked for, and whether that is all', async () => {
    await run(talk('a', ['zebra 1', 'zebra 2']), talk('b', ['zebra 3']));
    const { hits, last } = await found('zebra', { limit: 2 });
    expect([hits.length, last.isAll, last.isDone]).toEqual([2, false, true]);
    expect((await found('zebra', { limit: 3 })).last.isAll).toBe(true);
  });

  test('only runs that the filter leaves; a filter that is not understood is refused: E_FILTER', async () => {
    const first = await run(talk('a', ['zebra']));
    await run(talk('a', ['zebra']));
    expect((await found('zebra', { q: `run:${first}` })).hits.map(({ run: id }) => id)).toEqual([first]);
    await expect(found('zebra', { q: 'nope:1' })).rejects.toMatchObject({ code: 'E_FILTER' });
  });

  test('a damaged sample is told, and hinders no other', async () => {
    const id = await run(talk('a', ['zebra']), talk('b', ['zebra']));
    await damageMember(join(dir.path, `${id}.eval`), 'samples/a_epoch_1.json');
    const { hits, last } = await found('zebra');
    expect(places(hits)).toEqual([['b', 'model', 1]]);
    expect(last.problems).toMatchObject([{ code: expect.stringMatching(/^E_LOG/), place: id }]);
  });

  test('whoever types on is answered without another look at runs that have not got the beginning', async () => {
    await run(talk('a', ['nothing']));
    await withStudio(async (studio) => {
      expect((await linesOf(studio, 'zeb')).at(-1)).toMatchObject({ samplesSearched: 1, isDone: true });
      expect((await linesOf(studio, 'zebra')).at(-1)).toMatchObject({ samplesSearched: 0, runsSearched: 1 });
      expect((await linesOf(studio, 'ebra')).at(-1)).toMatchObject({ samplesSearched: 1 });
      expect((await linesOf(studio, 'eb')).at(-1)).toMatchObject({ samplesSearched: 1 });
      expect((await linesOf(studio, 'noth')).flatMap(({ hits }) => hits).length).toBe(1);
    });
  });

  test('a long transcript is searched without keeping anybody waiting, and says how far it is', async () => {
    const body = 'all work and no play makes a dull transcript. '.repeat(400);
    const events = Array.from({ length: 1_200 }, (_, index) =>
      tool('bash', { n: index }, `${index} ${body}`),
    );
    await run({ fields: fixtureFields('big'), events: [...events, tool('bash', {}, `${body} zebra`)] });
    // What this thread worked between two turns, however busy the machine is.
    let longestMs = 0;
    let last = process.threadCpuUsage();
    const timer = setInterval(() => {
      const { user, system } = process.threadCpuUsage(last);
      longestMs = Math.max(longestMs, (user + system) / 1_000);
      last = process.threadCpuUsage();
    }, 0);
    const { hits } = await found('zebra');
    clearInterval(timer);
    expect(places(hits)).toEqual([['big', 'tool', 1_200]]);
    expect(longestMs).toBeLessThan(300);
  });

  test('one text of megabytes is searched slice by slice: in an attachment, in an event, in a field', async () => {
    const long = (word: string) =>
      `${'all work and no play. '.repeat(120_000)} a ${word} here ${'and so on. '.repeat(200_000)}`;
    // Records of numbers are no texts that are taken out.
    const numbers = Array.from({ length: 400_000 }, (_, index) => index);
    await run({
      fields: fixtureFields('a', { messages: [{ role: 'user', content: long('okapi') }] }),
      events: [
        fixtureEvent({ event: 'info', data: { numbers, last: 'a gnu' } }),
        tool('bash', {}, long('zebra')),
        tool('bash', {}, 'a gnu, too'),
      ],
    });
    expect(places((await found('zebra')).hits)).toEqual([['a', 'tool', 1]]);
    expect((await found('zebra')).hits[0]).toMatchObject({
      before: expect.stringMatching(/play\. a $/),
      after: expect.stringMatching(/^ here and so on/),
    });
    expect(places((await found('gnu')).hits)).toEqual([
      ['a', 'info', 0],
      ['a', 'tool', 2],
    ]);
    expect(places((await found('okapi')).hits)).toEqual([['a', 'messages', undefined]]);
  });

  test('however the runs are looked through, the newest is told first; and how far it is, also without hits', async () => {
    const first = await run(talk('a', ['zebra']));
    const second = await run(talk('a', ['zebra']));
    await withStudio(async (studio) => {
      const open: StudioOfLogs['open'] = async (id) => {
        if (id === second) await studio.clock.sleep(700);
        return await studio.open(id);
      };
      const lines = await linesOf({ ...studio, open }, 'zebra');
      expect(lines.flatMap(({ hits }) => hits).map(({ run: id }) => id)).toEqual([second, first]);
      const silent = lines.slice(1).filter(({ hits, isDone }) => hits.length === 0 && !isDone);
      expect(silent.length).toBeGreaterThanOrEqual(2);
      expect(silent.at(-1)).toMatchObject({ runsSearched: 1, runsOf: 2 });
    });
  });

  test('a run that takes long holds back what others found, and not for ever', async () => {
    const all: RunId[] = [];
    for (let hour = 0; hour < 40; hour++) {
      const id = runIdAt(
        `2026-03-0${1 + Math.floor(hour / 24)}T${String(hour % 24).padStart(2, '0')}:00:00Z`,
        hour,
      );
      await writeRun(dir.path, id, { samples: [talk('a', ['zebra'])] });
      all.unshift(id);
    }
    await withStudio(async (studio) => {
      const open: StudioOfLogs['open'] = async (id) => {
        if (id === all[0]) await studio.clock.sleep(500);
        return await studio.open(id);
      };
      const lines = await linesOf({ ...studio, open }, 'zebra');
      expect(lines.flatMap(({ hits }) => hits).map(({ run: id }) => id)).toEqual(all);
      const held = lines.filter(({ hits }) => hits.length === 0).map(({ runsSearched }) => runsSearched);
      expect(Math.max(...held)).toBeLessThanOrEqual(17);
      const broken: StudioOfLogs['open'] = async (id) => {
        if (id === all[0]) await studio.clock.sleep(300).then(() => Promise.reject(new Error('a bug')));
        return await studio.open(id);
      };
      await expect(linesOf({ ...studio, open: broken }, 'zebras')).rejects.toThrow('a bug');
    });
  });

  test('a search that nobody waits for any more ends', async () => {
    for (let count = 0; count < 4; count++) await run(talk('a', ['zebra']), talk('b', ['zebra']));
    await withStudio(async (studio) => {
      const stop = new AbortController();
      const lines = askLines(studio, 'search', search, { query: { text: 'zebra' }, signal: stop.signal });
      await lines.next();
      stop.abort();
      await expect(Array.fromAsync(lines)).rejects.toMatchObject({ name: 'AbortError' });
      const others = askLines(studio, 'search', search, { query: { text: 'zebra' } });
      await others.next();
      await others.return(undefined);
    });
  });

  test('published runs are searched where they are, by their objects', async () => {
    const repo = join(dir.path, 'repo');
    initRepository(repo);
    const logs = join(dir.path, 'logs');
    mkdirSync(logs);
    await using results = await openResults(repo);
    const path = await writeRun(logs, runOfDay(1), { samples: [talk('a', ['a zebra'])] });
    await results.publish(path);
    await using studio = await studioOfLogs({ results: results.store });
    const lines = await linesOf(studio, 'zebra');
    expect(places(lines.flatMap(({ hits }) => hits))).toEqual([['a', 'model', 1]]);
  });
});

describe('elsewhere', () => {
  test('in what lists say of samples', async () => {
    await run(
      { fields: fixtureFields('a', { input: [{ role: 'user', content: 'a zebra?' }] }), events: [] },
      { fields: fixtureFields('b', { target: ['no', 'zebra'] }), events: [] },
      { fields: fixtureFields('c', { scores: { exact: { value: 1, answer: 'zebra' } } }), events: [] },
      {
        fields: fixtureFields('d', {
          scores: {},
          error: { message: 'no zebra', traceback: '', traceback_ansi: '' },
        }),
        events: [],
      },
      talk('e', ['zebra']),
    );
    expect((await found('zebra', { in: 'inputs' })).hits).toMatchObject([
      { sample: 'a', where: 'input', outcome: 'pass' },
      { sample: 'b', where: 'target' },
      { sample: 'c', where: 'answer' },
      { sample: 'd', where: 'error', outcome: 'error' },
    ]);
  });

  test('in what people said', async () => {
    const repo = join(dir.path, 'repo');
    initRepository(repo);
    await using results = await openResults(repo);
    const id = runOfDay(1);
    await results.publish(await writeRun(dir.path, id, { samples: [talk('a', ['x'])] }));
    await results.store.say([id], () => [
      { kind: 'note', text: 'the zebra is a horse' },
      { kind: 'verdict', verdict: 'fail', text: 'no Zebra', anchor: { sample: 'a', epoch: 1 } },
    ]);
    await using studio = await studioOfLogs({ results: results.store });
    const lines = await linesOf(studio, 'zebra', { in: 'notes' });
    expect(lines.flatMap(({ hits }) => hits)).toMatchObject([
      { run: id, where: 'note', before: 'the ' },
      { run: id, where: 'verdict', sample: 'a', epoch: 1, outcome: 'pass' },
    ]);
  });
});
