import { beforeEach, describe, expect, test } from 'vitest';
import { type FixtureSample, fixtureEvent, fixtureFields } from '../../../test/sim/log-fixture.ts';
import { runOfDay, writeRun } from '../../../test/sim/results-repo.ts';
import { ask, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import type { JsonObject, RunId } from '../../base/index.ts';
import type { LogEvent, SampleFields } from '../../log/index.ts';
import type { AlignedTranscripts } from '../api.ts';
import { transcripts } from './transcripts.ts';

const dir = useTempDir();
let days = 0;
beforeEach(() => {
  days = 0;
});

interface Turn {
  readonly say?: string;
  readonly call?: string;
  readonly result?: string;
}

let calls = 0;
function eventsOf({ say = '', call, result }: Turn, span = 'agent'): readonly LogEvent[] {
  const args: JsonObject = { cmd: call ?? '' };
  const tool_calls = call === undefined ? [] : [{ id: `c${++calls}`, function: 'bash', arguments: args }];
  const message = { id: `m${++calls}`, role: 'assistant', content: say, tool_calls };
  const answer = fixtureEvent({
    ...{ event: 'model', span_id: span, model: 'm', input: [], tools: [], tool_choice: 'auto', config: {} },
    output: { model: 'm', choices: [{ message, stop_reason: 'stop' }] },
  });
  if (call === undefined) return [answer];
  return [
    answer,
    fixtureEvent({
      event: 'tool',
      span_id: span,
      id: `c${calls}`,
      function: 'bash',
      arguments: args,
      result: result ?? '',
    }),
  ];
}

function sampleOf(turns: readonly Turn[], more: Partial<SampleFields> = {}): FixtureSample {
  return {
    fields: fixtureFields('a', more),
    events: [
      fixtureEvent({ event: 'span_begin', id: 'agent', name: 'main', type: 'agent' }),
      ...turns.flatMap((turn) => eventsOf(turn)),
      fixtureEvent({ event: 'span_end', id: 'agent' }),
    ],
  };
}

async function run(...samples: readonly FixtureSample[]): Promise<RunId> {
  const id = runOfDay(++days);
  await writeRun(dir.path, id, { samples });
  return id;
}

async function aligned(
  runs: readonly string[],
  sample = 'a',
  query: object = {},
): Promise<AlignedTranscripts> {
  await using studio = await studioOfLogs({ logs: dir.path });
  return await ask(studio, 'transcripts', transcripts, {
    params: { sample },
    query: { runs: runs.join(','), ...query },
  });
}

const shown = ({ rows }: AlignedTranscripts) => rows.map(({ is, a, b }) => [is, a?.label, b?.label]);

describe('two transcripts', () => {
  test('are aligned by turn, with the first divergence; long texts that are the same are the same', async () => {
    const long = 'I will look at everything first. '.repeat(40);
    const common = [
      { say: long, call: 'ls', result: 'files '.repeat(100) },
      { say: 'then', call: 'cat x', result: 'x' },
    ];
    const first = await run(
      sampleOf([...common, { say: 'try', call: 'pytest a', result: 'ok' }, { say: 'done' }]),
    );
    const second = await run(
      sampleOf([
        ...common,
        { say: 'hm', call: 'cat y', result: 'y' },
        { say: 'try', call: 'pytest a', result: 'failed' },
        { say: 'done' },
      ]),
    );
    const found = await aligned([first, second]);
    expect(shown(found)).toEqual([
      ['same', expect.stringMatching(/^I will look/), expect.stringMatching(/^I will look/)],
      ['same', 'then', 'then'],
      ['only b', undefined, 'hm'],
      ['changed', 'try', 'try'],
      ['same', 'done', 'done'],
    ]);
    expect(found).toMatchObject({ sample: 'a', firstDivergence: 2, isAll: true });
    expect(found.sides).toMatchObject([
      { item: { run: first }, epoch: 1, outcome: 'pass', turns: 4 },
      { item: { run: second }, turns: 5 },
    ]);
    expect(found.rows[3]).toMatchObject({
      a: { from: 5, to: 7, tools: ['bash {"cmd":"pytest a"}'], text: 'try\n→ bash {"cmd":"pytest a"}\n← ok' },
      b: { from: 7, to: 9 },
    });
  });

  test('that are the same have no divergence', async () => {
    const runs = [
      await run(sampleOf([{ say: 'a' }, { say: 'b' }])),
      await run(sampleOf([{ say: 'a' }, { say: 'b' }])),
    ];
    const found = await aligned(runs);
    expect(found.rows.map(({ is }) => is)).toEqual(['same', 'same']);
    expect(found.firstDivergence).toBeUndefined();
  });

  test('an agent within an agent, a call that failed and scoring begin no turn', async () => {
    const span = (id: string, parent: string, type: string) =>
      fixtureEvent({ event: 'span_begin', id, parent_id: parent, name: id, type });
    const failed = fixtureEvent({
      ...{
        event: 'model',
        span_id: 'agent',
        model: 'm',
        input: [],
        tools: [],
        tool_choice: 'auto',
        config: {},
      },
      ...{ output: { model: 'm', choices: [] }, error: 'overloaded' },
    });
    const events = [
      fixtureEvent({ event: 'span_begin', id: 'agent', name: 'main', type: 'agent' }),
      ...eventsOf({ say: 'one' }),
      failed,
      span('helper', 'agent', 'agent'),
      ...eventsOf({ say: 'the helper says' }, 'helper'),
      fixtureEvent({ event: 'span_end', id: 'helper' }),
      ...eventsOf({ say: 'two' }),
      span('scorers', 'root', 'scorers'),
      span('judge', 'scorers', 'scorer'),
      ...eventsOf({ say: 'grade C' }, 'judge'),
    ];
    const runs = [
      await run({ fields: fixtureFields('a'), events }),
      await run(sampleOf([{ say: 'one' }, { say: 'two' }])),
    ];
    const found = await aligned(runs);
    expect(shown(found)).toEqual([
      ['changed', 'one', 'one'],
      ['same', 'two', 'two'],
    ]);
    expect(found.rows[0]?.a).toMatchObject({ from: 1, to: 6 });
  });

  test('a run that has not got the sample is empty beside the other; neither: E_SAMPLE_UNKNOWN', async () => {
    const runs = [await run(sampleOf([{ say: 'a' }])), await run({ fields: fixtureFields('b'), events: [] })];
    const found = await aligned(runs);
    expect(shown(found)).toEqual([['only a', 'a', undefined]]);
    expect(found.sides[1]).toMatchObject({ outcome: 'missing', turns: 0 });
    await expect(aligned(runs, 'nope')).rejects.toMatchObject({ code: 'E_SAMPLE_UNKNOWN' });
    await expect(aligned(runs.slice(1))).rejects.toMatchObject({ code: 'E_COMPARE_COUNT' });
  });

  test('at an epoch; where a run has fewer, at its first', async () => {
    const twice = [
      sampleOf([{ say: 'a' }]),
      { ...sampleOf([{ say: 'b' }]), fields: fixtureFields('a', { epoch: 2 }) },
    ];
    const runs = [await run(...twice), await run(sampleOf([{ say: 'b' }]))];
    const found = await aligned(runs, 'a', { epoch: 2 });
    expect([found.sides.map(({ epoch }) => epoch), found.rows[0]?.is]).toEqual([[2, 1], 'same']);
  });

  test('outputs are told to their ends, however long, and markup as it is', async () => {
    const answer = (end: string) => ({
      output: {
        model: 'm',
        choices: [
          {
            message: {
              role: 'assistant',
              content: `<img src=x onerror=alert(1)>${'word '.repeat(20_000)}${end}`,
            },
            stop_reason: 'stop',
          },
        ],
      },
    });
    const runs = [
      await run(sampleOf([{ say: 'a' }], answer('one'))),
      await run(sampleOf([{ say: 'a' }], answer('two'))),
    ];
    const [a, b] = (await aligned(runs)).sides;
    expect([
      String(a?.output).slice(0, 28),
      String(a?.output).slice(-8),
      String(b?.output).slice(-8),
    ]).toEqual(['<img src=x onerror=alert(1)>', 'word one', 'word two']);
  });

  test('of transcripts without end only so many turns are aligned, and that is said', async () => {
    const many = Array.from({ length: 3_100 }, (_, index) => ({ say: `turn ${index}` }));
    const runs = [await run(sampleOf(many)), await run(sampleOf(many.slice(0, 50)))];
    const found = await aligned(runs);
    expect([found.isAll, found.sides[0]?.turns, found.rows.length, found.firstDivergence]).toEqual([
      false,
      3_000,
      3_000,
      50,
    ]);
  });

  test('a transcript of twenty megabytes takes no more than its beginnings', async () => {
    const result = 'all work and no play makes a dull transcript. '.repeat(900);
    const turns = Array.from({ length: 500 }, (_, index) => ({
      say: `turn ${index}`,
      call: `run ${index}`,
      result: `${index} ${result}`,
    }));
    const other = turns.map((turn, index) => (index === 400 ? { ...turn, result: `${turn.result}!` } : turn));
    const runs = [await run(sampleOf(turns)), await run(sampleOf(other))];
    const found = await aligned(runs);
    expect([found.rows.length, found.firstDivergence, found.rows[400]?.is]).toEqual([500, 400, 'changed']);
    expect(JSON.stringify(found).length).toBeLessThan(1_000_000);
  });

  test('one result of megabytes is compared to its end, and an event of megabytes is a turn as any other', async () => {
    const result = (end: string) => `${'all work and no play. '.repeat(250_000)}${end}`;
    const sides = ['one', 'two'].map((end) => [{ say: 'a', call: 'run', result: result(end) }, { say: 'b' }]);
    const runs = [await run(sampleOf(sides[0] ?? [])), await run(sampleOf(sides[1] ?? []))];
    const found = await aligned(runs);
    expect(shown(found)).toEqual([
      ['changed', 'a', 'a'],
      ['same', 'b', 'b'],
    ]);
    expect((await aligned([runs[0] ?? '', runs[0] ?? ''])).rows.map(({ is }) => is)).toEqual([
      'same',
      'same',
    ]);
    const numbers = Array.from({ length: 900_000 }, (_, index) => index);
    const [call] = eventsOf({ say: 'c' });
    const big = await run({
      fields: fixtureFields('a'),
      events: [{ ...(call as LogEvent), metadata: { numbers } }, ...eventsOf({ say: 'd' })],
    });
    const other = await run({
      fields: fixtureFields('a'),
      events: [{ ...(call as LogEvent), metadata: { numbers: [...numbers, 0] } }, ...eventsOf({ say: 'd' })],
    });
    expect((await aligned([big, other])).rows.map(({ is, a }) => [is, a?.from, a?.to])).toEqual([
      ['changed', 0, 1],
      ['same', 1, 2],
    ]);
  });

  test('without a model, what tools did is one turn', async () => {
    const only = (result: string): FixtureSample => ({
      fields: fixtureFields('a'),
      events: [
        fixtureEvent({ event: 'info', data: 'x' }),
        fixtureEvent({ event: 'tool', id: 't', function: 'bash', arguments: {}, result }),
        fixtureEvent({ event: 'error', error: { message: 'broke', traceback: '', traceback_ansi: '' } }),
      ],
    });
    const runs = [await run(only('one')), await run(only('two'))];
    expect((await aligned(runs)).rows).toMatchObject([
      { is: 'changed', a: { from: 1, to: 3, text: '→ bash {}\n← one\n! broke' } },
    ]);
  });
});
