/** Calls that fail are seen at once, with their whole cause, and do not burn the data set. */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import process from 'node:process';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { quoteWord } from '../../src/process/index.ts';
import { sendJson } from '../sim/http-server.ts';
import { startChatServer, yamlEval } from './chat-server.ts';
import { holdfast, PROGRAM, reportOf, startHoldfast } from './holdfast.ts';
import { makeProject } from './project.ts';

/** An address at which nobody listens: one that was free a moment ago. */
async function nobody(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return `openai-compatible/m@http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/v1`;
}

const refusing = (status: number, message: string) =>
  startChatServer((_request, response) => {
    sendJson(response, { error: { message, code: 'x' } }, status);
    return true;
  });

describe('calls that fail', () => {
  test('[CALL-1] a refused connection is told at once, with model, error and tries, and is tried three times', async () => {
    const model = await nobody();
    await using dir = await makeProject({ 'x.eval.yaml': yamlEval('x', model, 1) });
    const run = startHoldfast(dir.path, ['run', 'x.eval.yaml']);
    await run.said('try 1 of 3, next in');
    expect(run.child.exitCode).toBe(null);
    const { code, stderr } = await run.ended;
    expect(code).toBe(1);
    expect(stderr).toContain(
      `call to ${model} failed: Cannot connect to API: connect ECONNREFUSED 127.0.0.1`,
    );
    expect(stderr).toContain('try 3 of 3, no more tries');
    expect(stderr).toMatch(/sample 1 failed: E_MODEL_CALL: .* after 3 tries: .*ECONNREFUSED/);
  });

  test.each([
    [401, 'Incorrect API key provided.'],
    [403, 'This key may not use that model.'],
    [404, 'The model m does not exist.'],
  ])(
    'a status of %i is not tried again, and what the server said is shown whole',
    async (status, message) => {
      await using server = await refusing(status, message);
      await using dir = await makeProject({ 'x.eval.yaml': yamlEval('x', server.model, 2) });
      const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
      expect(code).toBe(1);
      expect(stderr).toContain(`failed: HTTP ${status}: ${message} – try 1 of 1, no more tries`);
      expect(server.requests).toHaveLength(2);
    },
  );

  const hasScript = process.platform === 'linux' && existsSync('/usr/bin/script');
  test.skipIf(!hasScript)('[CALL-1] on a terminal it is told whole, too (needs script)', async () => {
    const model = await nobody();
    await using dir = await makeProject({ 'x.eval.yaml': yamlEval('x', model, 1) });
    const run = [process.execPath, PROGRAM, 'run', 'x.eval.yaml'].map(quoteWord).join(' ');
    const { stdout } = spawnSync('script', ['-qec', `stty cols 100 rows 30; ${run}`, '/dev/null'], {
      cwd: dir.path,
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', TERM: 'xterm' },
    });
    const words = stripVTControlCharacters(stdout).replace(/\s+/g, ' ');
    expect(words).toContain('Cannot connect to API: connect ECONNREFUSED 127.0.0.1');
    expect(words).toContain('try 1 of 3, next in');
    expect(words).toContain('try 3 of 3, no more tries');
  });

  test('[CALL-1] an HTTP target fails as models do', async () => {
    await using server = await refusing(401, 'Who are you?');
    await using dir = await makeProject({
      'x.eval.yaml': yamlEval('x', `{ url: "${server.url}/ask" }`, 12),
    });
    const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.yaml', '--concurrency', '1']);
    expect(code).toBe(4);
    expect(stderr).toContain('failed: HTTP 401: ');
    expect(stderr).toContain('try 1 of 1, no more tries');
    expect(stderr).toContain('Who are you?');
    expect(server.requests).toHaveLength(10);
  });

  test('[CALL-2] when the first ten calls all fail alike the run stops, says why, and goes on with the same command', async () => {
    let isRefusing = true;
    await using server = await startChatServer((_request, response) => {
      if (isRefusing) sendJson(response, { error: { message: 'No such key.' } }, 401);
      return isRefusing;
    });
    await using dir = await makeProject({ 'x.eval.yaml': yamlEval('x', server.model, 60) });
    const args = ['run', 'x.eval.yaml', '--concurrency', '2'];
    const { code, stdout, stderr } = await holdfast(dir.path, args);
    expect(code).toBe(4);
    expect(server.requests.length).toBeLessThanOrEqual(12);
    expect(stderr).toContain(
      `The first 10 calls to ${server.model} all failed in the same way, so no more are made: HTTP 401: No such key.`,
    );
    expect(stdout).toContain('To go on where it stopped: holdfast run x.eval.yaml --concurrency 2');
    const json = reportOf(await holdfast(dir.path, [...args, '--json']));
    expect(json.runs[0]).toMatchObject({ state: 'failed', error: { code: 'E_CALLS_FAIL' } });
    isRefusing = false;
    const again = reportOf(await holdfast(dir.path, [...args, '--json']));
    expect(again.runs[0]).toMatchObject({ state: 'done', samples: { errored: 0, remaining: 0, lost: 0 } });
    expect(server.sold).toBe(60);
  });

  test('[CALL-2] ten failures after an answer do not stop it', async () => {
    await using server = await startChatServer((_request, response, count) => {
      if (count > 1) sendJson(response, { error: { message: 'Not this one.' } }, 400);
      return count > 1;
    });
    await using dir = await makeProject({ 'x.eval.yaml': yamlEval('x', server.model, 14) });
    const report = reportOf(await holdfast(dir.path, ['run', 'x.eval.yaml', '--concurrency', '1', '--json']));
    expect(report.runs[0]).toMatchObject({ state: 'done', samples: { errored: 13 } });
  });

  test('a long cause is not cut off', async () => {
    const message = `It begins ${'and goes on '.repeat(60)}and ends.`;
    await using server = await refusing(400, message);
    await using dir = await makeProject({ 'x.eval.yaml': yamlEval('x', server.model, 1) });
    const { stderr } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
    expect(stderr.split('and ends.').length).toBeGreaterThanOrEqual(3);
  });

  test('lines come every ten seconds, also while nothing ends', async () => {
    const target =
      'async ({ input }) => { await new Promise((resolve) => setTimeout(resolve, 11500)); return input; }';
    await using dir = await makeProject({
      'x.eval.ts': `import { defineEval, exact } from 'holdfast';
        export default defineEval({ name: 'x', data: [{ input: 'a', target: 'a' }], target: ${target}, scorers: [exact()] });\n`,
    });
    const { stderr } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(stderr).toContain('x: 0/1 (0 %), 1 running');
  });
});
