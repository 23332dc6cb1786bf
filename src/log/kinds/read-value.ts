import { isJsonArray, type Json, type JsonObject } from '../../base/index.ts';
import type {
  ChatMessage,
  EvalSampleSummary,
  LogEvent,
  LogStart,
  ModelOutput,
  ModelUsage,
  SampleFields,
  Score,
} from '../schema.ts';
import { logStart } from './header-kinds.ts';
import { isSound, type Kind, Wrong } from './kind.ts';
import { chatMessage, logEvent, modelOutput, usageByName } from './model-kinds.ts';
import { sampleInput, sampleSummary, sampleTarget, score } from './sample-kinds.ts';

/** Parts of documents, wherever they are kept. Each is undefined for what is not of its kind; what is right is not copied. */
export function readMessage(value: Json | undefined): ChatMessage | undefined {
  return readAs(chatMessage, value);
}

/** Those items of a list that are messages: one that is none takes none of the others with it. */
export function readMessages(value: Json | undefined): readonly ChatMessage[] {
  if (!isJsonArray(value)) return [];
  return value.map(chatMessage).filter(isSound);
}

export function readModelOutput(value: Json | undefined): ModelOutput | undefined {
  return readAs(modelOutput, value);
}

/** Usage by model or by role. What is no usage is left out. */
export function readUsage(value: Json | undefined): Readonly<Record<string, ModelUsage>> | undefined {
  return readAs(usageByName, value);
}

export function readInput(value: Json | undefined): SampleFields['input'] | undefined {
  return readAs(sampleInput, value);
}

export function readTarget(value: Json | undefined): SampleFields['target'] | undefined {
  return readAs(sampleTarget, value);
}

export function readStart(value: Json | undefined): LogStart | undefined {
  return readAs(logStart, value);
}

export function readSummary(value: Json | undefined): EvalSampleSummary | undefined {
  return readAs(sampleSummary, value);
}

export function readScore(value: Json | undefined): Score | undefined {
  return readAs(score, value);
}

export function readEvent(value: JsonObject | undefined): LogEvent | undefined {
  return readAs(logEvent, value);
}

function readAs<T>(kind: Kind<T>, value: Json | undefined): T | undefined {
  const found = value === undefined ? undefined : kind(value);
  return found instanceof Wrong ? undefined : found;
}
