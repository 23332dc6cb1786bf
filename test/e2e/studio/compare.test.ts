/** Comparing, looking at samples over runs and time, searching and judging, as people do it: by keys, by clicks and by Back. */
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { makeStudioStore } from '../../sim/studio/store.ts';
import type { TestStudio } from './served.ts';
import { inChromium, obstacle, Session } from './session.ts';

/** Runs of one eval and target, the base first. */
let before: string;
let after: string;

const session = new Session(async (dir) => {
  const { dir: project, runs } = await makeStudioStore(join(dir, 'project'));
  [before = '', after = ''] = runs.filter((run) => run.includes('T090000')).slice(-2);
  return { places: [project], logDirs: [join(project, 'logs')] };
});
let studio: TestStudio;
let page: Page;

beforeEach(() => {
  if (obstacle !== undefined) return;
  ({ studio, page } = session);
});

const address = () => new URL(page.url());
const search = (name: string) => address().searchParams.get(name);
const cursor = () => page.getByRole('grid').getAttribute('aria-activedescendant');
const samplesLeft = () => page.locator('[role=search] [role=status]').last().textContent();
const press = async (...keys: readonly string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

async function openComparison(more = ''): Promise<void> {
  await page.goto(`${studio.url}/compare?runs=${before},${after}${more}`);
  await page.getByRole('heading', { name: /B is better or worse/ }).waitFor();
  await page.getByText('40 samples').waitFor();
}

describe.skipIf(obstacle !== undefined)(inChromium('a comparison'), () => {
  test('every count is a filter that leaves as many samples; pressed again it is gone', async () => {
    await openComparison();
    for (const name of [/both pass/, /only A passes/, /partly, or not judged/, /improved/, /regressed/]) {
      const cell = page.getByRole('button', { name }).first();
      const count = Number(/\d+/.exec((await cell.textContent()) ?? '')?.[0]);
      await cell.click();
      await expect.poll(samplesLeft).toBe(`${count} of 40 samples`);
      expect(await cell.getAttribute('aria-pressed')).toBe('true');
      await cell.click();
      await expect.poll(samplesLeft).toBe('40 samples');
    }
    expect(search('q')).toBe(null);
  });

  test('keys go from flip to flip and open both transcripts; Back comes to the row again', async () => {
    await openComparison();
    await press(']', ']');
    await expect.poll(cursor).toBe('compared-1');
    await press('Enter');
    await page.getByText('First divergence').waitFor();
    expect(address().pathname).toMatch(/^\/compare\/s\//);
    await page.goBack();
    await page.getByRole('grid').waitFor();
    await expect.poll(cursor).toBe('compared-1');
    await press('d');
    await expect.poll(() => search('view')).toBe('diff');
  });

  test('the order of the runs is in the address: swapped, another base, one more and one less', async () => {
    await openComparison();
    await press('s');
    await expect.poll(() => search('runs')).toBe(`${after},${before}`);
    await page.getByRole('button', { name: 'What to do with run B' }).click();
    await page.getByRole('menuitem', { name: 'Make it the base' }).click();
    await expect.poll(() => search('runs')).toBe(`${before},${after}`);
    await page.getByRole('button', { name: 'Add a run' }).click();
    await page.locator('[popover]:popover-open button', { hasText: 'sonnet' }).first().click();
    await page.getByRole('button', { name: 'What to do with run C' }).waitFor();
    expect(search('runs')?.split(',')).toHaveLength(3);
    await page.getByRole('button', { name: 'What to do with run C' }).click();
    await page.getByRole('menuitem', { name: 'Take it out' }).click();
    await expect.poll(() => search('runs')).toBe(`${before},${after}`);
  });

  test('a line of the plot filters the table, and a reload keeps the filter', async () => {
    await openComparison('&view=plots');
    await page.locator('svg[aria-label=Slopes] g[role=button]').last().click();
    await expect.poll(() => search('q')).toMatch(/^a:[\d.]+ b:[\d.]+$/);
    await expect.poll(samplesLeft).toMatch(/^\d+ of 40 samples$/);
    const left = await samplesLeft();
    await page.reload();
    await expect.poll(samplesLeft).toBe(left);
  });

  test('without runs the newest are offered, and the first that is chosen is the base', async () => {
    await page.goto(`${studio.url}/compare`);
    const boxes = page.getByRole('checkbox');
    await boxes.nth(1).check();
    await boxes.nth(0).check();
    await page.getByRole('button', { name: 'Compare 2' }).click();
    await page.getByText('base', { exact: true }).first().waitFor();
    expect(search('runs')?.split(',')).toHaveLength(2);
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('two transcripts'), () => {
  const openPair = async () => {
    await page.goto(`${studio.url}/compare/s/flask-5233?runs=${before},${after}`);
    await page.getByText('First divergence').waitFor();
  };

  test('equal turns are one line that opens; sides are scrolled together until x is pressed', async () => {
    await openPair();
    const fold = page.getByRole('button', { name: 'Show' }).first();
    await fold.click();
    await page.getByRole('button', { name: 'Fold' }).first().waitFor();
    await press('x');
    await page.getByRole('region', { name: 'Transcript of B' }).waitFor();
    await press('x');
    await page.getByRole('region', { name: 'Both transcripts' }).waitFor();
  });

  test('the outputs are compared line by line by a worker', async () => {
    await openPair();
    await press('d');
    await page.getByRole('region', { name: 'Diff of the outputs' }).waitFor();
    expect(await page.locator('mark').count()).toBeGreaterThan(0);
    await page
      .getByText(/only in A/)
      .first()
      .waitFor();
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('the matrix'), () => {
  test('cells are gone through by keys and read aloud; Enter and a click open the sample over time', async () => {
    await page.goto(`${studio.url}/matrix?q=eval:swe-lite`);
    const matrix = page.getByRole('application');
    await matrix.focus();
    await press('ArrowDown', 'ArrowDown', 'ArrowRight');
    await expect.poll(() => page.locator('p[aria-live]').first().textContent()).toMatch(/run 2: \w+/);
    await press('Enter');
    await expect.poll(() => address().pathname).toMatch(/^\/evals\/swe-lite\/s\//);
    await page.goBack();
    const box = await page.locator('canvas').boundingBox();
    await page.mouse.click((box?.x ?? 0) + 240, (box?.y ?? 0) + 60);
    await expect.poll(() => address().pathname).toMatch(/^\/evals\/swe-lite\/s\//);
  });

  test('groups fold, the picture is a table as well, and how long it took to paint is measured', async () => {
    await page.goto(`${studio.url}/matrix?q=eval:swe-lite`);
    await page.getByRole('button', { name: /always pass/ }).click();
    await expect.poll(() => search('fold')).toBe('always passes');
    expect(await page.evaluate("performance.getEntriesByName('matrix-paint').length")).toBeGreaterThan(0);
    await page.getByRole('button', { name: 'Table' }).click();
    await page.getByRole('table', { name: /Samples/ }).waitFor();
    expect(search('view')).toBe('table');
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('the history of an eval'), () => {
  test('arrow keys go along a line, Enter opens the run, Back comes back', async () => {
    await page.goto(`${studio.url}/evals/swe-lite`);
    await page.getByText('newly failing').first().waitFor();
    await page.locator('figure svg a').last().focus();
    await press('ArrowLeft', 'Enter');
    await expect.poll(() => address().pathname).toMatch(/^\/runs\//);
    await page.goBack();
    await page.getByText('newly failing').first().waitFor();
  });

  test('what changed where a sample flipped leads to both transcripts', async () => {
    await page.goto(`${studio.url}/evals/swe-lite/s/flask-5233`);
    await page.getByRole('link', { name: 'both transcripts ›' }).first().click();
    await expect.poll(() => address().pathname).toBe('/compare/s/flask-5233');
    await page.getByText('turns').first().waitFor();
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('a search'), () => {
  test('begins with Enter, opens a hit at its event, and is there again after Back', async () => {
    await page.goto(`${studio.url}/search`);
    await page.getByRole('searchbox', { name: 'Text to look for' }).fill('signature');
    expect(search('text')).toBe(null);
    await press('Enter');
    await page.locator('mark').first().waitFor();
    expect(search('text')).toBe('signature');
    await page.locator('a:has(mark)').first().click();
    await expect.poll(() => address().pathname).toMatch(/^\/runs\/[^/]+\/s\//);
    expect([search('find'), /^\d+$/.test(search('event') ?? '')]).toEqual(['signature', true]);
    await page.goBack();
    await page.locator('mark').first().waitFor();
    expect(search('text')).toBe('signature');
  });

  test('that finds nothing says where it looked, and what it could not read', async () => {
    await page.goto(`${studio.url}/search?text=nowhere-at-all`);
    await page.getByText('Nothing was found').waitFor({ timeout: 120_000 });
    await page.getByText('1 run could not be searched').click();
    await page.getByText('E_LOG_TORN').waitFor();
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('a review'), () => {
  const shown = () => page.getByRole('heading', { level: 2 }).first().textContent();

  test('without the token it says why nothing can be written, and what to do', async () => {
    await page.goto(`${studio.url}/review?run=${after}`);
    await page.getByText('Verdicts cannot be written here.').waitFor();
    expect(await page.getByRole('button', { name: /Agree/ }).isDisabled()).toBe(true);
  });

  test('a key is a verdict and brings the next sample; it is counted, filtered by, and taken back', async () => {
    await page.goto(studio.urlWithToken);
    await page.goto(`${studio.url}/review?run=${after}`);
    await page.getByText('0 of 80 judged').waitFor();
    const first = await shown();
    await press('1');
    await page.getByText('1 of 80 judged').waitFor();
    expect(await shown()).not.toBe(first);
    await press('m');
    await page.keyboard.type('the judge is wrong');
    await press('Enter', '2');
    await page.getByText('2 of 80 judged').waitFor();
    const apart = page.getByRole('button', { name: /only people say that it passes/ });
    await expect.poll(() => apart.textContent()).toMatch(/^1/);
    await apart.click();
    await expect.poll(() => search('show')).toBe('onlyPeoplePass');
    await page.getByText('the judge is wrong').waitFor();
    await press('z');
    await page.getByText('1 of 80 judged').waitFor();
  });

  test('Back goes to the sample that was just judged, also where the server tells only the first of many', async () => {
    await page.goto(studio.urlWithToken);
    await page.goto(`${studio.url}/review`);
    await page
      .getByText('1 of 1,', { exact: false })
      .or(page.getByText('0 of 1,', { exact: false }))
      .first()
      .waitFor();
    await page
      .getByRole('button', { name: /Agree|It passes/ })
      .first()
      .waitFor();
    const first = await shown();
    await press('1');
    await expect.poll(shown).not.toBe(first);
    await press('u');
    await expect.poll(shown).toBe(first);
    await page.getByText('Ada said failed').first().waitFor();
    await press('z');
    await page.getByText('Ada said failed').first().waitFor({ state: 'detached' });
    expect(await shown()).toBe(first);
    expect(await page.getByText('κ is told from 10 verdicts on').count()).toBe(1);
    expect(await page.getByRole('navigation', { name: 'Samples to judge' }).textContent()).toMatch(
      /swe-lite · claude/,
    );
  });
});
