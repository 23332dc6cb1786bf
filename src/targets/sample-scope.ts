import { type Clock, type Random, shortId } from '../base/index.ts';
import { type Conversation, createConversation } from './conversation.ts';
import type { Recorder } from './recorder.ts';
import { NO_ARTIFACTS, type SampleArtifacts } from './sample-artifacts.ts';
import { meterUntil, type SampleMeter } from './sample-meter.ts';

/** What everything that happens in one attempt at one sample shares. */
export interface SampleScope {
  readonly recorder: Recorder;
  readonly meter: SampleMeter;
  readonly clock: Clock;
  readonly random: Random;
  /** What the target last said to a model and heard from it: the log's messages, also when the sample failed. */
  readonly conversation: Conversation;
  /** Makes the ids of messages unlike those of every other sample. */
  readonly salt: string;
  /** What it requires. */
  readonly artifacts: SampleArtifacts;
}

export function createSampleScope(
  options: Pick<SampleScope, 'recorder' | 'meter' | 'clock' | 'random'> &
    Partial<Pick<SampleScope, 'salt' | 'artifacts'>>,
): SampleScope {
  const ours = { salt: shortId(options.random), artifacts: NO_ARTIFACTS };
  return { ...ours, ...options, conversation: createConversation() };
}

/** For the scorers: the limits are lifted, and what graders say is not the target's conversation. */
export function scoringScope(scope: SampleScope): SampleScope {
  scope.meter.lift();
  return { ...scope, conversation: createConversation() };
}

/** The same, whose calls and commands are also ended by another signal. */
export function scopeUntil(scope: SampleScope, signal: AbortSignal): SampleScope {
  return { ...scope, meter: meterUntil(scope.meter, signal) };
}
