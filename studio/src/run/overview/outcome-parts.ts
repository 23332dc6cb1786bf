import type { Counts, Outcome } from '../../../../src/server/api.ts';
import { formatCount, formatPercent } from '../../ui/format.ts';
import { outcomeShown, type Tone } from '../../ui/outcomes.ts';

export interface OutcomePart {
  readonly outcome: Outcome;
  readonly count: number;
  readonly share: number;
  readonly glyph: string;
  readonly word: string;
  readonly tone: Tone;
  /** The filter that leaves them; undefined where there is nothing to be shown. */
  readonly term: string | undefined;
}

const ORDER: readonly Outcome[] = [
  'pass',
  'partial',
  'number',
  'fail',
  'error',
  'unscored',
  'running',
  'interrupted',
  'missing',
];

/** What became of all results, none left out: the counts add up to the whole. */
export function outcomeParts(counts: Counts, isLive = false): readonly OutcomePart[] {
  return ORDER.flatMap((outcome) => {
    const count = counts[outcome];
    if (count === 0) return [];
    const term = outcome === 'missing' ? undefined : `outcome:${outcome}`;
    const shown = outcomeShown(outcome);
    const word = wordOf(outcome, count, isLive) ?? shown.word;
    return [{ outcome, count, share: count / counts.total, term, ...shown, word }];
  });
}

function wordOf(outcome: Outcome, count: number, isLive: boolean): string | undefined {
  if (outcome === 'error' && count !== 1) return 'errors';
  return outcome === 'missing' && isLive ? 'to come' : undefined;
}

/** The finding: "367 of 500 passed (73 %)". */
export function outcomesSaid(counts: Counts): string {
  const { total, pass, partial, fail, number, missing, running, interrupted } = counts;
  if (total === 0) return 'No results';
  const ended = total - missing - running - interrupted;
  if (pass + partial + fail > 0)
    return `${formatCount(pass)} of ${formatCount(total)} passed (${formatPercent(pass / total)})`;
  if (number > 0) return `${formatCount(number)} of ${formatCount(total)} scored with a number`;
  return `${formatCount(ended)} of ${formatCount(total)} ended, none was scored`;
}

/** "1,500 results: 500 samples at 3 epochs" */
export function resultsSaid({ total }: Counts, epochs: number): string {
  if (epochs < 2) return total === 1 ? '1 sample' : `${formatCount(total)} samples`;
  const samples = total / epochs;
  return Number.isInteger(samples)
    ? `${formatCount(total)} results: ${formatCount(samples)} samples at ${epochs} epochs`
    : `${formatCount(total)} results at up to ${epochs} epochs`;
}
