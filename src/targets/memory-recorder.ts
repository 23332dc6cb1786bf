import type { LogEvent } from '../log/index.ts';
import type { PaidRequest, RecordedAnswer, Recorder } from './recorder.ts';

export interface RecordedExchange {
  readonly request: PaidRequest;
  readonly answer: RecordedAnswer;
}

/** A recorder in memory: for tests, and for runs that are not to leave anything behind. */
export interface MemoryRecorder extends Recorder {
  readonly events: readonly LogEvent[];
  /** What was recorded in this attempt, in order; give it to the next attempt to replay it. */
  readonly exchanges: readonly RecordedExchange[];
}

export function createMemoryRecorder(earlier: readonly RecordedExchange[] = []): MemoryRecorder {
  const events: LogEvent[] = [];
  const exchanges: RecordedExchange[] = [];
  const unseen = new Map<string, RecordedAnswer[]>();
  for (const { request, answer } of earlier) {
    const answers = unseen.get(keyOf(request)) ?? [];
    unseen.set(keyOf(request), [...answers, answer]);
  }
  return {
    events,
    exchanges,
    recall(request) {
      const answer = unseen.get(keyOf(request))?.shift();
      if (answer) exchanges.push({ request, answer });
      return answer;
    },
    async record(request, answer, newEvents) {
      exchanges.push({ request, answer });
      events.push(...newEvents);
    },
    emit: (event) => void events.push(event),
  };
}

function keyOf({ kind, digest }: PaidRequest): string {
  return `${kind}:${digest}`;
}
