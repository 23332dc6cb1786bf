import {
  type Digest,
  definedOf,
  isJsonObject,
  isRunId,
  type Json,
  type JsonObject,
  parseJson,
  type SampleId,
} from '../base/index.ts';
import type { ProcessIdentity } from '../disk/index.ts';
import { readStart, type SampleFields } from '../log/index.ts';
import type {
  AttemptStart,
  EndingRecord,
  LostRows,
  RunIdentity,
  RunRecord,
  WriterRecord,
} from './records.ts';

/**
 * Stored documents are parsed, not believed: each function gives the record that its text holds, or undefined when the text
 * is no JSON or lacks something. Checksums find damage; this finds what no version of ours ever wrote.
 */
export function parseRunRecord(json: string): RunRecord | undefined {
  const value = parseObject(json);
  if (!value) return undefined;
  const { runId, created, identity, planned, logName } = value;
  const start = readStart(value.start);
  const isWhole =
    typeof runId === 'string' &&
    isRunId(runId) &&
    typeof created === 'string' &&
    start !== undefined &&
    isIdentity(identity) &&
    typeof planned === 'number' &&
    typeof logName === 'string';
  if (!isWhole) return undefined;
  const isBrief = value.isBrief === true || undefined;
  return { runId, created, start, identity, planned, logName, ...definedOf({ isBrief }) };
}

export function parseWriterRecord(json: string): WriterRecord | undefined {
  const value = parseObject(json);
  if (!value) return undefined;
  const { writer, generation, after, process, startedAt, reuse } = value;
  const isWhole =
    typeof writer === 'string' &&
    typeof generation === 'number' &&
    isTextList(after) &&
    isProcess(process) &&
    typeof startedAt === 'string' &&
    (reuse === 'same' || reuse === 'any' || reuse === 'none');
  if (!isWhole) return undefined;
  const held = isHeld(value.held) ? value.held : undefined;
  const builds = isAmounts(value.builds) ? value.builds : undefined;
  const node = typeof value.node === 'string' ? value.node : undefined;
  return { writer, generation, after, ...definedOf({ held, builds, node }), process, startedAt, reuse };
}

/** Who wrote a journal of version 1: its run record named the writer, its last session the process. */
export function parseWriterOfVersion1(runJson: string, sessionJson: string | undefined): WriterRecord {
  const run = parseObject(runJson);
  const session = sessionJson === undefined ? undefined : parseObject(sessionJson);
  return {
    writer: typeof run?.writer === 'string' ? run.writer : 'unknown',
    generation: 0,
    after: [],
    process: isProcess(session?.process) ? session.process : NOBODY,
    startedAt: typeof session?.startedAt === 'string' ? session.startedAt : '',
    reuse: 'same',
  };
}

export function parseEnding(json: string): EndingRecord | undefined {
  const value = parseObject(json);
  const reason = REASONS.find((one) => one === value?.reason);
  if (reason === undefined || typeof value?.endedAt !== 'string') return undefined;
  return { endedAt: value.endedAt, reason };
}

/** The part of an attempt's beginning that is no column of its own. */
export function checkAttemptData(value: Json): Omit<AttemptStart, 'id' | 'epoch' | 'key'> | undefined {
  return isAttemptData(value) ? value : undefined;
}

/** A result may leave out what its attempt's own row says, so few fields are its own in every case. */
export function checkFields(value: Json | undefined): Partial<SampleFields> | undefined {
  return isFields(value) ? value : undefined;
}

/** Undefined for what is no JSON object. */
export function parseObject(json: string): JsonObject | undefined {
  const value = tryParse(json);
  return isJsonObject(value) ? value : undefined;
}

export function tryParse(json: string): Json | undefined {
  try {
    return parseJson(json);
  } catch {
    // The caller says which document it is.
    return undefined;
  }
}

const REASONS = ['finished', 'interrupted', 'budget', 'failed'] as const;
/** For a writer of whose process nothing is known. */
export const NOBODY: ProcessIdentity = {
  host: '',
  bootId: undefined,
  pid: 0,
  processStart: '',
  pidNamespace: undefined,
};

function isProcess(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const [host, pid, start] = ['host', 'pid', 'processStart'].map((key) => Reflect.get(value, key) as unknown);
  return typeof host === 'string' && typeof pid === 'number' && typeof start === 'string';
}

function isHeld(value: unknown): value is Readonly<Record<string, LostRows>> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((one: unknown) =>
    ['answers', 'results', 'usd'].every(
      (key) => typeof one === 'object' && one !== null && typeof Reflect.get(one, key) === 'number',
    ),
  );
}

function isAmounts(value: unknown): value is Readonly<Record<string, number>> {
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).every((one: unknown) => typeof one === 'number');
}

function isIdentity(value: unknown): value is RunIdentity {
  if (typeof value !== 'object' || value === null) return false;
  const keys = ['eval', 'version', 'targetName', 'target', 'definition', 'plan'];
  return keys.every((key) => typeof Reflect.get(value, key) === 'string');
}

function isAttemptData(value: unknown): value is Omit<AttemptStart, 'id' | 'epoch' | 'key'> {
  if (typeof value !== 'object' || value === null) return false;
  const sample: unknown = Reflect.get(value, 'sample');
  return (
    typeof Reflect.get(value, 'uuid') === 'string' &&
    typeof Reflect.get(value, 'startedAt') === 'string' &&
    typeof sample === 'object' &&
    sample !== null
  );
}

function isFields(value: unknown): value is Partial<SampleFields> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isTextList(value: Json | undefined): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Digests are compared, never computed with: any text is one. */
export function asDigest(text: string): Digest {
  return text as Digest;
}

/** `sample_id` is the id as text, so that 1 and "1" are one sample. What SQLite cannot keep as text is kept as JSON. */
export function idText(id: SampleId): string {
  const text = String(id);
  const isPlain = text.isWellFormed() && !text.includes('\0') && !text.startsWith('"');
  return isPlain ? text : JSON.stringify(text);
}

export function idOfText(text: string, isNumber: boolean): SampleId {
  if (isNumber) return Number(text);
  return text.startsWith('"') ? String(JSON.parse(text)) : text;
}
