/** What a transcript shows: every kind of content, texts of any length, attempts, gaps, files, notes; and how it is read where there is little room. */
import { mkdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SampleView } from '../../../src/server/api.ts';
import { makeStudioStore } from '../../sim/studio/store.ts';
import { CONTENT_RUN, writeContentLog } from './content-log.ts';
import { inChromium, obstacle, Session } from './session.ts';

let logs = '';
let published = '';
let project = '';

const session = new Session(async (dir) => {
  const store = await makeStudioStore(join(dir, 'project'), { rounds: 1, evals: ['swe-lite'], samples: 8 });
  project = store.dir;
  published = store.runs.find((name) => name.includes('T090000')) ?? '';
  logs = join(dir, 'logs');
  mkdirSync(logs);
  await writeContentLog(join(logs, 'content.eval'));
  return { places: [project], logDirs: [logs] };
});

const feed = () => session.page.getByRole('feed');
const row = (event: number) => feed().locator(`article[data-event="${event}"]`);

async function open(more = '', sample = 'content'): Promise<void> {
  await session.go(`/runs/${CONTENT_RUN}/s/${sample}/1${more}`);
  await session.page.getByRole('tablist').waitFor();
}

/** Brings an event to the top, with its body. */
async function goTo(event: number): Promise<void> {
  await open(`?event=${event}`);
  await row(event).locator('button[aria-expanded=true]').first().waitFor();
}

describe.skipIf(obstacle !== undefined)(inChromium('content of a transcript'), () => {
  test('Markdown, code, maths, thoughts, colours of a terminal and pictures are shown as they are meant', async () => {
    await goTo(0);
    await row(0).getByText('a quiet thought').waitFor();
    expect(await row(0).locator('em').textContent()).toBe('emphasis');
    expect(await row(0).locator('li').allTextContents()).toEqual(['one', 'two']);
    expect(await row(0).locator('td').allTextContents()).toEqual(['core.py', '3']);
    // Headings of a transcript are none of the page.
    expect(await row(0).getByRole('heading').count()).toBe(0);
    await expect.poll(() => row(0).locator('pre span[style*="--shiki"]').count()).toBeGreaterThan(3);
    await expect.poll(() => row(0).locator('math').count()).toBe(1);
    await goTo(1);
    const failed = row(1).getByText('FAILED', { exact: true });
    await failed.waitFor();
    expect(await row(1).textContent()).not.toContain('\u001b');
    expect(await colourOf('FAILED')).not.toBe(await colourOf('tests/test_a.py'));
    await goTo(3);
    await expect
      .poll(() => session.page.evaluate('document.querySelector("[role=feed] img")?.naturalWidth'))
      .toBe(1);
    await session.press('r');
    await expect.poll(() => row(3).locator('img').count()).toBe(0);
  });

  test('a long output is folded to its first lines, a text over 8 KB to its beginning; both open whole', async () => {
    const { page } = session;
    await goTo(2);
    await row(2).getByText('line 16 of the output').waitFor();
    expect(await row(2).textContent()).not.toContain('line 60 of the output');
    await row(2).getByRole('button', { name: '+ 44 lines' }).click();
    await row(2).getByText('line 60 of the output').waitFor();
    await goTo(5);
    await row(5)
      .getByText(/^The first 8,\d{3} of 20,3\d\d characters\./)
      .waitFor();
    await row(5)
      .getByRole('button', { name: /^Show all \(20\.\d KB\)$/ })
      .click();
    const whole = page.getByRole('group', { name: 'The whole text' });
    await whole.waitFor();
    await page.evaluate(TO_THE_END);
    await whole.getByText('the very end of the report').waitFor();
    await row(5).getByRole('button', { name: 'Show less' }).click();
    await expect.poll(() => whole.count()).toBe(0);
  });

  test('a message of several megabytes opens, is scrolled to its end and found in, and nothing freezes', async () => {
    const { page } = session;
    await goTo(6);
    await row(6)
      .getByText(/^The first 8,\d{3} of 3,7\d\d,\d{3} characters\./)
      .waitFor();
    await page.evaluate(`new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) globalThis.longest = Math.max(globalThis.longest ?? 0, entry.duration);
    }).observe({ type: 'longtask' })`);
    await row(6)
      .getByRole('button', { name: /^Show all \(3\.\d+ MB\)$/ })
      .click();
    const whole = page.getByRole('group', { name: 'The whole text' });
    await whole.getByText('0123456789 line of a large file').first().waitFor();
    await page.evaluate(TO_THE_END);
    await whole.getByText('more of it').last().waitFor();
    // To lay all of it out would take many seconds.
    expect(Number(await page.evaluate('globalThis.longest ?? 0'))).toBeLessThan(10_000);
    await session.press('Control+f');
    await page.keyboard.type('needle-in-the-huge');
    await session.press('Enter');
    await expect.poll(() => page.locator('search [role=status]').textContent()).toBe('1 of 1');
    await page.getByText('needle-in-the-huge').first().waitFor();
  });

  test('what is found far down in a long event is unfolded and brought into view', async () => {
    await open('?find=line%2060%20of%20the%20output');
    await expect
      .poll(() =>
        session.page.evaluate(`(() => {
          const [hit] = CSS.highlights.get('find-current') ?? [];
          const box = hit?.getBoundingClientRect();
          const feed = document.querySelector('[role=feed]').getBoundingClientRect();
          return box !== undefined && box.height > 0 && box.top >= feed.top && box.bottom <= feed.bottom;
        })()`),
      )
      .toBe(true);
  });

  test('what was replayed or recovered is marked, and a gap is named', async () => {
    await goTo(4);
    await row(4).getByText('replayed').waitFor();
    await goTo(3);
    expect(await row(3).getByText('replayed').count()).toBe(0);
    await open('', 'recovered');
    await row(1).getByText('after the gap').waitFor();
    expect(await row(0).textContent()).toContain('Events before number 1 are missing');
    expect(await row(1).textContent()).not.toContain('are missing');
    for (const event of [0, 1]) expect(await row(event).textContent()).toContain('recovered');
  });

  test('earlier attempts have transcripts of their own; files are named, and raw is what the server says', async () => {
    const { page } = session;
    await open('?tab=attempts');
    await page.getByText('the first try broke').waitFor();
    await page.getByRole('link', { name: '1 event', exact: true }).click();
    await feed().getByText('words of the first try').waitFor();
    expect(await feed().locator('article').count()).toBe(1);
    await page.reload();
    await feed().getByText('words of the first try').waitFor();
    await page.getByRole('button', { name: 'Show the last attempt' }).click();
    await feed().getByText('a quiet thought').waitFor();
    await session.press('4');
    await expect
      .poll(() => page.getByRole('list', { name: 'Files' }).getByRole('button').allTextContents())
      .toEqual(['notes/a.txt', 'src/main.py']);
    await page.getByText('What is in it was not kept').waitFor();
    await session.press('6');
    await page.getByRole('button', { name: 'Copy JSON' }).click();
    const copied = JSON.parse(await session.copied()) as SampleView;
    expect(copied).toEqual(await session.ask(`/runs/${CONTENT_RUN}/samples/content/1`));
  });

  test('a link to an event leads to it also when the log was written anew with others before it', async () => {
    const { page } = session;
    await goTo(4);
    await row(4).getByText('an answer of an earlier run').waitFor();
    await session.press('y');
    await page.getByText('The link was copied').waitFor();
    const link = await session.copied();
    await writeContentLog(join(logs, 'next'), ['scored anew', 'and once more']);
    renameSync(join(logs, 'next'), join(logs, 'content.eval'));
    await expect
      .poll(async () => {
        await page.goto('about:blank');
        await page.goto(link);
        await feed().locator('[aria-current=true]').waitFor();
        return feed().locator('[aria-current=true]').getAttribute('data-event');
      })
      .toBe('6');
    await row(6).getByText('an answer of an earlier run').waitFor();
  });
});

const TO_THE_END = `(() => {
  const whole = document.querySelector('[aria-label="The whole text"]');
  whole.scrollTop = whole.scrollHeight;
})()`;

function colourOf(text: string): Promise<string> {
  return session.page.evaluate(`(() => {
    const texts = document.createTreeWalker(document.querySelector('[role=feed]'), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode } = texts;
      if (currentNode.nodeValue.includes('${text}')) return getComputedStyle(currentNode.parentElement).color;
    }
  })()`);
}

describe.skipIf(obstacle !== undefined)(inChromium('notes on a sample'), () => {
  test('without the token it says why none can be written', async () => {
    const { page } = session;
    await session.go(`/runs/${published}/s/django-4000/1?tab=files`);
    await page.getByRole('tablist').waitFor();
    await session.press('m');
    await page.getByText(/^Notes cannot be written here: /).waitFor();
    expect(await page.getByRole('button', { name: 'Write M' }).isDisabled()).toBe(true);
  });

  test('one is written by m about the event that is marked, is there after a reload, leads to it, and is in no log', async () => {
    const { page } = session;
    const log = join(project, 'logs', `${published}.eval`);
    const before = readFileSync(log);
    await page.goto(session.studio.urlWithToken);
    await page.getByRole('grid').waitFor();
    await session.go(`/runs/${published}/s/django-4000/1`);
    await feed().locator('article').first().waitFor();
    // Until it is known that something can be written, nothing is.
    const write = page.getByRole('region', { name: 'Notes' }).getByRole('button').first();
    await expect.poll(() => write.isEnabled()).toBe(true);
    // Folded, so that nothing but its head is here.
    await session.press('z', 'n', 'n', 'm');
    const event = await feed().locator('[aria-current=true]').getAttribute('data-event');
    await page.getByRole('textbox', { name: 'Note' }).fill('it looks at the wrong file');
    await session.press('Control+Enter');
    const note = page.getByRole('region', { name: 'Notes' }).getByText('it looks at the wrong file');
    await note.waitFor();
    await page.reload();
    await note.waitFor();
    await session.press('g', 'g');
    await page.getByRole('button', { name: 'to the event' }).click();
    await expect.poll(() => feed().locator('[aria-current=true]').getAttribute('data-event')).toBe(event);
    expect(readFileSync(log).equals(before)).toBe(true);
    // On the other epoch nobody said anything.
    await session.go(`/runs/${published}/s/django-4000/2`);
    await page.getByText('Nobody has said anything yet.').waitFor();
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('a sample where there is little room'), () => {
  test.each([
    ['at 1024 pixels', 1024, 768],
    ['at 200 % zoom of 1024 pixels', 512, 384],
  ])(
    '%s the transcript is read, panes and tabs are reached, and nothing runs out of the window',
    async (_, width, height) => {
      const page = await session.openPage({ width, height });
      await session.go(`/runs/${published}/s/django-4000/1`);
      await feed().getByText('I will run the failing test first').first().waitFor();
      const widthOf = (selector: string) =>
        page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().width`);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      expect(Number(await widthOf('[role=feed]'))).toBeGreaterThan(width * 0.6);
      expect(
        Number(await page.evaluate(`document.querySelector('[role=feed]').getBoundingClientRect().height`)),
      ).toBeGreaterThan(90);
      await session.press('i');
      const scores = page.getByRole('region', { name: 'Scores' });
      await scores.getByText('tests_pass').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await session.press('i');
      await page.getByRole('tab', { name: /Messages/ }).click();
      await page.getByRole('group', { name: 'Messages' }).getByText('Issue #4000').first().waitFor();
      await page.getByRole('tab', { name: 'Raw' }).click();
      await page.getByRole('button', { name: 'Copy JSON' }).waitFor();
      await session.go(`/runs/${published}`);
      await page.getByRole('link', { name: 'django-4000' }).waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    },
  );
});
