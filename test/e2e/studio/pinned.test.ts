/** Addresses at a commit of the results: what is seen stays, wherever one goes. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { git, openResults, runIdAt, writeRun } from '../../sim/results-repo.ts';
import { makeStudioStore, type StudioStore } from '../../sim/studio/store.ts';
import type { TestStudio } from './served.ts';
import { inChromium, obstacle, Session } from './session.ts';

let store: StudioStore;
let published = 0;

const session = new Session(async (dir) => {
  store = await makeStudioStore(join(dir, 'project'), { rounds: 2, evals: ['swe-lite'], samples: 6 });
  return { places: [store.dir] };
});
let studio: TestStudio;
let page: Page;

beforeEach(() => {
  if (obstacle !== undefined) return;
  ({ studio, page } = session);
});

const newest = () => git(store.dir, 'rev-parse', 'holdfast/results');
const bar = () => page.getByRole('status').filter({ hasText: 'Results as of' });
const pin = () => new URL(page.url()).searchParams.get('at');
const rows = () => page.locator('[role=row]:has([role=gridcell])');

/** The browser itself reports every answer that is a refusal. */
function expectRefusals(): void {
  expect(new Set(session.wrong.splice(0).map((text) => /status of \d+/.exec(text)?.[0]))).toEqual(
    new Set(['status of 404']),
  );
}

/** One run more, of an eval that was not there before. */
async function publish(): Promise<string> {
  published++;
  await using results = await openResults(store.dir);
  const task = `later-${published}`;
  await results.publish(
    await writeRun(session.dir, runIdAt('2026-11-17T00:00:00Z', published), { spec: { task } }),
  );
  return task;
}

describe.skipIf(obstacle !== undefined)(inChromium('a page at a commit'), () => {
  test('keeps the commit through list, run, sample, comparison and back', async () => {
    const commit = newest();
    const [second = '', first = ''] = store.runs.slice(-2);
    await page.goto(`${studio.url}/?at=${commit}`);
    await bar()
      .getByText(`Results as of ${commit.slice(0, 7)}`)
      .waitFor();
    await bar().getByText('These are the newest.').waitFor();
    await rows().first().waitFor();
    expect([new URL(page.url()).pathname, pin()]).toEqual(['/runs', commit]);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    await page.getByText('django-4000').first().waitFor();
    expect(pin()).toBe(commit);
    await page.getByRole('link', { name: 'django-4000' }).first().click();
    await page.getByText('I will run the failing test first').first().waitFor();
    expect([new URL(page.url()).pathname.split('/')[3], pin()]).toEqual(['s', commit]);
    await page.keyboard.press('n');
    await page.keyboard.press('y');
    await page.getByText('The link was copied').waitFor();
    const copied = new URL(await page.evaluate('navigator.clipboard.readText()'));
    expect([copied.searchParams.get('at'), copied.searchParams.get('event')]).toEqual([
      commit,
      expect.stringMatching(/./),
    ]);
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForURL(/\/compare\?/);
    expect(pin()).toBe(commit);
    await page.goto(`${studio.url}/compare?runs=${second},${first}&at=${commit.slice(0, 10)}`);
    await page.getByText('django').first().waitFor();
    await bar().getByText('These are the newest.').waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Compare' }).first().waitFor();
    await page.goBack();
    await page.getByText('I will run the failing test first').first().waitFor();
    expect(pin()).toBe(commit);
    await page.goBack();
    await page.getByRole('link', { name: 'django-4000' }).first().waitFor();
    await page.goBack();
    await rows().first().waitFor();
    expect(pin()).toBe(commit);
  });

  test('says by itself that newer results exist, shows none of them, and leads to them', async () => {
    const commit = newest();
    await page.goto(`${studio.url}/runs?sort=-cost&at=${commit}`);
    await bar().getByText('These are the newest.').waitFor();
    const count = await rows().count();
    const task = await publish();
    await bar().getByText('Newer results exist').waitFor({ timeout: 120_000 });
    // Whatever is asked again is answered as it was.
    await page.reload();
    await bar().getByText('Newer results exist').waitFor();
    await rows().first().waitFor();
    expect([await rows().count(), await page.getByText(task).count()]).toEqual([count, 0]);
    await bar().getByRole('link', { name: 'show them' }).click();
    await page.getByText(task).first().waitFor();
    expect(page.url()).toBe(`${studio.url}/runs?sort=-cost`);
    expect(await bar().count()).toBe(0);
    await page.goBack();
    await bar().getByText('Newer results exist').waitFor();
    expect([pin(), await page.getByText(task).count()]).toEqual([commit, 0]);
  });

  test('is what the link that stays leads to', async () => {
    const commit = newest();
    await page.goto(`${studio.url}/runs?q=eval:swe*`);
    await rows().first().waitFor();
    await page.getByRole('button', { name: 'Copy a link that stays' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = String(await page.evaluate('navigator.clipboard.readText()'));
    expect(copied).toBe(`${studio.url}/runs?q=eval:swe*&at=${commit}`);
    await page.goto(copied);
    await bar().getByText('These are the newest.').waitFor();
  });

  test('of a commit that is not here says so, and leads to what is', async () => {
    await page.goto(`${studio.url}/runs?at=0123456789`);
    await bar().getByText('There is no commit 0123456789').waitFor();
    await bar().getByRole('link', { name: 'show them' }).click();
    await rows().first().waitFor();
    expect(pin()).toBe(null);
    expectRefusals();
  });

  test('of a run that came later says where to see it', async () => {
    const commit = newest();
    await publish();
    const run = runIdAt('2026-11-17T00:00:00Z', published);
    await page.goto(`${studio.url}/runs/${run}?at=${commit}`);
    await page
      .getByText(`Run ${run} is not there yet at ${commit.slice(0, 7)}.`)
      .first()
      .waitFor();
    await bar().getByRole('link', { name: 'show them' }).click();
    await page
      .getByRole('heading', { name: /later-/ })
      .first()
      .waitFor();
    expectRefusals();
  });
});
