/** What goes wrong is seen: on the screen, in the account and in the exit code, with its whole cause. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLog } from '../../src/library.ts';
import { sendJson } from '../sim/http-server.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { startChatServer, yamlEval } from './chat-server.ts';
import { holdfast, reportOf, startHoldfast } from './holdfast.ts';

async function project(files: Readonly<Record<string, string>>) {
  const dir = await makeTempDir();
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir.path, name), text);
  return dir;
}

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
    await using dir = await project({ 'x.eval.yaml': yamlEval('x', model, 1) });
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
      await using dir = await project({ 'x.eval.yaml': yamlEval('x', server.model, 2) });
      const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
      expect(code).toBe(1);
      expect(stderr).toContain(`failed: HTTP ${status}: ${message} – try 1 of 1, no more tries`);
      expect(server.requests).toHaveLength(2);
    },
  );

  test('[CALL-1] an HTTP target fails as models do', async () => {
    await using server = await refusing(401, 'Who are you?');
    await using dir = await project({
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
    await using dir = await project({ 'x.eval.yaml': yamlEval('x', server.model, 60) });
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
    await using dir = await project({ 'x.eval.yaml': yamlEval('x', server.model, 14) });
    const report = reportOf(await holdfast(dir.path, ['run', 'x.eval.yaml', '--concurrency', '1', '--json']));
    expect(report.runs[0]).toMatchObject({ state: 'done', samples: { errored: 13 } });
  });

  test('a long cause is not cut off', async () => {
    const message = `It begins ${'and goes on '.repeat(60)}and ends.`;
    await using server = await refusing(400, message);
    await using dir = await project({ 'x.eval.yaml': yamlEval('x', server.model, 1) });
    const { stderr } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
    expect(stderr.split('and ends.').length).toBeGreaterThanOrEqual(3);
  });

  test('lines come every ten seconds, also while nothing ends', async () => {
    const target =
      'async ({ input }) => { await new Promise((resolve) => setTimeout(resolve, 11500)); return input; }';
    await using dir = await project({
      'x.eval.ts': `import { defineEval, exact } from 'holdfast';
        export default defineEval({ name: 'x', data: [{ input: 'a', target: 'a' }], target: ${target}, scorers: [exact()] });\n`,
    });
    const { stderr } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(stderr).toContain('x: 0/1 (0 %), 1 running');
  }, 30_000);
});

const evalOf = (scorers: string, more = '') =>
  `import { defineEval, exact, scorer } from 'holdfast';
   export default defineEval({ name: 'x', data: [{ id: 1, input: 'a', target: 'a' }, { id: 2, input: 'b', target: 'b' }],
     target: 'mock/echo', scorers: [${scorers}], ${more} });\n`;

describe('scorers', () => {
  const THROWS = `scorer('picky', ({ input }) => { if (input === 'b') throw new Error('no verdict on b'); return 1; })`;

  test('one that throws is in the account with its reason, ends with 1, and is asked again by the same command', async () => {
    await using dir = await project({ 'x.eval.ts': evalOf(THROWS) });
    const { code, stdout, stderr } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(code).toBe(1);
    expect(stderr).toContain('the scorer picky failed on sample 2: no verdict on b');
    expect(stdout).toContain('picky failed on 1 sample: no verdict on b');
    expect(stdout).toContain('To score again what a scorer failed on: holdfast run x.eval.ts');
    const again = await holdfast(dir.path, ['run', 'x.eval.ts', '--json']);
    expect(again.code).toBe(1);
    expect(reportOf(again).runs[0]).toMatchObject({
      samples: { reused: 1, rescored: 1, fresh: 0 },
      answers: { bought: 0 },
      scorerTroubles: [{ scorer: 'picky', failed: 1, scored: 1, reason: 'no verdict on b' }],
    });
  });

  test('one that scores nothing ends with 1, each time', async () => {
    await using dir = await project({ 'x.eval.ts': evalOf(`scorer('mute', () => NaN), exact()`) });
    for (let time = 0; time < 2; time++) {
      const { code, stdout } = await holdfast(dir.path, ['run', 'x.eval.ts']);
      expect(stdout).toContain('mute scored nothing: all its samples are unscored');
      expect(code).toBe(1);
    }
  });

  test('one that hangs is stopped at its time limit', async () => {
    await using dir = await project({
      'x.eval.ts': evalOf(`scorer('slow', () => new Promise(() => {})), exact()`, 'scorerTimeMs: 300'),
    });
    const { code, stdout } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'slow failed on 2 samples and scored nothing: The scorer slow took longer than 0.3 s',
    );
    expect(stdout).toContain('exact  accuracy 1.000');
    const log = await openLog(join(dir.path, /logs\/\S+\.eval/.exec(stdout)?.[0] ?? ''));
    const sample = await log.sampleFields(1, 1);
    await log.close();
    expect(sample?.scores?.slow?.metadata).toMatchObject({ code: 'E_SCORER_TIME' });
  });

  test.each([
    'exact',
    'includes',
    'numeric',
    'json',
    'regex',
    'choice',
    '{ modelGraded: { model: mock/echo } }',
  ])('%s on rows without a target is refused before anything runs', async (scorer) => {
    await using server = await startChatServer();
    await using dir = await project({
      'x.eval.yaml': `name: x\ndata: rows.jsonl\ntarget: ${server.model}\nscorers: [${scorer}]\n`,
      'rows.jsonl': '{"input": "a", "target": "1", "choices": ["1", "2"]}\n{"input": "b"}\n{"input": "c"}\n',
    });
    const ended = await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']);
    expect(ended.code).toBe(2);
    expect(reportOf(ended).runs[0]?.error).toMatchObject({
      code: 'E_SCORER_TARGET',
      message: expect.stringMatching(
        /^rows\.jsonl:2: Sample b-\w+ has no .*So it is with 1 more of 3 rows\.$/,
      ),
    });
    expect(server.requests).toHaveLength(0);
    // Rows that are not run need none.
    expect((await holdfast(dir.path, ['run', 'x.eval.yaml', '--limit', '1', '--dry-run'])).code).toBe(0);
  });

  test('a record has one figure for each key, on the screen and in the log', async () => {
    await using dir = await project({
      'x.eval.ts': evalOf(
        `scorer('parts', ({ input }) => ({ value: { form: true, sense: input === 'a' } }))`,
      ),
    });
    const { code, stdout } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(code).toBe(0);
    expect(stdout).toContain('parts/form  accuracy 1.000');
    expect(stdout).toContain('parts/sense  accuracy 0.500');
    const log = await openLog(join(dir.path, /logs\/\S+\.eval/.exec(stdout)?.[0] ?? ''));
    const { results } = await log.header();
    await log.close();
    expect(results?.scores).toMatchObject([
      { name: 'form', scorer: 'parts', metrics: { accuracy: { value: 1 } } },
      { name: 'sense', scorer: 'parts', metrics: { accuracy: { value: 0.5 } } },
    ]);
  });
});

describe('files', () => {
  test('an agent’s output of more than 16 MiB is whole in the file that the log names', async () => {
    await using dir = await project({
      'big.sh': '#!/bin/sh\necho begin\nhead -c 17825792 /dev/zero | tr "\\0" x\necho\necho end\n',
      'x.eval.ts': '',
    });
    await chmod(join(dir.path, 'big.sh'), 0o755);
    const argv = JSON.stringify([join(dir.path, 'big.sh')]);
    await writeFile(
      join(dir.path, 'x.eval.yaml'),
      `name: x\ndata: [{ id: 1, input: a, target: end }]\ntarget: { command: ${argv} }\nscorers: [includes]\n`,
    );
    const { code, stdout } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
    expect(code).toBe(0);
    const log = await openLog(join(dir.path, /logs\/\S+\.eval/.exec(stdout)?.[0] ?? ''));
    const sample = await log.sampleFields(1, 1);
    await log.close();
    const file = /the whole text is in (\S+) …\]/.exec(sample?.output.completion ?? '')?.[1] ?? '';
    const whole = await readFile(file, 'utf8');
    expect(whole.length).toBe('begin\n'.length + 17_825_792 + '\nend\n'.length);
    expect(whole.startsWith('begin\nx') && whole.endsWith('x\nend\n')).toBe(true);
  }, 60_000);

  test('a finished log that is damaged is not taken as done', async () => {
    await using dir = await project({ 'x.eval.yaml': yamlEval('x', 'mock/echo', 3) });
    const first = reportOf(await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']));
    const path = first.runs[0]?.log ?? '';
    const bytes = await readFile(path);
    const at = bytes.indexOf('samples/2_epoch_1.json') + 60;
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    await writeFile(path, bytes);
    const again = await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']);
    expect(reportOf(again).runs[0]?.samples?.reused).toBeLessThan(3);
    expect(reportOf(again).runs[0]).toMatchObject({ state: 'done', samples: { remaining: 0 } });
  });

  test.each([
    ['d.jsonl', '{"input": "a"}\n\n{"input": oops}\n', 'd.jsonl:3: not valid JSON at column 11'],
    [
      'd.json',
      '[\n  {"input": "a"},\n  {\n    "input": oops\n  }\n]\n',
      'd.json:4: not valid JSON at column 14',
    ],
    ['d.json', '[\n\n  {"inputs": "a"}\n]\n', 'd.json:3: "input" is missing'],
    ['d.csv', 'input,metadata\na,"{""x"": 1}"\n"b\nc",{nope}\n', 'd.csv:3: "metadata" is not valid JSON'],
    ['d.yaml', '- input: a\n\n- inputs: b\n', 'd.yaml:3: "input" is missing'],
  ])('file and line of a malformed row agree: %s', async (name, text, says) => {
    await using dir = await project({
      'x.eval.yaml': `name: x\ndata: ${name}\ntarget: mock/echo\nscorers: []\n`,
      [name]: text,
    });
    const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(stderr.match(/line \d+/)).toBe(null);
  });

  test('a hint names the page of the package that is installed', async () => {
    await using dir = await project({
      'x.eval.yaml': 'name: x\ndata: [{ input: a }]\nscorers: []\nlimt: 3\n',
    });
    const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
    expect(code).toBe(2);
    const page = /(\/\S+\/docs\/guide\/writing-evals\.md)/.exec(stderr)?.[1] ?? '';
    expect(await readFile(page, 'utf8')).toContain('scorers');
  });
});
