import { beforeEach, describe, expect, test } from 'vitest';
import { damageMember } from '../../../test/sim/damage-member.ts';
import { fixtureFields } from '../../../test/sim/log-fixture.ts';
import { runIdAt, writeRun } from '../../../test/sim/results-repo.ts';
import { ask, callOf, type StudioOfLogs, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../../test/sim/with-methods.ts';
import { type Json, systemClock } from '../../base/index.ts';
import type { EvalSpec } from '../../log/index.ts';
import { ROUTES, type SampleStrips } from '../api.ts';
import { sampleStrips } from './sample-strips.ts';

const dir = useTempDir();
let days = 0;
beforeEach(() => {
  days = 0;
});

const dayOf = (day: number) => `2026-03-${String(day).padStart(2, '0')}`;

type Values = Readonly<Record<string, Json | readonly Json[]>>;

async function run(values: Values, spec: Partial<EvalSpec> = {}, status?: 'started'): Promise<string> {
  const at = `${dayOf(++days)}T0`;
  const id = runIdAt(`${at}0:00:00Z`);
  await writeRun(dir.path, id, {
    spec: { created: `${at}0:00:00+00:00`, ...spec },
    samples: Object.entries(values).flatMap(([sample, value]) =>
      [value].flat().map((one, index) => ({
        fields: fixtureFields(sample, {
          epoch: index + 1,
          scores: one === null ? {} : { exact: { value: one as Json } },
        }),
        events: [],
      })),
    ),
    header: {
      ...(status ? { status } : {}),
      stats: {
        started_at: `${at}0:00:00+00:00`,
        completed_at: `${at}1:00:00+00:00`,
        ...{ model_usage: {}, role_usage: {}, connection_limit_history: [] },
      },
    },
  });
  return id;
}

async function strips(
  id: string,
  samples: readonly string[],
  query: { readonly score?: string } = {},
): Promise<SampleStrips> {
  await using studio = await studioOfLogs({ logs: dir.path });
  return await stripsIn(studio, id, { samples: JSON.stringify(samples), ...query });
}

function stripsIn(studio: StudioOfLogs, id: string, query: { readonly samples: string }) {
  return ask(studio, 'sampleStrips', sampleStrips, { params: { run: id }, query });
}

describe('the last results of samples', () => {
  test('oldest first, up to the run itself; what a run has not got is a gap, and what came later is not told', async () => {
    const first = await run({ a: 'C', b: 'I' });
    const second = await run({ a: 'I' });
    const third = await run({ a: 'C', b: ['C', 'I'] });
    await run({ a: 'I', b: 'I' });
    const { runs, strips: told } = await strips(third, ['b', 'a', 'nobody']);
    expect(runs.map((one) => one.run)).toEqual([first, second, third]);
    expect(runs[1]?.start).toContain('2026-03-02');
    expect(told).toEqual(['f.h', 'pfp', '...']);
  });

  test('only of the same eval on the same target, and of what ended', async () => {
    const first = await run({ a: 'C' });
    await run({ a: 'I' }, { task: 'other' });
    await run({ a: 'I' }, { model: 'mock/other' });
    await run({ a: 'I' }, {}, 'started');
    const last = await run({ a: 'C' });
    const { runs, strips: told } = await strips(last, ['a']);
    expect([runs.map((one) => one.run), told]).toEqual([[first, last], ['pp']]);
  });

  test('no more than twelve, the newest; a damaged one hinders no other', async () => {
    for (let count = 0; count < 13; count++) await run({ a: count % 2 === 0 ? 'C' : 'I' });
    const last = await run({ a: 'C' });
    expect((await strips(last, ['a'])).strips).toEqual(['pfpfpfpfpfpp']);
    await damageMember(`${dir.path}/${runIdAt(`${dayOf(13)}T00:00:00Z`)}.eval`, 'summaries.json');
    expect((await strips(last, ['a'])).strips).toEqual(['pfpfpfpfpfp']);
  });

  test('each result is told as the page of its own run tells it', async () => {
    await run({ a: 3 });
    const last = await run({ a: 1 });
    expect((await strips(last, ['a'])).strips).toEqual(['np']);
    await expect(strips(last, ['a'], { score: 'nope' })).rejects.toMatchObject({
      code: 'E_COMPARE_SCORER',
    });
  });

  test('runs are read once, however often rows are asked for', async () => {
    const first = await run({ a: 'C', b: 'C' });
    const last = await run({ a: 'C', b: 'I' });
    await using studio = await studioOfLogs({ logs: dir.path });
    for (const id of ['a', 'b', 'a']) await stripsIn(studio, last, { samples: JSON.stringify([id]) });
    expect([studio.listed.get(first), studio.listed.get(last)]).toEqual([1, 1]);
  });

  test('others are let in while a large run is gone through, and it ends when nobody waits', async () => {
    const many = Object.fromEntries(Array.from({ length: 7_000 }, (_, at) => [`s${at}`, 'C']));
    await run({ a: 'I', s7: 'I' });
    const last = await run(many);
    await using real = await studioOfLogs({ logs: dir.path });
    let asked = 0;
    const clock = { ...systemClock, monotonicMs: () => 10 * asked++ };
    const studio = withMethods(real, { clock });
    const query = { samples: JSON.stringify(['s7', 's6999']) };
    await stripsIn(studio, last, query);
    const before = asked;
    expect((await stripsIn(studio, last, query)).strips).toEqual(['fp', '.p']);
    // Each breath asks the clock twice when it is taken.
    expect(asked - before).toBeGreaterThanOrEqual(2 * Math.ceil(7_000 / 2_048));
    const given = new AbortController();
    given.abort(new Error('gone'));
    const call = callOf(studio, 'sampleStrips', { params: { run: last }, query, signal: given.signal });
    await expect(sampleStrips(call)).rejects.toThrow('gone');
  });

  test('what is no list of ids is refused', () => {
    for (const samples of ['a,b', '{}', '[1]', JSON.stringify(Array(201).fill('a'))])
      expect(ROUTES.sampleStrips.query.safeParse({ samples }).success).toBe(false);
    expect(ROUTES.sampleStrips.query.parse({ samples: '["a,b","\\u00e4"]' }).samples).toEqual(['a,b', 'ä']);
  });
});
