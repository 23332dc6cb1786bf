/** How a static export of the Studio is written down: docs/format/export.md says what each part means. */
import { z } from 'zod';
import { problem, sampleId } from './common.ts';
import { about } from './store.ts';

/** Raised when a reader of before could not read what is written now. */
export const EXPORT_VERSION = 1;

const count = z.number().int().min(0);

/**
 * Where a document is: the number of the chunk that it begins in, the first of its UTF-16 units there, and how many it has. What
 * does not fit into that chunk goes on in those after it [EXP-4].
 */
export const documentPlace = z.tuple([count, count, count]);
export type DocumentPlace = z.infer<typeof documentPlace>;

/** What a route answered, which its own schema checks, or why it could not. */
export const writtenAnswer = z.union([
  z.object({ error: problem }),
  z.object({
    answer: z.unknown(),
    /** Only the members that differ from the answer there are written. */
    like: documentPlace.optional(),
    /** Members of that answer that this one lacks. */
    without: z.array(z.string()).optional(),
    /** Lists in the answer, by where they stand in it: each of their items is written once, however many answers have it. */
    lists: z.array(z.tuple([z.array(z.string()), z.array(documentPlace)])).optional(),
  }),
]);
export type WrittenAnswer = z.infer<typeof writtenAnswer>;

/** Answers by what was asked. Pairs, because what is asked may be called `__proto__`. */
const answers = z.array(z.tuple([z.string(), documentPlace]));

/** Rows of a list, all of them and in its own order, in documents of some hundred; `page` is the answer without its rows. */
export const writtenRows = z.object({ page: documentPlace, rows: z.array(documentPlace) });
export type WrittenRows = z.infer<typeof writtenRows>;

/** The same list once for each score that decides; the first is told when none is asked for. */
const rowsByScore = z.array(z.tuple([z.string().nullable(), writtenRows]));

/** Items in order and without a hole: the number of the first of each page, and the page. */
const pages = z.array(z.tuple([count, documentPlace]));

/** The whole of a text that was cut: its name, its length, the length of each piece but the last, and the pieces that it is joined of. */
export const writtenText = z.tuple([z.string(), count, count.min(1), z.array(documentPlace)]);
export type WrittenText = z.infer<typeof writtenText>;

/** One try at a sample. */
export const writtenTranscript = z.object({
  total: count,
  skeleton: pages,
  events: pages,
  /** The uuids of the events, in their order. */
  uuids: pages,
  /** Of events that their page does not have whole: the members that differ from those in the page. */
  whole: z.array(z.tuple([count, documentPlace])),
  /** Messages that an event has and none before it. */
  entered: z.array(z.tuple([count, documentPlace])),
});
export type WrittenTranscript = z.infer<typeof writtenTranscript>;

export const writtenSample = z.object({
  answers,
  transcript: writtenTranscript,
  /** Earlier tries that failed, by their number. */
  attempts: z.array(z.tuple([count, writtenTranscript])),
  /** The conversation at its end: a document for each message. */
  messages: z.array(documentPlace),
  texts: z.array(writtenText),
});
export type WrittenSample = z.infer<typeof writtenSample>;

/** Which texts a transcript cannot have: power and bits of a `TextFilter` of the views. */
export const writtenFilters = z.array(z.tuple([count, z.string()]));

export const writtenRun = z.object({
  answers,
  samples: rowsByScore,
  /** In the order of the rows: id, epoch, and where the sample is written. */
  epochs: z.array(z.tuple([sampleId, z.number().int(), documentPlace])),
  /** Filters in the same order, in documents of some hundred. */
  filters: z.array(documentPlace),
});
export type WrittenRun = z.infer<typeof writtenRun>;

export const writtenComparison = z.object({
  runs: z.array(z.string()),
  samples: rowsByScore,
});
export type WrittenComparison = z.infer<typeof writtenComparison>;

/** What is asked of all runs, and where the rest is. */
export const exportManifest = z.object({
  format: z.literal('holdfast-export'),
  version: z.number(),
  about,
  chunks: count,
  /** The list of runs, newest first. */
  runs: writtenRows,
  /** Where each run is written. */
  places: documentPlace,
  answers: documentPlace,
  comparisons: documentPlace,
});
export type ExportManifest = z.infer<typeof exportManifest>;

export const runPlaces = z.array(z.tuple([z.string(), documentPlace]));
export const writtenAnswers = answers;
export const writtenComparisons = z.array(writtenComparison);
