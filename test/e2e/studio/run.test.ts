/** The page of a run as people use it: tabs, filters, epochs, order and keys, and what it says of runs that died or are damaged. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SampleItem, SamplesPage } from '../../../src/server/api.ts';
import { makeStudioStore } from '../../sim/studio/store.ts';
import { inChromium, obstacle, Session } from './session.ts';

let run = '';

const session = new Session(async (dir) => {
  const { dir: project, runs } = await makeStudioStore(join(dir, 'project'), {
    rounds: 2,
    evals: ['swe-lite', 'support-triage'],
  });
  // The weakest target: more of its samples fail, hit a limit or flip.
  run = runs.findLast((name) => name.includes('T083000')) ?? '';
  return { places: [project], logDirs: [join(project, 'logs')] };
});

const rows = () => session.page.locator('[role=row]:has([role=gridcell])');
const cursor = () => session.page.getByRole('treegrid').getAttribute('aria-activedescendant');
const left = () => session.page.locator('[role=search] [role=status]').first().textContent();
const filterBox = () => session.page.getByRole('combobox', { name: 'Filter samples' });
/** Of the samples and epochs; the history of a sample is a link, too. */
const names = () => rows().locator('a[href^="/runs/"]').allTextContents();
const tab = () => session.page.getByRole('tab', { selected: true }).textContent();

async function open(path = ''): Promise<void> {
  await session.go(`/runs/${run}${path}`);
  await session.page.getByRole('tablist').waitFor();
}

/** All samples, as the server tells them without any filter. */
async function allSamples(): Promise<readonly SampleItem[]> {
  const { samples } = await session.ask<SamplesPage>(`/runs/${run}/samples?limit=200`);
  return samples;
}

describe.skipIf(obstacle !== undefined)(inChromium('the tabs of a run'), () => {
  test('are chosen by click and by key; a reload keeps tab, filter, order and columns, and Back leaves the run', async () => {
    const { page } = session;
    await session.go('/runs');
    await rows().first().waitFor();
    await page.goto(`${session.studio.url}/runs/${run}?q=is:failing&sort=-cost&cols=outcome,id,cost`);
    await rows().first().waitFor();
    const shown = await names();
    for (const [key, name] of [
      ['2', 'timeline'],
      ['3', 'cost'],
      ['4', 'config'],
      ['5', 'raw'],
    ] as const) {
      await session.press(key);
      await expect.poll(() => session.address.pathname).toBe(`/runs/${run}/${name}`);
      await page.getByRole('tabpanel', { name }).waitFor();
    }
    await page.getByRole('tab', { name: 'Cost' }).click();
    await session.press('ArrowRight');
    await expect.poll(tab).toMatch(/^Config \(\d+ changes?\)$/);
    await page.reload();
    await expect.poll(tab).toMatch(/^Config/);
    await session.press('1');
    await expect.poll(names).toEqual(shown);
    expect([session.said('q'), session.said('sort'), session.said('cols')]).toEqual([
      'is:failing',
      '-cost',
      'outcome,id,cost',
    ]);
    expect(await page.getByRole('columnheader').allTextContents()).toEqual([
      'Selected',
      'Result',
      'Sample',
      'Cost↓',
    ]);
    await page.goBack();
    await expect.poll(() => session.address.pathname).toBe('/runs');
  });

  test('tell when what happened, and what it cost: a dot and a bar lead to their samples', async () => {
    const { page } = session;
    await open('/timeline');
    const dots = page.getByRole('group', { name: 'Timeline of the run' }).getByRole('button');
    await dots.first().focus();
    await session.press('ArrowRight', 'Enter');
    await expect
      .poll(
        async () =>
          (await page.getByRole('region', { name: 'Samples of the dot' }).count()) > 0 ||
          /\/s\//.test(session.address.pathname),
      )
      .toBe(true);
    await open('/cost');
    const dear = page.getByRole('region', { name: 'Most expensive samples' });
    const first = await dear.getByRole('link').first().textContent();
    await dear.getByRole('button', { name: /^All 40 by cost/ }).click();
    await expect.poll(async () => (await names())[0]).toBe(first);
    await expect.poll(() => session.said('sort')).toBe('-cost');
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('the samples of a run'), () => {
  test('a filter is completed, and each part of its language leaves what it says', async () => {
    const { page } = session;
    await open();
    await session.press('/');
    await page.keyboard.type('metadata.dif');
    await page.getByRole('option', { name: 'metadata.difficulty' }).waitFor();
    await session.press('Tab');
    await page.keyboard.type(':hard');
    await session.press('Enter');
    await expect.poll(() => session.said('q')).toBe('metadata.difficulty:hard');
    const all = await allSamples();
    const one = (is: (epoch: SampleItem['epochs'][number]) => boolean) => (item: SampleItem) =>
      item.epochs.some(is);
    const filters: readonly (readonly [string, (item: SampleItem) => boolean])[] = [
      ['metadata.difficulty:hard', ({ metadata }) => metadata.difficulty === 'hard'],
      ['metadata.lines>200', ({ metadata }) => Number(metadata.lines) > 200],
      ['score:fail', ({ passed }) => passed === 0],
      ['score:partial', ({ passed }) => passed === 1],
      ['limit:token', one(({ limit }) => limit === 'token')],
      ['error:sandbox', one(({ error }) => error?.includes('sandbox') === true)],
      ['turns>8', one(({ turns = 0 }) => turns > 8)],
      ['cost<0.05', ({ epochs }) => epochs.reduce((sum, { usd }) => sum + (usd ?? 0), 0) < 0.05],
      ['sympy', ({ id }) => String(id).startsWith('sympy')],
      [
        '-sympy is:failing',
        (item) => !String(item.id).startsWith('sympy') && one((e) => e.outcome === 'fail')(item),
      ],
    ];
    for (const [q, is] of filters) {
      await filterBox().fill(q);
      const count = all.filter(is).length;
      expect(count, q).toBeLessThan(40);
      await expect.poll(left, { message: q }).toContain(`${count} of 40`);
    }
    await filterBox().fill('difficlty:hard');
    await page.getByText('There is no field "difficlty"').waitFor();
  });

  test('quick filters leave exactly as many as they say, and pressed again all are back', async () => {
    const { page } = session;
    await open();
    await rows().first().waitFor();
    const presets = page.getByRole('group', { name: 'Filters that are often wanted' }).getByRole('button');
    await expect.poll(() => presets.first().textContent()).toMatch(/\d/);
    const counts: number[] = [];
    for (const at of [0, 1, 2, 3]) {
      const preset = presets.nth(at);
      const count = Number(/\d+/.exec((await preset.textContent()) ?? '')?.[0]);
      counts.push(count);
      await preset.click();
      await expect.poll(left).toContain(`${count} of 40`);
      await expect.poll(() => preset.getAttribute('aria-pressed')).toBe('true');
      await preset.click();
      await expect.poll(left).toContain('40 samples');
    }
    expect(counts.filter((count) => count > 0).length).toBeGreaterThan(2);
    // With anything else in the filter nobody knows how many would be left.
    await filterBox().fill('sympy');
    await expect.poll(() => presets.first().textContent()).toBe('FailingF');
  });

  test('counts add up to the whole, and each of them is a filter', async () => {
    const { page } = session;
    await open();
    const results = page.getByRole('region', { name: 'Results' });
    await rows().first().waitFor();
    const parts = await results.getByRole('listitem').allTextContents();
    const sum = parts.reduce((total, text) => total + Number(/\d+/.exec(text)?.[0]), 0);
    expect(sum).toBe(80);
    expect(await results.textContent()).toContain('80 results: 40 samples at 2 epochs');
    const all = await allSamples();
    const failed = all.filter(({ epochs }) => epochs.some(({ outcome }) => outcome === 'fail'));
    const button = results.getByRole('button', { name: /failed/ });
    expect(await button.textContent()).toContain(
      String(all.flatMap(({ epochs }) => epochs).filter(({ outcome }) => outcome === 'fail').length),
    );
    await button.click();
    await expect.poll(left).toContain(`${failed.length} of 40`);
    await expect.poll(() => session.said('q')).toBe('outcome:fail');
  });

  test('epochs are folded to k/n; l and a click unfold them, h folds them from within', async () => {
    const { page } = session;
    await open();
    await rows().first().waitFor();
    for (const { id, passed, epochs } of (await allSamples()).slice(0, 12))
      if (passed !== undefined && epochs.length > 1)
        expect(
          await rows()
            .filter({ has: page.getByRole('link', { name: String(id), exact: true }) })
            .textContent(),
        ).toContain(`${passed}/${epochs.length}`);
    await session.press('j', 'l');
    await expect
      .poll(async () => (await names()).slice(0, 4))
      .toEqual(['django-4000', 'epoch 1', 'epoch 2', 'flask-4137']);
    await session.press('j', 'j');
    await expect.poll(cursor).toBe('sample-2');
    await session.press('h');
    await expect.poll(cursor).toBe('sample-0');
    await expect.poll(async () => (await names())[1]).toBe('flask-4137');
    await page.getByRole('button', { name: 'Show the epochs of flask-4137' }).click();
    await expect.poll(async () => (await names())[3]).toBe('epoch 2');
    await session.press('j', 'j', 'j', 'Enter');
    await expect.poll(() => session.address.pathname).toMatch(/\/s\/flask-4137\/2$/);
    await page.goBack();
    // What was unfolded is unfolded again.
    await expect.poll(async () => (await names())[3]).toBe('epoch 2');
    await expect.poll(cursor).toBe('sample-3');
  });

  test('each head sorts by its column, the other way when pressed again', async () => {
    const { page } = session;
    await open('?cols=outcome,id,turns,tokens,cost,time,limit,error,messages,metadata.lines');
    await rows().first().waitFor();
    const all = await allSamples();
    const total =
      (of: (epoch: SampleItem['epochs'][number]) => number | null | undefined) => (item: SampleItem) =>
        item.epochs.reduce((sum, epoch) => sum + (of(epoch) ?? 0), 0);
    const most = (of: (epoch: SampleItem['epochs'][number]) => number | undefined) => (item: SampleItem) =>
      Math.max(...item.epochs.map((epoch) => of(epoch) ?? 0));
    const columns: readonly (readonly [string, (item: SampleItem) => number | string])[] = [
      ['Turns', most(({ turns }) => turns)],
      ['Tokens', total(({ tokens }) => tokens)],
      ['Cost', total(({ usd }) => usd)],
      ['Time', most(({ durationMs }) => durationMs)],
      ['Messages', most(({ messages }) => messages)],
      ['lines', ({ metadata }) => Number(metadata.lines)],
      ['Sample', ({ id }) => String(id)],
    ];
    for (const [name, value] of columns) {
      const head = page.getByRole('columnheader', { name, exact: true });
      for (const _ of [1, 2]) {
        await head.getByRole('button').click();
        await expect.poll(() => head.getAttribute('aria-sort')).not.toBe(null);
        const sign = (await head.getAttribute('aria-sort')) === 'ascending' ? 1 : -1;
        const sorted = all.toSorted((a, b) => sign * compare(value(a), value(b))).map(({ id }) => String(id));
        await expect
          .poll(async () => (await names()).slice(0, 10), { message: `${name} ${sign}` })
          .toEqual(sorted.slice(0, 10));
      }
    }
  });

  test('keys go, select and open; f leaves the failing, e copies the command, u goes up; Back comes to the same row', async () => {
    const { page } = session;
    await open();
    await rows().first().waitFor();
    await session.press('j', 'j', 'k');
    await expect.poll(cursor).toBe('sample-0');
    await session.press(' ', 'J');
    await page.getByText('2 selected').waitFor();
    await session.press('Escape', 'End');
    await expect.poll(cursor).toBe('sample-39');
    await expect.poll(() => isSeen('#sample-39')).toBe(true);
    await session.press('Enter');
    await expect.poll(() => session.address.pathname).toMatch(/\/s\//);
    await page.goBack();
    await expect.poll(cursor).toBe('sample-39');
    await expect.poll(() => isSeen('#sample-39')).toBe(true);
    await session.press('Home');
    await expect.poll(cursor).toBe('sample-0');
    await expect.poll(() => isSeen('#sample-0')).toBe(true);
    await session.press('f');
    await expect.poll(() => session.said('q')).toBe('is:failing');
    await session.press('f');
    await expect.poll(() => session.said('q')).toBe(null);
    await session.press('e');
    await expect.poll(() => session.copied()).toMatch(/^holdfast log /);
    await session.press('u');
    await expect.poll(() => session.address.pathname).toBe('/runs');
  });
});

function compare(a: number | string, b: number | string): number {
  if (typeof a === 'string' || typeof b === 'string')
    return String(a).localeCompare(String(b), 'en', { numeric: true });
  return a - b;
}

/** Whether an element is what is seen at its own middle: neither scrolled away nor under something that sticks. */
function isSeen(selector: string): Promise<boolean> {
  return session.page.evaluate(`(() => {
    const element = document.querySelector('${selector}');
    if (element === null) return false;
    const { left, top, width, height } = element.getBoundingClientRect();
    const seen = document.elementFromPoint(left + width / 2, top + height / 2);
    return seen !== null && element.contains(seen);
  })()`);
}
