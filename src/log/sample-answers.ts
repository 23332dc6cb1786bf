import {
  type Digest,
  exactJson,
  isJsonObject,
  type Json,
  type SampleKey,
  sampleKeyText,
  toJson,
} from '../base/index.ts';
import { encodeTexts, type Many, separated } from './json-text.ts';

/** What was bought for a request of a sample: enough to give it again. */
export interface SampleAnswer {
  readonly kind: string;
  readonly digest: Digest;
  /** Which of equal requests it was given to. */
  readonly occurrence: number;
  readonly value: Json;
  readonly costUsd?: number;
  readonly tokens?: number;
  /** The run that bought it, when that is another than the one it was given again in. */
  readonly from?: string;
}

/** Beside the samples, where no tool of Inspect looks [LOG-37]. */
export function answersMemberName({ id, epoch }: SampleKey): string {
  return `holdfast/answers/${sampleKeyText(id, epoch)}.json`;
}

/** Written exactly: what is read back is the very value that was bought, half a surrogate pair included. */
export function answersChunks(answers: Many<SampleAnswer>): AsyncGenerator<Uint8Array> {
  return encodeTexts(['[', separated(answers, (answer) => exactJson(toJson(answer))), ']']);
}

/** Undefined for what is no answer. */
export function readAnswer(json: Json): SampleAnswer | undefined {
  if (!isJsonObject(json)) return undefined;
  const { kind, digest, occurrence, value = null, costUsd, tokens, from } = json;
  if (typeof kind !== 'string' || typeof digest !== 'string' || typeof occurrence !== 'number')
    return undefined;
  return {
    kind,
    digest: digest as Digest,
    occurrence,
    value,
    ...(typeof costUsd === 'number' ? { costUsd } : {}),
    ...(typeof tokens === 'number' ? { tokens } : {}),
    ...(typeof from === 'string' ? { from } : {}),
  };
}

/** The union of what was bought in several attempts at a sample. What comes later counts. */
export function unionOfAnswers<T extends SampleAnswer>(lists: Iterable<Iterable<T>>): readonly T[] {
  const answers = new Map<string, T>();
  for (const list of lists) for (const answer of list) answers.set(answerKey(answer), answer);
  return [...answers.values()];
}

/** What an answer is known by, within its sample. */
export function answerKey({ kind, digest, occurrence }: SampleAnswer): string {
  return `${kind} ${digest} ${occurrence}`;
}
