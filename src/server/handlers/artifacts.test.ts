/** The pages of the warm cache, over a real one. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixtureFields, fixtureSpec } from '../../../test/sim/log-fixture.ts';
import { runIdAt, writeRun } from '../../../test/sim/results-repo.ts';
import { makeWarmCache } from '../../../test/sim/studio/warm-cache.ts';
import { ask, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { type ArtifactCache, pinOf, pinsJson } from '../../artifacts/index.ts';
import { systemClock } from '../../base/index.ts';
import { WarmCache } from '../artifacts/warm-cache.ts';
import type { Studio } from '../studio.ts';
import { artifactUses } from './artifact-uses.ts';
import { artifact, artifacts } from './artifacts.ts';
import { mergeReport, mergeReports } from './merges.ts';

const dir = useTempDir();
const RUN = runIdAt('2026-03-01T00:00:00Z', 1);

async function studioOn(cache: ArtifactCache, logs?: string): Promise<Studio> {
  const studio = await studioOfLogs(logs === undefined ? {} : { logs });
  return { ...studio, artifacts: new WarmCache(cache, systemClock) };
}

describe('the list of artifacts', () => {
  test('has every recipe with its current generation, size and cost, and what is damaged with its reason', async () => {
    const { cache } = await makeWarmCache(dir.path);
    const page = await ask(await studioOn(cache), 'artifacts', artifacts);
    expect(page.recipes.map(({ kind, key, generations }) => [`${kind}/${key}`, generations])).toEqual([
      ['index/california_schools', 1],
      ['knowledge/california_schools', 2],
      ['knowledge/card_games', 1],
      ['knowledge/financial', 1],
      ['knowledge/superhero', 1],
      ['knowledge/thrombosis_prediction', 0],
    ]);
    const damaged = page.recipes.at(-1);
    expect(damaged).toMatchObject({ current: null, unusable: [{ isCurrent: true, isNewer: false }] });
    expect(damaged?.unusable[0]?.reason).toContain('schema.md');
    expect(page).toMatchObject({
      cache: cache.dir,
      units: 6,
      generations: 6,
      setAside: 1,
      merges: 1,
      all: 6,
    });
    expect(page.usd).toBeCloseTo(1.5);
    expect(page.recipes[1]?.current).toMatchObject({ files: 2, cost: { usd: 0.25 } });
  });

  test('is filtered by words of units, recipes and runs, and comes in pages', async () => {
    const { cache, rebuilt } = await makeWarmCache(dir.path, RUN);
    const studio = await studioOn(cache);
    const found = async (q: string) =>
      (await ask(studio, 'artifacts', artifacts, { query: { q } })).recipes.length;
    expect(await found('KNOWLEDGE card')).toBe(1);
    expect(await found(rebuilt.manifest.recipe.slice(0, 16))).toBe(1);
    expect(await found('nothing of that name')).toBe(0);
    const page = await ask(studio, 'artifacts', artifacts, { query: { offset: 2, limit: 2 } });
    expect([page.recipes.length, page.total, page.recipes[0]?.key]).toEqual([2, 6, 'card_games']);
  });

  test('says that no cache is looked at, where that is so', async () => {
    const studio = await studioOfLogs({});
    expect(await ask(studio, 'artifacts', artifacts)).toMatchObject({ cache: null, recipes: [] });
    expect(await ask(studio, 'mergeReports', mergeReports)).toMatchObject({ cache: null, reports: [] });
    const asked = { params: { recipe: 'abcdefgh' } };
    await expect(ask(studio, 'artifact', artifact, asked)).rejects.toMatchObject({
      code: 'E_ARTIFACT_UNKNOWN',
    });
  });
});

describe('one artifact', () => {
  test('tells which generation is current, which it superseded, what it is made of and what is made of it', async () => {
    const { cache, rebuilt, index } = await makeWarmCache(dir.path);
    const studio = await studioOn(cache);
    const view = await ask(studio, 'artifact', artifact, { params: { recipe: rebuilt.manifest.recipe } });
    const [current, before] = view.generations;
    expect(current).toMatchObject({ is: 'current', generation: rebuilt.manifest.generation, filesOf: 2 });
    expect(current?.supersedes).toEqual([before?.generation]);
    expect(before).toMatchObject({ is: 'superseded', supersededBy: [current?.generation] });
    expect(current?.madeInto).toMatchObject([{ kind: 'index', recipe: index.manifest.recipe }]);
    expect(before?.madeInto).toEqual([]);
    expect(view).toMatchObject({
      version: '1',
      parameters: '{"model":"mock"}',
      inputs: [{ name: 'schema', kind: 'file' }],
    });
    const made = await ask(studio, 'artifact', artifact, { params: { recipe: index.manifest.recipe } });
    expect(made.generations[0]?.madeOf).toMatchObject([
      { name: 'knowledge', digest: rebuilt.manifest.digest, found: { recipe: rebuilt.manifest.recipe } },
    ]);
  });

  test('whose only generation is damaged says why, where it lies, and that nothing is used until a whole copy comes', async () => {
    const { cache, damagedRecipe } = await makeWarmCache(dir.path);
    const view = await ask(await studioOn(cache), 'artifact', artifact, {
      params: { recipe: damagedRecipe },
    });
    expect(view.generations).toEqual([]);
    expect(view).toMatchObject({ key: 'thrombosis_prediction', unusable: [{ isCurrent: true }] });
    expect(view.unusable[0]?.place).toContain(join(cache.dir, 'damaged'));
  });

  test('that is not there is refused in words', async () => {
    const { cache } = await makeWarmCache(dir.path);
    const studio = await studioOn(cache);
    for (const recipe of ['0'.repeat(64), '', 'k', '../../etc/passwd'])
      await expect(ask(studio, 'artifact', artifact, { params: { recipe } })).rejects.toMatchObject({
        code: 'E_ARTIFACT_UNKNOWN',
      });
  });

  test('names the runs that used it, as far as the logs here say, and how many were looked into', async () => {
    const { cache, rebuilt, index } = await makeWarmCache(dir.path, RUN);
    const logs = join(dir.path, 'logs');
    mkdirSync(logs);
    const pins = pinsJson([pinOf(rebuilt)]);
    const log = (run: string, metadata: object) => ({
      header: { eval: fixtureSpec({ run_id: run, metadata: { holdfast: { run, ...metadata } } }) },
      samples: [{ fields: fixtureFields('a'), events: [] }],
    });
    await writeRun(logs, RUN, log(RUN, { artifacts: pins }));
    const other = runIdAt('2026-03-02T00:00:00Z', 2);
    await writeRun(logs, other, log(other, { artifacts: pinsJson([pinOf(index)]) }));
    writeFileSync(join(logs, `${runIdAt('2026-03-03T00:00:00Z', 3)}.eval`), 'no log');
    const studio = await studioOn(cache, logs);
    const asked = { params: { recipe: rebuilt.manifest.recipe } };
    const uses = await ask(studio, 'artifactUses', artifactUses, asked);
    expect(uses.runs).toMatchObject([
      { run: RUN, eval: 'capitals', generation: rebuilt.manifest.generation },
    ]);
    expect(uses).toMatchObject({ looked: 3, of: 3, unread: 1 });
    const view = await ask(studio, 'artifact', artifact, asked);
    expect(view.generations[0]).toMatchObject({ producer: { run: RUN }, isRunHere: true });
  });
});

describe('merges', () => {
  test('are listed, and each says what became of every generation, what is wrong first', async () => {
    const { cache } = await makeWarmCache(dir.path);
    const studio = await studioOn(cache);
    const { reports } = await ask(studio, 'mergeReports', mergeReports);
    expect(reports).toMatchObject([{ isComplete: false, entries: 3, changes: 1 }]);
    const report = reports[0]?.id ?? '';
    const view = await ask(studio, 'mergeReport', mergeReport, { params: { report } });
    expect(view.entries.map(({ unit, state }) => [unit, state])).toEqual([
      ['knowledge/formula_1', 'incomplete'],
      ['knowledge/toxicology', 'never-seen'],
      ['knowledge/superhero', 'installed'],
    ]);
    expect(view.entries[0]?.reason).toBeTruthy();
    expect(view.entries.map(({ isHere }) => isHere)).toEqual([false, false, true]);
    expect(view.counts).toEqual([
      { state: 'installed', count: 1 },
      { state: 'incomplete', count: 1 },
      { state: 'never-seen', count: 1 },
    ]);
  });

  test('whose report is damaged is one row that says so; one that is not there is refused in words', async () => {
    const { cache } = await makeWarmCache(dir.path);
    const bad = '20990101T000000000-abcdefghij';
    writeFileSync(join(cache.dir, 'reports', `${bad}.json`), '{"format":1,"entries":7}');
    const newer = '20990102T000000000-abcdefghij';
    writeFileSync(join(cache.dir, 'reports', `${newer}.json`), '{"format":2}');
    // No report, but beside the folder of reports: a name must not lead there.
    writeFileSync(join(cache.dir, 'x.json'), '{"format":1}');
    const studio = await studioOn(cache);
    const { reports } = await ask(studio, 'mergeReports', mergeReports);
    expect(reports.map(({ id, damage }) => [id, damage !== undefined])).toEqual([
      [newer, true],
      [bad, true],
      [expect.any(String), false],
    ]);
    expect(reports[0]?.damage).toContain('newer version');
    const one = (report: string) => ask(studio, 'mergeReport', mergeReport, { params: { report } });
    await expect(one(bad)).rejects.toMatchObject({ code: 'E_MERGE_DAMAGED' });
    for (const name of ['nothing', '../x', ''])
      await expect(one(name)).rejects.toMatchObject({ code: 'E_MERGE_UNKNOWN' });
  });
});
