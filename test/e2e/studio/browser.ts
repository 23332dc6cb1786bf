/** A real Chromium, and pages that remember what went wrong in them. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

const CHROMIUMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Why tests in a browser cannot run here; undefined when they can. */
export function whyNoBrowser(): string | undefined {
  return chromiumPath() === undefined
    ? `no Chromium is installed (looked for ${CHROMIUMS.join(', ')})`
    : undefined;
}

function chromiumPath(): string | undefined {
  return CHROMIUMS.find((path) => existsSync(path));
}

export function launchBrowser(): Promise<Browser> {
  const executablePath = chromiumPath();
  if (executablePath === undefined) throw new Error(whyNoBrowser());
  return chromium.launch({
    executablePath,
    // Frames are painted as on a screen, and memory can be asked for.
    args: ['--no-sandbox', '--disable-gpu', '--js-flags=--expose-gc', '--enable-precise-memory-info'],
  });
}

export type Theme = 'light' | 'dark';

export interface WatchedPage {
  readonly page: Page;
  /** What the console called an error, what was thrown, and requests to others than the Studio. */
  readonly wrong: string[];
}

export interface PageOptions {
  readonly theme?: Theme;
  readonly width?: number;
  readonly height?: number;
  /** Where requests may go. */
  readonly origin: string;
}

export async function openPage(browser: Browser, options: PageOptions): Promise<WatchedPage> {
  const { theme = 'light', width = 1440, height = 900, origin } = options;
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    reducedMotion: 'reduce',
  });
  // Pages take many times longer where much else runs.
  context.setDefaultTimeout(120_000);
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const wrong: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      wrong.push(`${message.type()}: ${message.text()}`);
  });
  page.on('pageerror', (error) => wrong.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !/^(data|blob):/.test(url)) wrong.push(`asked elsewhere: ${url}`);
  });
  return { page, wrong };
}
