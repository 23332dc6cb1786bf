import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser, whyNoBrowser } from '../e2e/studio/browser.ts';
import { runIdAt } from '../sim/results-repo.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, type Finding, MB, median, rounded } from './bench.ts';
import { writeLargeLog } from './large-log.ts';
import { writeMatrixLogs } from './matrix-logs.ts';
import { makeStore } from './results-store.ts';
import { startStudio } from './studio-server.ts';

const EVENTS = 300_000;
const EVENT_BYTES = 423;
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

export const studioTranscript: Bench = {
  name: 'studio-transcript',
  about: 'in Chromium: a sample of 300,000 events and 127 MB is opened, scrolled and searched',
  run: ({ scale }) => inChromium((browser, dir) => openLarge(browser, dir, Math.round(EVENTS * scale))),
};

export const studioMatrix: Bench = {
  name: 'studio-matrix',
  about: 'in Chromium: a matrix of 2,000 samples × 50 runs is painted',
  run: () => inChromium(async (browser, dir) => [await paintMatrix(browser, dir)]),
};

async function inChromium(
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

async function timed(
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

async function openLarge(browser: Browser, dir: string, events: number): Promise<readonly Finding[]> {
  const logs = join(dir, 'large');
  mkdirSync(logs);
  const run = runIdAt('2026-03-01T00:00:00Z', 1);
  const needle = { text: 'the-one-occurrence', event: Math.round((events * 5) / 6) };
  await writeLargeLog(join(logs, `${run}.eval`), { run, events, eventBytes: EVENT_BYTES, needle });
  await using server = await startStudio([logs]);
  const path = `${server.url}/runs/${run}/s/large/1`;
  const readable = (page: Page) => page.getByText('Step 0:').first().waitFor({ timeout: 60_000 });
  const first = await timed(browser, path, readable);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(path);
  await readable(page);
  const scrolled = await scroll(page);
  const found = await find(page, needle.text);
  await page.close();
  const mb = rounded((events * EVENT_BYTES) / 1e6, 0);
  return [
    {
      what: `a sample of ${mb} MB and ${events} events is readable, in ms`,
      measured: first,
      atMost: 2_000,
      figures: { events, mb, firstMs: first, serverPeakMb: server.memory().peakBytes / MB },
      line: `${rounded(first, 0)} ms until its first event can be read; the server took ${rounded(server.memory().peakBytes / MB, 0)} MB at most`,
    },
    {
      what: `longest frame while it is scrolled for 10 s, in ms`,
      measured: scrolled.longestMs,
      atMost: 100,
      figures: { ...scrolled },
      line: `${scrolled.frames} frames, median ${rounded(scrolled.medianMs, 1)} ms, to ${rounded(scrolled.reached * 100, 0)} % of its height`,
    },
    {
      what: 'heap of the page, in MB',
      measured: scrolled.heapMb,
      atMost: 500,
      figures: { heapMb: scrolled.heapMb },
      line: `${rounded(scrolled.heapMb, 0)} MB after scrolling`,
    },
    {
      what: `finding the one occurrence at event ${needle.event}, in ms`,
      measured: found.ms,
      atMost: 10_000,
      figures: { ...found },
      line: `${rounded(found.ms, 0)} ms until it is shown${found.sawProgress ? ', with progress on the way' : ''}`,
    },
  ];
}

interface Scrolled {
  readonly longestMs: number;
  readonly medianMs: number;
  readonly frames: number;
  readonly reached: number;
  readonly heapMb: number;
}

/** Up and down the whole transcript, fast and slow, as somebody does who looks for something. */
async function scroll(page: Page): Promise<Scrolled> {
  const script = `(async () => {
    const all = [...document.querySelectorAll('*')].filter((one) => one.scrollHeight > one.clientHeight + 1000 && /auto|scroll/.test(getComputedStyle(one).overflowY));
    const list = all.sort((a, b) => b.scrollHeight - a.scrollHeight)[0];
    const gaps = []; let last = performance.now(); const from = last; let reached = 0;
    while (last - from < 10000) {
      const at = (last - from) / 10000;
      list.scrollTop = (list.scrollHeight - list.clientHeight) * Math.abs(Math.sin(at * 7)) * (at < 0.5 ? 1 : 0.02) + at * 4000;
      reached = Math.max(reached, list.scrollTop / (list.scrollHeight - list.clientHeight));
      await new Promise(requestAnimationFrame);
      const now = performance.now(); gaps.push(now - last); last = now;
    }
    gaps.sort((a, b) => a - b);
    if (window.gc) window.gc();
    return { longestMs: gaps.at(-1), medianMs: gaps[gaps.length >> 1], frames: gaps.length, reached, heapMb: performance.memory.usedJSHeapSize / 1048576 };
  })()`;
  return (await page.evaluate(script)) as Scrolled;
}

async function find(
  page: Page,
  text: string,
): Promise<{ readonly ms: number; readonly sawProgress: boolean }> {
  await page.keyboard.press('Control+f');
  const from = performance.now();
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
  const progress = page
    .getByText(/\d+ ?% searched/)
    .first()
    .waitFor({ timeout: 10_000 });
  const sawProgress = progress.then(
    () => true,
    () => false,
  );
  await page.locator('mark', { hasText: text }).first().waitFor({ timeout: 60_000 });
  const ms = performance.now() - from;
  return {
    ms,
    sawProgress: await Promise.race([
      sawProgress,
      new Promise<false>((resolve) => setTimeout(() => resolve(false), 200)),
    ]),
  };
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
