export { type Clock, isoSeconds, isoTime, nextTurn, systemClock } from './clock.ts';
export { definedOf } from './defined.ts';
export { closest, didYouMean } from './did-you-mean.ts';
export { type Digest, digestOf, digestOfJson } from './digest.ts';
export {
  ActionableError,
  assert,
  DamageError,
  type ErrorCode,
  errnoOf,
  InvariantError,
  messageOf,
  NotKeptError,
  UsageError,
} from './errors.ts';
export { exactJson } from './exact-json.ts';
export { base57, isRunId, newRunId, type RunId, shortId } from './ids.ts';
export { inOrder } from './in-order.ts';
export {
  escapeLoneSurrogates,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  JsonSyntaxError,
  jsonText,
  parseJson,
  stringifyJson,
  toJson,
  tryParseJson,
} from './json.ts';
export { packageCode, packageFile, packagePage, packageVersion } from './package-files.ts';
export {
  asSentence,
  counted,
  formatCount,
  formatDuration,
  formatScore,
  formatUsd,
  namedOnce,
} from './plain-words.ts';
export { type Random, seededRandom, shuffled, systemRandom } from './random.ts';
export { bySampleOrder, type SampleId, type SampleKey, sampleKeyText } from './sample-key.ts';
export { isSumRight, summedLine, textSum } from './summed-line.ts';
export { isUsdBeyond, isUsdUsedUp } from './usd.ts';
