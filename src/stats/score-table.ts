import type { JsonObject, SampleId } from '../base/index.ts';
import type { ScoreLike } from './score-value.ts';

/** What is read of a sample: its scores, by scorer key. */
export interface SampleScores {
  readonly id: SampleId;
  readonly epoch: number;
  readonly scores?: Readonly<Record<string, ScoreLike>>;
  readonly metadata?: JsonObject;
}

/** All scores of one sample by one scorer, in the order in which they came. */
export interface ScoreEntry {
  readonly id: SampleId;
  readonly scores: readonly ScoreLike[];
  /** Only the keys that metrics look at. */
  readonly metadata: JsonObject;
}

interface OpenEntry extends ScoreEntry {
  readonly scores: ScoreLike[];
}

/** Answers, explanations and metadata are kept up to this many characters; they are in the samples anyway. */
const TEXT_CHARS_MAX = 8 * 1024 * 1024;
const NO_METADATA: JsonObject = Object.freeze({});

/**
 * Scores by scorer and sample. It keeps values only, with what metrics and reductions need beside them, so that
 * 100,000 samples cost tens of megabytes. Beyond 8 Mi characters, texts are left out of the reductions.
 */
export class ScoreTable {
  readonly #byScorer = new Map<string, Map<string, OpenEntry>>();
  readonly #metadataKeys: ReadonlySet<string>;
  #textChars = 0;

  constructor(metadataKeys: ReadonlySet<string>) {
    this.#metadataKeys = metadataKeys;
  }

  add(sample: SampleScores): void {
    const scores = Object.entries(sample.scores ?? {});
    if (scores.length === 0) return;
    const metadata = this.#pick(sample.metadata);
    for (const [key, score] of scores) {
      const entries = this.#byScorer.get(key) ?? new Map<string, OpenEntry>();
      this.#byScorer.set(key, entries);
      const entry = entries.get(String(sample.id));
      if (entry === undefined)
        entries.set(String(sample.id), { id: sample.id, scores: [this.#keep(score)], metadata });
      else entry.scores.push(this.#keep(score));
    }
  }

  keys(): Iterable<string> {
    return this.#byScorer.keys();
  }

  entries(key: string): readonly ScoreEntry[] {
    return [...(this.#byScorer.get(key)?.values() ?? [])];
  }

  #pick(metadata: JsonObject | undefined): JsonObject {
    if (metadata === undefined || this.#metadataKeys.size === 0) return NO_METADATA;
    return Object.fromEntries(Object.entries(metadata).filter(([key]) => this.#metadataKeys.has(key)));
  }

  #keep({ value, answer, explanation, metadata }: ScoreLike): ScoreLike {
    const chars = textChars(answer) + textChars(explanation) + jsonChars(metadata);
    if (chars === 0 || this.#textChars + chars > TEXT_CHARS_MAX) return { value };
    this.#textChars += chars;
    // Logs of other tools write null for what is absent.
    return {
      value,
      ...(typeof answer === 'string' && { answer }),
      ...(typeof explanation === 'string' && { explanation }),
      ...(typeof metadata === 'object' && metadata !== null && { metadata }),
    };
  }
}

function textChars(text: string | undefined): number {
  return text?.length ?? 0;
}

/** A rough size: enough to keep large metadata from filling the memory. */
function jsonChars(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 8;
  let chars = 2;
  for (const [key, item] of Object.entries(value)) chars += key.length + 4 + jsonChars(item);
  return chars;
}
