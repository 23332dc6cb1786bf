/** An HTTP endpoint as target. Here it is a server in this very file, so that the example needs nothing else. */
import { createServer } from 'node:http';
import { defineEval, exact } from 'holdfast';

const server = createServer(async (request, response) => {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { question } = JSON.parse(Buffer.concat(chunks).toString()) as { question: string };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ answer: { text: question.toUpperCase() } }));
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
server.unref();
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;

export default defineEval({
  name: 'http',
  data: [
    { id: 'hello', input: 'hello', target: 'HELLO' },
    { id: 'bye', input: 'bye', target: 'BYE' },
  ],
  target: {
    url: `http://127.0.0.1:${port}/ask`,
    body: { question: '{{input}}' },
    responsePath: 'answer.text',
  },
  scorers: [exact()],
});
