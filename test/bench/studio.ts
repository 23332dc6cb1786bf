import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { type Bench, type Finding, MB, median, rounded } from './bench.ts';
import { inChromium, timed } from './in-chromium.ts';
import { writeMatrixLogs } from './matrix-logs.ts';
import { makeStore } from './results-store.ts';
import { startStudio } from './studio-server.ts';

const TRIES = 5;

/** The list, in Chromium. */
export const studioRuns: Bench = {
  name: 'studio-runs',
  about: 'in Chromium: the list of 10,000 and of 100,000 runs, and the memory of the server',
  run: ({ scale }) =>
    inChromium(async (browser, dir) => {
      const findings: Finding[] = [];
      for (const runs of [10_000, 100_000])
        findings.push(...(await listRuns(browser, dir, Math.round(runs * scale))));
      return findings;
    }),
};

export const studioMatrix: Bench = {
  name: 'studio-matrix',
  about: 'in Chromium: a matrix of 2,000 samples × 50 runs is painted',
  run: () => inChromium(async (browser, dir) => [await paintMatrix(browser, dir)]),
};

/** The first time a server is asked, which has looked at nothing yet, and when it has. */
async function listRuns(browser: Browser, dir: string, runs: number): Promise<readonly Finding[]> {
  const repo = join(dir, `store-${runs}.git`);
  await makeStore(repo, runs);
  const firstRows = (page: Page) =>
    page
      .getByText(/^eval-\d+$/)
      .first()
      .waitFor();
  const cold: number[] = [];
  const warm: number[] = [];
  const peaks: number[] = [];
  const whole: number[] = [];
  for (let n = 0; n < 3; n++) {
    await using server = await startStudio([repo]);
    const from = performance.now();
    cold.push(await timed(browser, `${server.url}/runs`, firstRows));
    while (!(await isWhole(server.ask('/api/runs?limit=1'))))
      await new Promise((resolve) => setTimeout(resolve, 50));
    whole.push(performance.now() - from);
    for (let again = 0; again < TRIES; again++)
      warm.push(await timed(browser, `${server.url}/runs?q=eval%3Aeval-7&sort=score`, firstRows));
    peaks.push(server.memory().peakBytes / MB);
  }
  const figures = {
    runs,
    coldMs: median(cold),
    warmMs: median(warm),
    wholeMs: median(whole),
    peakMb: Math.max(...peaks),
    cold,
    warm,
  };
  return [
    {
      what: `first rows of ${runs} runs in the browser, in ms`,
      measured: median(cold),
      atMost: 1_000,
      figures,
      line: `${rounded(median(cold), 0)} ms from a server that has just been started; filtered and sorted ${rounded(median(warm), 0)} ms, once all were read, which took ${rounded(median(whole), 0)} ms`,
    },
    {
      what: `memory of the server at ${runs} runs, in MB`,
      measured: Math.max(...peaks),
      atMost: 300,
      figures: { runs, peaks },
      line: `${peaks.map((peak) => rounded(peak, 0)).join(', ')} MB at most`,
    },
  ];
}

async function isWhole(answer: Promise<unknown>): Promise<boolean> {
  return ((await answer) as { readonly index: { readonly isWhole: boolean } }).index.isWhole;
}

async function paintMatrix(browser: Browser, dir: string): Promise<Finding> {
  const logs = join(dir, 'matrix');
  mkdirSync(logs);
  await writeMatrixLogs(logs, { runs: 50, samples: 2_000 });
  await using server = await startStudio([logs]);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const from = performance.now();
  await page.goto(`${server.url}/matrix?limit=50`);
  // By asking again and again: the page's own policy forbids what waits in it.
  while ((await page.evaluate("performance.getEntriesByName('matrix-paint').length")) === 0)
    await page.waitForTimeout(20);
  const shownMs = performance.now() - from;
  const paints = (await page.evaluate(
    "performance.getEntriesByName('matrix-paint').map(({ duration }) => duration)",
  )) as number[];
  await page.close();
  return {
    what: 'painting a matrix of 2,000 × 50, in ms',
    measured: Math.max(...paints),
    atMost: 100,
    figures: { paints, shownMs },
    line: `${paints.map((paint) => rounded(paint, 1)).join(', ')} ms; ${rounded(shownMs, 0)} ms from the address to the picture`,
  };
}
