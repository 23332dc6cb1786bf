import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock, systemRandom } from '../../../src/base/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { type AnswerOf, ROUTES, type RouteName } from '../../../src/server/api.ts';
import { handlers } from '../../../src/server/handlers.ts';
import { createStudio } from '../../../src/server/index.ts';
import { strictText } from '../../../src/server/strict-text.ts';
import type { Studio } from '../../../src/server/studio.ts';
import { makeStudioStore, type StudioStore } from '../../sim/studio/store.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { type ExportedData, exportTestStudio, openExport, openTestSources } from './exported.ts';

let dir: TempDir;
let store: StudioStore;
let studio: Studio;
let exported: ExportedData;

beforeAll(async () => {
  dir = await makeTempDir();
  store = await makeStudioStore(join(dir.path, 'project'), { rounds: 2 });
  const places = { places: [store.dir], logDirs: [join(store.dir, 'logs')] };
  const appDir = join(dir.path, 'app');
  await nodeDisk.makeDir(appDir);
  await exportTestStudio({ ...places, appDir, out: join(dir.path, 'out') });
  exported = await openExport(join(dir.path, 'out'));
  studio = createStudio({ sources: await openTestSources(places), clock: systemClock, random: systemRandom });
  await studio.index.whole(new AbortController().signal);
}, 300_000);

afterAll(async () => {
  await studio?.[Symbol.asyncDispose]();
  await dir?.[Symbol.asyncDispose]();
});

type Params = Readonly<Record<string, string>>;
type JsonRoute = Exclude<RouteName, 'live' | 'find' | 'search' | 'say' | 'review' | 'store'>;

/** What the server answers, as the browser has it. */
async function served<Name extends JsonRoute>(
  name: Name,
  params: Params,
  query: object,
): Promise<AnswerOf<Name>> {
  const texts = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]));
  const answer = await (handlers[name] as (call: object) => Promise<unknown>)({
    studio,
    params,
    query: ROUTES[name].query.parse(texts),
    body: undefined,
    isTrusted: false,
    signal: new AbortController().signal,
    sameAs: () => undefined,
  });
  return ROUTES[name].answer.parse(JSON.parse(strictText(answer))) as AnswerOf<Name>;
}

async function expectSame(
  name: JsonRoute,
  params: Params,
  query: object,
  without: readonly string[] = [],
): Promise<void> {
  const [there, here] = [await served(name, params, query), await exported.ask(name, { params, query })];
  const told = (answer: unknown) =>
    Object.fromEntries(Object.entries(answer as object).filter(([key]) => !without.includes(key)));
  expect(told(here), `${name} ${JSON.stringify([params, query])}`).toEqual(told(there));
}

const newest = (part: string) =>
  store.runs
    .filter((run) => run.includes(part))
    .sort()
    .reverse();

describe('[EXP-6] an export answers what the server answers', () => {
  test('[EXP-8] lists, however they are filtered, sorted and paged', async () => {
    for (const query of [
      {},
      { q: 'eval:swe-lite score>0.6', sort: '-cost', limit: 3 },
      { q: 'target:opus or tag:baseline', sort: 'eval,-score', offset: 2, limit: 5 },
      { q: 'is:damaged' },
      { q: 'score>', limit: 2 },
      { sort: '-change', limit: 10 },
    ])
      await expectSame('runs', {}, query, ['index', 'command']);
    await expectSame('runWords', {}, {});
    await expectSame('runChanges', {}, { runs: store.runs.slice(-6) });
    await expectSame('evals', {}, {});
  });

  test('[EXP-7] a run, its samples, its timeline and its header, by every score', async () => {
    const [swe = '', maths = ''] = [newest('T090000')[0], newest('T070000')[0]];
    const [rubric = ''] = newest('T080000');
    for (const run of [swe, maths]) {
      await expectSame('run', { run }, {});
      await expectSame('timeline', { run }, {});
      expect(await exported.ask('header', { params: { run }, query: {} })).toEqual(
        await served('header', { run }, {}),
      );
      for (const query of [
        {},
        { q: 'is:failing' },
        { q: 'django', sort: '-cost', limit: 7 },
        { q: 'turns>4 or error:*' },
      ]) {
        await expectSame('samples', { run }, query);
        await expectSame('sampleOrder', { run }, { q: query.q ?? '', sort: 'id' });
      }
    }
    for (const score of ['rubric', 'queue'])
      for (const name of ['run', 'timeline', 'samples', 'sampleOrder'] as const)
        await expectSame(name, { run: rubric }, { score });
    for (const score of [undefined, 'rubric', 'queue'])
      await expectSame(
        'sample',
        { run: rubric, sample: 'ticket/3', epoch: '1' },
        score === undefined ? {} : { score },
      );
  });

  test('[EXP-9] a sample: its skeleton, its events in any page, each event by itself, and its messages', async () => {
    const [run = ''] = newest('T090000');
    for (const [sample, epoch] of [
      ['django-4000', '1'],
      ['flask-4137', '2'],
      ['xarray-4959', '1'],
    ] as const) {
      const key = { run, sample, epoch };
      await expectSame('sample', key, {});
      const { known } = await served('skeleton', key, {});
      for (const query of [{}, { from: 3, limit: 4 }, { from: known - 1 }]) {
        await expectSame('skeleton', key, query, ['kinds', 'kindsFrom', 'lanes', 'lanesFrom']);
        await expectSame('events', key, query, ['messages']);
        await expectSame('messages', key, query);
      }
      for (let event = 0; event < known; event++) {
        await expectSame('event', { ...key, event: String(event) }, {});
        const { uuid } = (await served('event', { ...key, event: String(event) }, {})) as {
          readonly uuid?: string;
        };
        if (uuid !== undefined) await expectSame('eventPlace', key, { uuid });
      }
    }
  });

  test('comparisons in both directions, their samples, transcripts side by side, histories and matrices', async () => {
    const [a = '', b = ''] = newest('T090000');
    for (const runs of [`${b},${a}`, `${a},${b}`]) {
      await expectSame('compare', {}, { runs });
      for (const query of [{}, { q: 'is:regressed' }, { q: 'django', sort: '-difference', limit: 3 }])
        await expectSame('comparedSamples', {}, { runs, ...query });
    }
    const [newestRun = '', before = ''] = store.runs
      .toReversed()
      .filter((run) => run.includes('T09') || run.includes('T0845'));
    await expectSame('compare', {}, { runs: `${before},${newestRun}` });
    await expectSame('transcripts', { sample: 'django-4000' }, { runs: `${before},${newestRun}`, epoch: 2 });
    for (const name of ['swe-lite', 'support-triage']) await expectSame('eval', { eval: name }, {});
    await expectSame('sampleOverTime', { eval: 'support-triage', sample: 'ticket/3' }, { score: 'queue' });
    await expectSame('matrix', {}, { q: 'eval:swe-lite', limit: 50 });
    await expectSame('matrix', {}, { q: 'eval:support-triage', limit: 50, score: 'queue' });
  });

  test('a search and a find come upon the same', async () => {
    const [run = ''] = newest('T090000');
    const { signal } = new AbortController();
    for (const text of ['failing test', 'SIGNATURE', 'nowhere to be found', '"quoted"', 'def validate']) {
      const query = { text, q: 'eval:swe-lite', limit: 5_000 };
      const there = await searchServed(query);
      const here: string[] = [];
      for await (const line of exported.lines('search', { params: {}, query }, signal))
        here.push(...line.hits.map(hitKey));
      // A long text that is said again and again is stored once, and told by the server once; here each time.
      const hits = new Set(here);
      expect(
        there.filter((hit) => !hits.has(hit)),
        text,
      ).toEqual([]);
      expect(new Set(here.map(sampleOfHit)), text).toEqual(new Set(there.map(sampleOfHit)));
      const key = { run, sample: 'django-4000', epoch: '1' };
      const found: number[] = [];
      for await (const line of exported.lines('find', { params: key, query: { text, from: 5 } }, signal))
        found.push(...line.hits.map(({ event }) => event));
      expect(found, text).toEqual(await findServed(key, { text, from: 5 }));
    }
  });

  test('what was not written is told, with what to do', async () => {
    const other = newest('T070000')[0] ?? '';
    const [swe = ''] = newest('T090000');
    await expect(
      exported.ask('compare', { params: {}, query: { runs: `${other},${swe}` } }),
    ).rejects.toMatchObject({
      code: 'E_EXPORT_LEFT_OUT',
      hint: expect.stringContaining(`${other} ${swe}`),
    });
    await expect(exported.ask('run', { params: { run: 'nobody' }, query: {} })).rejects.toMatchObject({
      code: 'E_EXPORT_LEFT_OUT',
    });
    await expect(exported.ask('review', { params: {}, query: {} })).rejects.toMatchObject({
      code: 'E_EXPORT_READ_ONLY',
    });
  });
});

interface Hit {
  readonly run: string;
  readonly sample?: string | number | undefined;
  readonly epoch?: number | undefined;
  readonly event?: number | undefined;
}

/** What stands around a hit depends on how it is stored; where it is does not. */
function hitKey({ run, sample, epoch, event }: Hit): string {
  return [run, sample, epoch, event ?? ''].join(' ');
}

function sampleOfHit(hit: string): string {
  return hit.split(' ').slice(0, 3).join(' ');
}

async function searchServed(query: object): Promise<string[]> {
  const found: string[] = [];
  for await (const { hits } of linesServed('search', {}, query)) found.push(...hits.map(hitKey));
  return found;
}

async function findServed(params: Params, query: object): Promise<number[]> {
  const found: number[] = [];
  for await (const { hits } of linesServed('find', params, query))
    found.push(...hits.map(({ event }) => event ?? -1));
  return found;
}

function linesServed(
  name: 'find' | 'search',
  params: Params,
  query: object,
): AsyncIterable<{ readonly hits: readonly Hit[] }> {
  return (handlers[name] as (call: object) => AsyncIterable<{ readonly hits: readonly Hit[] }>)({
    studio,
    params,
    query: ROUTES[name].query.parse(query),
    signal: new AbortController().signal,
  });
}
