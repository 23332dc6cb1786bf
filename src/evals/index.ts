export type {
  Artifact,
  ArtifactDefinition,
  ArtifactInput,
  ArtifactInputs,
  BuildContext,
  Requirement,
} from './artifacts/artifact.ts';
export { artifactName, defineArtifact, inputKind } from './artifacts/define-artifact.ts';
export type { PlannedNeed } from './artifacts/requirements.ts';
export { type Problem, problemSentence, problemsOf } from './check-definition.ts';
export { dataFile, defineEval } from './define-eval.ts';
export { definitionDigest, sampleContentDigest, scoringDigest, targetDigest } from './definition-digest.ts';
export { type DefinitionParts, definitionParts, scoringParts } from './definition-parts.ts';
export type {
  ArtifactFolder,
  Awaitable,
  CommandRun,
  CommandTarget,
  DataFile,
  DataSource,
  EvalDefinition,
  Generate,
  GenerateOptions,
  GenerateResult,
  HttpTarget,
  MetricChoice,
  ModelPrice,
  ModelTarget,
  OwnCalls,
  RecordCall,
  RecordOptions,
  Row,
  SampleLimits,
  SampleRow,
  ScoreResult,
  Scorer,
  ScorerContext,
  ScorerFunction,
  SdkModel,
  TargetContext,
  TargetFunction,
  TargetSpec,
  TokenUsage,
} from './eval.ts';
export { EvalFileError } from './eval-file-error.ts';
export { idFilter, idsWanted } from './id-filter.ts';
export {
  asDefinition,
  normalizeEval,
  type PlannedEval,
  type PlannedScorer,
  type PlannedTarget,
  planTarget,
  scorerSpecs,
  withModel,
} from './normalize-eval.ts';
export { readYaml, readYamlEval } from './read-yaml-eval.ts';
export { redactPatterns } from './redact-pattern.ts';
export { matchesFilter, readRow, withExtraAsMetadata } from './row.ts';
export { type IdentifiedRow, IdGiver } from './sample-id.ts';
export { SCORER_NAMES } from './scorers/catalog.ts';
export { type ChoiceOptions, choice, choicePrompt } from './scorers/choice.ts';
export { type CommandOptions, command } from './scorers/command.ts';
export { type ExactOptions, exact } from './scorers/exact.ts';
export { type IncludesOptions, includes } from './scorers/includes.ts';
export { json } from './scorers/json.ts';
export { type JsonSchemaOptions, jsonSchema } from './scorers/json-schema.ts';
export { type ModelGradedOptions, modelGraded } from './scorers/model-graded.ts';
export { type NumericOptions, numeric } from './scorers/numeric.ts';
export { type RegexOptions, regex } from './scorers/regex.ts';
export { scorer } from './scorers/scorer.ts';
export { mustBe, strictObject } from './strict-object.ts';
export { fillTemplate, placeholdersIn, readPath, textOf } from './template.ts';
