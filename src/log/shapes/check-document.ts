import type { Json } from '../../base/index.ts';
import { logEvent } from './event-shapes.ts';
import { explain, join } from './explain.ts';
import { fits } from './fits.ts';
import { evalLog, logStart } from './header-shapes.ts';
import { chatMessage } from './message-shapes.ts';
import { evalSample, evalSampleSummary } from './sample-shapes.ts';
import { evalSampleReductions, evalSampleScore } from './score-shapes.ts';
import { anything, type ObjectShape, type Shape, text } from './shape.ts';

/** What a log is made of; `call` is a provider's own message, of any shape. */
export const DOCUMENTS = {
  start: logStart,
  header: evalLog,
  sample: evalSample,
  summary: evalSampleSummary,
  reductions: evalSampleReductions,
  reducedScore: evalSampleScore,
  event: logEvent,
  message: chatMessage,
  call: anything,
  attachment: text,
} satisfies Readonly<Record<string, Shape>>;

export type DocumentKind = keyof typeof DOCUMENTS;

/** Further ones say the same again: a list of a thousand wrong items has a thousand problems. */
const PROBLEMS_MAX = 20;

/** What is wrong with a document, each with its path; nothing when it is exactly what Inspect reads [LOG-33]. */
export function checkDocument(kind: DocumentKind, value: Json, path = ''): readonly string[] {
  return problemsOf(DOCUMENTS[kind], value, path);
}

/** The same for a document whose keys come one by one: call `finish` after the last. */
export function checkKeys(kind: 'sample' | 'reductions', path = ''): KeyCheck {
  const shape: ObjectShape = DOCUMENTS[kind];
  const seen = new Set<string>();
  return {
    key(name, value) {
      seen.add(name);
      const expected = shape.keys.get(name);
      return expected ? problemsOf(expected, value, join(path, name)) : [];
    },
    see: (name) => void seen.add(name),
    finish: () =>
      shape.required.filter((name) => !seen.has(name)).map((name) => `${join(path, name)} is missing`),
  };
}

export interface KeyCheck {
  key(name: string, value: Json): readonly string[];
  /** Notes a key whose value is checked elsewhere. */
  see(name: string): void;
  finish(): readonly string[];
}

function problemsOf(shape: Shape, value: Json, path: string): readonly string[] {
  return fits(shape, value) ? NONE : explain(shape, value, path).slice(0, PROBLEMS_MAX);
}

const NONE: readonly string[] = [];
