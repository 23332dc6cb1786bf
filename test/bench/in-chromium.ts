import type { Browser, Page } from 'playwright-core';
import { launchBrowser, whyNoBrowser } from '../e2e/studio/browser.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import type { Finding } from './bench.ts';

export async function inChromium(
  work: (browser: Browser, dir: string) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  const obstacle = whyNoBrowser();
  if (obstacle !== undefined) throw new Error(`The Studio cannot be measured: ${obstacle}`);
  const browser = await launchBrowser();
  try {
    await using dir = await makeTempDir();
    return await work(browser, dir.path);
  } finally {
    await browser.close();
  }
}

/** From the address to what is looked for. */
export async function timed(
  browser: Browser,
  url: string,
  isThere: (page: Page) => Promise<unknown>,
): Promise<number> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const from = performance.now();
  await page.goto(url);
  await isThere(page);
  const ms = performance.now() - from;
  await page.close();
  return ms;
}
