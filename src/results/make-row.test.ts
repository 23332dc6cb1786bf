import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtureFields, writeFixtureLog } from '../../test/sim/log-fixture.ts';
import { withLog } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import type { EvalResults } from '../log/index.ts';
import { rowOfLog } from './row-of-log.ts';

const dir = useTempDir();

const SAMPLES = 42;
const EPOCHS = 3;

/** The score of the row of a log whose samples pass at all epochs but one: 107 of 126. */
async function scoreOf(reducer?: { readonly inScore?: string; readonly inConfig?: string }) {
  const samples = Array.from({ length: SAMPLES * EPOCHS }, (_, index) => {
    const id = index % SAMPLES;
    const isRight = id < 36 && index !== 0;
    const scores = { exact: { value: isRight ? 'C' : 'I' } };
    return { fields: fixtureFields(id, { epoch: 1 + Math.floor(index / SAMPLES), scores }), events: [] };
  });
  const score: EvalResults['scores'][number] = {
    name: 'exact',
    scorer: 'exact',
    params: {},
    metrics: { accuracy: { name: 'accuracy', value: 0.849, params: {} } },
    ...(reducer?.inScore !== undefined && { reducer: reducer.inScore }),
  };
  const config = reducer?.inConfig === undefined ? {} : { epochs_reducer: [reducer.inConfig] };
  const path = await writeFixtureLog(nodeDisk, join(dir.path, `${JSON.stringify(reducer)}.eval`), {
    spec: { config: { epochs: EPOCHS, ...config } },
    samples,
    header: {
      results: { total_samples: samples.length, completed_samples: samples.length, scores: [score] },
    },
  });
  return (await withLog(path, (log) => rowOfLog(log, 'x.eval'))).scores[0];
}

test('[RES-13] the interval of a row is over samples: three epochs of each make it no narrower', async () => {
  const { low, high } = (await scoreOf()) ?? {};
  expect([low, high]).toEqual([expect.closeTo(0.7123, 4), expect.closeTo(0.9276, 4)]);
});

test('[RES-13] epochs are reduced as the log reduces them', async () => {
  // The one that fails at one epoch fails where all must pass, and passes where one is enough.
  const all = [expect.closeTo(0.694, 4), expect.closeTo(0.9168, 4)];
  const any = [expect.closeTo(0.7216, 4), expect.closeTo(0.9328, 4)];
  for (const [reducer, expected] of [
    [{ inScore: 'at_least_3' }, all],
    [{ inConfig: 'at_least_3' }, all],
    [{ inScore: 'max', inConfig: 'at_least_3' }, any],
  ] as const) {
    const { low, high } = (await scoreOf(reducer)) ?? {};
    expect([low, high]).toEqual(expected);
  }
});
