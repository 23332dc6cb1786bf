import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeStudioStore, type StudioStore } from '../../sim/studio/store.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { launchBrowser, openPage, whyNoBrowser } from './browser.ts';
import { serveTestStudio, type TestStudio } from './served.ts';

const obstacle = whyNoBrowser();
let dir: TempDir;
let store: StudioStore;
let studio: TestStudio;
let browser: Browser;

beforeAll(async () => {
  if (obstacle !== undefined) return;
  dir = await makeTempDir();
  store = await makeStudioStore(join(dir.path, 'project'));
  studio = await serveTestStudio({ places: [store.dir], logDirs: [join(store.dir, 'logs')] });
  browser = await launchBrowser();
}, 120_000);

afterAll(async () => {
  if (obstacle !== undefined) return;
  await browser.close();
  await studio[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
});

const rows = (page: Page) =>
  page
    .getByRole('grid')
    .getByRole('row')
    .filter({ has: page.getByRole('gridcell') });
const shownEvals = async (page: Page) => [...new Set(await rows(page).getByRole('link').allInnerTexts())];

async function openRuns(path = '/runs') {
  const watched = await openPage(browser, { origin: studio.url });
  await watched.page.goto(studio.url + path);
  await rows(watched.page).first().waitFor();
  return watched;
}

describe.skipIf(obstacle !== undefined)(
  `the list of runs${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    test('at 1440 × 900 at least 22 rows are seen', async () => {
      const { page, wrong } = await openRuns();
      const inSight = await rows(page).evaluateAll(
        (all) => all.filter((one) => one.getBoundingClientRect().bottom <= 900 - 32).length,
      );
      expect(inSight).toBeGreaterThanOrEqual(22);
      expect(wrong).toEqual([]);
      await page.context().close();
    });

    test('filters as one types, keeps the filter in the address, and shows the command of the same rows', async () => {
      const { page, wrong } = await openRuns();
      await page.keyboard.press('/');
      await page.keyboard.type('eval:swe-lite score>0.7');
      await page.keyboard.press('Enter');
      await expect.poll(() => shownEvals(page)).toEqual(['swe-lite']);
      expect(new URL(page.url()).searchParams.get('q')).toBe('eval:swe-lite score>0.7');
      await page
        .getByText(/holdfast results list/)
        .first()
        .waitFor();
      await page.reload();
      await expect.poll(() => shownEvals(page)).toEqual(['swe-lite']);
      expect(wrong).toEqual([]);
      await page.context().close();
    });

    test('says what is wrong with a filter, and nothing else happens', async () => {
      const { page, wrong } = await openRuns('/runs?q=score%3E%3E1');
      await page
        .getByText(/filter|number/i)
        .first()
        .waitFor();
      expect(wrong).toEqual([]);
      await page.context().close();
    });

    test('sorts by a head, and Back comes to where one was', async () => {
      const { page, wrong } = await openRuns();
      await page.getByRole('columnheader', { name: /cost/i }).click();
      await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toMatch(/cost/);
      const [first] = await rows(page).allInnerTexts();
      expect(first).toContain('$');
      await page.getByRole('grid').focus();
      for (const _ of [1, 2, 3]) await page.keyboard.press('j');
      await page.keyboard.press('Enter');
      await page.waitForURL(/\/runs\/\w/);
      await page.goBack();
      await rows(page).first().waitFor();
      expect(new URL(page.url()).searchParams.get('sort')).toMatch(/cost/);
      expect(wrong).toEqual([]);
      await page.context().close();
    });

    test('two runs are selected and compared by keys', async () => {
      const { page, wrong } = await openRuns('/runs?q=eval%3Aswe-lite');
      await page.getByRole('grid').focus();
      await page.keyboard.press('j');
      await page.keyboard.press('Space');
      await page.keyboard.press('j');
      await page.keyboard.press('Space');
      await page.keyboard.press('c');
      await page.waitForURL(/\/compare\?/);
      await page
        .getByText(/better|worse|cannot tell/i)
        .first()
        .waitFor();
      expect(wrong).toEqual([]);
      await page.context().close();
    });

    test('a damaged log is one row that says so', async () => {
      const { page } = await openRuns('/runs?q=is%3Adamaged');
      expect(await rows(page).count()).toBe(1);
      expect(await rows(page).first().innerText()).toMatch(/damaged/);
      await page.context().close();
    });

    test('? shows the keys, and they go away with Escape', async () => {
      const { page, wrong } = await openRuns();
      await page.keyboard.press('?');
      const sheet = page.getByRole('dialog');
      await sheet.waitFor();
      expect(await sheet.innerText()).toMatch(/compare/i);
      await page.keyboard.press('Escape');
      await sheet.waitFor({ state: 'hidden' });
      expect(wrong).toEqual([]);
      await page.context().close();
    });

    test('the first load takes at most 220 KB of compressed script', async () => {
      const context = await browser.newContext();
      const page = await context.newPage();
      const sizes = new Map<string, number>();
      page.on('response', async (response) => {
        if (!/\.js$/.test(new URL(response.url()).pathname)) return;
        sizes.set(response.url(), Number(response.headers()['content-length'] ?? Number.NaN));
      });
      await page.goto(`${studio.url}/runs`);
      await rows(page).first().waitFor();
      const total = [...sizes.values()].reduce((sum, size) => sum + size, 0);
      expect(sizes.size).toBeGreaterThan(2);
      expect(total).toBeGreaterThan(50_000);
      expect(total).toBeLessThanOrEqual(220 * 1024);
      await context.close();
    });
  },
);
