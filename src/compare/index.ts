export type { FigureComparison, Flip } from './compare-figure.ts';
export { type ComparedRun, type Comparison, compareRuns } from './compare-runs.ts';
export { readSamplePoint, type SampleHistory, type SamplePoint, sampleHistory } from './sample-history.ts';
export type { RunFacts } from './side.ts';
