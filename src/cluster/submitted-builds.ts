import type { HandedOver } from '../runner/index.ts';
import { rangesText } from './ranges.ts';
import { buildJob } from './shared-keys.ts';
import type { Submission } from './shared-records.ts';

/** The builds of a run that was handed over, as a submission names them. */
export function submittedBuilds({ builds }: Pick<HandedOver, 'builds'>): Submission['builds'] {
  return builds.map(({ unit, recipe, samples, inputs }) => ({
    ...{ job: buildJob(recipe), unit, recipe, samples: rangesText(samples) },
    needs: inputs.map(buildJob),
  }));
}
