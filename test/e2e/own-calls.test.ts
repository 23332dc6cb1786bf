/** What targets pay for by their own means: an SDK, an endpoint, an agent, anything recorded. A server counts what it sold. */
import { chmod, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sendJson } from '../sim/http-server.ts';
import { startChatServer, yamlEval } from './chat-server.ts';
import { holdfast, reportOf } from './holdfast.ts';
import { makeProject } from './project.ts';

const evalOf = (target: string, more = '', rows = 15) => `
import { defineEval, includes } from 'holdfast';
export default defineEval({ name: 'x', concurrency: 2, scorers: [includes()], ${more}
  data: Array.from({ length: ${rows} }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: 'q' + index })),
  target: ${target} });
`;

/** As SDKs do it: what \`fetch\` throws is wrapped, and told in two words. */
const sdk = (url: string) => `async ({ input }, { fetch }) => {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: input }] });
  const response = await fetch('${url}/v1/chat/completions', { method: 'POST', body })
    .catch((cause) => { throw new Error('Connection error.', { cause }); });
  if (!response.ok) throw new Error('The SDK says no: ' + response.status);
  return (await response.json()).choices[0].message.content;
}`;

async function nobody(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
}

describe('an own SDK that fails', () => {
  test('[CALL-2] is told at once, and ten refusals stop the run', async () => {
    await using server = await startChatServer((_request, response) => {
      sendJson(response, { error: { message: 'Incorrect API key.' } }, 401);
      return true;
    });
    await using dir = await makeProject({ 'x.eval.ts': evalOf(sdk(server.url)) });
    const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(code).toBe(4);
    expect(stderr).toContain(
      'call to openai-compatible/m failed: HTTP 401: Incorrect API key. – try 1, the next is up to the code',
    );
    expect(stderr).toContain('The first 10 calls to openai-compatible/m all failed in the same way');
    expect(server.requests.length).toBeLessThanOrEqual(12);
  });

  test('[CALL-2] where nobody listens, too, and the cause behind the words of the SDK is told', async () => {
    await using dir = await makeProject({ 'x.eval.ts': evalOf(sdk(await nobody())) });
    const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(code).toBe(4);
    expect(stderr).toMatch(/sample s\d+ failed: Connection error: fetch failed: connect ECONNREFUSED/);
    expect(stderr).toMatch(/The first 10 calls .* no more are made: fetch failed: connect ECONNREFUSED/);
  });

  test('[CALL-2] so is work that is recorded', async () => {
    const target = `async ({ input }, { record }) => record('search', input, () => {
      throw new Error('outer', { cause: new Error('the inner cause') });
    })`;
    await using dir = await makeProject({ 'x.eval.ts': evalOf(target) });
    const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(code).toBe(4);
    expect(stderr).toContain('call to record/search failed: outer: the inner cause – try 1,');
    expect(stderr).toContain('The first 10 calls to record/search all failed in the same way');
    expect(stderr).toMatch(/sample s\d+ failed: outer: the inner cause/);
  });
});

describe('under a budget', () => {
  test('[BUD-5] an own SDK whose model has no price is refused before it is asked, and the run leaves nothing', async () => {
    await using server = await startChatServer();
    await using dir = await makeProject({ 'x.eval.ts': evalOf(sdk(server.url), 'budgetUsd: 1,') });
    const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(code).toBe(2);
    expect(stderr).toContain('the price of openai-compatible/m is not known');
    expect(server.requests).toHaveLength(0);
  });

  test.each(['an endpoint', 'an agent'])(
    '[BUD-5] %s has a price for each call, or is refused before anything runs',
    async (what) => {
      await using server = await startChatServer((_request, response) => {
        sendJson(response, { text: 'q1 q2 q3' });
        return true;
      });
      const isAgent = what === 'an agent';
      const target = isAgent ? '{ command: ["./agent.sh"] }' : `{ url: "${server.url}/ask" }`;
      const name = isAgent ? 'command/agent.sh' : `http/${new URL(server.url).host}`;
      const text = (more = '') => yamlEval('x', target, 3, more).replace('[exact]', '[includes]');
      await using dir = await makeProject({ 'x.eval.yaml': text() });
      await writeFile(join(dir.path, 'agent.sh'), `#!/bin/sh\necho ran >> "${dir.path}/ledger"\necho q1\n`);
      await chmod(join(dir.path, 'agent.sh'), 0o755);
      const run = (...more: string[]) =>
        holdfast(dir.path, ['run', 'x.eval.yaml', '--concurrency', '1', ...more]);
      const refused = await run('--budget', '1');
      expect(refused.code).toBe(2);
      expect(refused.stderr).toContain(`the price of ${name} is not known`);
      expect(refused.stderr).toContain(`"${name}": { call: 0.01 }`);
      expect(server.requests).toHaveLength(0);
      await writeFile(join(dir.path, 'x.eval.yaml'), text(`prices: { "${name}": { call: 0.02 } }\n`));
      const stopped = reportOf(await run('--budget', '0.04', '--json'));
      expect(stopped.runs[0]).toMatchObject({ state: 'budget', usd: { spent: 0.04 } });
      // What was spent before counts: the same budget is still spent.
      const still = reportOf(await run('--budget', '0.04', '--json'));
      expect(still.runs[0]).toMatchObject({ state: 'budget', usd: { spent: 0 } });
      const done = reportOf(await run('--budget', '1', '--json'));
      expect(done.runs[0]).toMatchObject({ state: 'done', usd: { spent: 0.02, saved: 0.04 } });
    },
  );
});

test.each([
  ['an endpoint', 'http'],
  ['an agent', 'command'],
  ['work that is recorded', 'record'],
])('what %s costs is unknown and never zero, also what was saved', async (_, kind) => {
  await using server = await startChatServer((_request, response) => {
    sendJson(response, { text: 'q' });
    return true;
  });
  const target = {
    http: `{ url: '${server.url}/ask' }`,
    command: `{ command: ['./agent.sh'] }`,
    record: `async ({ input }, { record }) => record('work', input, () => input)`,
  }[kind];
  await using dir = await makeProject({ 'x.eval.ts': evalOf(target ?? '', '', 2) });
  await writeFile(join(dir.path, 'agent.sh'), '#!/bin/sh\necho q\n');
  await chmod(join(dir.path, 'agent.sh'), 0o755);
  const first = await holdfast(dir.path, ['run', 'x.eval.ts']);
  expect(first.stdout).toMatch(/money +unknown +\$0 +\$0\n/);
  expect(first.stdout).toContain('2 calls had no known price');
  const again = await holdfast(dir.path, ['run', 'x.eval.ts']);
  expect(again.stdout).toMatch(/money +\$0 +unknown +\$0\n/);
});
