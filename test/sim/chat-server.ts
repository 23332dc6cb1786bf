import type { ReceivedRequest } from './http-server.ts';

/** What a server that speaks OpenAI's chat API answers. */
export function chatCompletion({ body }: Pick<ReceivedRequest, 'body'>, content: string) {
  return {
    id: 'chat-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: JSON.parse(body).model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 12,
      completion_tokens: 3,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4 },
    },
  };
}
