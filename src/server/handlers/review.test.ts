import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { type FixtureLog, fixtureEvent, fixtureFields } from '../../../test/sim/log-fixture.ts';
import {
  git,
  initRepository,
  openResults,
  type ResultsRepo,
  runOfDay,
  writeRun,
} from '../../../test/sim/results-repo.ts';
import { ask, type StudioOfLogs, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import type { Json, RunId } from '../../base/index.ts';
import type { ReviewQueue } from '../api.ts';
import { review } from './review.ts';
import { say } from './say.ts';

const dir = useTempDir();
let logs = '';
let repo = '';
beforeEach(() => {
  logs = join(dir.path, 'logs');
  repo = join(dir.path, 'repo');
  mkdirSync(logs);
  initRepository(repo);
});

const logOf = (values: Readonly<Record<string, Json>>, more: FixtureLog = {}): FixtureLog => ({
  ...more,
  samples: Object.entries(values).map(([id, value]) => ({
    fields: fixtureFields(/^\d+$/.test(id) ? Number(id) : id, { scores: { exact: { value } } }),
    events: [fixtureEvent({ event: 'info', uuid: `${id}-1`, data: 'x' })],
  })),
});

interface World extends AsyncDisposable {
  readonly results: ResultsRepo;
  readonly studio: StudioOfLogs;
  readonly runs: readonly RunId[];
}

/** A store with some published runs, oldest first. */
async function published(...all: readonly FixtureLog[]): Promise<World> {
  const results = await openResults(repo);
  const runs: RunId[] = [];
  for (const [index, log] of all.entries()) {
    const run = runOfDay(index + 1);
    await results.publish(await writeRun(logs, run, log));
    runs.push(run);
  }
  const studio = await studioOfLogs({ results: results.store });
  return {
    results,
    studio,
    runs,
    [Symbol.asyncDispose]: async () => {
      await studio[Symbol.asyncDispose]();
      await results[Symbol.asyncDispose]();
    },
  };
}

const saying = (studio: StudioOfLogs, body: object) => ask(studio, 'say', say, { body });
const queue = (studio: StudioOfLogs, query: object = {}): Promise<ReviewQueue> =>
  ask(studio, 'review', review, { query });
const shown = ({ items }: ReviewQueue) =>
  items.map(({ sample, outcome, verdicts }) => `${sample} ${outcome} ${verdicts.length}`);

describe('saying something', () => {
  test('notes and verdicts are kept in git beside the run, and everybody is told', async () => {
    await using world = await published(logOf({ a: 'C', 7: 'I' }));
    const { studio, runs, results } = world;
    const [run = ''] = runs;
    const head = git(repo, 'rev-parse', 'holdfast/results');
    const { notes } = await saying(studio, { kind: 'note', run, text: 'the key had expired' });
    expect(notes).toMatchObject([{ run, kind: 'note', by: 'Ada', text: 'the key had expired' }]);
    const verdict = await saying(studio, {
      kind: 'verdict',
      run,
      sample: '7',
      epoch: 1,
      verdict: 'pass',
      scorer: 'exact',
      text: 'it is right',
    });
    expect(verdict.notes).toMatchObject([
      { kind: 'verdict', verdict: 'pass', sample: 7, epoch: 1, scorer: 'exact' },
    ]);
    await saying(studio, { kind: 'note', run, text: 'here', sample: 'a', epoch: 1, event: 'a-1' });
    const { marks } = await results.store.find(run);
    expect(marks.notes.map(({ text, anchor }) => [text, anchor?.event])).toEqual([
      ['the key had expired', undefined],
      ['here', 'a-1'],
    ]);
    expect(studio.told).toEqual([1, 2, 3].map(() => ({ kind: 'notes', runs: [run] })));
    expect(git(repo, 'diff', '--name-only', head, 'holdfast/results')).not.toContain('/log/');
  });

  test('what was said is taken back by its id; a note that is not there: E_NOTE', async () => {
    await using world = await published(logOf({ a: 'C' }));
    const { studio, runs, results } = world;
    const [run = ''] = runs;
    const { notes } = await saying(studio, { kind: 'note', run, text: 'oh no' });
    expect(await saying(studio, { kind: 'retract', run, id: notes[0]?.id })).toEqual({ notes: [] });
    expect((await results.store.find(run)).marks.notes).toEqual([]);
    await expect(saying(studio, { kind: 'retract', run, id: 'nope' })).rejects.toMatchObject({
      code: 'E_NOTE',
    });
    await expect(saying(studio, { kind: 'note', run, text: '  \n' })).rejects.toMatchObject({
      code: 'E_NOTE',
    });
  });

  test('tags come and go, on several runs at once; what cannot be one: E_TAG', async () => {
    await using world = await published(logOf({ a: 'C' }), logOf({ a: 'I' }));
    const { studio, runs, results } = world;
    await saying(studio, { kind: 'tag', runs, tag: 'baseline' });
    const tagsOf = async () =>
      (await Promise.all(runs.map((run) => results.store.find(run)))).map(({ marks }) => marks.tags);
    expect(await tagsOf()).toEqual([['baseline'], ['baseline']]);
    await saying(studio, { kind: 'untag', runs: runs.slice(0, 1), tag: 'baseline' });
    expect(await tagsOf()).toEqual([[], ['baseline']]);
    expect(studio.told.at(0)).toEqual({ kind: 'notes', runs });
    await expect(saying(studio, { kind: 'tag', runs, tag: 'a\u0007b' })).rejects.toMatchObject({
      code: 'E_TAG',
    });
  });

  test('of what the run has not got nothing is said: E_SAMPLE_NONE, E_EVENT_NONE', async () => {
    await using world = await published(logOf({ a: 'C' }));
    const [run = ''] = world.runs;
    const about = { kind: 'verdict', run, verdict: 'fail' };
    await expect(saying(world.studio, { ...about, sample: 'b', epoch: 1 })).rejects.toMatchObject({
      code: 'E_SAMPLE_NONE',
    });
    await expect(saying(world.studio, { ...about, sample: 'a', epoch: 2 })).rejects.toMatchObject({
      code: 'E_SAMPLE_NONE',
    });
    const note = { kind: 'note', run, text: 'x', sample: 'a', epoch: 1, event: 'zzz' };
    await expect(saying(world.studio, note)).rejects.toMatchObject({ code: 'E_EVENT_NONE' });
    expect(world.studio.told).toEqual([]);
  });

  test('a run that is not published, or no results at all: refused with what to do', async () => {
    const run = runOfDay(1);
    const path = await writeRun(logs, run, logOf({ a: 'C' }));
    await using bare = await studioOfLogs({ logs });
    await expect(saying(bare, { kind: 'note', run, text: 'x' })).rejects.toMatchObject({
      code: 'E_RESULTS_NOT_BEGUN',
      hint: expect.stringContaining('holdfast results init'),
    });
    await using results = await openResults(repo);
    await using studio = await studioOfLogs({ logs, results: results.store });
    await expect(saying(studio, { kind: 'tag', runs: [run], tag: 'x' })).rejects.toMatchObject({
      code: 'E_NOT_PUBLISHED',
      hint: `Publish it first with "holdfast results publish ${path}".`,
    });
    expect(await queue(studio, { run })).toMatchObject({
      total: 1,
      canWrite: false,
      whyNot: expect.stringContaining('holdfast results publish'),
    });
    expect(await queue(bare, { run })).toMatchObject({
      canWrite: false,
      whyNot: expect.stringContaining('no results'),
    });
  });
});

describe('the queue', () => {
  test('what nobody judged comes first, of it what the scorer did not let pass', async () => {
    await using world = await published(logOf({ a: 'C', b: 'I', c: 'P', d: 'I', e: null }));
    const { studio, runs } = world;
    const [run = ''] = runs;
    expect(shown(await queue(studio, { run }))).toEqual([
      'b fail 0',
      'c partial 0',
      'd fail 0',
      'a pass 0',
      'e unscored 0',
    ]);
    await saying(studio, { kind: 'verdict', run, sample: 'b', epoch: 1, verdict: 'pass' });
    const found = await queue(studio, { run });
    expect(shown(found)).toEqual(['c partial 0', 'd fail 0', 'a pass 0', 'e unscored 0', 'b fail 1']);
    expect(found).toMatchObject({ total: 5, judged: 1, canWrite: true });
    expect((await queue(studio, { run, limit: 2 })).items.length).toBe(2);
    expect(found.items[4]?.verdicts).toMatchObject([{ by: 'Ada', verdict: 'pass' }]);
  });

  test('agreement with the scorer, with kappa; of each person the last word counts', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `s${index}`);
    await using world = await published(
      logOf(Object.fromEntries(ids.map((id, index) => [id, index < 6 ? 'C' : 'I']))),
    );
    const { studio, runs } = world;
    const [run = ''] = runs;
    const judge = (sample: string, verdict: string) =>
      saying(studio, { kind: 'verdict', run, sample, epoch: 1, verdict });
    await judge('s0', 'fail');
    for (const id of ids.slice(0, 5)) await judge(id, 'pass');
    await judge('s5', 'fail');
    for (const id of ids.slice(6, 8)) await judge(id, 'fail');
    await judge('s8', 'pass');
    await judge('s9', 'unsure');
    const { agreement, judged } = await queue(studio, { run });
    expect(agreement).toMatchObject({
      bothPass: 5,
      bothFail: 2,
      onlyScorerPasses: 1,
      onlyPeoplePass: 1,
      unsure: 1,
    });
    // 7 of 9 agree; by chance 6/9 · 6/9 + 3/9 · 3/9.
    expect(agreement.kappa).toBeCloseTo((7 / 9 - 45 / 81) / (1 - 45 / 81), 10);
    expect(judged).toBe(10);
  });

  test('without verdicts there is no kappa', async () => {
    await using world = await published(logOf({ a: 'C' }));
    expect((await queue(world.studio)).agreement).toEqual({
      ...{ bothPass: 0, bothFail: 0, onlyScorerPasses: 0, onlyPeoplePass: 0, unsure: 0 },
    });
  });

  test('of the newest runs that a filter leaves, newest first; what is wrong with it is told', async () => {
    await using world = await published(
      logOf({ a: 'I' }, { spec: { task: 'one' } }),
      logOf({ b: 'I' }),
      logOf({ c: 'I' }),
    );
    const { studio, runs } = world;
    expect((await queue(studio)).items.map(({ run, sample }) => [run, sample])).toEqual([
      [runs[2], 'c'],
      [runs[1], 'b'],
      [runs[0], 'a'],
    ]);
    expect((await queue(studio, { q: 'eval:one' })).items.map(({ sample }) => sample)).toEqual(['a']);
    expect((await queue(studio, { q: 'nope:1' })).wrong).toMatchObject({ at: 0 });
    expect((await queue(studio, { score: 'other' })).total).toBe(0);
  });
});
