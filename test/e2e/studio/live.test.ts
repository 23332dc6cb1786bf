/** Runs under way in the browser, and a server that dies and comes back. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../src/base/index.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { startHoldfast } from '../holdfast.ts';
import { launchBrowser, openPage, whyNoBrowser } from './browser.ts';

const obstacle = whyNoBrowser();
let dir: TempDir;
let browser: Browser;

beforeAll(async () => {
  if (obstacle !== undefined) return;
  dir = await makeTempDir();
  browser = await launchBrowser();
});

afterAll(async () => {
  if (obstacle !== undefined) return;
  await browser.close();
  await dir[Symbol.asyncDispose]();
});

interface ServedApart extends AsyncDisposable {
  readonly url: string;
  readonly child: ChildProcess;
}

/** In a process of its own, which can be killed. */
async function serveApart(logs: string, port = 0): Promise<ServedApart> {
  const script = join(import.meta.dirname, 'serve-child.ts');
  const child = spawn(process.execPath, [script, logs, String(port)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return {
    url,
    child,
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

/** When a run began to write its journal. */
async function begins(logs: string): Promise<number> {
  while (globSync(join(logs, '.holdfast/*/lock')).length === 0) await systemClock.sleep(10);
  return performance.now();
}

describe.skipIf(obstacle !== undefined)(
  `what happens is seen${obstacle === undefined ? '' : ` (${obstacle})`}`,
  () => {
    test('a run appears by itself, goes on and finishes, without a reload', async () => {
      const project = join(dir.path, 'live');
      mkdirSync(join(project, 'logs'), { recursive: true });
      writeFileSync(join(project, 'slow.eval.js'), SLOW);
      await using studio = await serveApart(join(project, 'logs'));
      const { page, wrong } = await openPage(browser, { origin: studio.url });
      await page.goto(`${studio.url}/runs`);
      await page
        .getByText(/no runs/i)
        .first()
        .waitFor();
      const run = startHoldfast(project, ['run', 'slow.eval.js', '--quiet']);
      const live = page.getByRole('region', { name: 'Runs under way' });
      const begunMs = await begins(join(project, 'logs'));
      await live.getByText('slow').first().waitFor({ timeout: 120_000 });
      // Two seconds are promised; a machine with much to do gets many more.
      expect(performance.now() - begunMs).toBeLessThan(30_000);
      await page
        .getByRole('grid')
        .getByText(/^\d+\/40$/)
        .waitFor();
      const seen = new Set<string>();
      const watching = new AbortController();
      const watch = (async () => {
        while (!watching.signal.aborted) {
          const text = (await live.textContent({ timeout: 500 }).catch(() => '')) ?? ''; // it goes away when the run is finished
          for (const [done] of text.matchAll(/\d+ ?\/ ?40/g)) seen.add(done);
          await page.waitForTimeout(100);
        }
      })();
      expect((await run.ended).code).toBe(0);
      await live.waitFor({ state: 'hidden', timeout: 120_000 });
      watching.abort();
      await watch;
      await page.getByRole('grid').getByText('slow').first().waitFor();
      expect(seen.size).toBeGreaterThan(1);
      expect(wrong).toEqual([]);
      await page.context().close();
    });

    test('a server that is killed leaves what was shown, and is taken up again when it is back', async () => {
      const project = join(dir.path, 'killed');
      mkdirSync(join(project, 'logs'), { recursive: true });
      writeFileSync(join(project, 'quick.eval.js'), QUICK);
      expect((await startHoldfast(project, ['run', 'quick.eval.js', '--quiet']).ended).code).toBe(0);
      const first = await serveApart(join(project, 'logs'));
      const { page } = await openPage(browser, { origin: first.url });
      await page.goto(`${first.url}/runs`);
      await page.getByRole('grid').getByText('quick').first().waitFor();
      await first[Symbol.asyncDispose]();
      await page
        .getByText(/connection|lost|again/i)
        .first()
        .waitFor({ timeout: 120_000 });
      expect(await page.getByRole('grid').getByText('quick').count()).toBe(1);
      writeFileSync(join(project, 'other.eval.js'), QUICK.replace("'quick'", "'other'"));
      expect((await startHoldfast(project, ['run', 'other.eval.js', '--quiet']).ended).code).toBe(0);
      await using _second = await serveApart(join(project, 'logs'), Number(new URL(first.url).port));
      await page.getByRole('grid').getByText('other').first().waitFor({ timeout: 120_000 });
      await page.context().close();
    });
  },
);

const SLOW = `import { defineEval, exact } from 'holdfast';
export default defineEval({
  name: 'slow',
  data: Array.from({ length: 40 }, (_, n) => ({ id: n + 1, input: 'Say ' + n, target: String(n) })),
  target: async ({ input }) => {
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return input.slice(4);
  },
  scorers: [exact()],
  concurrency: 8,
});
`;

const QUICK = `import { defineEval, exact } from 'holdfast';
export default defineEval({
  name: 'quick',
  data: [{ input: 'Say 1', target: '1' }],
  target: async ({ input }) => input.slice(4),
  scorers: [exact()],
});
`;
