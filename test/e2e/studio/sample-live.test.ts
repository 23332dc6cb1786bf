/** A sample under way: its transcript grows on the screen, and is followed only by who is at its end. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { RunsPage } from '../../../src/server/api.ts';
import { type Started, startHoldfast } from '../holdfast.ts';
import { inChromium, obstacle, Session } from './session.ts';

const ANSWERS = 60;

let gate = '';
let run: Started | undefined;

const session = new Session(async (dir) => {
  mkdirSync(join(dir, 'logs'));
  gate = join(dir, 'gate');
  allow(20);
  writeFileSync(join(dir, 'live.eval.js'), EVAL(gate));
  run = startHoldfast(dir, ['run', 'live.eval.js', '--model', 'mock/live', '--quiet']);
  return { places: [], logDirs: [join(dir, 'logs')] };
});

afterAll(() => run?.child.kill('SIGKILL'));

/** Lets the model answer so often, all in all. */
function allow(answers: number): void {
  writeFileSync(gate, String(answers));
}

const EVAL = (path: string) => `import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEval, includes, mockModel } from 'holdfast';
let asked = 0;
const model = mockModel({ name: 'mock/live', async respond() {
  const number = ++asked;
  while (Number(readFileSync(${JSON.stringify(path)}, 'utf8')) < number) await sleep(30);
  return 'answer ' + number + ' of the model\\n\\n' + 'a line of it\\n\\n'.repeat(6);
} });
export default defineEval({
  name: 'live',
  data: [{ id: 'only', input: 'count', target: 'done' }],
  models: { 'mock/live': model },
  target: async (_, { generate }) => {
    for (let turn = 1; turn <= ${ANSWERS}; turn++) await generate('question ' + turn);
    return 'done';
  },
  scorers: [includes()],
});
`;

describe.skipIf(obstacle !== undefined)(inChromium('a sample under way'), () => {
  test('is followed at its end, and only there; when it has ended, how is told', async () => {
    const { page } = session;
    await expect
      .poll(async () => (await session.ask<RunsPage>('/runs')).runs.length, { timeout: 60_000 })
      .toBe(1);
    const [item] = (await session.ask<RunsPage>('/runs')).runs;
    await session.go(`/runs/${item?.run}/s/only/1`);
    const feed = page.getByRole('feed');
    const answer = (number: number) => feed.getByText(`answer ${number} of the model`);
    const first = () =>
      page.getByRole('slider', { name: 'Position in the transcript' }).getAttribute('aria-valuenow');
    const isSeen = (number: number) =>
      page.evaluate(`(() => {
        const feed = document.querySelector('[role=feed]').getBoundingClientRect();
        const texts = [...document.querySelectorAll('[role=feed] article')];
        const row = texts.find((one) => one.textContent.includes('answer ${number} of the model'));
        const box = row?.getBoundingClientRect();
        return box !== undefined && box.top < feed.bottom && box.bottom > feed.top;
      })()`);
    await feed.locator('article').first().waitFor();
    await session.press('G');
    await answer(20).waitFor({ timeout: 120_000 });
    await session.press('G');
    await expect.poll(() => isSeen(20)).toBe(true);
    allow(25);
    await expect.poll(() => isSeen(25), { timeout: 120_000 }).toBe(true);
    await expect.poll(() => isSeen(20)).toBe(false);
    // Who reads something above is left in peace.
    await feed.hover();
    await page.mouse.wheel(0, -1_500);
    await expect.poll(() => isSeen(25)).toBe(false);
    const seen = await first();
    const known = async () =>
      Number(/\d+/.exec((await page.getByRole('tab', { name: /^Transcript/ }).textContent()) ?? '')?.[0]);
    const before = await known();
    allow(32);
    await expect.poll(known, { timeout: 120_000 }).toBeGreaterThan(before + 5);
    expect([await first(), await isSeen(32)]).toEqual([seen, false]);
    allow(1_000);
    expect((await run?.ended)?.code).toBe(0);
    await expect.poll(() => page.getByRole('main').textContent(), { timeout: 120_000 }).toContain('passed');
    expect(await first()).toBe(seen);
    await session.press('G');
    await answer(ANSWERS).waitFor();
  });
});
