import type { RunTimeline } from './api.ts';

/** Tokens of a sample, spread over the time that it took: when each of its calls ended no list says. */
export interface SpentTokens {
  /** Milliseconds after the beginning of the run. */
  readonly from: number;
  readonly to: number;
  readonly tokens: number;
}

/** More than a chart has pixels nobody sees. */
const BINS_MAX = 480;

/** How many tokens a second were used, in stretches of equal length; undefined when none are known. */
export function tokenRate(spent: readonly SpentTokens[], lengthMs: number): RunTimeline['tokens'] {
  const known = spent.filter(({ tokens }) => tokens > 0);
  if (known.length === 0 || lengthMs <= 0) return undefined;
  const binMs = Math.max(1_000, lengthMs / BINS_MAX);
  const bins = new Array<number>(Math.min(BINS_MAX, Math.ceil(lengthMs / binMs))).fill(0);
  const add = (at: number, tokens: number) => {
    const bin = Math.min(bins.length - 1, Math.floor(at / binMs));
    bins[bin] = (bins[bin] ?? 0) + tokens;
  };
  // One walk through all changes, however many samples are under way at a time.
  const changes: (readonly [at: number, tokensAMs: number])[] = [];
  for (const { from, to, tokens } of known) {
    if (to - from < 1) add(from, tokens);
    else changes.push([from, tokens / (to - from)], [to, -tokens / (to - from)]);
  }
  let [at, rate] = [0, 0];
  for (const [next, by] of changes.sort(([a], [b]) => a - b)) {
    spread(bins, binMs, { from: at, to: next, rate });
    at = next;
    rate += by;
  }
  // The last one may be shorter: told as if it were whole, it has no peak that is none.
  return { binMs, perSecond: bins.map((tokens) => Math.max(0, Math.round((tokens / binMs) * 10_000) / 10)) };
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Tokens a millisecond. */
  readonly rate: number;
}

/** Bin by bin and not from boundary to boundary: sums of fractions need not come to the next one. */
function spread(bins: number[], binMs: number, { from, to, rate }: Stretch): void {
  if (rate <= 0 || to <= from) return;
  const last = Math.min(bins.length - 1, Math.floor(to / binMs));
  for (let bin = Math.min(last, Math.floor(from / binMs)); bin <= last; bin++) {
    const begin = Math.max(from, bin * binMs);
    const end = bin === last ? to : Math.min(to, (bin + 1) * binMs);
    if (end > begin) bins[bin] = (bins[bin] ?? 0) + rate * (end - begin);
  }
}
