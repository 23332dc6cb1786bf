import { existsSync, globSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../disk/index.ts';
import { openLog } from '../log/index.ts';
import { computeResults, type SampleScores } from './index.ts';

const ROOT = join(import.meta.dirname, '../../../shared/fixtures/inspect');
const isThere = existsSync(ROOT);
const files = isThere ? globSync('**/*.{eval,json}', { cwd: ROOT }).sort() : [];
const logs = files.filter((file) => !file.includes('skeleton') && !file.startsWith('schema'));
const name = isThere
  ? 'results of real logs'
  : 'results of real logs (skipped: ../shared/fixtures/inspect is not on this machine)';

describe.skipIf(!isThere)(name, () => {
  test.each(logs)('%s: the numbers are those that Inspect computed', async (file) => {
    const reader = await openLog(nodeDisk, join(ROOT, file));
    try {
      const header = await reader.header();
      const samples: SampleScores[] = [];
      for (const { id, epoch } of await reader.samples()) {
        const fields = await reader.sampleFields(id, epoch);
        if (fields?.scores !== undefined) samples.push({ ...fields, scores: fields.scores });
      }
      // Some logs were written without scoring, or without their samples.
      if (header.results === undefined || header.results.scores.length === 0 || samples.length === 0) return;
      const { results, reductions } = await computeResults({
        samples,
        scorers: header.eval.scorers ?? [],
        ...(header.eval.metrics !== undefined && { metrics: header.eval.metrics }),
        totalSamples: header.results.total_samples,
        completedSamples: header.results.completed_samples,
      });
      expect(results.scores.map(numbers)).toEqual(header.results.scores.map(numbers));
      const values = (list: typeof reductions | undefined) =>
        list?.map(({ scorer, samples: reduced }) => [scorer, reduced.map((sample) => sample.value)]);
      const stored = await reader.reductions();
      if (stored !== undefined) expect(values(reductions)).toEqual(values(stored as typeof reductions));
    } finally {
      await reader.close();
    }
  });
});

function numbers(score: {
  name: string;
  scorer: string;
  metrics: Readonly<Record<string, { value: number }>>;
}) {
  const metrics = Object.entries(score.metrics).map(([key, { value }]) => [key, expect.closeTo(value, 12)]);
  return [score.name, score.scorer, Object.fromEntries(metrics)];
}
