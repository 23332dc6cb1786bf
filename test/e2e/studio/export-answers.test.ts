import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeDisk } from '../../../src/disk/index.ts';
import { makeStudioStore, type StudioStore } from '../../sim/studio/store.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { BothSides, type Hit } from './both-sides.ts';

let dir: TempDir;
let store: StudioStore;
let sides: BothSides;

beforeAll(async () => {
  dir = await makeTempDir();
  store = await makeStudioStore(join(dir.path, 'project'), {
    rounds: 2,
    evals: ['swe-lite', 'support-triage'],
    samples: 9,
  });
  const places = { places: [store.dir], logDirs: [join(store.dir, 'logs')] };
  const appDir = join(dir.path, 'app');
  await nodeDisk.makeDir(appDir);
  sides = await BothSides.open(places, { out: join(dir.path, 'out'), appDir });
}, 300_000);

afterAll(async () => {
  await sides?.[Symbol.asyncDispose]();
  await dir?.[Symbol.asyncDispose]();
});

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
      await sides.expectSame('runs', {}, query, ['index', 'command']);
    await sides.expectSame('runWords', {}, {});
    await sides.expectSame('runChanges', {}, { runs: store.runs.slice(-6) });
    await sides.expectSame('evals', {}, {});
  });

  test('[EXP-7] a run, its samples, its timeline and its header, by every score', async () => {
    const [swe = '', other = ''] = newest('T090000');
    const [rubric = ''] = newest('T080000');
    for (const run of [swe, other]) {
      await sides.expectSame('run', { run }, {});
      await sides.expectSame('timeline', { run }, {});
      expect(await sides.exported.ask('header', { params: { run }, query: {} })).toEqual(
        await sides.served('header', { run }, {}),
      );
      for (const query of [
        {},
        { q: 'is:failing' },
        { q: 'django', sort: '-cost', limit: 7 },
        { q: 'turns>4 or error:*' },
      ]) {
        await sides.expectSame('samples', { run }, query);
        await sides.expectSame('sampleOrder', { run }, { q: query.q ?? '', sort: 'id' });
      }
    }
    for (const score of ['rubric', 'queue'])
      for (const name of ['run', 'timeline', 'samples', 'sampleOrder'] as const)
        await sides.expectSame(name, { run: rubric }, { score });
    const { samples } = await sides.served('samples', { run: rubric }, {});
    for (const { id } of samples)
      for (const query of [{}, { score: 'rubric' }, { score: 'queue' }])
        await sides.expectSame('sample', { run: rubric, sample: String(id), epoch: '1' }, query);
  });

  test('[EXP-9] a sample: its skeleton, its events in any page, each event by itself, and its messages', async () => {
    const [run = ''] = newest('T090000');
    for (const [sample, epoch] of [
      ['django-4000', '1'],
      ['flask-4137', '2'],
      ['xarray-4959', '1'],
    ] as const) {
      const key = { run, sample, epoch };
      await sides.expectSame('sample', key, {});
      const { known } = await sides.served('skeleton', key, {});
      for (const query of [{}, { from: 3, limit: 4 }, { from: known - 1 }]) {
        await sides.expectSame('skeleton', key, query, ['kinds', 'kindsFrom', 'lanes', 'lanesFrom']);
        await sides.expectSame('events', key, query, ['messages']);
        await sides.expectSame('messages', key, query);
      }
      for (let event = 0; event < known; event++) {
        await sides.expectSame('event', { ...key, event: String(event) }, {});
        const { uuid } = (await sides.served('event', { ...key, event: String(event) }, {})) as {
          readonly uuid?: string;
        };
        if (uuid !== undefined) await sides.expectSame('eventPlace', key, { uuid });
      }
    }
  });

  test('comparisons in both directions, their samples, transcripts side by side, histories and matrices', async () => {
    const [a = '', b = ''] = newest('T090000');
    for (const runs of [`${b},${a}`, `${a},${b}`]) {
      await sides.expectSame('compare', {}, { runs });
      for (const query of [{}, { q: 'is:regressed' }, { q: 'django', sort: '-difference', limit: 3 }])
        await sides.expectSame('comparedSamples', {}, { runs, ...query });
    }
    const [newestRun = '', before = ''] = store.runs
      .toReversed()
      .filter((run) => run.includes('T09') || run.includes('T0845'));
    await sides.expectSame('compare', {}, { runs: `${before},${newestRun}` });
    await sides.expectSame(
      'transcripts',
      { sample: 'django-4000' },
      { runs: `${before},${newestRun}`, epoch: 2 },
    );
    for (const name of ['swe-lite', 'support-triage']) await sides.expectSame('eval', { eval: name }, {});
    await sides.expectSame(
      'sampleOverTime',
      { eval: 'support-triage', sample: 'ticket/3' },
      { score: 'queue' },
    );
    await sides.expectSame('matrix', {}, { q: 'eval:swe-lite', limit: 50 });
    await sides.expectSame('matrix', {}, { q: 'eval:support-triage', limit: 50, score: 'queue' });
  });

  test('comparisons of three to six runs, which nobody wrote down together', async () => {
    const all = store.runs
      .filter((run) => /T0(9|8)(45|30|00)/.test(run))
      .filter((run) => !run.includes('T0800'));
    expect(all.length).toBe(6);
    for (const runs of [all, all.toReversed(), all.slice(1, 4), [all[4], all[0], all[2], all[5]]]) {
      await sides.expectSame('compare', {}, { runs: runs.join() });
      for (const query of [{}, { q: 'is:regressed' }, { q: 'is:improved or is:same', sort: '-cost' }])
        await sides.expectSame('comparedSamples', {}, { runs: runs.join(), ...query });
    }
  });

  test('a search and a find come upon the same', async () => {
    const [run = ''] = newest('T090000');
    for (const text of ['failing test', 'SIGNATURE', 'nowhere to be found', '"quoted"', 'def validate']) {
      const query = { text, q: 'eval:swe-lite', limit: 5_000 };
      const there = await sides.searchServed(query);
      const here = await sides.searchExported(query);
      // A long text that is said again and again is stored once, and told by the server once; here each time.
      const hits = new Set(here.map(hitKey));
      expect(
        there.map(hitKey).filter((hit) => !hits.has(hit)),
        text,
      ).toEqual([]);
      expect(new Set(here.map(sampleKey)), text).toEqual(new Set(there.map(sampleKey)));
      const key = { run, sample: 'django-4000', epoch: '1' };
      expect(await sides.findExported(key, { text, from: 5 }), text).toEqual(
        await sides.findServed(key, { text, from: 5 }),
      );
    }
  });

  test('what was not written is told, with what to do', async () => {
    const other = newest('T080000')[0] ?? '';
    const [swe = ''] = newest('T090000');
    await expect(
      sides.exported.ask('compare', { params: {}, query: { runs: `${other},${swe}` } }),
    ).rejects.toMatchObject({
      code: 'E_EXPORT_LEFT_OUT',
      hint: expect.stringContaining(`${other} ${swe}`),
    });
    await expect(sides.exported.ask('run', { params: { run: 'nobody' }, query: {} })).rejects.toMatchObject({
      code: 'E_EXPORT_LEFT_OUT',
    });
    await expect(sides.exported.ask('review', { params: {}, query: {} })).rejects.toMatchObject({
      code: 'E_EXPORT_READ_ONLY',
    });
  });
});

function sampleKey({ run, sample, epoch }: Hit): string {
  return [run, sample, epoch].join(' ');
}

function hitKey(hit: Hit): string {
  return [sampleKey(hit), hit.event ?? ''].join(' ');
}
