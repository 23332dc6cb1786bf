import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeDisk } from '../../../src/disk/index.ts';
import type { ChatMessage, LogEvent } from '../../../src/log/index.ts';
import { visitCuts } from '../../../src/views/index.ts';
import { fixtureEvent, fixtureFields, fixtureSpec, writeFixtureLog } from '../../sim/log-fixture.ts';
import { runIdAt } from '../../sim/results-repo.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { BothSides } from './both-sides.ts';

const RUN = runIdAt('2026-06-01T10:00:00.000Z', 1);
const IDS = ['long', '__proto__', '</script><script>alert(1)</script>', 'a/b?c#d%20é', 'constructor', 42];
const HOSTILE = '</script><script>throw 1</script> <!-- \u2028\u2029 lone \ud83d half "quoted\\ ';

let dir: TempDir;
let sides: BothSides;

beforeAll(async () => {
  dir = await makeTempDir();
  const logs = join(dir.path, 'logs');
  await nodeDisk.makeDir(logs);
  await writeFixtureLog(nodeDisk, join(logs, 'x.eval'), {
    spec: fixtureSpec({ run_id: RUN, eval_id: RUN, created: '2026-06-01T10:00:00+00:00' }),
    samples: IDS.map((id) => ({
      fields: fieldsOf(id),
      events: id === 'long' ? longEvents() : [hostileEvent(id)],
    })),
  });
  const appDir = join(dir.path, 'app');
  await nodeDisk.makeDir(appDir);
  sides = await BothSides.open({ logDirs: [logs] }, { out: join(dir.path, 'out'), appDir });
});

afterAll(async () => {
  await sides?.[Symbol.asyncDispose]();
  await dir?.[Symbol.asyncDispose]();
});

function fieldsOf(id: string | number) {
  if (id !== 'long')
    return fixtureFields(id, {
      input: `${HOSTILE} ${id}`,
      metadata: { __proto__x: 1, [String(id)]: HOSTILE },
    });
  const failed = (n: number) => ({
    message: `try ${n} failed`,
    traceback: '',
    traceback_ansi: '',
    events: [
      fixtureEvent({ event: 'info', uuid: `retry-${n}`, data: `THE TRY NUMBER ${n} ${'z'.repeat(20_000)}` }),
    ],
  });
  return fixtureFields(id, {
    messages: conversation(600),
    metadata: { long: `metadata ${'m'.repeat(30_000)} THE END OF METADATA` },
    error_retries: [failed(1), failed(2)],
  });
}

const message = (n: number): ChatMessage => ({
  id: `m${n}`,
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: n === 3 ? `A SMALL NEEDLE in message 3` : `This is message number ${n}.`,
});
const conversation = (count: number) => Array.from({ length: count }, (_, n) => message(n));

function hostileEvent(id: string | number): LogEvent {
  return fixtureEvent({
    event: 'info',
    uuid: 'e0',
    data: { [String(id)]: HOSTILE, $cut: 'not a cut', __proto__x: 1 },
  });
}

/** Calls that repeat a conversation of up to 600 messages, and one answer of 1.5 MB with something at its end. */
function longEvents(): LogEvent[] {
  const tools = [{ name: 'bash', description: 'd'.repeat(5_000), parameters: {} }];
  const calls = [2, 30, 250, 600].map((count, n) =>
    fixtureEvent({
      event: 'model',
      uuid: `call-${n}`,
      model: 'mock/m',
      input: conversation(count),
      tools,
      tool_choice: 'auto',
      config: {},
      output: {
        model: 'mock/m',
        choices: [{ message: { role: 'assistant', content: `answer ${n}` }, stop_reason: 'stop' }],
      },
      call: {
        request: { messages: conversation(count).map(({ role, content }) => ({ role, content })), tools },
        response: {},
      },
    }),
  );
  const huge = `${'0123456789 \u{1F600} '.repeat(110_000)}THE BIG NEEDLE`;
  return [...calls, fixtureEvent({ event: 'info', uuid: 'huge', data: huge }), hostileEvent('last')];
}

const LONG = { run: RUN, sample: 'long', epoch: '1' };

describe('an export of long and of hostile texts', () => {
  test('[EXP-9] every event by itself is what the server says, also where it repeats a long conversation', async () => {
    const { known } = await sides.served('skeleton', LONG, {});
    expect(known).toBe(6);
    await sides.expectSame('events', LONG, { limit: 50 });
    for (let event = 0; event < known; event++) {
      await sides.expectSame('event', { ...LONG, event: String(event) }, {});
      expect(
        await sides.exported.ask('eventPlace', {
          params: LONG,
          query: { uuid: event === 4 ? 'huge' : `call-0` },
        }),
      ).toEqual({ event: event === 4 ? 4 : 0 });
    }
    await sides.expectSame('messages', LONG, { from: 580, limit: 100 });
  });

  test('[EXP-9] earlier tries have their own transcripts', async () => {
    for (const attempt of [1, 2]) {
      await sides.expectSame('skeleton', LONG, { attempt });
      await sides.expectSame('events', LONG, { attempt });
      expect(await sides.findExported(LONG, { text: `the try number ${attempt}`, attempt })).toEqual([0]);
    }
  });

  test('[EXP-10] every text that is cut is there to its end, in any piece', async () => {
    const answers = [
      await sides.served('sample', LONG, {}),
      await sides.served('events', LONG, { attempt: 2 }),
      ...(await Promise.all(
        [0, 1, 2, 3, 4].map((event) => sides.served('event', { ...LONG, event: String(event) }, {})),
      )),
    ];
    const cuts = new Map<string, number>();
    visitCuts(answers, ({ at, length }) => cuts.set(at, length));
    expect(cuts.size).toBeGreaterThan(3);
    for (const [at, length] of cuts)
      for (const query of [
        { at },
        { at, from: Math.max(0, length - 20), length: 100 },
        { at, from: 262_140, length: 10 },
      ])
        await sides.expectSame('text', LONG, query);
  });

  test('[EXP-11] what stands at the end of a long text, or in a message, is found and searched', async () => {
    for (const text of [
      'the big needle',
      'THE END OF METADATA',
      'a small needle',
      'quoted\\',
      '</SCRIPT>',
      '\u2028\u2029',
    ]) {
      const there = (await sides.searchServed({ text })).map(
        ({ sample, event }) => `${sample} ${event ?? ''}`,
      );
      const here = (await sides.searchExported({ text })).map(
        ({ sample, event }) => `${sample} ${event ?? ''}`,
      );
      expect(new Set(here), text).toEqual(new Set(there));
      expect(here.length, text).toBeGreaterThan(0);
      expect(await sides.findExported(LONG, { text }), text).toEqual(await sides.findServed(LONG, { text }));
    }
    expect(await sides.searchExported({ text: 'nobody ever said this' })).toEqual([]);
  });

  test('names that mean something to a browser or to JavaScript are names', async () => {
    for (const id of IDS) {
      const key = { run: RUN, sample: String(id), epoch: '1' };
      await sides.expectSame('sample', key, {});
      await sides.expectSame('events', key, {});
      const { input } = await sides.exported.ask('sample', { params: key, query: {} });
      // Half a letter is no text: logs have it as an escape.
      if (id !== 'long') expect(input).toBe(`${HOSTILE.replace('\ud83d', '\\ud83d')} ${id}`);
    }
    await sides.expectSame('samples', { run: RUN }, {});
  });
});
