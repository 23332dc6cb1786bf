/**
 * The scripted model behind a server that speaks as OpenAI's does, on the loopback interface alone.
 * `node model-server.mts 8123 1000` serves it at http://127.0.0.1:8123/v1 and takes 1,000 ms for each answer.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { answerTo, isAboutTable } from './scripted-model.mts';

interface ChatRequest {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

/** Port 0 is any that is free. `asked` counts what it was asked for since it was begun. */
export async function startModelServer({ port = 0, delayMs = 0 } = {}) {
  const asked = { descriptions: 0, queries: 0 };
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const { model, messages } = JSON.parse(body) as ChatRequest;
    const prompt = messages.at(-1)?.content ?? '';
    asked[isAboutTable(prompt) ? 'descriptions' : 'queries']++;
    await sleep(delayMs);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(completionOf(model, prompt)));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked, close };
}

function completionOf(model: string, prompt: string) {
  const content = answerTo(prompt);
  // About as many as a real one would count.
  const [prompt_tokens, completion_tokens] = [prompt, content].map((text) => Math.ceil(text.length / 4));
  return {
    object: 'chat.completion',
    model,
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage: { prompt_tokens, completion_tokens },
  };
}

if (process.argv[1] === import.meta.filename) {
  const [port, delayMs] = process.argv.slice(2).map(Number);
  const { url } = await startModelServer({ port, delayMs });
  console.log(`Serving at ${url}. Ctrl-C ends it.`);
}
