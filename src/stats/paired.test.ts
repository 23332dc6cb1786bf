/**
 * The paired tests against published worked examples, and against figures of SciPy and statsmodels that were recorded once
 * (test/golden/stats/README.md says how).
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '../base/index.ts';
import { normalTwoSided, tTwoSided } from './distributions.ts';
import { holmAdjusted } from './holm.ts';
import { tInterval } from './intervals.ts';
import { MCNEMAR_EXACT_MAX, mcnemar } from './mcnemar.ts';
import { mean, standardError } from './moments.ts';
import { newcombeInterval, type PairTable } from './newcombe.ts';
import { type Pair, pairedDifference, SIGN_FLIP_MAX } from './paired-difference.ts';
import { toDecide } from './power.ts';
import { signFlipTest } from './sign-flip.ts';

interface Reference {
  readonly mcnemar: readonly {
    readonly table: PairTable;
    readonly exact: number;
    readonly chiSquare: number;
    readonly newcombe: readonly [number, number];
  }[];
  readonly paired: readonly {
    readonly before: readonly number[];
    readonly after: readonly number[];
    readonly t: number;
    readonly p: number;
    readonly interval: readonly [number, number];
    readonly permutation?: number;
  }[];
  readonly clustered: readonly {
    readonly samples: number;
    readonly epochs: number;
    readonly differences: readonly number[];
    readonly mean: number;
    readonly standardError: number;
    readonly interval: readonly [number, number];
  }[];
  readonly holm: readonly { readonly p: readonly number[]; readonly adjusted: readonly number[] }[];
  readonly tTails: readonly { readonly t: number; readonly freedom: number; readonly p: number }[];
  readonly normalTails: readonly { readonly z: number; readonly p: number }[];
  readonly power: readonly { readonly effect: number; readonly power: number; readonly samples: number }[];
}

const path = join(import.meta.dirname, '../../test/golden/stats/reference.json');
const reference = JSON.parse(readFileSync(path, 'utf8')) as Reference;

const pairsOf = (before: readonly number[], after: readonly number[]): Pair[][] =>
  before.map((value, index) => [[value, after[index] ?? Number.NaN]]);
const passFail = ({ bothPass, bothFail, gained, lost }: PairTable): Pair[][] => [
  ...Array.from({ length: bothPass }, (): Pair[] => [[1, 1]]),
  ...Array.from({ length: bothFail }, (): Pair[] => [[0, 0]]),
  ...Array.from({ length: gained }, (): Pair[] => [[0, 1]]),
  ...Array.from({ length: lost }, (): Pair[] => [[1, 0]]),
];

describe('published examples', () => {
  test('McNemar: airway hyper-responsiveness (Fagerland, Lydersen, Laake, BMC Med Res Methodol 13:91, 2013)', () => {
    expect(mcnemar({ gained: 7, lost: 1 })).toEqual({ p: 0.0703125, method: 'exact' });
  });

  test('McNemar: two media for tubercle bacilli (Armitage and Berry, Statistical Methods in Medical Research, 1994, p. 127)', () => {
    expect(mcnemar({ gained: 2, lost: 12 }).p).toBeCloseTo(0.0129, 4);
  });

  test('Newcombe: airway hyper-responsiveness (Fagerland, Lydersen, Laake, Statistics in Medicine 33, 2014, 2850–2875)', () => {
    const { lower, upper } = newcombeInterval({ bothPass: 1, lost: 1, gained: 7, bothFail: 12 });
    expect([lower, upper].map((value) => value.toFixed(3))).toEqual(['0.026', '0.507']);
  });

  test('paired t: Student’s sleep data (Biometrika 6, 1908): t −4.0621, p 0.002833, −2.4599 to −0.7001', () => {
    const first = [0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0, 2];
    const second = [1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4];
    const differences = first.map((value, index) => value - (second[index] ?? 0));
    expect(mean(differences)).toBeCloseTo(-1.58, 12);
    const t = mean(differences) / standardError(differences);
    expect(t).toBeCloseTo(-4.0621, 4);
    expect(tTwoSided(t, 9)).toBeCloseTo(0.002833, 6);
    const { interval } = pairedDifference(pairsOf(second, first));
    expect(interval?.lower).toBeCloseTo(-2.4598858, 7);
    expect(interval?.upper).toBeCloseTo(-0.7001142, 7);
  });

  test('permutation: Darwin’s maize (Fisher, The Design of Experiments, 1935, §21): 863 of 32,768 on each side', () => {
    const eighths = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48];
    expect(signFlipTest(eighths)).toEqual({ p: (2 * 863) / 32_768, method: 'exact' });
  });

  test('power: matched pairs with dz 0.5, α 0.05 and power 0.8 need 34 (Faul et al., G*Power manual)', () => {
    expect(samplesFor(0.5, 0.8)).toBe(34);
  });

  test('Holm: 0.01, 0.04, 0.03, 0.005 become 0.03, 0.06, 0.06, 0.02', () => {
    const adjusted = holmAdjusted([0.01, 0.04, 0.03, 0.005]);
    expect(adjusted.map((value) => value.toFixed(10))).toEqual(
      [0.03, 0.06, 0.06, 0.02].map((value) => value.toFixed(10)),
    );
  });
});

describe('figures of SciPy and statsmodels', () => {
  test.each(reference.mcnemar)('McNemar and Newcombe of $table', (one) => {
    const found = pairedDifference(passFail(one.table));
    const isExact = one.table.gained + one.table.lost <= MCNEMAR_EXACT_MAX;
    expect(found.test).toBe(isExact ? 'mcnemar-exact' : 'mcnemar-chi-square');
    expect(found.p / (isExact ? one.exact : one.chiSquare)).toBeCloseTo(1, 8);
    expect(found.interval?.lower).toBeCloseTo(one.newcombe[0], 12);
    expect(found.interval?.upper).toBeCloseTo(one.newcombe[1], 12);
    expect(found.table).toEqual(one.table);
  });

  test('around the size where the exact test ends, both say the same', () => {
    const chiSquare = mcnemar({ gained: 540, lost: 461 });
    const exact = mcnemar({ gained: 539, lost: 461 });
    expect([exact.method, chiSquare.method]).toEqual(['exact', 'chi-square']);
    expect(Math.abs(exact.p - chiSquare.p)).toBeLessThan(0.002);
  });

  test.each(reference.paired)('paired t of $before.length samples', ({ before, after, t, p, interval }) => {
    const differences = after.map((value, index) => value - (before[index] ?? 0));
    expect(mean(differences) / standardError(differences)).toBeCloseTo(t, 10);
    expect(tTwoSided(t, before.length - 1)).toBeCloseTo(p, 12);
    const found = pairedDifference(pairsOf(before, after));
    expect(found.interval?.lower).toBeCloseTo(interval[0], 10);
    expect(found.interval?.upper).toBeCloseTo(interval[1], 10);
    expect(found.test).toBe(before.length <= 16 ? 'sign-flip-exact' : 'sign-flip-drawn');
    // Drawn flips come near what the t test says where differences are normal, as these are.
    if (before.length > 16) expect(Math.abs(found.p - p)).toBeLessThan(0.02);
  });

  test.each(reference.paired.filter(({ permutation }) => permutation !== undefined))(
    'permutation of $before.length samples',
    ({ before, after, permutation }) => {
      const found = pairedDifference(pairsOf(before, after));
      expect(found).toMatchObject({ test: 'sign-flip-exact' });
      expect(found.p).toBeCloseTo(permutation ?? Number.NaN, 12);
    },
  );

  test.each(reference.clustered)('clusters of $samples samples with $epochs epochs', (one) => {
    const samples = Array.from({ length: one.samples }, (_, sample) =>
      one.differences
        .slice(sample * one.epochs, (sample + 1) * one.epochs)
        .map((difference): Pair => [0, difference]),
    );
    const found = pairedDifference(samples);
    expect(found.difference).toBeCloseTo(one.mean, 12);
    expect(found.samples).toBe(one.samples);
    expect(found.interval?.lower).toBeCloseTo(one.interval[0], 8);
    expect(found.interval?.upper).toBeCloseTo(one.interval[1], 8);
    const naive = tInterval({ values: one.differences, level: 0.95 });
    expect(naive.upper - naive.lower).not.toBeCloseTo(one.interval[1] - one.interval[0], 3);
  });

  test.each(reference.holm)('Holm of $p', ({ p, adjusted }) => {
    for (const [index, value] of holmAdjusted(p).entries())
      expect(value).toBeCloseTo(adjusted[index] ?? Number.NaN, 12);
  });

  test.each(reference.tTails)('tail of t $t with $freedom degrees of freedom', ({ t, freedom, p }) => {
    expect(tTwoSided(t, freedom)).toBeCloseTo(p, 12);
    expect(tTwoSided(-t, freedom)).toBe(tTwoSided(t, freedom));
  });

  test.each(reference.normalTails)('tail of the normal at $z', ({ z, p }) => {
    expect(normalTwoSided(z) / p).toBeCloseTo(1, 6);
  });

  test.each(reference.power)('samples for effect $effect with power $power', ({ effect, power, samples }) => {
    expect(Math.abs(samplesFor(effect, power) - Math.ceil(samples))).toBeLessThanOrEqual(1);
  });
});

test('many samples that differ are tested by t, and few by permutation', () => {
  const values = Array.from({ length: SIGN_FLIP_MAX + 1 }, (_, index) => Math.sin(index + 1));
  const zeros = values.map(() => 0);
  expect(pairedDifference(pairsOf(zeros, values)).test).toBe('t');
  expect(pairedDifference(pairsOf(zeros.slice(1), values.slice(1))).test).toBe('sign-flip-drawn');
});

test('epochs are averaged within their sample: repeating one sample a hundred times proves nothing', () => {
  const repeated = pairedDifference([Array.from({ length: 100 }, (): Pair => [0, 1]), [[1, 1]]]);
  expect(repeated).toMatchObject({ samples: 2, pairs: 101, p: 1, difference: 0.5 });
});

test('one sample has no interval, and nothing to compare has no verdict', () => {
  expect(pairedDifference([[[0, 1]]])).toMatchObject({ samples: 1, p: 1, difference: 1 });
  expect(pairedDifference([[[0, 1]]]).interval).toBeUndefined();
  expect(pairedDifference([])).toMatchObject({ samples: 0, p: 1, test: 'none', before: Number.NaN });
});

describe('what it would take to decide', () => {
  const input = { difference: 0.05, samples: 100, alpha: 0.05, power: 0.8 };

  test('chance within samples goes away with epochs, and they are counted in all', () => {
    const { epochs, isAtLeast } = toDecide({ ...input, spread: { between: 0, within: 0.5, epochs: 2 } });
    // reach = t(0.975, 99) + z(0.8) = 1.98422 + 0.84162; 0.5 · reach² / (0.05² · 100) = 15.97.
    expect({ epochs, isAtLeast }).toEqual({ epochs: 16, isAtLeast: false });
  });

  test('difference between samples does not: then only more samples decide', () => {
    const { epochs, samples } = toDecide({ ...input, spread: { between: 0.2, within: 0.1, epochs: 2 } });
    expect(epochs).toBeUndefined();
    expect(samples).toBeGreaterThan(100);
  });

  test('one epoch cannot tell the two apart: what it says is the least', () => {
    const found = toDecide({ ...input, spread: { between: 0.2, within: undefined, epochs: 1 } });
    expect(found).toMatchObject({ isAtLeast: true, epochs: 7 });
  });

  test('where nothing differs it says what could have been noticed', () => {
    const found = toDecide({
      ...input,
      difference: 0,
      spread: { between: 0.25, within: undefined, epochs: 1 },
    });
    expect(found).toMatchObject({ epochs: undefined, samples: undefined });
    expect(found.detectable).toBeCloseTo((1.98421695 + 0.84162123) * 0.05, 6);
  });

  test('fewer than six samples never decide, however often they are run', () => {
    const few = { ...input, samples: 5, difference: 1, spread: { between: 0, within: 0, epochs: 3 } };
    expect(toDecide(few)).toMatchObject({ epochs: undefined, samples: 6 });
  });
});

test('flips that are drawn are the same in every process: the answer does not depend on the day', () => {
  const values = Array.from({ length: 40 }, (_, index) => Math.sin(index) + 0.2);
  expect(signFlipTest(values)).toEqual({ p: 0.0498, method: 'drawn' });
});

test('with as many epochs as it says, about four of five comparisons decide', () => {
  const random = seededRandom(7);
  const normal = () => {
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
    return radius * Math.cos(2 * Math.PI * random.next());
  };
  const [samples, difference, between, within] = [600, 0.05, 0.1, 0.3];
  const spread = { between, within, epochs: 1 };
  const epochs = toDecide({ difference, samples, spread, alpha: 0.05, power: 0.8 }).epochs ?? 0;
  const decides = () => {
    const runs = Array.from({ length: samples }, () => {
      const own = difference + Math.sqrt(between) * normal();
      return Array.from({ length: epochs }, (): Pair => [0, own + Math.sqrt(within) * normal()]);
    });
    return pairedDifference(runs).p < 0.05;
  };
  const decided = Array.from({ length: 200 }, decides).filter(Boolean).length;
  expect(epochs).toBe(4);
  expect(decided / 200).toBeGreaterThan(0.72);
  expect(decided / 200).toBeLessThan(0.9);
});

function samplesFor(effect: number, power: number): number {
  const spread = { between: 1, within: undefined, epochs: 1 };
  const found = toDecide({ difference: effect, samples: 2, spread, alpha: 0.05, power });
  return found.samples ?? Number.NaN;
}
