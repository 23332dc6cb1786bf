/** The page of a sample as people use it: every key that its sheet names, links to events, tabs, and going from sample to sample. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { SampleOrder } from '../../../src/server/api.ts';
import { makeStudioStore } from '../../sim/studio/store.ts';
import { inChromium, obstacle, Session } from './session.ts';

let run = '';

const session = new Session(async (dir) => {
  const { dir: project, runs } = await makeStudioStore(join(dir, 'project'), {
    rounds: 2,
    evals: ['swe-lite'],
    samples: 24,
  });
  run = runs.findLast((name) => name.includes('T083000')) ?? '';
  return { places: [project], logDirs: [join(project, 'logs')] };
});

const feed = () => session.page.getByRole('feed');
const focused = () => feed().locator('[aria-current=true]');
/** The number of the event that keys are about. */
const at = async () => Number(await focused().getAttribute('data-event'));
const seenFirst = () =>
  session.page.getByRole('slider', { name: 'Position in the transcript' }).getAttribute('aria-valuenow');
const here = () => session.address.pathname.replace(/^\/runs\/[^/]+/, '');
const tab = () => session.page.getByRole('tab', { selected: true }).textContent();

/** With more than six turns, a tool that failed and an agent beside the main one. */
async function open(more = '', sample = 'requests-5370'): Promise<void> {
  await session.go(`/runs/${run}/s/${sample}/1${more}`);
  await feed().locator('article').first().waitFor();
}

async function order(query = ''): Promise<readonly string[]> {
  const { keys } = await session.ask<SampleOrder>(`/runs/${run}/order?${query}`);
  return keys.map(([id, epoch]) => `/s/${id}/${epoch}`);
}

/** As a keyboard repeats a key that is held, faster than any page is shown. */
async function hold(key: string, times: number): Promise<void> {
  await session.page.evaluate(`(async () => {
    for (let time = 0; time < ${times}; time++) {
      const options = { key: '${key}', repeat: time > 0, bubbles: true, cancelable: true };
      document.body.dispatchEvent(new KeyboardEvent('keydown', options));
      await Promise.resolve();
    }
  })()`);
}

/** Whether the head of the row that is marked is seen: neither scrolled away nor under something that sticks. */
/** What is read twice with a pause between: scrolling and bodies that arrive take some frames. */
async function atRest<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    const first = await read();
    await sleep(300);
    if ((await read()) === first) return first;
  }
}

function isHeadSeen(): Promise<boolean> {
  return session.page.evaluate(`(() => {
    const row = document.querySelector('[role=feed] [aria-current=true]');
    const head = row?.querySelector('button');
    if (head === null || head === undefined) return false;
    const { left, top, width, height } = head.getBoundingClientRect();
    const seen = document.elementFromPoint(left + width / 2, top + height / 2);
    const feed = document.querySelector('[role=feed]').getBoundingClientRect();
    return seen !== null && head.contains(seen) && top >= feed.top - 1 && top + height <= feed.bottom;
  })()`);
}

describe.skipIf(obstacle !== undefined)(inChromium('keys of a sample'), () => {
  test('n and p go from turn to turn, ] and [ to errors and markers, G and gg to the ends; a key that is held skips none', async () => {
    await open();
    const turns: number[] = [];
    for (let turn = 0; turn < 3; turn++) {
      await session.press('n');
      await expect.poll(() => focused().textContent()).toMatch(new RegExp(`^turn ${turn + 1}`));
      turns.push(await at());
      await expect.poll(isHeadSeen).toBe(true);
    }
    await session.press('p');
    await expect.poll(at).toBe(turns[1]);
    await session.press('p');
    await hold('n', 4);
    await expect.poll(() => focused().textContent()).toMatch(/^turn 5/);
    await session.press('G');
    await expect.poll(() => focused().textContent()).toMatch(/score/);
    await expect.poll(isHeadSeen).toBe(true);
    const last = await at();
    await session.press('[');
    await expect.poll(at).toBeLessThan(last);
    expect(await focused().textContent()).toMatch(/error|limit|score/);
    await session.press(']');
    await expect.poll(at).toBe(last);
    await session.press('g', 'g');
    await expect.poll(() => focused().textContent()).toMatch(/span/);
    await expect.poll(seenFirst).toBe('2');
  });

  test('h and l go from lane to lane, z folds all, Enter unfolds the event, r shows texts as they are', async () => {
    const { page } = session;
    await open();
    await session.press('l', 'l');
    await expect.poll(() => session.said('lane')).toBe('reviewer');
    await expect.poll(() => feed().locator('article').count()).toBeLessThan(4);
    await expect.poll(() => feed().textContent()).toContain('The change is small');
    await session.press('h', 'h');
    await expect.poll(() => session.said('lane')).toBe(null);
    await session.press('n', 'z');
    await expect.poll(() => feed().locator('button[aria-expanded=true]').count()).toBe(0);
    await session.press('Enter');
    await expect.poll(() => feed().locator('button[aria-expanded=true]').count()).toBeGreaterThan(0);
    expect(await focused().locator('button').first().getAttribute('aria-expanded')).toBe('true');
    await session.press('r');
    await focused().getByText('output_tokens').first().waitFor();
    await session.press('r', 'z');
    await page.getByRole('feed').getByText('I will run the failing test').first().waitFor();
  });

  test('o and i show and hide the panes, which a reload remembers; 1 to 6 are the tabs, on which they do nothing', async () => {
    const { page } = session;
    await open();
    const outline = page.getByRole('region', { name: 'Outline' });
    const scores = page.getByRole('region', { name: 'Scores' });
    await session.press('o', 'i');
    await expect.poll(async () => [await outline.count(), await scores.count()]).toEqual([0, 0]);
    await page.reload();
    await feed().locator('article').first().waitFor();
    expect([await outline.count(), await scores.count()]).toEqual([0, 0]);
    await session.press('o', 'i');
    await expect.poll(async () => [await outline.count(), await scores.count()]).toEqual([1, 1]);
    for (const [key, name] of [
      ['2', 'messages'],
      ['3', 'scores'],
      ['4', 'files'],
      ['5', 'attempts'],
      ['6', 'raw'],
    ] as const) {
      await session.press(key);
      await expect.poll(() => session.said('tab')).toBe(name);
      await page.getByRole('tabpanel', { name }).waitFor();
    }
    // There are no panes here, so nothing changes that would be seen later.
    await session.press('o', 'i', '?');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
    const sheet = await page.getByRole('dialog', { name: 'Keys' }).textContent();
    expect([sheet?.includes('Outline'), sheet?.includes('Next sample')]).toEqual([false, true]);
    await session.press('Escape', '1');
    await expect.poll(async () => [await outline.count(), await scores.count()]).toEqual([1, 1]);
  });

  test('the sheet of keys names all that the page has', async () => {
    const { page } = session;
    await open();
    await session.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keys' });
    await sheet.waitFor();
    const shown = await sheet.locator('dl > div').allTextContents();
    for (const what of [
      'Next sample',
      'Previous sample',
      'Next failing sample',
      'Previous failing sample',
      'Next turn',
      'Previous turn',
      'Next error or marker',
      'Next lane',
      'First event',
      'Last event',
      'Outline',
      'Scores',
      'Plain text, or rendered',
      'Fold or unfold all',
      'Unfold or fold the event',
      'Find in the transcript',
      'Go to a turn',
      'Copy the link to the event',
      'Write a note',
      'Tab files',
      'Up to the list',
    ])
      expect(
        shown.some((line) => line.includes(what)),
        what,
      ).toBe(true);
    await session.press('n');
    expect(await focused().count()).toBe(0);
  });

  test('Ctrl+G goes to a turn, and says which there are; u goes up to the list as it was', async () => {
    const { page } = session;
    await open('?q=is:failing&sort=-turns');
    await session.press('Control+g');
    const dialog = page.getByRole('dialog', { name: 'Go to a turn' });
    await dialog.waitFor();
    await page.keyboard.type('99');
    await dialog.getByText(/There are turns 1 to \d+/).waitFor();
    await session.press('Control+a');
    await page.keyboard.type('4');
    await session.press('Enter');
    await expect.poll(() => focused().textContent()).toMatch(/^turn 4/);
    await expect.poll(isHeadSeen).toBe(true);
    await session.press('u');
    await expect.poll(() => session.address.pathname).toBe(`/runs/${run}`);
    expect([session.said('q'), session.said('sort'), session.said('tab')]).toEqual([
      'is:failing',
      '-turns',
      null,
    ]);
  });

  test('j and k follow the order of the list, J and K only the failing; held they skip none, and Back leads to the list', async () => {
    const { page } = session;
    await session.go(`/runs/${run}?sort=-cost`);
    const all = await order('sort=-cost');
    await page.locator('[role=row] a').first().click();
    await feed().locator('article').first().waitFor();
    const first = all.indexOf(here());
    await hold('j', 5);
    await expect.poll(here).toBe(all[first + 5]);
    await session.press('k');
    await expect.poll(here).toBe(all[first + 4]);
    const { keys } = await session.ask<SampleOrder>(`/runs/${run}/order?sort=-cost`);
    const isFailing = ([, , outcome]: SampleOrder['keys'][number]) =>
      outcome === 'fail' || outcome === 'error';
    const next = keys.findIndex((key, place) => place > first + 4 && isFailing(key));
    await session.press('J');
    await expect.poll(here).toBe(all[next]);
    await session.press('K');
    await expect.poll(here).toBe(all[keys.findLastIndex((key, place) => place < next && isFailing(key))]);
    await expect
      .poll(() => page.getByRole('navigation', { name: 'Samples' }).textContent())
      .toContain(`/ ${all.length}`);
    await page.goBack();
    await expect.poll(() => session.address.pathname).toBe(`/runs/${run}`);
    expect(session.said('sort')).toBe('-cost');
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('epochs of a sample'), () => {
  test('are one click away, each with what became of it; the tab stays', async () => {
    const { page } = session;
    await session.go(`/runs/${run}/s/requests-5370/1?tab=messages`);
    const epochs = page.getByRole('main').locator('header button[aria-pressed]');
    await expect.poll(() => epochs.count()).toBe(2);
    expect(await epochs.first().getAttribute('aria-pressed')).toBe('true');
    expect(await epochs.last().textContent()).toMatch(/^2.*(?:pass|fail|error)/);
    await epochs.last().click();
    await expect.poll(here).toBe('/s/requests-5370/2');
    expect([session.said('tab'), session.said('event')]).toEqual(['messages', null]);
    await expect.poll(() => epochs.last().getAttribute('aria-pressed')).toBe('true');
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('links to events'), () => {
  test('y copies one that opens with its event in view, not under what sticks', async () => {
    const { page } = session;
    await open();
    await session.press('n', 'n', 'n', 'n', 'n', 'ArrowDown', 'y');
    const event = await at();
    await page.getByText('The link was copied').waitFor();
    const link = await session.copied();
    expect(new URL(link).searchParams.get('event')).toMatch(/^ev-\d+$/);
    await page.goto('about:blank');
    await page.goto(link);
    await expect.poll(at).toBe(event);
    await expect.poll(isHeadSeen).toBe(true);
    // Bodies that came meanwhile have not pushed it away.
    await feed().getByText('def validate').first().waitFor();
    await expect.poll(isHeadSeen).toBe(true);
    expect(await focused().locator('button').first().getAttribute('aria-expanded')).toBe('true');
  });

  test('to what is hidden by its kind, or by the lane, show it', async () => {
    await open('?event=0');
    await expect.poll(at).toBe(0);
    await expect.poll(isHeadSeen).toBe(true);
    await open('?event=5&lane=reviewer');
    await expect.poll(at).toBe(5);
    await expect.poll(() => session.said('lane')).toBe(null);
    await open('?event=ev-99999');
    expect(await focused().count()).toBe(0);
    expect(session.wrong.splice(0).filter((line) => !line.includes('status of 404'))).toEqual([]);
  });

  test('whoever leaves right after a key is not called back', async () => {
    const { page } = session;
    await open();
    // The next page takes longer than the address waits for the event.
    await page.route('**/*.js', async (route) => {
      await sleep(900);
      await route.continue();
    });
    await session.press('n');
    await page.getByRole('link', { name: 'Evals' }).click();
    await page.getByRole('heading', { name: 'Evals' }).waitFor();
    expect(session.address.pathname).toBe('/evals');
  });

  test('are there also when another tab was in front while the transcript came; whoever comes back is where they left', async () => {
    const { page } = session;
    const isHere = page.waitForResponse((answer) => answer.url().includes('/skeleton'));
    await session.go(`/runs/${run}/s/requests-5370/1?tab=messages&event=15`);
    await expect.poll(tab).toMatch(/^Messages/);
    await (await isHere).finished();
    await sleep(500);
    await session.press('1');
    await expect.poll(at).toBe(15);
    await expect.poll(isHeadSeen).toBe(true);
    await feed().hover();
    await page.mouse.wheel(0, -500);
    const seen = await atRest(seenFirst);
    await session.press('2');
    await expect.poll(tab).toMatch(/^Messages/);
    await session.press('1');
    await feed().locator('article').first().waitFor();
    await expect.poll(() => atRest(seenFirst)).toBe(seen);
  });

  test('reload and Back come to the same tab, event and place', async () => {
    const { page } = session;
    await open('?q=is:failing');
    await session.press('n', 'n', 'n', 'n');
    const event = await at();
    await expect.poll(() => session.said('event')).toBe(String(event));
    await page.reload();
    await expect.poll(at).toBe(event);
    await expect.poll(isHeadSeen).toBe(true);
    await page.getByRole('tab', { name: /Messages/ }).click();
    await page.reload();
    await expect.poll(tab).toMatch(/^Messages/);
    await session.press('1');
    // The transcript comes to its event first; what the wheel does before that is undone.
    await expect.poll(at).toBe(event);
    await expect.poll(isHeadSeen).toBe(true);
    // Not by a key: by the wheel, so that nothing is marked there.
    const before = await seenFirst();
    await feed().hover();
    await page.mouse.wheel(0, 900);
    await expect.poll(seenFirst).not.toBe(before);
    const seen = await atRest(seenFirst);
    await page.getByRole('link', { name: 'Evals' }).click();
    await expect.poll(() => session.address.pathname).toBe('/evals');
    await page.goBack();
    await feed().locator('article').first().waitFor();
    await expect.poll(seenFirst).toBe(seen);
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('the overview of a transcript'), () => {
  test('the outline follows the scroll, and a click jumps; the minimap scrubs by pointer and by keys', async () => {
    const { page } = session;
    await open();
    const outline = page.getByRole('region', { name: 'Outline' });
    const current = () => outline.locator('[aria-current=true]').textContent();
    await expect.poll(current).toMatch(/^solvers/);
    await session.press('G');
    await expect.poll(current).toMatch(/^(?:9|10)/);
    await outline.getByRole('button', { name: /^2 Now the code/ }).click();
    await expect.poll(() => focused().textContent()).toMatch(/^turn 2/);
    await expect.poll(isHeadSeen).toBe(true);
    await expect.poll(current).toMatch(/^2Now/);
    const slider = page.getByRole('slider', { name: 'Position in the transcript' });
    const box = await slider.boundingBox();
    const y = (box?.y ?? 0) + 10;
    await page.mouse.move((box?.x ?? 0) + 5, y);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + (box?.width ?? 0) * 0.7, y, { steps: 4 });
    await page.mouse.up();
    const count = Number(await slider.getAttribute('aria-valuemax'));
    await expect.poll(at).toBe(Math.floor(count * 0.7));
    await slider.focus();
    await session.press('Home');
    await expect.poll(seenFirst).toBe('2');
    await session.press('ArrowRight');
    await expect.poll(async () => Number(await seenFirst())).toBeGreaterThan(2);
  });

  test('panes are resized by keys, and stay so', async () => {
    const { page } = session;
    await open();
    const handle = page.getByRole('separator', { name: 'Width of Outline' });
    const before = Number(await handle.getAttribute('aria-valuenow'));
    await handle.focus();
    await session.press('ArrowRight', 'ArrowRight');
    await expect.poll(async () => Number(await handle.getAttribute('aria-valuenow'))).toBe(before + 32);
    const right = page.getByRole('separator', { name: 'Width of Scores' });
    await right.focus();
    await session.press('ArrowLeft');
    await page.reload();
    await expect.poll(async () => Number(await handle.getAttribute('aria-valuenow'))).toBe(before + 32);
    expect(Number(await right.getAttribute('aria-valuenow'))).toBe(376);
  });
});
