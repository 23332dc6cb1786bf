// Opens logs in the web page that `inspect view` serves, and notes everything that goes wrong there.

import { basename } from 'node:path';
import type { Browser, Page } from './browser.ts';
import { type SampleReport, sampleKey } from './log-report.ts';
import { serveInspectView } from './served-view.ts';

export interface ViewedLog {
  readonly path: string;
  readonly samples: readonly Pick<SampleReport, 'id' | 'epoch'>[];
}

export interface ViewOptions {
  readonly browser: Browser;
  readonly python: string;
  readonly logDir: string;
  readonly logs: readonly ViewedLog[];
}

const PATIENCE_MS = 30_000;
const SAMPLES_MAX = 3; // of each log: the page is the same for all
const OPTIONAL = '/api/flow'; // answers 404 for a directory without a flow, also for Inspect's own logs

/** What the viewer could not show, one sentence each. */
export async function viewProblems({ browser, python, logDir, logs }: ViewOptions): Promise<string[]> {
  await using view = await serveInspectView(python, logDir);
  const problems: string[] = [];
  for (const log of logs) problems.push(...(await logProblems(browser, view.address, log)));
  return problems;
}

async function logProblems(browser: Browser, address: string, log: ViewedLog): Promise<string[]> {
  const name = basename(log.path);
  const page = `${address}#/tasks/${encodeURIComponent(name)}`;
  // A log with one sample opens at that sample, without a table.
  const text = log.samples.length === 1 ? name.replace(/\.eval$/, '') : `${log.samples.length} rows`;
  const problems = await pageProblems(browser, page, text);
  for (const sample of log.samples.slice(0, SAMPLES_MAX)) {
    const place = `${page}/samples/sample/${encodeURIComponent(sample.id)}/${sample.epoch}/`;
    for (const tab of ['transcript', 'messages', 'scoring']) {
      const found = await pageProblems(browser, place + tab, `Epoch ${sample.epoch}`);
      problems.push(...found.map((problem) => `sample ${sampleKey(sample)} (${tab}): ${problem}`));
    }
  }
  return problems.map((problem) => `${name}: ${problem}`);
}

/** Opens one address in a page of its own, so that nothing is left of the one before. */
async function pageProblems(browser: Browser, url: string, text: string): Promise<string[]> {
  const page = await browser.newPage();
  try {
    const problems = listen(page);
    await page.goto(url, { waitUntil: 'load' });
    if (!(await isShown(page, text.toLowerCase()))) problems.push(`"${text}" is never shown`);
    return problems;
  } finally {
    await page.close();
  }
}

async function isShown(page: Page, text: string): Promise<boolean> {
  const until = performance.now() + PATIENCE_MS;
  while (performance.now() < until) {
    const shown = String(await page.evaluate('document.body.innerText')).toLowerCase();
    if (shown.includes(text)) return true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  return false;
}

function listen(page: Page): string[] {
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(`the page threw: ${error.message}`));
  page.on('response', (response) => {
    if (response.status() >= 400 && !response.url().includes(OPTIONAL))
      problems.push(`${response.status()} from ${response.url()}`);
  });
  page.on('console', (message) => {
    const aboutResponse = message.text().startsWith('Failed to load resource'); // told by the response itself
    if (message.type() === 'error' && !aboutResponse)
      problems.push(`the console says: ${message.text().slice(0, 300)}`);
  });
  return problems;
}
