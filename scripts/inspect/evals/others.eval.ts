// Targets that are no models of Holdfast's own: a program, an endpoint, an SDK that is given our fetch, recorded work; and
// values that no log can hold as they come.

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { defineEval, includes, scorer } from 'holdfast';

const LONG = 'The quick brown fox jumps over the lazy dog. '.repeat(40);

const server = createServer((request, response) => {
  request.resume();
  response.setHeader('content-type', 'application/json');
  if (request.url === '/v1/chat/completions')
    response.end(
      JSON.stringify({
        id: 'c1',
        object: 'chat.completion',
        model: 'gpt-5',
        choices: [
          { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: `yes ${LONG}` } },
        ],
        usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
      }),
    );
  else response.end(JSON.stringify({ answer: 'yes attachment://0' }));
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
server.unref();
const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

const data = [
  { id: 1, input: 'first', target: 'yes' },
  { id: 'two', input: `second ${LONG}`, target: 'yes' },
];

export default [
  defineEval({
    name: 'program',
    data,
    target: {
      command: [process.execPath, '-e', 'process.stdin.pipe(process.stdout); console.log("yes tc://5\\0")'],
    },
    scorers: [includes()],
  }),
  defineEval({
    name: 'failing-program',
    data,
    target: { command: [process.execPath, '-e', 'console.error("attachment://0"); process.exit(3)'] },
    scorers: [includes()],
  }),
  defineEval({
    name: 'endpoint',
    data,
    target: { url: `${address}/ask`, body: { question: '{{input}}' }, responsePath: 'answer' },
    scorers: [includes()],
  }),
  defineEval({
    name: 'own-sdk',
    data,
    target: async ({ input }, { fetch, record, info }) => {
      const body = JSON.stringify({ model: 'gpt-5', messages: [{ role: 'user', content: input }] });
      const response = await fetch(`${address}/v1/chat/completions`, { method: 'POST', body });
      const { choices } = (await response.json()) as { choices: { message: { content: string } }[] };
      const found = await record('search', { input }, async () => ({ pages: [LONG, 'tc://5', Number.NaN] }), {
        usd: 0.01,
      });
      info({ found }, 'search');
      return { text: choices[0]?.message.content, holes: [1, undefined, Number.POSITIVE_INFINITY] };
    },
    scorers: [
      includes(),
      scorer('parts', ({ text }) => ({
        value: { long: text.length, kind: 'x', none: null },
        metadata: { text },
      })),
      scorer('list', () => ({ value: [1, 'C', true], answer: 'tc://5' })),
      scorer('odd', () => ({ value: [[1]] }) as never),
    ],
    redact: [/quick brown/],
    epochs: 2,
  }),
];
