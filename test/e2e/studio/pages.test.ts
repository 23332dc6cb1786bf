import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeStudioStore, type StudioStore } from '../../sim/studio/store.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { launchBrowser, openPage, type Theme, whyNoBrowser } from './browser.ts';
import { axeFindings, layoutFindings, SIZES } from './look-at-page.ts';
import { pagesOf, pinnedPagesOf } from './pages.ts';
import { serveTestStudio, type TestStudio } from './served.ts';

const obstacle = whyNoBrowser();
/** Every page in both themes, to be looked at by people. */
const SCREENSHOTS = process.env.HOLDFAST_SCREENSHOTS;

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
  if (SCREENSHOTS !== undefined) mkdirSync(SCREENSHOTS, { recursive: true });
});

afterAll(async () => {
  if (obstacle !== undefined) return;
  await browser.close();
  await studio[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
});

describe.skipIf(obstacle !== undefined)(
  `every page in Chromium${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    test.each<Theme>(['light', 'dark'])(
      '%s: opens, says nothing wrong, asks nobody else, and axe finds nothing',
      async (theme) => {
        const findings: string[] = [];
        for (const { name, path, shows } of [...pagesOf(store), ...pinnedPagesOf(store)]) {
          for (const [width, height] of SIZES[theme]) {
            const { page, wrong } = await openPage(browser, { theme, width, height, origin: studio.url });
            await page.goto(studio.url + path);
            await page
              .getByText(shows)
              .first()
              .waitFor({ timeout: 120_000 })
              .catch(() => wrong.push(`"${shows}" never came`));
            await page.waitForTimeout(300);
            if (SCREENSHOTS !== undefined)
              await page.screenshot({ path: join(SCREENSHOTS, `${name}-${theme}-${width}.png`) });
            if (width === SIZES[theme][0]?.[0]) wrong.push(...(await axeFindings(page, theme)));
            wrong.push(...(await layoutFindings(page)));
            findings.push(...wrong.map((text) => `${name} at ${width}: ${text}`));
            await page.context().close();
          }
        }
        expect(findings).toEqual([]);
        expect(studio.bugs).toEqual([]);
      },
      300_000,
    );
  },
);
