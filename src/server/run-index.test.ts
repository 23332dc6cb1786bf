import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type IndexedStudio, indexedStudio, until } from '../../test/sim/indexed-studio.ts';
import { manualClock } from '../../test/sim/manual-clock.ts';
import {
  GIT_ENV,
  initRepository,
  openResults,
  type ResultsRepo,
  runIdAt,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { ActionableError, type RunId, systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { removeRun, tagRun } from '../results/index.ts';
import { openFolder, type RunSource, resultsSource } from '../sources/index.ts';

const dir = useTempDir();
const ids = [1, 2, 3, 4, 5].map((n) => runIdAt(`2026-03-0${n}T00:00:00Z`, n));
const id = (n: number) => ids[n - 1] as RunId;

const folder = (path: string): Promise<readonly RunSource[]> =>
  openFolder(path, { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV, cwd: path });

function logsDir(): string {
  const logs = join(dir.path, 'logs');
  mkdirSync(logs);
  return logs;
}

async function publishing(): Promise<ResultsRepo> {
  const repo = join(dir.path, 'repo');
  initRepository(repo);
  return openResults(repo);
}

const shown = ({ index }: IndexedStudio) =>
  index.items().map(({ run, form }) => `${run.slice(6, 8)} ${form}`);

describe('the index', () => {
  test('holds every run of every source once, newest first, in the form that is shown', async () => {
    const repo = await publishing();
    const logs = logsDir();
    for (const n of [1, 3]) await repo.publish(await writeRun(dir.path, id(n)));
    for (const n of [2, 3, 4]) await writeRun(logs, id(n));
    writeFileSync(join(logs, '2026-03-05T00-00-00+00-00_torn.eval'), 'PK no log');
    await using studio = indexedStudio([resultsSource(repo.store), ...(await folder(logs))]);
    const before = studio.index.version;
    await studio.whole();
    expect(shown(studio)).toEqual(['05 log', '04 log', '03 published', '02 log', '01 published']);
    expect(studio.index.items()[0]).toMatchObject({
      damage: expect.any(String),
      name: expect.stringContaining('torn'),
    });
    expect(studio.index.items()[0]?.facts).toBeUndefined();
    expect(studio.index.version).not.toBe(before);
    expect(studio.index.state).toEqual({ isWhole: true, read: 6 });
    expect(studio.index.sources()).toMatchObject([
      { kind: 'results', runs: 2, damaged: 0, lookMs: expect.any(Number) },
      { kind: 'logs', runs: 4, damaged: 1 },
      { kind: 'journals', runs: 0, damaged: 0 },
    ]);
    expect(await studio.index.find(id(3).slice(0, 9))).toMatchObject({
      run: id(3),
      item: { run: id(3), form: 'published' },
      inForms: { forms: ['published', 'log'] },
    });
    await expect(studio.index.find('nobody')).rejects.toMatchObject({ code: 'E_RUN_UNKNOWN' });
    expect(studio.bugs).toEqual([]);
  });

  test('tells what is published, tagged, removed and lost meanwhile, and shows it', async () => {
    const repo = await publishing();
    const logs = logsDir();
    const lost = await writeRun(logs, id(2));
    await repo.publish(await writeRun(dir.path, id(1)));
    await using studio = indexedStudio([resultsSource(repo.store), ...(await folder(logs))]);
    await studio.whole();
    const control = new AbortController();
    const told = studio.listen(control.signal);
    const other = await openResults(join(dir.path, 'repo'));
    const step = async (work: () => Promise<unknown>) => {
      const version = studio.index.version;
      const from = told.length;
      await work();
      await studio.index.lookAgain();
      await until(() => told.length > from);
      expect(studio.index.version).not.toBe(version);
      return told.slice(from);
    };
    expect(await step(async () => other.publish(await writeRun(dir.path, id(3))))).toEqual([
      { kind: 'runs', runs: [id(3)] },
    ]);
    expect(shown(studio)).toEqual(['03 published', '02 log', '01 published']);
    await step(() => tagRun(other.store, [id(1)], ['good']));
    expect(studio.index.items().at(-1)?.facts?.tags).toEqual(['good']);
    const noted = await step(() => other.store.say([id(1)], () => [{ kind: 'note', text: 'odd' }]));
    expect(noted).toEqual([
      { kind: 'runs', runs: [id(1)] },
      { kind: 'notes', runs: [id(1)] },
    ]);
    expect(studio.index.items().at(-1)?.notes).toBe(1);
    await step(() => removeRun(other.store, [id(3)]));
    expect(studio.index.items()[0]).toMatchObject({ run: id(3), removed: true });
    await step(async () => rmSync(lost));
    expect(shown(studio)).toEqual(['03 published', '01 published']);
    const version = studio.index.version;
    const items = studio.index.items();
    await studio.index.lookAgain();
    expect(studio.index.version).toBe(version);
    expect(studio.index.items()).toBe(items);
    control.abort();
    await other[Symbol.asyncDispose]();
  });

  test('a run that is published shows as published with its tags, and as a log again when that ended later', async () => {
    const repo = await publishing();
    const logs = logsDir();
    const path = await writeRun(logs, id(1));
    await using studio = indexedStudio([resultsSource(repo.store), ...(await folder(logs))]);
    await studio.whole();
    expect(shown(studio)).toEqual(['01 log']);
    await repo.publish(path);
    await tagRun(repo.store, [id(1)], ['good']);
    await studio.index.lookAgain();
    expect(shown(studio)).toEqual(['01 published']);
    const stats = {
      started_at: '2026-03-01T00:00:00Z',
      completed_at: '2099-01-01T00:00:00Z',
      model_usage: {},
      role_usage: {},
      connection_limit_history: [],
    };
    rmSync(path);
    await writeRun(logs, id(1), { header: { stats } });
    await studio.index.lookAgain();
    expect(shown(studio)).toEqual(['01 log']);
    expect(studio.index.items()[0]?.facts?.tags).toEqual(['good']);
  });

  test('a source that fails is a problem, hinders no other, keeps what it gave, and is told when it is mended', async () => {
    const logs = logsDir();
    await writeRun(logs, id(1));
    const [source, journals] = (await folder(logs)) as [RunSource, RunSource];
    let isBroken = false;
    const changes: RunSource['changes'] = (since, signal) => {
      if (isBroken)
        throw new ActionableError({ code: 'E_BUCKET', message: 'The bucket is away.', hint: 'Wait.' });
      if (!source.changes) throw new Error('it has no changes');
      return source.changes(since, signal);
    };
    const broken: RunSource = {
      place: 'nowhere',
      kind: 'logs',
      // biome-ignore lint/correctness/useYield: it fails before.
      async *runs() {
        throw new ActionableError({ code: 'E_BUCKET', message: 'It is not there.', hint: 'Name another.' });
      },
      find: async () => undefined,
      async [Symbol.asyncDispose]() {
        // Nothing was opened.
      },
    };
    await using studio = indexedStudio([withMethods(source, { changes }), journals, broken]);
    await studio.whole();
    const problems = () => studio.index.sources().flatMap(({ problem }) => problem ?? []);
    expect(problems()).toEqual([
      { code: 'E_BUCKET', message: 'It is not there.', hint: 'Name another.', place: 'nowhere' },
    ]);
    expect(shown(studio)).toEqual(['01 log']);
    isBroken = true;
    const version = studio.index.version;
    await studio.index.lookAgain();
    expect(problems().map(({ message }) => message)).toEqual(['The bucket is away.', 'It is not there.']);
    expect(shown(studio)).toEqual(['01 log']);
    expect(studio.index.version).not.toBe(version);
    isBroken = false;
    await studio.index.lookAgain();
    expect(problems()).toHaveLength(1);
    expect(studio.bugs).toEqual([]);
  });

  test('the newest rows are there before all are read, and a source that hangs keeps nobody waiting', async () => {
    const logs = logsDir();
    for (const n of [1, 2]) await writeRun(logs, id(n));
    const sources = await folder(logs);
    const gate = Promise.withResolvers<void>();
    const hanging: RunSource = {
      place: 'slow',
      kind: 'logs',
      // biome-ignore lint/correctness/useYield: nothing ever comes.
      async *runs() {
        await gate.promise;
      },
      find: async () => undefined,
      async [Symbol.asyncDispose]() {
        gate.resolve();
      },
    };
    const clock = manualClock();
    const studio = indexedStudio([...sources, hanging], clock);
    const { signal } = new AbortController();
    let hasBegun = false;
    const begun = studio.index.begun(signal).then(() => {
      hasBegun = true;
    });
    await until(() => studio.index.items().length === 2, 'the first rows');
    expect([hasBegun, studio.index.isWhole]).toEqual([false, false]);
    await clock.advance(1_000);
    await begun;
    const control = new AbortController();
    const whole = studio.index.whole(control.signal);
    control.abort(new Error('enough'));
    await expect(whole).rejects.toThrow('enough');
    gate.resolve();
    await studio.whole();
    expect(studio.index.isWhole).toBe(true);
    await studio[Symbol.asyncDispose]();
  });

  test('a run that begins is seen within a second while somebody listens, before the next look is due', async () => {
    const [real] = (await folder(logsDir())) as [RunSource];
    const clock = manualClock();
    let names = '';
    let looks = 0;
    const changes: RunSource['changes'] = (since, signal) => {
      looks++;
      return real.changes?.(since, signal) ?? Promise.reject(new Error('it has no changes'));
    };
    const source = withMethods(real, { changes, glance: async () => names });
    await using studio = indexedStudio([source], clock);
    await studio.whole();
    // Alone it is asleep for long.
    await clock.advance(1_000);
    await until(() => clock.sleepers > 0);
    const control = new AbortController();
    studio.listen(control.signal);
    await until(() => looks === 2 && clock.sleepers > 0, 'a look at once, because somebody came');
    const passing = async (count: number, what: string) => {
      await clock.advance(500);
      await until(() => looks === count && clock.sleepers > 0, what);
    };
    await passing(2, 'nothing came');
    names = 'a run';
    await passing(3, 'a look, because a run came');
    // It may not have said yet who it is.
    await passing(4, 'one more soon after');
    await clock.advance(3_000);
    await until(() => clock.sleepers > 0);
    const before = looks;
    await passing(before, 'it is no news any more');
    control.abort();
  });

  test('sources are looked at every two seconds while somebody listens, and every ten while nobody does', async () => {
    const logs = logsDir();
    await writeRun(logs, id(1));
    const [source] = (await folder(logs)) as [RunSource];
    let looks = 0;
    const changes: RunSource['changes'] = (since, signal) => {
      looks++;
      return source.changes?.(since, signal) ?? Promise.reject(new Error('it has no changes'));
    };
    const clock = manualClock();
    await using studio = indexedStudio([withMethods(source, { changes })], clock);
    await studio.whole();
    await until(() => clock.sleepers > 0);
    const passing = async (ms: number) => {
      const before = looks;
      for (let left = ms; left > 0; left -= 1_000) {
        await clock.advance(1_000);
        // A look that has begun takes real time; when it is over, it waits for the next.
        await until(() => clock.sleepers > 0);
      }
      return looks - before;
    };
    expect(await passing(9_000)).toBe(0);
    expect(await passing(2_000)).toBe(1);
    const control = new AbortController();
    const told = studio.listen(control.signal);
    await until(() => looks === 3 && clock.sleepers > 0, 'a look at once, because somebody came');
    expect(await passing(8_000)).toBe(4);
    await writeRun(logs, id(2));
    await passing(3_000);
    expect(told).toContainEqual({ kind: 'runs', runs: [id(2)] });
    control.abort();
  });
});
