import {
  definedOf,
  isJsonArray,
  isJsonObject,
  type Json,
  type SampleKey,
  sampleKeyText,
} from '../base/index.ts';
import type { EvalSampleSummary, LogHeader, RunReader } from '../log/index.ts';
import { scorerKeys } from '../stats/index.ts';
import { figuresOf } from './figures.ts';
import { identityOf, type RunIdentity } from './run-identity.ts';

/** One run of a comparison: what is needed of it, and no transcript. */
export interface Side extends SideTop {
  readonly samples: ReadonlyMap<string, SideSample>;
}

/** All of it but the samples. */
export interface SideTop {
  readonly facts: RunFacts;
  readonly identity: RunIdentity;
  /** Of the log: a run of Inspect has several, and what is made of a log keeps it. */
  readonly evalId: string;
  /** In the order in which the eval names them. */
  readonly scorers: readonly string[];
}

export interface RunFacts {
  /** As it was asked for. */
  readonly name: string;
  readonly run: string;
  readonly place: string;
  readonly eval: string;
  readonly model: string;
  readonly status: LogHeader['status'];
  /** Not finished, and nobody works on it any more. */
  readonly isInterrupted?: boolean;
  readonly start: string;
  readonly commit?: string;
  readonly samples: Readonly<Record<SideSample['state'], number>>;
}

export interface SideSample extends SampleKey {
  /** `unfinished`: begun, and neither completed nor failed yet. */
  readonly state: 'completed' | 'errored' | 'unfinished';
  readonly error?: string;
  readonly figures: ReadonlyMap<string, Json>;
  /** Undefined: the price of something is not known. */
  readonly usd: number | undefined;
  readonly tokens: number;
  readonly seconds: number | undefined;
  /** A fingerprint of what was asked: other ones are other rows. */
  readonly row: number;
}

const ERROR_CHARS_MAX = 200;

/** Reads the header and the summaries of a run, one by one. What is kept of a sample is a few numbers. */
export async function readSide(reader: RunReader, name: string): Promise<Side> {
  const header = await reader.header();
  const samples = new Map<string, SideSample>();
  const counts = { completed: 0, errored: 0, unfinished: 0 };
  for await (const { value } of reader.summaries()) {
    const sample = sampleOf(value);
    counts[sample.state]++;
    samples.set(sampleKeyText(sample.id, sample.epoch), sample);
  }
  return { ...sideTop(header, { name, place: reader.place, counts }), samples };
}

export interface SideGiven {
  readonly name: string;
  readonly place: string;
  readonly counts: RunFacts['samples'];
}

/** What the header says, with what was counted. */
export function sideTop(header: LogHeader, { name, place, counts }: SideGiven): SideTop {
  const identity = identityOf(header);
  return {
    identity,
    evalId: header.eval.eval_id,
    scorers: scorerKeys((header.eval.scorers ?? []).map((scorer) => scorer.name)),
    facts: {
      name,
      run: header.eval.run_id,
      place,
      eval: header.eval.task,
      model: header.eval.model,
      status: header.status,
      start: header.stats.started_at || header.eval.created,
      ...definedOf({ commit: identity.commit }),
      samples: counts,
    },
  };
}

export function sampleOf(summary: EvalSampleSummary): SideSample {
  const { id, epoch, error, completed } = summary;
  return {
    id,
    epoch,
    state:
      isInterrupted(summary) || !completed ? 'unfinished' : error === undefined ? 'completed' : 'errored',
    ...(error !== undefined && { error: error.slice(0, ERROR_CHARS_MAX) }),
    figures: figuresOf(summary.scores),
    ...spentBy(summary),
    seconds: summary.total_time,
    row: fingerprint(JSON.stringify(rowOf(summary))),
  };
}

/** A run that was stopped marks what it did not finish: it has an error, and did not fail. */
function isInterrupted({ metadata }: EvalSampleSummary): boolean {
  const mark = metadata.holdfast;
  return isJsonObject(mark) && mark.interrupted === true;
}

/** Money is unknown as soon as the price of anything is. */
function spentBy({ model_usage }: EvalSampleSummary): Pick<SideSample, 'usd' | 'tokens'> {
  let usd: number | undefined = 0;
  let tokens = 0;
  for (const usage of Object.values(model_usage)) {
    tokens += usage.total_tokens;
    usd = usd === undefined || usage.total_cost === undefined ? undefined : usd + usage.total_cost;
  }
  return { usd, tokens };
}

/** Messages get a new id in every run; who says what is what counts. */
function rowOf({ input, target, choices }: EvalSampleSummary): readonly unknown[] {
  const said = isJsonArray(input)
    ? input.map((message) =>
        isJsonObject(message) ? [message.role ?? null, message.content ?? null] : message,
      )
    : input;
  return [said, target, choices];
}

/** 53 bits of two mixed sums. A digest would take longer than all else; nobody forges rows to hide that they differ. */
function fingerprint(text: string): number {
  let [one, other] = [0x9e3779b9, 0x85ebca6b];
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    one = Math.imul(one ^ unit, 0x01000193);
    other = Math.imul(other ^ unit, 0x5bd1e995);
    other ^= other >>> 13;
  }
  return ((one ^ (one >>> 15)) & 0x1fffff) * 2 ** 32 + (other >>> 0);
}
