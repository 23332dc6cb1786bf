export { type AlignedTurn, alignTurns, firstDivergence, type TurnKeys } from './align-turns.ts';
export { wrongCount } from './compare-errors.ts';
export type { FigureComparison, Flip } from './compare-figure.ts';
export {
  type ComparedRun,
  type Comparison,
  compareRuns,
  compareSides,
  RUNS_MAX,
  RUNS_MIN,
} from './compare-runs.ts';
export { countFlips, type SampleInRuns, samplesInRuns } from './compared-samples.ts';
export type { OutcomeInRun } from './flip-rate.ts';
export { type RunTable, readRunTable, sampleAt, sideOfTable } from './run-table.ts';
export {
  epochOutcome,
  figureNames,
  foldOutcomes,
  placesOf,
  type SampleCell,
  sampleCell,
  sampleCells,
  type ToldFigure,
  toldFigure,
} from './sample-cells.ts';
export { readSamplePoint, type SampleHistory, type SamplePoint, sampleHistory } from './sample-history.ts';
export { type MatrixRow, type NumberRange, rangeOf, sampleMatrix } from './sample-matrix.ts';
export { SharedTexts } from './shared-texts.ts';
export type { RunFacts } from './side.ts';
export { turnedSamples } from './turned-samples.ts';
export {
  figureText,
  leadingFigure,
  letterOf,
  probabilityText,
  signedText,
  toDecideWords,
  verdictSaid,
} from './words.ts';
