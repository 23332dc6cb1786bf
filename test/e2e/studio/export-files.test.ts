/** Exports as people open them: from file:// in Chromium, and from a plain web host. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeDisk } from '../../../src/disk/index.ts';
import { writeLargeLog } from '../../bench/large-log.ts';
import { fixtureEvent, fixtureFields, fixtureSpec, writeFixtureLog } from '../../sim/log-fixture.ts';
import { runIdAt } from '../../sim/results-repo.ts';
import { makeStudioStore, type StudioStore } from '../../sim/studio/store.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { launchBrowser, openPage, whyNoBrowser } from './browser.ts';
import { builtApp } from './built-app.ts';
import { exportTestStudio } from './exported.ts';
import { pagesOf } from './pages.ts';
import { serveTestStudio } from './served.ts';

const obstacle = whyNoBrowser();

let dir: TempDir;
let store: StudioStore;
let browser: Browser;
let appDir: string;
let out: string;

beforeAll(async () => {
  if (obstacle !== undefined) return;
  dir = await makeTempDir();
  appDir = builtApp('export');
  store = await makeStudioStore(join(dir.path, 'project'), { rounds: 2, samples: 12 });
  out = join(dir.path, 'export of <all> #1');
  await exportTestStudio({ places: [store.dir], logDirs: [join(store.dir, 'logs')], appDir, out });
  browser = await launchBrowser();
}, 300_000);

afterAll(async () => {
  if (obstacle !== undefined) return;
  await browser.close();
  await dir[Symbol.asyncDispose]();
});

async function opened(folder: string, path = '', width = 1_440) {
  const origin = pathToFileURL(folder).href;
  const watched = await openPage(browser, { origin, width });
  await watched.page.goto(`${origin}/index.html${path === '' ? '' : `#${path}`}`);
  return watched;
}

const rows = (page: Page) => page.locator('[role=row]:has([role=gridcell])');

describe.skipIf(obstacle !== undefined)(
  `an export in Chromium${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    test('[EXP-1] list, filter, run, sample, find, compare and search work from file://, and nothing is asked of anybody', async () => {
      const { page, wrong } = await opened(out);
      await rows(page).first().waitFor();
      expect(page.url()).toMatch(/index\.html#\/runs$/);
      await page.getByText('Export of').waitFor();
      expect(await page.getByRole('link', { name: 'Store' }).count()).toBe(0);

      await page.keyboard.press('/');
      await page.keyboard.type('eval:swe-lite ');
      await page.getByText(/6 of \d+ runs/).waitFor();
      expect(decodeURIComponent(page.url())).toContain('#/runs?q=eval:swe-lite');
      await page.reload();
      await page.getByText(/6 of \d+ runs/).waitFor();

      await rows(page).first().click();
      await page.keyboard.press('Enter');
      await page.getByText('django-4000').first().waitFor();
      await page.getByText('django-4000').first().click();
      await page.getByText('I will run the failing test first').first().waitFor();
      expect(page.url()).toMatch(/#\/runs\/[^/]+\/s\/django-4000\/1/);

      await page.keyboard.press('Control+f');
      await page.getByPlaceholder('Find in the transcript').fill('validate');
      await page
        .locator('search [role=status]')
        .getByText(/\d+ of \d+/)
        .waitFor();
      await page.goBack();
      await page.waitForURL(/#\/runs\/[^/]+(\?.*)?$/);

      const [first = '', second = '', third = ''] = store.runs
        .filter((run) => /T09|T0845|T0830/.test(run))
        .toReversed();
      await page.goto(`${pathToFileURL(out).href}/index.html#/compare?runs=${third},${second},${first}`);
      await page.getByText('django-4000').first().waitFor();
      await page.goto(`${pathToFileURL(out).href}/index.html#/compare/s/django-4000?runs=${second},${first}`);
      await page.getByText('full transcript').first().waitFor();

      await page.goto(`${pathToFileURL(out).href}/index.html#/search?text=signature`);
      await page.getByText('swe-lite').first().waitFor();
      expect(wrong).toEqual([]);
      await page.context().close();
    });

    test('every page shows what it shows when it is served', async () => {
      await using studio = await serveTestStudio({ places: [store.dir], logDirs: [join(store.dir, 'logs')] });
      const differing: string[] = [];
      for (const { name, path, shows } of pagesOf(store)) {
        if (name === 'review' || name === 'store') continue;
        // Samples not so wide that they have the column of last results, which exports lack.
        const width = name.startsWith('run') ? 1_200 : 1_440;
        const served = await openPage(browser, { origin: studio.url, width });
        await served.page.goto(studio.url + path);
        const exported = await opened(out, path, width);
        // This store is smaller.
        const text = shows.replace('of 40', 'of 12');
        const difference = async () => {
          const [there, here] = await Promise.all([settled(served.page, text), settled(exported.page, text)]);
          return there === here ? 'the same' : firstDifference(there, here);
        };
        // What comes late on a slow machine is waited for: only a difference that stays is one.
        const untilMs = COMES_BY_CHANCE.has(name) ? 0 : Date.now() + 60_000;
        let found = await difference();
        while (found !== 'the same' && Date.now() < untilMs) found = await difference();
        if (found !== 'the same' && untilMs > 0) differing.push(`${name}: ${found}`);
        differing.push(...[...served.wrong, ...exported.wrong].map((text) => `${name}: ${text}`));
        await served.page.context().close();
        await exported.page.context().close();
      }
      expect(differing).toEqual([]);
    }, 600_000);

    test('a plain web host serves it as well, from any folder', async () => {
      await using host = await serveFiles(dir.path);
      const { page, wrong } = await openPage(browser, { origin: host.url });
      await page.goto(`${host.url}/${encodeURIComponent('export of <all> #1')}/`);
      await rows(page).first().waitFor();
      await rows(page).nth(1).click();
      await page.keyboard.press('Enter');
      await page
        .getByText(/django-4000|ticket|w001|capital/)
        .first()
        .waitFor();
      expect(wrong).toEqual([]);
      await page.context().close();
    });

    test('[EXP-2] hostile texts are texts: nothing runs, and nothing is broken by them', async () => {
      const logs = join(dir.path, 'hostile');
      const run = runIdAt('2026-06-01T10:00:00.000Z', 1);
      await nodeDisk.makeDir(logs);
      const text =
        '</script><script>globalThis.pwned = 1</script><img src=x onerror="globalThis.pwned = 2"> \u2028\u2029 \ud800 [x](javascript:pwned=3)';
      const ids = [
        '__proto__',
        'constructor',
        '</script><script>globalThis.pwned = 4</script>',
        '../../up',
        'ü/?#%&',
      ];
      await writeFixtureLog(nodeDisk, join(logs, 'x.eval'), {
        spec: fixtureSpec({
          run_id: run,
          eval_id: run,
          task: text,
          model: text,
          created: '2026-06-01T10:00:00+00:00',
        }),
        samples: ids.map((id) => ({
          fields: fixtureFields(id, {
            input: text,
            target: text,
            metadata: { ['__proto__']: text, [text]: text },
          }),
          events: [
            fixtureEvent({ event: 'info', uuid: 'e', data: { ['__proto__']: text } }),
            fixtureEvent({ event: 'info', uuid: 'f', data: text }),
          ],
        })),
      });
      const folder = join(dir.path, 'hostile-export');
      const account = await exportTestStudio({ logDirs: [logs], appDir, out: folder });
      expect(account).toMatchObject({ samples: ids.length, damage: [] });
      const { page, wrong } = await opened(folder);
      await rows(page).first().waitFor();
      for (const id of ids) {
        await page.goto(
          `${pathToFileURL(folder).href}/index.html#/runs/${run}/s/${encodeURIComponent(id)}/1`,
        );
        await page.getByText('globalThis.pwned = 1').first().waitFor();
      }
      await page.goto(`${pathToFileURL(folder).href}/index.html#/search?text=globalThis.pwned`);
      await page
        .getByText(/globalThis\.pwned/)
        .first()
        .waitFor();
      expect(await page.evaluate('globalThis.pwned')).toBeUndefined();
      expect(wrong).toEqual([]);
      await page.context().close();
    });

    test('[EXP-3] a sample of 50 MB is written in small files, opens at once, and its one needle is found', async () => {
      const logs = join(dir.path, 'large');
      const run = runIdAt('2026-03-01T00:00:00.000Z', 1);
      const needle = { text: 'THE-ONLY-NEEDLE', event: 100_000 };
      await nodeDisk.makeDir(logs);
      await writeLargeLog(join(logs, 'large.eval'), { run, events: 118_000, eventBytes: 430, needle });
      const folder = join(dir.path, 'large-export');
      const account = await exportTestStudio({ logDirs: [logs], appDir, out: folder });
      expect(account).toMatchObject({ samples: 1, events: 118_000 });
      expect(account.bytes).toBeLessThan(20_000_000);
      const sizes = readdirSync(join(folder, 'data')).map(
        (name) => statSync(join(folder, 'data', name)).size,
      );
      expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000_000);
      const { page, wrong } = await opened(folder, `/runs/${run}/s/large/1`);
      let asked = 0;
      page.on('request', () => asked++);
      await page.getByText('Step 0:').first().waitFor({ timeout: 60_000 });
      expect(asked).toBeLessThan(40);
      await page.keyboard.press('Control+f');
      await page.getByPlaceholder('Find in the transcript').fill(needle.text);
      await page.getByText('1 of 1').first().waitFor({ timeout: 120_000 });
      await page.getByText(needle.text).first().waitFor();
      expect(wrong).toEqual([]);
      await page.context().close();
    }, 600_000);

    test('a file that is missing is named, and the rest goes on', async () => {
      const folder = join(dir.path, 'torn-export');
      const [run = ''] = store.runs.filter((one) => one.includes('T090000'));
      await exportTestStudio({ places: [store.dir], runs: [run], appDir, out: folder });
      const large = readdirSync(join(folder, 'data')).filter((name) => /^[2-9]/.test(name));
      for (const name of large.slice(0, 1)) await nodeDisk.remove(join(folder, 'data', name));
      const { page } = await opened(folder);
      await rows(page).first().waitFor();
      await page.goto(`${pathToFileURL(folder).href}/index.html#/runs/${run}/s/django-4000/1`);
      await page.getByText('E_EXPORT_FILE').first().waitFor();
      await page.context().close();
    });
  },
);

/** How many messages are laid out, and which of too many hits come first, is another thing each time. */
const COMES_BY_CHANCE: ReadonlySet<string> = new Set(['sample-messages', 'search']);

/** The text of a page once it has come to rest. */
async function settled(page: Page, shows: string): Promise<string> {
  await page.getByText(shows).first().waitFor({ timeout: 120_000 });
  let last = '';
  for (let same = 0; same < 3; ) {
    await page.waitForTimeout(250);
    const text = ((await page.locator('main').textContent()) ?? '').replace(/\s+/g, ' ');
    same = text === last ? same + 1 : 0;
    last = text;
  }
  // Why nothing can be written is another reason on each side. How long a look at the store took is no part of it, nor which places the command names.
  return last
    .replace(/Writing needs the token: .*? at its end\.|This is an export: .*? where they are kept\./g, '…')
    .replace(/holdfast [^|]*$/g, '');
}

function firstDifference(a: string, b: string): string {
  let at = 0;
  while (at < a.length && a[at] === b[at]) at++;
  return `"${a.slice(Math.max(0, at - 40), at + 80)}" is "${b.slice(Math.max(0, at - 40), at + 80)}" in the export`;
}

/** As plain as a host can be. */
async function serveFiles(root: string): Promise<AsyncDisposable & { readonly url: string }> {
  const types: Readonly<Record<string, string>> = {
    html: 'text/html',
    js: 'text/javascript',
    css: 'text/css',
    svg: 'image/svg+xml',
  };
  const server = createServer((request, response) => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://x').pathname).replace(
      /\/$/,
      '/index.html',
    );
    try {
      response.setHeader('content-type', types[path.split('.').at(-1) ?? ''] ?? 'text/plain');
      response.end(readFileSync(join(root, path)));
    } catch {
      response.statusCode = 404; // Whatever it is, it is not there.
      response.end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  };
}
