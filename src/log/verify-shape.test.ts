import { expect, test } from 'vitest';
import {
  type FixtureLog,
  fixtureEvent,
  fixtureFields,
  fixtureHeader,
  writeFixtureLog,
} from '../../test/sim/log-fixture.ts';
import { SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import type { Json } from '../base/index.ts';
import {
  convertLog,
  createLogFile,
  type LogEvent,
  type LogHeader,
  openLog,
  type SampleFields,
  verifyLog,
} from './index.ts';
import { checkDocument } from './shapes/check-document.ts';

async function verify(log: FixtureLog) {
  const disk = new SimulatedDisk();
  return verifyLog(disk, await writeFixtureLog(disk, '/x.eval', log));
}

async function shapeProblems(log: FixtureLog): Promise<string[]> {
  const { problems } = await verify(log);
  return problems.map(({ code, member, message }) => `${code} ${member}: ${message}`);
}

const sampleWith = (fields: object, ...events: object[]): FixtureLog => ({
  samples: [{ fields: fixtureFields(1, fields as Partial<SampleFields>), events: events as LogEvent[] }],
});
const headerWith = (more: object): FixtureLog => ({ header: more as Partial<LogHeader> });
const statsWith = (more: object) => headerWith({ stats: { ...fixtureHeader().stats, ...more } });

const change = {
  timestamp: 1_767_225_600.25,
  model: 'mock/m',
  old_limit: 1,
  new_limit: 2,
  reason: 'slow_start',
};

test('[LOG-33] what Inspect reads has no problem', async () => {
  const log = {
    ...statsWith({ connection_limit_history: [change], started_at: '2026-01-01T00:00:00+00:00' }),
    ...sampleWith(
      { metadata: { not: Number.NaN, far: -Infinity, big: 2n ** 70n }, limit: { type: 'time', limit: 1.5 } },
      fixtureEvent({ event: 'info', data: null }),
      fixtureEvent({ event: 'score', score: { value: Number.NaN } }),
    ),
  };
  expect(await shapeProblems(log)).toEqual([]);
});

test('[LOG-33] every wrong value is found and named by its path', async () => {
  const history = [change, { ...change, timestamp: '2026-01-01T00:00:00Z', reason: 'success' }];
  expect(await shapeProblems(statsWith({ connection_limit_history: history }))).toEqual([
    'shape header.json: stats.connection_limit_history[1].timestamp is "2026-01-01T00:00:00Z"; expected a number',
    'shape header.json: stats.connection_limit_history[1].reason is "success"; expected one of slow_start, steady_state_up, rate_limit, manual',
  ]);
});

const model = {
  event: 'model',
  model: 'm',
  input: [],
  tools: [],
  tool_choice: 'auto',
  config: {},
  output: { choices: [] },
};

test.each<[string, FixtureLog, RegExp]>([
  ['a status', headerWith({ status: 'done' }), /header\.json: status is "done"; expected one of started/],
  [
    'a count',
    statsWith({ model_usage: { m: { input_tokens: 1.5 } } }),
    /model_usage\.m\.input_tokens is 1\.5/,
  ],
  [
    'a time',
    { spec: { created: '2026-13-01T00:00:00Z' } },
    /eval\.created is "2026-13-01T00:00:00Z"; expected an/,
  ],
  ['a limit', { spec: { config: { time_limit: 0.5 } } }, /start\.json: eval\.config\.time_limit is 0\.5/],
  ['a target', sampleWith({ target: 7 }), /samples\/1_epoch_1\.json: target is 7; expected a text or a list/],
  ['a score', sampleWith({ scores: { exact: { value: { a: { b: 1 } } } } }), /scores\.exact\.value\.a is /],
  ['a kind of limit', sampleWith({ limit: { type: 'patience', limit: 1 } }), /limit\.type is "patience"/],
  ['an error', sampleWith({ error: { message: 'x' } }), /error\.traceback is missing/],
  ['a role', sampleWith({ messages: [{ role: 'human', content: 'x' }] }), /messages\[0\]\.role is "human"/],
  [
    'a part',
    sampleWith({ messages: [{ role: 'user', content: [{ type: 'image' }] }] }),
    /content\[0\]\.image is missing/,
  ],
  ['an event tag', sampleWith({}, fixtureEvent({ event: 'holdfast' })), /events\[0\]\.event is "holdfast"/],
  [
    'an event',
    sampleWith({}, fixtureEvent({ event: 'span_begin', id: 'a' })),
    /events\[0\]\.name is missing/,
  ],
  [
    'a time of an event',
    sampleWith({}, fixtureEvent({ event: 'info', data: 1, timestamp: 'now' })),
    /events\[0\]\.timestamp/,
  ],
  [
    'a tool choice',
    sampleWith({}, fixtureEvent({ ...model, tool_choice: 'some' })),
    /events\[0\]\.tool_choice is "some"/,
  ],
  [
    'a pooled message',
    sampleWith({}, fixtureEvent({ ...model, input: [{ role: 'user' }] })),
    /events_data\.messages\[0\]\.content is missing/,
  ],
  ['a summary', sampleWith({ uuid: 7 }), /summaries\.json: \[0\]\.uuid is 7/],
])('[LOG-33] %s that Inspect does not know is a problem', async (_, log, problem) => {
  const problems = await shapeProblems(log);
  expect(problems.join('\n')).toMatch(problem);
  for (const text of problems) expect(text).toMatch(/^shape /);
});

test('[LOG-33] a problem of a sample names the sample', async () => {
  const { problems } = await verify(sampleWith({ setup: 1 }));
  expect(problems).toMatchObject([{ member: 'samples/1_epoch_1.json', sample: { id: 1, epoch: 1 } }]);
});

test('[LOG-33] reductions are checked key by key and score by score', async () => {
  const reductions: [Json, string[]][] = [
    [[{ scorer: 'a', samples: [] }], []],
    [
      [{ scorer: 'a', samples: [{ value: 1 }, { value: null }] }],
      ['[0].samples[1].value is null; expected a text or a number or true or false or a list or an object'],
    ],
    [
      [
        { scorer: 'a', samples: [] },
        { reducer: 1, samples: [] },
      ],
      ['[1].reducer is 1; expected a text', '[1].scorer is missing'],
    ],
    [[{ scorer: 'a' }], ['[0].samples is missing']],
  ];
  for (const [value, expected] of reductions) {
    const disk = new SimulatedDisk();
    const file = await createLogFile(disk, '/x.eval');
    const { eval: spec, plan } = fixtureHeader();
    await file.writeStart({ version: 2, eval: spec, plan });
    await file.writeSummaries([]);
    await file.writeJson('reductions.json', value);
    await file.writeHeader(fixtureHeader());
    await file.finish();
    const { problems } = await verifyLog(disk, '/x.eval');
    expect(problems.map(({ message }) => message)).toEqual(expected);
  }
});

test('[LOG-34] a log of Inspect is held to no shape but its own', async () => {
  const old = {
    ...sampleWith({ limit: { type: 'patience', limit: 1 } }),
    spec: { packages: { inspect_ai: '0.3.1' } },
  };
  expect(await verify(old)).toMatchObject({ isWhole: true, problems: [] });
});

test('[LOG-35] what is nested too deeply for Inspect to read is a problem', async () => {
  const nested = (levels: number): Json => (levels === 0 ? 1 : { a: nested(levels - 1) });
  expect(checkDocument('event', fixtureEvent({ event: 'info', data: nested(150) }))).toEqual([]);
  expect(await shapeProblems(sampleWith({}, fixtureEvent({ event: 'info', data: nested(151) })))).toEqual([
    expect.stringMatching(/events\[0\]\.data is \{.*expected at most 150 levels of nesting/),
  ]);
});

test('[LOG-33] a thousand wrong items make no thousand problems', () => {
  const header = { ...fixtureHeader(), tags: Array.from({ length: 1_000 }, () => 1) };
  expect(checkDocument('header', header).length).toBe(20);
});

test('[LOG-22] the limit changes of Holdfast 0.1.0 are read in the words of today, and converting mends them', async () => {
  const disk = new SimulatedDisk();
  const old = { ...change, timestamp: '2026-01-01T00:00:00.250+00:00', reason: 'success' };
  await writeFixtureLog(disk, '/old.eval', statsWith({ connection_limit_history: [old] }));
  expect((await verifyLog(disk, '/old.eval')).isWhole).toBe(false);
  await convertLog(disk, { from: '/old.eval', to: '/new.eval' });
  expect(await verifyLog(disk, '/new.eval')).toMatchObject({ problems: [], isWhole: true });
  const log = await openLog(disk, '/new.eval');
  const { connection_limit_history: history } = (await log.header()).stats;
  expect(history).toEqual([{ ...change, reason: 'steady_state_up' }]);
  await log.close();
});
