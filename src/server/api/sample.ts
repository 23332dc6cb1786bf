import { z } from 'zod';
import { anyJson, figure, note, outcome, sampleId, text } from './common.ts';
import { modelCost, sampleEpoch } from './run.ts';
import { runItem } from './runs.ts';

export const sampleScore = z.object({
  name: z.string(),
  outcome,
  value: anyJson,
  number: figure.optional(),
  answer: text.optional(),
  explanation: text.optional(),
  metadata: anyJson.optional(),
  history: z.array(anyJson).optional(),
});
export type SampleScore = z.infer<typeof sampleScore>;

/** A sample without its transcript. Long texts in it are cut. */
export const sampleView = z.object({
  run: z.string(),
  eval: z.string(),
  target: z.string(),
  id: sampleId,
  epoch: z.number(),
  /** As in the table of its run. */
  row: sampleEpoch,
  input: anyJson,
  expected: anyJson,
  choices: z.array(z.string()).optional(),
  output: text,
  scores: z.array(sampleScore),
  metadata: anyJson,
  store: anyJson,
  error: z.object({ message: text, traceback: text }).optional(),
  limit: z.object({ type: z.string(), limit: figure }).optional(),
  models: z.array(modelCost),
  started: z.string().optional(),
  completed: z.string().optional(),
  workingMs: z.number().optional(),
  uuid: z.string().optional(),
  /** The other epochs, and this one, in order. */
  epochs: z.array(z.object({ epoch: z.number(), outcome })),
  /** Earlier tries at this sample that failed, oldest first; their events are asked for like those of the last. */
  attempts: z.array(
    z.object({ attempt: z.number(), error: text, events: z.number(), at: z.string().optional() }),
  ),
  /** Files that the sample was given or left behind, by path. */
  files: z.array(z.object({ path: z.string(), sizeBytes: z.number().optional(), at: z.string().optional() })),
  messageCount: z.number(),
  notes: z.array(note),
  /** How its run is kept: whether something can be said of it. */
  kept: runItem.pick({ run: true, form: true, place: true, name: true, isPublished: true }).optional(),
  commands: z.array(z.object({ what: z.string(), command: z.string() })),
});
export type SampleView = z.infer<typeof sampleView>;

/** What an event can have, as bits of `flags`. */
export const EVENT_FLAGS = {
  error: 1,
  /** The answer was not bought now: it was replayed from an earlier one. */
  replayed: 2,
  /** Brought back from a crashed run. */
  recovered: 4,
  pending: 8,
  /** Events before this one are missing. */
  gapBefore: 16,
  /** A model call or tool call that was tried again. */
  retried: 32,
} as const;

/**
 * The skeleton of a transcript: enough to lay out every row, the outline, the lanes and the minimap of 300,000 events without
 * one body. Columns, because three hundred thousand objects are not.
 */
export const skeleton = z.object({
  /** The number of the first event of this part. */
  from: z.number(),
  /** Of the events that have been read so far; all of them when `isWhole`. */
  known: z.number(),
  isWhole: z.boolean(),
  /** How much of the sample has been read, 0 to 1. */
  progress: z.number(),
  /** Names that the columns point to; they only ever grow, and each part tells those that are new to it. */
  kinds: z.array(z.string()),
  kindsFrom: z.number(),
  lanes: z.array(z.string()),
  lanesFrom: z.number(),
  /** So many labels of this part are incomplete, because what they tell has not been read: ask again when all is. */
  unlabelled: z.number().optional(),
  columns: z.object({
    kind: z.array(z.number()),
    lane: z.array(z.number()),
    depth: z.array(z.number()),
    /** 0 before the first; each model call of the main agent begins another. */
    turn: z.array(z.number()),
    /** Milliseconds after the first event. */
    start: z.array(z.number()),
    durationMs: z.array(z.number()),
    tokens: z.array(z.number()),
    usd: z.array(z.number()),
    flags: z.array(z.number()),
    sizeBytes: z.array(z.number()),
    /** One line, at most 80 characters. */
    label: z.array(z.string()),
  }),
});
export type Skeleton = z.infer<typeof skeleton>;

/** Bodies of events, in order and without a hole. Fewer than were asked for when they are large: go on after the last. */
export const eventsPage = z.object({
  from: z.number(),
  events: z.array(anyJson),
  /** Messages that model events refer to by `input_refs`, by position; only those that were asked for. */
  messages: z.record(z.string(), anyJson).optional(),
});
export type EventsPage = z.infer<typeof eventsPage>;

/** The conversation as the sample has it at its end, in pages. */
export const messagesPage = z.object({ from: z.number(), total: z.number(), messages: z.array(anyJson) });
export type MessagesPage = z.infer<typeof messagesPage>;

/** A piece of a long text. */
export const textPiece = z.object({ from: z.number(), length: z.number(), text: z.string() });
export type TextPiece = z.infer<typeof textPiece>;

/** One line of the stream that a search in a transcript answers with. */
export const findLine = z.object({
  /** Events that have been looked at, of how many. */
  scanned: z.number(),
  of: z.number(),
  isDone: z.boolean(),
  /** False when there are more hits than are told. */
  isAll: z.boolean(),
  hits: z.array(z.object({ event: z.number(), before: z.string(), hit: z.string(), after: z.string() })),
});
export type FindLine = z.infer<typeof findLine>;

/** The number of the event that has a uuid. */
export const eventPlace = z.object({ event: z.number() });
