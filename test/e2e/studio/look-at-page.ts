/** What axe, and an eye for the layout, find on a page. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Theme } from './browser.ts';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The widths at which every page is looked at. Layout does not depend on colours: the dark theme is looked at once. */
export const SIZES: Readonly<Record<Theme, readonly (readonly [width: number, height: number])[]>> = {
  light: [
    [1440, 900],
    [1024, 768],
  ],
  dark: [[1440, 900]],
};

const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

interface AxeFinding {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
}

/** Of the dark theme only what colours decide: all else is found in the light one. */
export async function axeFindings(
  page: { evaluate(script: string): Promise<unknown> },
  theme: Theme,
): Promise<string[]> {
  await page.evaluate(axe);
  const rules = theme === 'dark' ? { runOnly: { type: 'rule', values: COLOUR_RULES } } : {};
  const found = await page.evaluate(`axe.run(${JSON.stringify(rules)}).then(({ violations }) => violations)`);
  return (found as readonly AxeFinding[]).map(
    ({ id, nodes }) =>
      `${id}: ${nodes.length} × ${nodes[0]?.target.join(' ')} (${nodes[0]?.failureSummary.slice(0, 200)})`,
  );
}

export async function layoutFindings(page: {
  evaluate(script: string): Promise<unknown>;
}): Promise<string[]> {
  const isWide = await page.evaluate(
    'document.documentElement.scrollWidth > document.documentElement.clientWidth',
  );
  return isWide === true ? ['the page scrolls sideways'] : [];
}
