import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { installedInspect } from '../../scripts/inspect/environment.ts';
import { serveInspectView } from '../../scripts/inspect/served-view.ts';
import { runIdAt } from '../sim/results-repo.ts';
import { type Bench, type Finding, MB, rounded } from './bench.ts';
import { inChromium, timed } from './in-chromium.ts';
import { writeLargeLog } from './large-log.ts';
import { startStudio } from './studio-server.ts';

const EVENTS = 300_000;
const EVENT_BYTES = 423;

export const studioTranscript: Bench = {
  name: 'studio-transcript',
  about: 'in Chromium: a sample of 300,000 events and 127 MB is opened, scrolled and searched',
  run: ({ scale }) => inChromium((browser, dir) => openLarge(browser, dir, Math.round(EVENTS * scale))),
};

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
  const beside = await besideInspect(browser, logs, `${run}.eval`, first);
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.goto(path);
  await readable(page);
  const scrolled = await scroll(page);
  const found = await find(page, needle.text);
  await page.close();
  const mb = rounded((events * EVENT_BYTES) / 1e6, 0);
  return [
    ...beside,
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

/** The same file in `inspect view`, where Inspect was installed by `npm run interop`. */
async function besideInspect(
  browser: Browser,
  logs: string,
  file: string,
  oursMs: number,
): Promise<readonly Finding[]> {
  const inspect = await installedInspect();
  if (inspect === undefined) {
    process.stderr.write('Inspect is not installed here (npm run interop installs it): measured alone.\n');
    return [];
  }
  await using view = await serveInspectView(inspect.python, logs);
  const address = `${view.address}#/tasks/${file}/samples/sample/large/1/transcript`;
  const readable = (page: Page) => page.getByText('Step 0:').first().waitFor({ timeout: 120_000 });
  const theirsMs = await timed(browser, address, readable);
  return [
    {
      what: 'time until the same sample is readable, over that of inspect view',
      measured: oursMs / theirsMs,
      atMost: 0.5,
      figures: { oursMs, theirsMs, inspect: inspect.version },
      line: `${rounded(oursMs, 0)} ms, Inspect ${inspect.version} ${rounded(theirsMs, 0)} ms`,
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
