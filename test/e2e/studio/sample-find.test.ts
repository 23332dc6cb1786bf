/** Finding in a transcript: hits are counted, gone through, marked in the colours of the theme, and kept in the address. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeStudioStore } from '../../sim/studio/store.ts';
import { inChromium, obstacle, Session } from './session.ts';

let run = '';

const session = new Session(async (dir) => {
  const { dir: project, runs } = await makeStudioStore(join(dir, 'project'), {
    rounds: 1,
    evals: ['swe-lite'],
    samples: 12,
  });
  run = runs.find((name) => name.includes('T083000')) ?? '';
  return { places: [project], logDirs: [join(project, 'logs')] };
});

const feed = () => session.page.getByRole('feed');
const input = () => session.page.getByRole('textbox', { name: 'Find in the transcript' });
const status = () => session.page.locator('search [role=status]').textContent();
const at = async () => Number(await feed().locator('[aria-current=true]').getAttribute('data-event'));

async function open(more = ''): Promise<void> {
  await session.go(`/runs/${run}/s/requests-5370/1${more}`);
  await feed().locator('article').first().waitFor();
}

interface Marked {
  /** What is marked as a hit, and as the one that one is at. */
  readonly hits: readonly string[];
  readonly current: readonly string[];
  /** The event that the current one is in, and whether it is seen. */
  readonly event: number;
  readonly isSeen: boolean;
}

function marked(): Promise<Marked> {
  return session.page.evaluate(`(() => {
    const ranges = (name) => [...(CSS.highlights.get(name) ?? [])];
    const [current] = ranges('find-current');
    const box = current?.getBoundingClientRect();
    const seen = box && document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    const row = current?.startContainer.parentElement.closest('[data-event]');
    return {
      hits: ranges('find-hit').map(String),
      current: ranges('find-current').map(String),
      event: Number(row?.dataset.event ?? -1),
      isSeen: seen != null && current.intersectsNode(seen),
    };
  })()`);
}

function colours(): Promise<readonly string[]> {
  return session.page.evaluate(`['find-hit', 'find-current'].flatMap((name) => {
    const row = document.querySelector('[role=feed] article');
    const { backgroundColor, color } = getComputedStyle(row, '::highlight(' + name + ')');
    return [backgroundColor, color];
  })`);
}

describe.skipIf(obstacle !== undefined)(inChromium('find in a transcript'), () => {
  test('counts the hits; Enter and Shift+Enter go through all of them and around, each brought into view and marked apart', async () => {
    // So low that most events are higher than what is seen.
    const page = await session.openPage({ height: 420 });
    await open();
    await session.press('Control+f');
    await expect
      .poll(() => page.evaluate('document.activeElement.getAttribute("aria-label")'))
      .toBe('Find in the transcript');
    await page.keyboard.type('schema');
    await session.press('Enter');
    await expect.poll(status).toMatch(/^1 of \d+$/);
    const count = Number(/of (\d+)/.exec((await status()) ?? '')?.[1]);
    expect(count).toBeGreaterThan(4);
    const events: number[] = [];
    for (let hit = 0; hit < count; hit++) {
      await expect.poll(status).toBe(`${hit + 1} of ${count}`);
      const event = await at();
      await expect.poll(marked).toMatchObject({ current: ['schema'], event, isSeen: true });
      expect((await marked()).hits.length).toBeGreaterThan(0);
      events.push(event);
      await session.press('Enter');
    }
    expect(events).toEqual([...new Set(events)].sort((a, b) => a - b));
    await expect.poll(status).toBe(`1 of ${count}`);
    await expect.poll(at).toBe(events[0]);
    await session.press('Shift+Enter');
    await expect.poll(status).toBe(`${count} of ${count}`);
    await expect.poll(at).toBe(events.at(-1));
  });

  test.each([
    ['light', ['rgb(255, 229, 138)', 'rgb(20, 24, 31)', 'rgb(255, 176, 32)', 'rgb(20, 24, 31)']],
    ['dark', ['rgb(227, 179, 65)', 'rgb(14, 17, 22)', 'rgb(255, 176, 32)', 'rgb(14, 17, 22)']],
  ] as const)('hits have the colours of the %s theme, the current one its own', async (theme, expected) => {
    await session.openPage({ theme });
    await open('?find=schema');
    await expect.poll(async () => (await marked()).current).toEqual(['schema']);
    expect(await colours()).toEqual(expected);
  });

  test('words are marked across the parts that a line is made of, whatever their case', async () => {
    await open('?find=DEF%20validate(value');
    // Before its words have colours, code is one part.
    await feed().locator('pre span[style*="--shiki"]').first().waitFor();
    await expect.poll(async () => (await marked()).current).toEqual(['def validate(value']);
  });

  test('what is sought is kept by reload and Back; the key leads into the field again, Escape ends it', async () => {
    const { page } = session;
    await open();
    await session.press('/');
    await page.keyboard.type('signature');
    await expect.poll(() => session.said('find')).toBe('signature');
    await expect.poll(status).toMatch(/^1 of \d+$/);
    await page.reload();
    await expect.poll(status).toMatch(/^\d+ of \d+$/);
    await page.getByRole('link', { name: 'Evals' }).click();
    await expect.poll(() => session.address.pathname).toBe('/evals');
    await page.goBack();
    await expect.poll(status).toMatch(/^\d+ of \d+$/);
    await feed().locator('article').first().click();
    await session.press('Control+f');
    await page.keyboard.type('nowhere at all');
    await session.press('Enter');
    await expect.poll(status).toBe('Not found');
    expect((await marked()).hits).toEqual([]);
    await session.press('Escape');
    await expect.poll(() => input().count()).toBe(0);
    expect(session.said('find')).toBe(null);
  });
});
