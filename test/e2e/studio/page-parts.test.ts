/** Parts of pages on a few small runs: what became of samples before, what scores are based on, keys as one likes them, pictures. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeEach, describe, expect, test } from 'vitest';
import { definedOf } from '../../../src/base/index.ts';
import type { LogEvent } from '../../../src/log/index.ts';
import { type FixtureLog, fixtureEvent, fixtureFields } from '../../sim/log-fixture.ts';
import { runIdAt, writeRun } from '../../sim/results-repo.ts';
import { openPage } from './browser.ts';
import { builtApp } from './built-app.ts';
import { exportTestStudio } from './exported.ts';
import type { TestStudio } from './served.ts';
import { inChromium, obstacle, Session } from './session.ts';

const SCREENSHOTS = process.env.HOLDFAST_SCREENSHOTS;

let last = '';

const session = new Session(async (dir) => {
  for (const [at, grades] of ['CI', 'CC', 'IC', 'CI'].entries()) {
    last = runIdAt(`2026-03-0${at + 1}T08:00:00Z`);
    await writeRun(dir, last, logOf(at + 1, grades));
  }
  return { places: [dir] };
});
let studio: TestStudio;
let page: Page;

beforeEach(() => {
  if (obstacle !== undefined) return;
  ({ studio, page } = session);
});

function logOf(day: number, grades: string): FixtureLog {
  const at = (minute: number) => `2026-03-0${day}T08:${String(minute).padStart(2, '0')}:00+00:00`;
  return {
    spec: { created: at(0) },
    samples: [...grades].map((grade, index) => ({
      fields: fixtureFields(`sample-${index + 1}`, {
        started_at: at(index),
        completed_at: at(index + 3),
        model_usage: { 'mock/m': { input_tokens: 900, output_tokens: 300, total_tokens: 1_200 } },
        messages: [
          { id: 'question', role: 'user', content: 'How many?' },
          { id: 'answer-1', role: 'assistant', content: 'Let me count.' },
          { id: 'answer-2', role: 'assistant', content: 'Seven.' },
        ],
        scores: {
          rubric: {
            value: grade,
            explanation: 'It guesses in turn 2, see [M1], [M3] and [E1]; nothing like it is in turn 9.',
          },
        },
      }),
      events: transcript(grade),
    })),
    header: {
      stats: {
        ...{ started_at: at(0), completed_at: at(9), model_usage: {}, role_usage: {} },
        connection_limit_history: [],
      },
    },
  };
}

function transcript(grade: string): LogEvent[] {
  const span = (id: string, name: string, type: string, parent_id?: string) =>
    fixtureEvent({ event: 'span_begin', id, name, type, span_id: id, ...definedOf({ parent_id }) });
  const model = (span_id: string, content: string, id: string) =>
    fixtureEvent({
      event: 'model',
      model: span_id === 'judge' ? 'mock/judge' : 'mock/m',
      input: [{ role: 'user', content: span_id === 'judge' ? 'Is "Seven." right?' : 'How many?' }],
      ...{ tools: [], tool_choice: 'auto', config: {}, span_id, uuid: `event-${id}` },
      output: {
        model: 'mock/m',
        choices: [{ message: { role: 'assistant', content, id }, stop_reason: 'stop' }],
        completion: content,
      },
    });
  return [
    span('agent', 'main', 'agent'),
    model('agent', 'Let me count.', 'answer-1'),
    model('agent', 'Seven.', 'answer-2'),
    span('judge', 'rubric', 'scorer'),
    model('judge', `GRADE: ${grade}`, 'verdict'),
    fixtureEvent({ event: 'score', scorer: 'rubric', score: { value: grade }, span_id: 'judge' }),
  ];
}

const address = () => new URL(page.url());
const event = () => address().searchParams.get('event');

async function shoot(name: string): Promise<void> {
  if (SCREENSHOTS === undefined) return;
  mkdirSync(SCREENSHOTS, { recursive: true });
  for (const theme of ['light', 'dark']) {
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    await page.waitForTimeout(200);
    await page.screenshot({ path: join(SCREENSHOTS, `${name}-${theme}.png`) });
  }
}

async function openSample(sample = 'sample-1'): Promise<void> {
  await page.goto(`${studio.url}/runs/${last}/s/${sample}/1`);
  await page.getByText('Let me count.').first().waitFor();
}

describe.skipIf(obstacle !== undefined)(inChromium('the last results of samples'), () => {
  test('stand in every row, say when they were, and lead to the sample over time; Back comes back', async () => {
    await page.goto(`${studio.url}/runs/${last}`);
    const strip = page.getByRole('link', { name: /^sample-1 over time/ });
    await strip.waitFor();
    expect(await strip.getAttribute('aria-label')).toBe(
      'sample-1 over time; oldest first: passed, passed, failed, passed',
    );
    const told = await strip.locator('span').evaluateAll((marks) => marks.map((mark) => mark.title));
    expect(told[2]).toMatch(/^✗ failed · 2026-03-03 .* · 20260303T/);
    expect(told[3]).toContain('this run');
    await shoot('strips');
    await page.keyboard.press('j');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Tab');
    await strip.focus();
    await page.getByRole('tooltip').filter({ hasText: 'this run' }).waitFor();
    await strip.click();
    await expect.poll(() => address().pathname).toBe('/evals/capitals/s/sample-1');
    await page.goBack();
    await strip.waitFor();
  });

  test('a narrow window has them only when they are chosen, and that is remembered', async () => {
    await page.setViewportSize({ width: 1_100, height: 800 });
    await page.goto(`${studio.url}/runs/${last}`);
    await page.getByRole('link', { name: 'sample-1' }).first().waitFor();
    expect(await page.getByRole('columnheader', { name: 'History' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('checkbox', { name: 'History' }).check();
    await page.getByRole('link', { name: /^sample-1 over time/ }).waitFor();
    await page.goto(`${studio.url}/runs/${last}`);
    await page.getByRole('link', { name: /^sample-1 over time/ }).waitFor();
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('what a score is based on'), () => {
  test('events that it cites are gone to, and what is not there is told', async () => {
    await openSample();
    const card = page.getByRole('region', { name: 'Score rubric' });
    for (const [name, at] of [
      ['turn 2', '2'],
      ['[M1]', '1'],
      ['[M3]', '2'],
      ['[E1]', '0'],
    ] as const) {
      await card.getByRole('button', { name: `${name} ›` }).click();
      await expect.poll(event).toBe(at);
    }
    await card.getByRole('button', { name: 'turn 9 ›' }).click();
    await card.getByText('turn 9 is not in this transcript').waitFor();
    await shoot('evidence');
  });

  test('the model that judged is named, with what it was asked and answered, and its call is gone to', async () => {
    await page.goto(`${studio.url}/runs/${last}/s/sample-1/1?tab=scores`);
    const card = page.getByRole('region', { name: 'Score rubric' });
    await card.getByText('graded by mock/judge').waitFor();
    await card.getByText('What it was asked and answered').click();
    await card.getByText('Is "Seven." right?').waitFor();
    await card.getByText('GRADE: C').waitFor();
    await shoot('judge');
    await card.getByRole('button', { name: 'see the call ›' }).click();
    await expect.poll(event).toBe('4');
    expect(address().searchParams.get('tab') ?? 'transcript').toBe('transcript');
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('keys as one likes them'), () => {
  test('j and k go through samples or through turns, the sheet says which, and it is remembered', async () => {
    await openSample();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keys' });
    const lineOf = (what: string) => sheet.locator('dl > div').filter({ hasText: what }).textContent();
    expect([await lineOf('Next sample'), await lineOf('Next turn')]).toEqual(['JNext sample', 'NNext turn']);
    await sheet.getByRole('radio', { name: /from turn to turn/ }).check();
    await expect.poll(() => lineOf('Next turn')).toBe('JNext turn');
    expect(await lineOf('Next sample')).toBe('NNext sample');
    await shoot('keys');
    await page.reload();
    await page.getByText('Let me count.').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('j');
    await expect.poll(event).toBe('2');
    expect(address().pathname).toContain('/sample-1/');
    await page.keyboard.press('n');
    await expect.poll(() => address().pathname).toContain('/sample-2/');
  });

  test('single keys can be silent, those with Ctrl are heard', async () => {
    await openSample();
    await page.keyboard.press('?');
    await page.getByRole('checkbox', { name: /Single keys/ }).uncheck();
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    await page.waitForTimeout(300);
    expect(address().pathname).toContain('/sample-1/');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').waitFor();
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('the picture of a chart'), () => {
  test.each(['light', 'dark'])('%s: is copied as PNG in the colours of the theme', async (theme) => {
    await page.goto(`${studio.url}/runs/${last}/timeline`);
    await page.getByRole('group', { name: 'Timeline of the run' }).waitFor();
    await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`);
    await page.getByRole('button', { name: 'Copy the chart' }).click();
    await page.getByRole('menuitem', { name: 'Copy as PNG' }).click();
    await page.getByRole('status').filter({ hasText: 'Copied' }).waitFor();
    const { width, corner, colours } = await copiedPicture();
    expect(width).toBeGreaterThan(1_500);
    expect(corner < 60).toBe(theme === 'dark');
    expect(colours).toBeGreaterThan(8);
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('tokens per second'), () => {
  test('are a band of the timeline that says how it is made, and can be left out', async () => {
    await page.goto(`${studio.url}/runs/${last}/timeline`);
    const band = page.getByText('tokens/s');
    await band.waitFor();
    await page.getByText('spread evenly over the time that it took').waitFor();
    await shoot('timeline');
    await page.getByRole('button', { name: 'Tokens per second' }).click();
    await band.waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('group', { name: 'Timeline of the run' }).waitFor();
    expect([await band.count(), address().searchParams.get('tokens')]).toEqual([0, 'off']);
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('an export'), () => {
  test('copies pictures from file:// as well, and has no column of last results', async () => {
    const out = join(session.dir, 'export');
    await exportTestStudio({ places: [session.dir], appDir: builtApp('export'), out });
    const origin = pathToFileURL(out).href;
    const opened = await openPage(session.browser, { origin });
    page = opened.page;
    await page.goto(`${origin}/index.html#/runs/${last}`);
    await page.getByRole('link', { name: 'sample-1' }).first().waitFor();
    expect(await page.getByRole('columnheader', { name: 'History' }).count()).toBe(0);
    await page.goto(`${origin}/index.html#/runs/${last}/timeline`);
    await page.getByRole('button', { name: 'Copy the chart' }).click();
    const saved = page.waitForEvent('download', { timeout: 5_000 }).catch(() => undefined);
    await page.getByRole('menuitem', { name: 'Copy as PNG' }).click();
    const said = page.getByRole('status').filter({ hasText: /Copied|Saved as a file/ });
    await said.waitFor();
    if ((await said.textContent()) === 'Copied') expect((await copiedPicture()).colours).toBeGreaterThan(8);
    else expect((await saved)?.suggestedFilename()).toMatch(/\.png$/);
    expect(opened.wrong).toEqual([]);
  });
});

/** Of the picture in the clipboard: how wide it is, how light its corner is, and how many colours it has. */
function copiedPicture(): Promise<{ width: number; corner: number; colours: number }> {
  return page.evaluate(`(async () => {
    const [item] = await navigator.clipboard.read();
    const bitmap = await createImageBitmap(await item.getType('image/png'));
    const paint = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d');
    paint.drawImage(bitmap, 0, 0);
    const pixels = new Uint32Array(paint.getImageData(0, 0, bitmap.width, bitmap.height).data.buffer);
    return { width: bitmap.width, corner: pixels[0] & 255, colours: new Set(pixels).size };
  })()`);
}
