/** The list of runs as people use it: by keys, by its filter, and by Back. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeStudioStore } from '../../sim/studio/store.ts';
import type { TestStudio } from './served.ts';
import { inChromium, obstacle, Session } from './session.ts';

// So low that not all rows are seen.
const session = new Session(
  async (dir) => {
    const { dir: project } = await makeStudioStore(join(dir, 'project'), { rounds: 2 });
    return { places: [project], logDirs: [join(project, 'logs')] };
  },
  { height: 420 },
);
let studio: TestStudio;
let page: Page;

beforeEach(() => {
  if (obstacle !== undefined) return;
  ({ studio, page } = session);
});

const rows = () => page.locator('[role=row]:has([role=gridcell])');

async function open(path: string): Promise<void> {
  await page.goto(studio.url + path);
  await rows().first().waitFor();
}

/** The text of the first row that the head does not cover. */
function firstSeen(): Promise<string> {
  return page.evaluate(`(() => {
    const grid = document.querySelector('[role=grid]');
    const top = grid.getBoundingClientRect().top + 28;
    const rows = [...document.querySelectorAll('[role=row]')].slice(1);
    return rows.find((row) => row.getBoundingClientRect().bottom > top + 1)?.id ?? '';
  })()`);
}

const search = () => new URL(page.url()).searchParams;

describe.skipIf(obstacle !== undefined)(inChromium('the list of runs'), () => {
  test('a filter is completed, kept in the address, and survives a reload', async () => {
    await open('/runs');
    await page.keyboard.press('/');
    await page.keyboard.type('ev');
    await page.getByRole('option', { name: 'eval:' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('cap');
    await page.getByRole('option', { name: 'capitals' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.getByText('6 of 25 runs').waitFor();
    expect(search().get('q')).toBe('eval:capitals');
    await page.reload();
    await page.getByText('of 25 runs').waitFor();
    expect(await rows().count()).toBe(6);
  });

  test('what is wrong with a filter is said, and the rest of it holds', async () => {
    await open('/runs?q=evl:x%20eval:capitals');
    await page.getByText('There is no field "evl"').waitFor();
    expect(await rows().count()).toBe(6);
  });

  test('a filter that leaves nothing can be taken back', async () => {
    await page.goto(`${studio.url}/runs?q=eval:nothing`);
    await page.getByText('No run matches').waitFor();
    await page.getByRole('button', { name: 'Clear the filter' }).last().click();
    await rows().first().waitFor();
    expect(search().get('q')).toBe(null);
  });

  test('a click on a head sorts, and the address says how', async () => {
    await open('/runs');
    await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
    await expect.poll(() => search().get('sort')).toBe('-cost');
    await expect.poll(() => rows().first().textContent()).toContain('swe-lite');
    await page.getByRole('columnheader', { name: 'Cost' }).getByRole('button').click();
    await expect.poll(() => rows().first().textContent()).toContain('capitals');
  });

  test('columns are chosen, and remembered where the address does not say', async () => {
    await open('/runs');
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'Tokens' }).click();
    await page.getByRole('checkbox', { name: 'Commit' }).click();
    await expect.poll(() => search().get('cols')).toContain('tokens');
    await open('/runs');
    await page.getByRole('columnheader', { name: 'Tokens' }).waitFor();
    expect(await page.getByRole('columnheader', { name: 'Commit' }).count()).toBe(0);
  });

  test('a damaged run is one row that says so', async () => {
    await open('/runs?q=is:damaged');
    expect(await rows().count()).toBe(1);
    expect(await rows().first().textContent()).toMatch(/damaged.*torn_x\.eval/);
  });

  test('keys go, select, compare and open; Back comes to the same row', async () => {
    await open('/runs');
    for (const key of ['j', 'j', 'j', ' ', 'J']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('c');
    await page.waitForURL('**/compare?runs=*');
    expect(search().get('runs')?.split(',')).toHaveLength(2);
    await page.goBack();
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('End');
    await expect.poll(firstSeen).not.toBe('run-0');
    const seen = await firstSeen();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/runs/2*');
    await page.goBack();
    await rows().first().waitFor();
    await expect.poll(firstSeen).toBe(seen);
    await page.reload();
    await rows().first().waitFor();
    await expect.poll(firstSeen).toBe(seen);
  });

  test('the command that exports what is selected is copied', async () => {
    await open('/runs');
    for (const key of ['j', ' ', 'e']) await page.keyboard.press(key);
    await page.getByText('Command copied').waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toMatch(/^holdfast results export \d{8}T/);
  });

  test('a tag is given by who has the token', async () => {
    await page.goto(studio.urlWithToken);
    await rows().first().waitFor();
    for (const key of ['j', ' ']) await page.keyboard.press(key);
    await expect.poll(() => page.getByRole('button', { name: 'Tag T' }).isEnabled()).toBe(true);
    await page.keyboard.press('t');
    await page.getByLabel('Tag', { exact: true }).fill('golden');
    await page.keyboard.press('Enter');
    await expect.poll(() => rows().first().textContent(), { timeout: 120_000 }).toContain('golden');
  });

  test('the exact place of the scroll comes back with Back', async () => {
    await open('/runs');
    const top = () => page.evaluate("document.querySelector('[role=grid]').scrollTop");
    await page.evaluate("document.querySelector('[role=grid]').scrollTop = 151");
    await expect.poll(firstSeen).not.toBe('run-0');
    await rows().nth(10).getByRole('link').first().click();
    await page.getByRole('tab', { name: 'Samples' }).waitFor();
    await page.goBack();
    await rows().first().waitFor();
    await expect.poll(top).toBe(151);
  });

  test('what cannot be tagged says why before anybody types', async () => {
    await page.goto(studio.urlWithToken);
    await open('/runs?q=form:log');
    await page.getByRole('checkbox').nth(1).click();
    await page.getByText('No tags: This run is not published').waitFor();
    expect(await page.getByRole('button', { name: 'Tag T' }).isDisabled()).toBe(true);
  });

  test('the palette and the sheet of keys open, and keys are silent in them', async () => {
    await open('/runs');
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    await page.keyboard.press('f');
    expect(search().get('q')).toBe(null);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('option').first().waitFor();
    await page.keyboard.type('store');
    await page.getByRole('option', { name: 'Page Store' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL('**/store');
  });

  test('where there is little room the maker of a target gives way, and its model is read', async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await open('/runs?q=target:anthropic*');
    const cut = await page.evaluate(`[...document.querySelectorAll('[title^="anthropic/"]')].map((cell) => {
        const model = cell.lastElementChild;
        const { right } = model.getBoundingClientRect();
        return model.scrollWidth > model.clientWidth || right > cell.parentElement.getBoundingClientRect().right + 1;
      })`);
    expect(cut).toEqual(Array.from({ length: 16 }, () => false));
  });

  test('a theme that was chosen is there before anything is painted', async () => {
    await open('/runs');
    await page.getByRole('button', { name: 'Dark theme' }).click();
    await page.reload({ waitUntil: 'commit' });
    await page.waitForFunction('document.body !== null');
    expect(await page.evaluate('document.documentElement.dataset.theme')).toBe('dark');
  });
});
