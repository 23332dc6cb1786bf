import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendJson, startServer } from '../../test/sim/http-server.ts';
import { runTarget, startAttempt, testModels } from '../../test/sim/target-attempt.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import type { TargetContext } from '../evals/index.ts';
import { mockModel } from './mock-model.ts';
import { pureTool } from './recorded-tools.ts';

const SECRET = 'sk-4711';
const redact = [/sk-\d+/g];
/** The same model, when it would answer something else: what it said before can only have been replayed. */
const silent = mockModel({ name: 'mock/own', answers: ['nothing of it'] });

test('[RED-2] a model’s answer is redacted for its target, live and replayed alike', async () => {
  const model = mockModel({ name: 'mock/own', answers: [`it is ${SECRET}`] });
  const models = testModels({ redact });
  const live = await runTarget(model, { models });
  expect(live.result.output).toBe('it is [redacted]');
  const kept = live.attempt.recorder.exchanges;
  expect(JSON.stringify(kept)).not.toContain(SECRET);
  const replayed = await runTarget(silent, { models, earlier: kept });
  expect(replayed.result.output).toBe('it is [redacted]');
});

test('[RED-2] an answer that was kept before there was a pattern is redacted when it is replayed', async () => {
  const seen: string[] = [];
  const target = async (_: unknown, { generate }: TargetContext) => {
    seen.push((await generate({ model: 'mock/own', prompt: 'go' })).text);
    return 'done';
  };
  const model = mockModel({ name: 'mock/own', answers: [`it is ${SECRET}`] });
  const plain = await runTarget(target, { models: testModels({ scripted: { 'mock/own': model } }) });
  const earlier = plain.attempt.recorder.exchanges;
  expect(JSON.stringify(earlier)).toContain(SECRET);
  const models = testModels({ redact, scripted: { 'mock/own': silent } });
  const { attempt } = await runTarget(target, { models, earlier });
  // Also the target itself sees only this: what it gives is redacted in any case.
  expect(seen).toEqual([`it is ${SECRET}`, 'it is [redacted]']);
  expect(JSON.stringify(attempt.recorder.events)).not.toContain(SECRET);
});

test('[RED-2] the body of an endpoint is redacted before it is kept, and stays JSON', async () => {
  await using server = await startServer((_, response) => sendJson(response, { text: `it is ${SECRET}` }));
  const models = testModels({ redact });
  const { result, attempt } = await runTarget({ url: server.url, responsePath: 'text' }, { models });
  expect(result.output).toBe('it is [redacted]');
  expect(JSON.stringify(attempt.recorder.exchanges)).not.toContain(SECRET);
});

test('[RED-2] the body of an endpoint that was kept before there was a pattern is redacted when it is replayed', async () => {
  let calls = 0;
  await using server = await startServer((_, response) => {
    calls++;
    sendJson(response, { text: `it is ${SECRET}` });
  });
  const target = { url: server.url, responsePath: 'text' };
  const plain = await runTarget(target, { models: testModels() });
  const earlier = plain.attempt.recorder.exchanges;
  expect(JSON.stringify(earlier)).toContain(SECRET);
  const { result, attempt } = await runTarget(target, { models: testModels({ redact }), earlier });
  expect([result.output, calls]).toEqual(['it is [redacted]', 1]);
  expect(JSON.stringify(attempt.recorder.events)).not.toContain(SECRET);
});

test('[RED-2] an endpoint that fails is quoted without what is redacted', async () => {
  await using server = await startServer((_, response) => {
    response.writeHead(400).end(`no such key: ${SECRET}`);
  });
  const run = runTarget({ url: server.url }, { models: testModels({ redact }) });
  await expect(run).rejects.toThrow('no such key: [redacted]');
});

test('[RED-2] what a tool gives is redacted before the model sees it, and before it is kept', async () => {
  const seen: string[] = [];
  const model = mockModel({
    name: 'mock/own',
    respond({ turn, request }) {
      seen.push(JSON.stringify(request.prompt));
      return turn === 0 ? { toolCalls: [{ toolName: 'look', input: {} }] } : 'done';
    },
  });
  const look = pureTool({
    description: 'looks',
    inputSchema: { type: 'object', properties: {} },
    execute: async () => ({ name: SECRET, list: [`a ${SECRET}`] }),
  });
  const target = async (_: unknown, { generate }: TargetContext) =>
    (await generate({ model: 'mock/own', prompt: 'go', tools: { look }, maxSteps: 2 })).text;
  const models = testModels({ redact, scripted: { 'mock/own': model } });
  const { attempt } = await runTarget(target, { models });
  expect(seen).toHaveLength(2);
  expect(seen[1]).toContain('[redacted]');
  expect(JSON.stringify([seen, attempt.recorder.exchanges])).not.toContain(SECRET);
});

test('[RED-2] what an agent prints, and why it failed, is redacted', async () => {
  await using dir = await makeTempDir();
  const agent = join(dir.path, 'agent');
  await writeFile(agent, `#!/bin/sh\necho "it is ${SECRET}"\necho "no: ${SECRET}" >&2\nexit $CODE\n`);
  await chmod(agent, 0o755);
  const run = (code: string, attempt = startAttempt()) =>
    runTarget(
      { command: [agent], env: ['CODE'] },
      { models: testModels({ redact, env: { CODE: code } }), workDir: dir.path, attempt },
    );
  const { result, attempt } = await run('0');
  expect(result.output).toBe('it is [redacted]\n');
  expect(JSON.stringify(attempt.recorder.events)).not.toContain(SECRET);
  await expect(run('1')).rejects.toThrow('no: [redacted]');
});

test('[RED-2] what a function gives is redacted for the scorers, whatever its keys are called', async () => {
  const { result } = await runTarget(async () => ({ id: SECRET, name: [SECRET] }), {
    models: testModels({ redact }),
  });
  expect(result.output).toEqual({ id: '[redacted]', name: ['[redacted]'] });
});
