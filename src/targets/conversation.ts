import type { ChatMessage, ModelOutput } from '../log/index.ts';

/** The latest exchange of a sample with a model: what the log shows as its messages and output, also when it failed. */
export interface Conversation {
  readonly messages: readonly ChatMessage[];
  readonly output: ModelOutput | undefined;
  exchange(input: readonly ChatMessage[], output: ModelOutput): void;
}

export function createConversation(): Conversation {
  let messages: readonly ChatMessage[] = [];
  let output: ModelOutput | undefined;
  return {
    get messages() {
      return messages;
    },
    get output() {
      return output;
    },
    exchange(input, answer) {
      messages = [...input, ...answer.choices.map(({ message }) => message)];
      output = answer;
    },
  };
}
