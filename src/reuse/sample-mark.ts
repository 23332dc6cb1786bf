import { type Digest, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { SampleLimit } from '../log/index.ts';

/** What a sample says about itself in its metadata, under `holdfast`: enough to tell what of it still holds. */
export interface SampleMark {
  /** Target and scoring: equal keys have equal results. */
  readonly key: Digest;
  /** The target alone, with the row and the epoch: equal ones have equal outputs, whoever scores them. */
  readonly asked?: Digest;
  /** What stays the same when only code changes: eval, target's name, row, epoch. */
  readonly content: Digest;
  /** Modules that were imported while it ran, with what they said. */
  readonly later?: Readonly<Record<string, Digest>>;
  /** True when its run did not finish it: it did not fail. */
  readonly isInterrupted?: boolean;
  /** The limit that ended it. */
  readonly limit?: SampleLimit;
}

const NAME = 'holdfast';

/** Undefined when it is not a sample of ours, or carries no mark. */
export function readMark(metadata: JsonObject | undefined): SampleMark | undefined {
  const ours = metadata?.[NAME];
  if (!isJsonObject(ours)) return undefined;
  const { key, asked, content, later, limit, interrupted } = ours;
  if (typeof key !== 'string' || typeof content !== 'string') return undefined;
  return {
    key: key as Digest,
    ...(typeof asked === 'string' ? { asked: asked as Digest } : {}),
    content: content as Digest,
    ...(isJsonObject(later) ? { later: textsOf(later) } : {}),
    ...(interrupted === true ? { isInterrupted: true } : {}),
    ...readLimit(limit),
  };
}

/** The metadata with what we say in it; what was said before and is not said anew stays. */
export function withMark(metadata: JsonObject, said: JsonObject): JsonObject {
  const before = metadata[NAME];
  return { ...metadata, [NAME]: { ...(isJsonObject(before) ? before : {}), ...said } };
}

function readLimit(limit: Json | undefined): Pick<SampleMark, 'limit'> {
  if (!isJsonObject(limit)) return {};
  const { type, limit: value } = limit;
  return typeof type === 'string' && typeof value === 'number' ? { limit: { type, limit: value } } : {};
}

function textsOf(json: JsonObject): Readonly<Record<string, Digest>> {
  return Object.fromEntries(
    Object.entries(json).flatMap(([name, text]) =>
      typeof text === 'string' ? [[name, text as Digest]] : [],
    ),
  );
}
