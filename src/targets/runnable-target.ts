import { ActionableError, type Json } from '../base/index.ts';
import { type SampleRow, textOf } from '../evals/index.ts';
import type { ChatMessage, ModelOutput } from '../log/index.ts';
import { plainOutput, userMessage } from './chat-messages.ts';
import type { Redaction } from './redaction.ts';
import type { SampleScope } from './sample-scope.ts';
import { inputText } from './template.ts';
import type { Workspace } from './workspace.ts';

export type TargetKind = 'function' | 'model' | 'command' | 'http';

/** A target that is ready: whatever could be checked without calling it is checked. */
export interface RunnableTarget {
  readonly kind: TargetKind;
  /** All that decides its answers: part of the content key of every sample. */
  readonly key: Json;
  /** For the log's `eval.model`. */
  readonly name: string;
  /** Its name in content keys, when that is another. */
  readonly knownAs?: string;
  /** True when an interrupted sample must start over, since what happened inside cannot be replayed. */
  readonly startsOver: boolean;
  /**
   * Rejects with LimitExceeded at a limit, BudgetExhausted when there is no money for the next call, the signal's reason
   * when aborted, and with anything else for an execution error. A poor answer is none of these.
   */
  run(sample: SampleRow, run: TargetRun): Promise<TargetResult>;
}

export interface TargetRun {
  readonly scope: SampleScope;
  readonly epoch: number;
  /** The sample's own folder; nothing is created before it is asked for. */
  readonly workspace: Workspace;
}

export interface TargetResult {
  readonly output: unknown;
  readonly messages: readonly ChatMessage[];
  readonly modelOutput: ModelOutput;
}

/** What the log shows of an output: the conversation with the model where there was one, else question and answer. */
export function resultOf(options: {
  readonly target: string;
  readonly sample: SampleRow;
  readonly output: unknown;
  readonly scope: SampleScope;
  readonly redaction: Redaction;
}): TargetResult {
  const { target, sample, scope } = options;
  // Scorers see what is kept [RED-2]. Whatever its keys are called, it is the target's own.
  const { data: output } = options.redaction.value({ data: options.output });
  if (output === undefined || output === null) throw noOutput(target, sample);
  const text = textOf(output);
  const { messages, output: said } = scope.conversation;
  if (said && said.completion === text) return { output, messages, modelOutput: said };
  const modelOutput = { ...plainOutput(target, text, scope.salt), ...(said?.usage && { usage: said.usage }) };
  const answer = modelOutput.choices.map(({ message }) => message);
  const before = messages.length > 0 ? messages : [userMessage(inputText(sample.input), scope.salt)];
  return { output, messages: [...before, ...answer], modelOutput };
}

function noOutput(target: string, sample: SampleRow): ActionableError {
  return new ActionableError({
    code: 'E_TARGET_NO_OUTPUT',
    message: `The target (${target}) returned nothing for sample ${JSON.stringify(sample.id)}.`,
    hint: 'Return the answer from the target function; an empty answer is the empty string.',
  });
}
