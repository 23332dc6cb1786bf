import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeStudioStore } from '../../sim/studio/store.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { launchBrowser, openPage, whyNoBrowser } from './browser.ts';
import { serveTestStudio, type TestStudio } from './served.ts';

const obstacle = whyNoBrowser();
let dir: TempDir;
let studio: TestStudio;
let browser: Browser;

beforeAll(async () => {
  if (obstacle !== undefined) return;
  dir = await makeTempDir();
  const store = await makeStudioStore(join(dir.path, 'project'));
  studio = await serveTestStudio({ places: [store.dir], logDirs: [join(store.dir, 'logs')] });
  browser = await launchBrowser();
});

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
