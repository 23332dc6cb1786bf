/** What the page of a run tells of its past: of the run before it, of sessions that died, of damage; and the command that tells the same. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { SampleItem, SamplesPage } from '../../../src/server/api.ts';
import { makeStudioStore } from '../../sim/studio/store.ts';
import { holdfast, PROGRAM, type RunReport, reportOf } from '../holdfast.ts';
import { killedRun, paidEval, RUN } from '../paid-eval.ts';
import { inChromium, obstacle, Session } from './session.ts';

const KILLED_AFTER = 19;
const PRICES = { 'mock/paid': { input: 1_000, output: 2_000 } };

let project = '';
let run = '';
let first = '';
/** Of the first the list of samples is damaged, of the second one sample. */
let damaged: readonly string[] = [];
let report: RunReport;

const session = new Session(async (dir) => {
  const store = await makeStudioStore(join(dir, 'project'), { rounds: 2, evals: ['swe-lite'], samples: 16 });
  project = store.dir;
  run = store.runs.findLast((name) => name.includes('T083000')) ?? '';
  first = store.runs.find((name) => name.includes('T083000')) ?? '';
  const others = await makeStudioStore(join(dir, 'others'), { rounds: 1, evals: ['capitals'], samples: 6 });
  damaged = others.runs.slice(0, 2);
  for (const [at, member] of ['summaries.json', 'samples/2_epoch_1.json'].entries())
    damage(join(others.dir, 'logs', `${damaged[at]}.eval`), member);
  const logDirs = [join(project, 'logs'), join(others.dir, 'logs'), await resumedRun()];
  return { places: [project], logDirs };
});

/** A run that was really killed, and then gone on with; its prices make every answer cost something. */
async function resumedRun(): Promise<string> {
  const paid = await paidEval();
  const prices = join(paid.path, 'prices.json');
  writeFileSync(prices, JSON.stringify(PRICES));
  await killedRun(paid, KILLED_AFTER, ['--prices', prices], { isKept: true });
  report = reportOf(await holdfast(paid.path, [...RUN, '--prices', prices, '--json']));
  return join(paid.path, 'logs');
}

/** Some bytes of a document are others than were written. */
function damage(path: string, member: string): void {
  const bytes = readFileSync(path);
  const at = bytes.indexOf(member) + member.length + 60;
  bytes.fill(0x55, at, at + 20);
  writeFileSync(path, bytes);
}

describe.skipIf(obstacle !== undefined)(inChromium('the past of a run'), () => {
  test('what changed since the previous run is told, and its settings show only what differs', async () => {
    const { page } = session;
    await session.go(`/runs/${run}`);
    const card = page.getByRole('region', { name: 'Against the previous run' });
    await expect.poll(() => card.textContent()).toMatch(/\d+ improved.*\d+ regressed/);
    await card.getByRole('button', { name: 'What changed between them' }).click();
    await page.getByText(/3 settings differ from the/).waitFor();
    const settings = page.getByRole('tabpanel').locator('dl > div');
    expect(await settings.count()).toBe(3);
    expect(await settings.filter({ hasText: 'changed' }).count()).toBe(3);
    expect(await page.getByRole('tabpanel').textContent()).toMatch(/temperature.*before0.*now0\.2/);
    await page.getByRole('button', { name: /^All \d+ settings$/ }).click();
    await expect.poll(() => settings.count()).toBeGreaterThan(10);
    expect(await settings.filter({ hasText: 'changed' }).count()).toBe(3);
    await page.reload();
    await expect.poll(() => settings.count()).toBeGreaterThan(10);
    await page.getByRole('link', { name: 'previous run', exact: true }).click();
    await expect.poll(() => session.address.pathname).toContain(first);
    await page.getByText('No earlier run of this eval and target is here.').waitFor();
    await page.goBack();
    await card.getByRole('link').click();
    await expect.poll(() => session.said('runs')).toBe(`${first},${run}`);
  });

  test('a run that was killed and gone on with says when it died, what was kept, replayed and lost', async () => {
    const { page } = session;
    const [told] = report.runs;
    expect(told).toMatchObject({ state: 'done', samples: { remaining: 0 } });
    await session.go('/runs?q=eval:paid');
    await page.getByRole('grid').getByText('paid').first().click();
    const sessions = page.getByRole('button', { name: /^2 sessions, 1 crash recovered, \$\S+ lost$/ });
    await sessions.click();
    const { kept = 0, replayed = 0 } = told?.samples ?? {};
    const lost = told?.usd?.lost ?? Number.NaN;
    expect([kept > 0, replayed > 0]).toEqual([true, true]);
    const said = page.getByText(/^died at \d\d:\d\d, /);
    await said.waitFor();
    expect(await said.textContent()).toContain(`${kept} kept, ${replayed} replayed, `);
    expect(Number(/\$([\d.]+) lost/.exec((await said.textContent()) ?? '')?.[1])).toBeCloseTo(lost, 2);
    await page.getByText(/^finished at \d\d:\d\d/).waitFor();
    await session.press('Escape', '2');
    await page.getByText(/ · 1 crash/).waitFor();
    await session.press('3');
    await page.getByText(/was spent; .*was wasted/).waitFor();
  });

  test('of a damaged run what is whole is shown, and what is not is named', async () => {
    const { page } = session;
    await session.go(`/runs/${damaged[0]}`);
    await page.getByText('Part of this run cannot be read. 6 samples could, and are shown.').waitFor();
    expect(await page.getByRole('region', { name: 'Damage' }).textContent()).toContain('summaries.json');
    await expect.poll(() => page.locator('[role=row]:has([role=gridcell])').count()).toBe(6);
    // Where the list is whole, only who opens the sample that is damaged meets it.
    await session.go(`/runs/${damaged[1]}`);
    await page.getByRole('link', { name: '2', exact: true }).click();
    await page.getByRole('alert').first().waitFor();
    expect(await page.getByRole('main').textContent()).toMatch(/E_LOG_\w+/);
    await session.press('j');
    await page.getByRole('feed').getByText('Let me look this up').first().waitFor();
    expect(await page.getByRole('main').textContent()).not.toMatch(/E_LOG_\w+/);
    onlyRefused();
  });

  test('of a torn log there is a page that says so, and can be asked again', async () => {
    const { page } = session;
    await session.go('/runs?q=is:damaged');
    await page.getByRole('grid').getByText('torn_x').first().click();
    await page.getByText('E_LOG_TORN').waitFor();
    expect(await page.getByRole('button', { name: /again/i }).count()).toBeGreaterThan(0);
    onlyRefused();
  });

  test('the command that is copied gives the same rows in the same order', async () => {
    const { page } = session;
    const q = 'is:failing -metadata.project:sympy';
    await session.go(`/runs/${run}?q=${encodeURIComponent(q)}&sort=-turns`);
    await page.locator('[role=row]:has([role=gridcell])').first().waitFor();
    await session.press('e');
    await expect.poll(() => session.copied()).toContain('--where');
    const command = await session.copied();
    const out = join(project, 'samples.jsonl');
    const ended = spawnSync('sh', ['-c', `holdfast() { "$NODE" "$PROGRAM" "$@"; }; ${command}`], {
      cwd: project,
      encoding: 'utf8',
      env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE: process.execPath, PROGRAM },
    });
    expect(ended.stderr).toBe('');
    const rows = readFileSync(out, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly id: string; readonly epoch: number });
    const { samples } = await session.ask<SamplesPage>(`/runs/${run}/samples?limit=200`);
    const expected = samples
      .filter(({ epochs }) => epochs.some(({ outcome }) => outcome === 'fail'))
      .filter(({ metadata }) => metadata.project !== 'sympy')
      .toSorted((a, b) => turnsOf(b) - turnsOf(a));
    expect(expected.length).toBeGreaterThan(2);
    expect(rows.map(({ id, epoch }) => `${id}@${epoch}`)).toEqual(
      expected.flatMap(({ id, epochs }) => epochs.map(({ epoch }) => `${id}@${epoch}`)),
    );
    const shown = page.locator('[role=row]:has([role=gridcell]) a[href*="/runs/"]');
    expect(await shown.allTextContents()).toEqual(expected.map(({ id }) => String(id)));
    expect(readdirSync(project)).toContain('samples.jsonl');
  });
});

function turnsOf({ epochs }: SampleItem): number {
  return Math.max(...epochs.map(({ turns = 0 }) => turns));
}

/** The browser itself calls an answer an error that says what is damaged. */
function onlyRefused(): void {
  expect(session.wrong.filter((line) => !line.includes('status of 422'))).toEqual([]);
  session.wrong.length = 0;
}
