/** The pages of shared runs and of the warm cache as people use them: read, followed, copied from, by keyboard, in both themes. */
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ActionableError, systemClock } from '../../../src/base/index.ts';
import { sampleJob } from '../../../src/cluster/index.ts';
import { LocalQueue } from '../../sim/local-queue.ts';
import {
  damageObject,
  makeSharedRuns,
  type SharedStore,
  type SubmittedRun,
  sharedStore,
  submitRun,
} from '../../sim/studio/shared-runs.ts';
import { makeStudioStore } from '../../sim/studio/store.ts';
import { type MadeCache, makeWarmCache } from '../../sim/studio/warm-cache.ts';
import { openPage, type Theme } from './browser.ts';
import { axeFindings, layoutFindings } from './look-at-page.ts';
import { serveTestStudio } from './served.ts';
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

  test('how much the queue holds of one is said, and that it is away', async () => {
    const queue = new LocalQueue(systemClock);
    const jobs = Array.from({ length: 7 }, (_, n) => ({
      run: running.run,
      job: sampleJob(340 + n),
      round: 1,
      seq: n,
    }));
    await queue.add(jobs);
    let isAway = true;
    const openQueue = async () => {
      if (isAway)
        throw new ActionableError({ code: 'E_QUEUE', message: 'No Redis answers.', hint: 'Start it.' });
      return queue;
    };
    const shared = { url: BUCKET, open: async () => store.place, openQueue };
    await using studio = await serveTestStudio({ places: [], shared });
    const { page, wrong } = await openPage(session.browser, { origin: studio.url });
    await page.goto(`${studio.url}/shared/${running.run}`);
    await page.getByText('unknown: away').waitFor();
    await page.getByText('No Redis answers.').waitFor();
    isAway = false;
    await page.getByText('at most 7').waitFor();
    expect(await page.getByText('No Redis answers.').count()).toBe(0);
    expect(wrong).toEqual([]);
    await page.context().close();
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

describe.skipIf(obstacle !== undefined)(inChromium('shared runs of which something is damaged'), () => {
  test('say what cannot be read and what to do, among their counts too, and hide no other run', async () => {
    const { shared } = await submitRun(store, { eval: 'unreadable', number: 4 });
    await damageObject(store, shared.keys.submission);
    const job = sampleJob(302);
    await running.begin('w-02', job);
    await damageObject(store, running.shared.keys.ended(job, 1));
    await session.go('/shared');
    await shows('E_SHARED_DAMAGED');
    await shows(shared.run);
    await shows('4 shared runs');
    expect(await rows('Shared runs').count()).toBe(3);
    await session.go(`/shared/${running.run}`);
    const alert = session.page.getByRole('alert');
    await alert.getByText('1 stored object of this run cannot be read').waitFor();
    expect(await alert.getByRole('listitem').allTextContents()).toEqual([
      expect.stringMatching(/^s302 .*s302\.0001\.ended/),
    ]);
    expect(await session.page.getByRole('region', { name: 'Samples' }).textContent()).toContain('1 damaged');
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

function mergeOf({ cache }: MadeCache): string {
  const [report = ''] = readdirSync(join(cache.dir, 'reports'));
  return report.replace('.json', '');
}

/** The narrowest is half a screen: the tables of these pages are not cut off there either. */
const SIZES: Readonly<Record<Theme, readonly (readonly [width: number, height: number])[]>> = {
  light: [
    [1440, 900],
    [900, 900],
  ],
  dark: [[1440, 900]],
};

async function tablesCutOff(page: { evaluate(script: string): Promise<unknown> }): Promise<string[]> {
  const labels = await page.evaluate(
    `[...document.querySelectorAll('[role=table]')].filter((table) => table.scrollWidth > table.clientWidth).map((table) => table.ariaLabel)`,
  );
  return (labels as readonly string[]).map((label) => `the table ${label} is cut off`);
}

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
    ['merge', `/artifacts/merges/${mergeOf(made)}`, 'toxicology'],
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
          const found = [
            ...(await axeFindings(page, theme)),
            ...(await layoutFindings(page)),
            ...(await tablesCutOff(page)),
          ];
          findings.push(...[...found, ...session.wrong].map((said) => `${name} at ${width}: ${said}`));
        }
      expect(findings).toEqual([]);
    },
    300_000,
  );
});
