/** How much of a comparison is seen: its samples, which people came for. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeStudioStore } from '../../sim/studio/store.ts';
import { inChromium, obstacle, Session } from './session.ts';

let ids: readonly string[] = [];

const session = new Session(async (dir) => {
  const { dir: project, runs } = await makeStudioStore(join(dir, 'project'), { rounds: 2 });
  ids = runs.filter((run) => /T0(9|8)(45|30|00)/.test(run)).slice(-6);
  return { places: [project], logDirs: [join(project, 'logs')] };
});

/** Rows of samples that are wholly between the head of the table and the foot of the page. */
function rowsSeen(): Promise<number> {
  return session.page.evaluate(`(() => {
    const foot = document.querySelector('main footer').getBoundingClientRect().top;
    const rows = [...document.querySelectorAll('[role=grid] [role=row]')].slice(1);
    return rows.filter((row) => row.getBoundingClientRect().bottom <= foot).length;
  })()`);
}

async function open(count: number, width: number, height: number): Promise<void> {
  await session.openPage({ width, height });
  await session.go(`/compare?runs=${ids.slice(-count).join(',')}`);
  await session.page.locator('[role=grid] [role=row]').nth(3).waitFor();
}

describe.skipIf(obstacle !== undefined)(inChromium('a comparison'), () => {
  test.each([
    [2, 1440, 900, 12],
    [2, 1024, 768, 6],
    [6, 1440, 900, 8],
    [6, 1024, 768, 4],
  ])('of %i runs at %i×%i shows at least %i samples', async (count, width, height, least) => {
    await open(count, width, height);
    await expect.poll(rowsSeen).toBeGreaterThanOrEqual(least);
  });

  test('pictures are folded, and stay so', async () => {
    await open(2, 1440, 900);
    const seen = await rowsSeen();
    for (const _ of [0, 1])
      await session.page.getByRole('button', { name: 'Fold', exact: true }).first().click();
    await session.page.reload();
    await session.page.locator('[role=grid] [role=row]').nth(3).waitFor();
    expect(await rowsSeen()).toBeGreaterThan(seen);
  });

  test('a run that is not there is named, and the others are compared', async () => {
    const gone = '20200101T000000000-AAAAAAAAAA';
    const [a = '', b = ''] = ids.slice(-2);
    await session.go(`/compare?runs=${a},${gone},${b}`);
    await session.page.locator('[role=grid] [role=row]').nth(3).waitFor();
    await session.page.getByText('is not there').first().waitFor();
    await session.page.getByText(gone).first().waitFor();
  });
});

describe.skipIf(obstacle !== undefined)(inChromium('the focus'), () => {
  const focused = () =>
    session.page.evaluate(
      `[document.activeElement?.tagName, document.activeElement?.getAttribute('role'), document.activeElement?.getAttribute('aria-activedescendant')].join(' ')`,
    );

  test('is on the list while one goes by keys, and on the heading of a page that was opened', async () => {
    await session.go('/runs');
    await session.page.locator('[role=row]:has([role=gridcell])').first().waitFor();
    await session.press('j', 'j');
    expect(await focused()).toBe('DIV grid run-1');
    await session.press('/', 'Escape', 'Escape');
    expect(await focused()).toMatch(/^DIV grid/);
    await session.press('Enter');
    await session.page.getByRole('tab', { name: 'Samples' }).waitFor();
    await expect.poll(focused).toMatch(/^H1 /);
    await session.page.getByRole('link', { name: 'Evals', exact: true }).click();
    await session.page.getByRole('heading', { level: 1, name: 'Evals' }).waitFor();
    await expect.poll(focused).toMatch(/^H1 /);
  });
});
