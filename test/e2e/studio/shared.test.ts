/** The pages of shared runs and of the warm cache as people use them: read, followed, copied from, by keyboard, in both themes. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sampleJob } from '../../../src/cluster/index.ts';
import {
  makeSharedRuns,
  type SharedStore,
  type SubmittedRun,
  sharedStore,
} from '../../sim/studio/shared-runs.ts';
import { makeStudioStore } from '../../sim/studio/store.ts';
import { type MadeCache, makeWarmCache } from '../../sim/studio/warm-cache.ts';
import type { Theme } from './browser.ts';
import { axeFindings, layoutFindings, SIZES } from './look-at-page.ts';
import { inChromium, obstacle, Session } from './session.ts';

const SCREENSHOTS = process.env.HOLDFAST_SCREENSHOTS;
const BUCKET = 's3://team/evals';

let store: SharedStore;
let running: SubmittedRun;
let made: MadeCache;

const session = new Session(async (dir) => {
  const { dir: project, runs } = await makeStudioStore(join(dir, 'project'), {
    rounds: 1,
    evals: ['capitals'],
    samples: 2,
  });
  // What is shown as so long ago is told by the clock of the browser.
  store = sharedStore(Date.now() - 57 * 60_000);
  ({ running } = await makeSharedRuns(store));
  made = await makeWarmCache(dir, runs[0]);
  const { place } = store;
  return {
    places: [project],
    logDirs: [join(project, 'logs')],
    shared: { url: BUCKET, open: async () => place },
    artifacts: made.cache,
  };
});

const shows = (text: string | RegExp) => session.page.getByText(text).first().waitFor({ timeout: 120_000 });
const rows = (table: string) =>
  session.page.getByRole('table', { name: table }).locator('[role=row]:has([role=cell])');

describe.skipIf(obstacle !== undefined)(inChromium('shared runs'), () => {
  test('are listed with their states, and lead to each', async () => {
    await session.go('/shared');
    await rows('Shared runs').first().waitFor();
    const texts = await rows('Shared runs').allTextContents();
    expect(texts.map((text) => text.replace(/^\W/, '').slice(0, 7))).toEqual([
      'running',
      'cancell',
      'complet',
    ]);
    await session.page.getByRole('link', { name: 'text-to-sql' }).click();
    await shows('jobs under way on 5 workers');
    expect(session.address.pathname).toBe(`/shared/${running.run}`);
  });

  test('one tells its workers, who refuses and why, what is in flight, what failed and what is built; by keys, and a reload keeps the part', async () => {
    await session.go(`/shared/${running.run}`);
    await rows('Workers').first().waitFor();
    const [silent = '', refusing = ''] = await rows('Workers').allTextContents();
    expect(silent).toMatch(/silent.*w-dead.*question-0020/);
    expect(refusing).toMatch(/refuses.*w-old.*Node 22\.4\.0/);
    await shows('No queue is named');
    await session.press('2');
    await rows('Jobs under way').first().waitFor();
    expect(await rows('Jobs under way').first().textContent()).toMatch(/question-0020.*w-dead.*silent/);
    await session.press('3');
    await shows('SQL could not be parsed');
    await shows('three workers were lost on it');
    await session.press('4');
    await shows('the schema of debit_card cannot be read');
    expect(session.said('part')).toBe('artifacts');
    await session.page.reload();
    await shows('knowledge/european_football');
    await session.press('5');
    await shows('ada@laptop');
  });

  test('commands are copied with the bucket in them', async () => {
    await session.go(`/shared/${running.run}?part=rounds`);
    const command = `holdfast runs resume ${running.run} --bucket ${BUCKET}`;
    await shows(command);
    await session.page
      .getByRole('listitem')
      .filter({ hasText: command })
      .getByRole('button', { name: 'Copy the command' })
      .click();
    await expect.poll(() => session.copied()).toBe(command);
  });

  test('a run is seen going on without a reload, and only what is new is read', async () => {
    await session.go(`/shared/${running.run}?part=leases`);
    await shows(/144 of 360 samples done/);
    const lease = await running.begin('w-00', sampleJob(300));
    await shows('question-0300');
    await lease.end({ status: 'completed', usd: 0.5 });
    await shows(/145 of 360 samples done/);
    await session.page.getByText('question-0300').waitFor({ state: 'detached' });
  });

  test('one that is not there is told in words, with what to do', async () => {
    await session.go('/shared/nothing-of-that-name');
    await shows('There is no shared run "nothing-of-that-name"');
    await shows('E_SHARED_UNKNOWN');
    session.wrong.length = 0;
  });

  test('what workers and models wrote is text, never markup', async () => {
    const lease = await running.begin('w-01', sampleJob(301));
    await lease.end({ status: 'errored', reason: '<img src=x onerror="window.hit = 1"> & "quotes"' });
    await session.go(`/shared/${running.run}?part=failures`);
    await shows('<img src=x onerror="window.hit = 1"> & "quotes"');
    expect(await session.page.evaluate('window.hit')).toBeUndefined();
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('the warm cache'), () => {
  test('lists units, filters them in the address, and leads to one with its lineage', async () => {
    await session.go('/artifacts');
    await rows('Artifacts').first().waitFor();
    await shows('thrombosis_prediction');
    await session.page.getByRole('textbox', { name: 'Filter artifacts' }).fill('index');
    await expect.poll(() => rows('Artifacts').count()).toBe(1);
    expect(session.said('q')).toBe('index');
    await session.page.getByRole('link', { name: 'index/california_schools' }).click();
    await shows('Made of');
    await session.page.getByRole('link', { name: 'knowledge/california_schools' }).click();
    await shows('Takes the place of');
    await shows('Superseded by');
    await shows('Made into');
    await session.page.getByRole('article').first().locator('a[href^="/runs/"]').click();
    await expect.poll(() => session.address.pathname).toMatch(/^\/runs\//);
  });

  test('says why what is damaged is not used', async () => {
    await session.go(`/artifacts/r/${made.damagedRecipe}`);
    await shows('nothing of this recipe is used until a whole copy comes');
  });

  test('has its merges, and each of them what became of every generation', async () => {
    await session.go('/artifacts');
    await session.page.getByRole('link', { name: '1 merge' }).click();
    await rows('Merges').first().getByRole('link').click();
    await rows('Generations of the merge').first().waitFor();
    const texts = await rows('Generations of the merge').allTextContents();
    expect(texts.map((text) => /formula_1|toxicology|superhero/.exec(text)?.[0])).toEqual([
      'formula_1',
      'toxicology',
      'superhero',
    ]);
    await shows('never seen');
    await session.page.getByRole('link', { name: 'knowledge/superhero' }).click();
    await expect.poll(() => session.address.pathname).toMatch(/^\/artifacts\/r\//);
  });
});

const PAGES = () =>
  [
    ['shared', '/shared', 'word-problems'],
    ['shared-run', `/shared/${running.run}`, 'w-old'],
    ['shared-run-leases', `/shared/${running.run}?part=leases`, 'question-0020'],
    ['shared-run-failures', `/shared/${running.run}?part=failures`, 'SQL could not be parsed'],
    ['shared-run-artifacts', `/shared/${running.run}?part=artifacts`, 'knowledge/financial'],
    ['shared-run-rounds', `/shared/${running.run}?part=rounds`, 'holdfast runs fetch'],
    ['artifacts', '/artifacts', 'thrombosis_prediction'],
    ['artifact', `/artifacts/r/${made.rebuilt.manifest.recipe}`, 'none used it'],
    ['artifact-damaged', `/artifacts/r/${made.damagedRecipe}`, 'It lies in'],
    ['merges', '/artifacts/merges', 'never seen'],
  ] as const;

describe.skipIf(obstacle !== undefined)(inChromium('both kinds of pages'), () => {
  test.each<Theme>(['light', 'dark'])(
    '%s: nothing is wrong, nothing scrolls sideways, and axe finds nothing',
    async (theme) => {
      if (SCREENSHOTS !== undefined) mkdirSync(SCREENSHOTS, { recursive: true });
      const findings: string[] = [];
      for (const [name, path, text] of PAGES())
        for (const [width, height] of SIZES[theme]) {
          const page = await session.openPage({ theme, width, height });
          await page.goto(session.studio.url + path);
          await shows(text);
          await page.waitForTimeout(300);
          if (SCREENSHOTS !== undefined)
            await page.screenshot({ path: join(SCREENSHOTS, `${name}-${theme}-${width}.png`) });
          const found = [...(await axeFindings(page, theme)), ...(await layoutFindings(page))];
          findings.push(...[...found, ...session.wrong].map((said) => `${name} at ${width}: ${said}`));
        }
      expect(findings).toEqual([]);
    },
    300_000,
  );
});
