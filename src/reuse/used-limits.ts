import { isUsdBeyond } from '../base/index.ts';
import type { SampleLimits } from '../evals/index.ts';
import type { EvalSampleSummary, SampleLimit } from '../log/index.ts';

/** What a sample used of what can be limited, and the limit that ended it. */
export interface UsedLimits {
  readonly tokens: number;
  readonly turns: number;
  readonly messages: number;
  readonly usd: number;
  readonly ended?: SampleLimit | undefined;
}

export function usedBy(
  { model_usage, turn_count, message_count }: EvalSampleSummary,
  ended: SampleLimit | undefined,
): UsedLimits {
  let [tokens, usd] = [0, 0];
  for (const usage of Object.values(model_usage)) {
    tokens += usage.total_tokens;
    usd += usage.total_cost ?? 0;
  }
  return { tokens, usd, turns: turn_count ?? 0, messages: message_count ?? 0, ...(ended ? { ended } : {}) };
}

/**
 * A limit that was hit is part of what was asked for; one that was not, is not, unless it would be hit now. Time is no part of
 * an answer: only the very limit that ended a sample counts.
 */
export function fitsLimits(used: UsedLimits, limits: SampleLimits): boolean {
  const { ended } = used;
  if (ended) return limitOf(limits, ended.type) === ended.limit;
  if (isUsdBeyond(used.usd, limits.costUsd ?? Number.POSITIVE_INFINITY)) return false;
  return (['token', 'turn', 'message'] as const).every(
    (type) => AMOUNTS[type](used) <= (limitOf(limits, type) ?? Number.POSITIVE_INFINITY),
  );
}

const AMOUNTS = {
  token: ({ tokens }: UsedLimits) => tokens,
  turn: ({ turns }: UsedLimits) => turns,
  message: ({ messages }: UsedLimits) => messages,
};

/** In the units in which a log names it: seconds, not milliseconds. */
function limitOf(limits: SampleLimits, type: string): number | undefined {
  switch (type) {
    case 'token':
      return limits.tokens;
    case 'turn':
      return limits.turns;
    case 'message':
      return limits.messages;
    case 'cost':
      return limits.costUsd;
    case 'time':
      return limits.timeMs === undefined ? undefined : limits.timeMs / 1_000;
    case 'working':
      return limits.workingMs === undefined ? undefined : limits.workingMs / 1_000;
    default:
      return undefined;
  }
}
