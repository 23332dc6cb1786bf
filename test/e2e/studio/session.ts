/** One Studio and one browser for the tests of a file; each test has a page of its own, in which nothing may go wrong. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { launchBrowser, openPage, type PageOptions, whyNoBrowser } from './browser.ts';
import { type ServeTestOptions, serveTestStudio, type TestStudio } from './served.ts';

export const obstacle = whyNoBrowser();
export const inChromium = (what: string) =>
  `${what} in Chromium${obstacle === undefined ? '' : ` (${obstacle})`}`;

export class Session {
  #dir: TempDir | undefined;
  #studio: TestStudio | undefined;
  #browser: Browser | undefined;
  #page: Page | undefined;
  #wrong: string[] = [];

  /** `make` fills a folder that is empty, and says what is served. */
  constructor(
    make: (dir: string) => Promise<ServeTestOptions>,
    pages: Omit<PageOptions, 'origin'> = {},
    timeLimitMs = 120_000,
  ) {
    if (obstacle !== undefined) return;
    beforeAll(async () => {
      this.#dir = await makeTempDir();
      this.#studio = await serveTestStudio(await make(this.#dir.path));
      this.#browser = await launchBrowser();
    }, timeLimitMs);
    afterAll(async () => {
      await this.#browser?.close();
      await this.#studio?.[Symbol.asyncDispose]();
      await this.#dir?.[Symbol.asyncDispose]();
    });
    beforeEach(() => this.openPage(pages));
    afterEach(async () => {
      const { page, studio } = this;
      expect(this.#wrong).toEqual([]);
      expect(studio.bugs).toEqual([]);
      await page.context().close();
    });
  }

  get studio(): TestStudio {
    return present(this.#studio);
  }

  get dir(): string {
    return present(this.#dir).path;
  }

  get browser(): Browser {
    return present(this.#browser);
  }

  get page(): Page {
    return present(this.#page);
  }

  /** What is wrong in the page so far, for tests in which something has to be. */
  get wrong(): string[] {
    return this.#wrong;
  }

  /** Another page than the test began with: of another size, or in another theme. */
  async openPage(options: Omit<PageOptions, 'origin'>): Promise<Page> {
    await this.#page?.context().close();
    const { page, wrong } = await openPage(present(this.#browser), { ...options, origin: this.studio.url });
    this.#page = page;
    this.#wrong = wrong;
    return page;
  }

  /** Opens a page of the Studio, by its path. */
  async go(path: string): Promise<void> {
    await this.page.goto(this.studio.url + path);
  }

  get address(): URL {
    return new URL(this.page.url());
  }

  /** What the address says under a name. */
  said(name: string): string | null {
    return this.address.searchParams.get(name);
  }

  async press(...keys: readonly string[]): Promise<void> {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** What the server answers as JSON. Only what a test looks at is typed. */
  async ask<Answer>(path: string): Promise<Answer> {
    const answer = await this.page.request.get(`${this.studio.url}/api${path}`);
    return (await answer.json()) as Answer;
  }

  copied(): Promise<string> {
    return this.page.evaluate('navigator.clipboard.readText()');
  }
}

function present<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The session has not begun');
  return value;
}
