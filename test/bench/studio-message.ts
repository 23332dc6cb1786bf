import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { runIdAt } from '../sim/results-repo.ts';
import { type Bench, type Finding, MB, rounded } from './bench.ts';
import { inChromium } from './in-chromium.ts';
import { writeLongMessage } from './large-log.ts';
import { startStudio } from './studio-server.ts';

const BYTES = 100_000_000;

export const studioMessage: Bench = {
  name: 'studio-message',
  about: 'in Chromium: a message of 100 MB is opened, shown whole and scrolled to its end',
  run: ({ scale }) => inChromium((browser, dir) => openMessage(browser, dir, Math.round(BYTES * scale))),
};

async function openMessage(browser: Browser, dir: string, bytes: number): Promise<readonly Finding[]> {
  const logs = join(dir, 'message');
  mkdirSync(logs);
  const run = runIdAt('2026-03-01T00:00:00Z', 1);
  await writeLongMessage(join(logs, `${run}.eval`), run, longText(bytes));
  await using server = await startStudio([logs]);
  const findings: Finding[] = [];
  for (const tab of ['transcript', 'messages']) {
    const page = await watchedPage(browser);
    const from = performance.now();
    await page.goto(`${server.url}/runs/${run}/s/large/1?tab=${tab}`);
    await page.getByText('Line 0 of a long text').first().waitFor({ timeout: 120_000 });
    const readableMs = performance.now() - from;
    const opened = await longestFrame(page);
    await page
      .getByRole('button', { name: /Show all/ })
      .first()
      .click();
    const whole = page.getByRole('group', { name: 'The whole text' });
    await whole.getByText('Line 0 of a long text').first().waitFor({ timeout: 120_000 });
    await whole.evaluate((list) => {
      list.scrollTop = list.scrollHeight;
    });
    await whole.getByText('THE END').first().waitFor({ timeout: 120_000 });
    const shown = await longestFrame(page);
    const heapMb = (await page.evaluate('performance.memory.usedJSHeapSize / 1048576')) as number;
    await page.close();
    findings.push({
      what: `longest frame while a message of ${rounded(bytes / 1e6, 0)} MB is opened and read to its end (${tab}), in ms`,
      measured: Math.max(opened, shown),
      atMost: 300,
      figures: { bytes, readableMs, opened, shown, heapMb, serverPeakMb: server.memory().peakBytes / MB },
      line: `readable after ${rounded(readableMs, 0)} ms; longest frames ${rounded(opened, 0)} and ${rounded(shown, 0)} ms; heap ${rounded(heapMb, 0)} MB; the server took ${rounded(server.memory().peakBytes / MB, 0)} MB at most`,
    });
  }
  return findings;
}

/** Measures every frame from the first script on. */
async function watchedPage(browser: Browser): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(`
    window.longestFrame = 0;
    let last = performance.now();
    const watch = () => {
      const now = performance.now();
      window.longestFrame = Math.max(window.longestFrame, now - last);
      last = now;
      requestAnimationFrame(watch);
    };
    addEventListener('DOMContentLoaded', () => { last = performance.now(); requestAnimationFrame(watch); });
  `);
  return page;
}

async function longestFrame(page: Page): Promise<number> {
  return (await page.evaluate(
    '(() => { const was = longestFrame; longestFrame = 0; return was; })()',
  )) as number;
}

function longText(bytes: number): string {
  const lines: string[] = [];
  for (let n = 0, length = 0; length < bytes; n++) {
    const line = `Line ${n} of a long text, with *emphasis*, $maths$ and \u001b[31mcolours\u001b[0m, ${n * 7919}`;
    lines.push(line);
    length += line.length + 1;
  }
  return [...lines, 'THE END'].join('\n');
}
