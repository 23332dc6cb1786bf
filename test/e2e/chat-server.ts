/** A server that speaks as OpenAI's does, and counts what it sold. */
import type { ServerResponse } from 'node:http';
import { type ReceivedRequest, sendJson, startServer, type TestServer } from '../sim/http-server.ts';

export interface ChatServer extends TestServer {
  /** The name by which an eval calls the model on it. */
  readonly model: string;
  /** How many answers it gave. */
  readonly sold: number;
}

/** Every answer is the last message, for 1,000 tokens in and 1,000 out. `refuse` may answer instead, and then gives true. */
export async function startChatServer(
  refuse: (request: ReceivedRequest, response: ServerResponse, count: number) => boolean = () => false,
): Promise<ChatServer> {
  let sold = 0;
  const server = await startServer((request, response, count) => {
    if (refuse(request, response, count)) return;
    sold++;
    const { model, messages } = JSON.parse(request.body) as {
      model: string;
      messages: { content: string }[];
    };
    sendJson(response, {
      id: `chat-${count}`,
      object: 'chat.completion',
      created: 1_700_000_000,
      model,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: messages.at(-1)?.content },
          finish_reason: 'stop',
        },
      ],
      usage: { prompt_tokens: 1_000, completion_tokens: 1_000, total_tokens: 2_000 },
    });
  });
  return Object.defineProperties(server, {
    model: { value: `openai-compatible/m@${server.url}/v1` },
    sold: { get: () => sold },
  }) as ChatServer;
}

/** An eval file that asks a model about so many rows. */
export function yamlEval(name: string, model: string, rows: number, more = ''): string {
  const data = Array.from(
    { length: rows },
    (_, index) => `  - { id: ${index + 1}, input: q${index + 1}, target: q${index + 1} }`,
  );
  return `name: ${name}\ndata:\n${data.join('\n')}\ntarget: ${model}\nscorers: [exact]\n${more}`;
}
