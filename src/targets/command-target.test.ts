import { chmod, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { expectInspectEvents } from '../../test/sim/inspect-events.ts';
import { runTarget, startAttempt, testModels } from '../../test/sim/target-attempt.ts';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import type { CommandTarget } from '../evals/index.ts';
import { createBudget } from './budget.ts';
import { createExec } from './exec.ts';
import { resolveTarget } from './resolve-target.ts';
import { createWorkspace } from './workspace.ts';

/** An agent written for the test, in a folder of its own on the PATH. */
async function makeAgent(dir: TempDir, name: string, script: string): Promise<string> {
  const bin = join(dir.path, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, name), `#!${process.execPath}\n${script}`);
  await chmod(join(bin, name), 0o755);
  return bin;
}

async function runAgent(dir: TempDir, script: string, spec: Partial<CommandTarget> = {}, options = {}) {
  const bin = await makeAgent(dir, 'agent', script);
  const models = testModels({
    env: { PATH: bin, HOME: dir.path, SECRET_KEY: 'sk-0123456789', OTHER: 'unseen' },
  });
  return runTarget({ command: ['agent'], ...spec }, { models, workDir: dir.path, ...options });
}

const ECHO = `let text = ''; process.stdin.on('data', (d) => text += d).on('end', () => process.stdout.write('stdin: ' + text));`;

describe('how an agent is started', () => {
  test('the prompt comes on stdin, unless an argument holds it', async () => {
    await using dir = await makeTempDir();
    expect((await runAgent(dir, ECHO)).result.output).toBe('stdin: Hello');
    const args = 'process.stdout.write(JSON.stringify(process.argv.slice(2)))';
    const { result } = await runAgent(
      dir,
      args,
      { command: ['agent', '--id={{id}}', '{{input}}', '{{metadata.topic}}'] },
      { sample: { id: 7, input: 'say "$HOME" {{id}}', metadata: { topic: 'x y' } } },
    );
    expect(JSON.parse(String(result.output))).toEqual(['--id=7', 'say "$HOME" {{id}}', 'x y']);
  });

  test('each sample has a workspace of its own, copied from the template', async () => {
    await using dir = await makeTempDir();
    await mkdir(join(dir.path, 'template/sub'), { recursive: true });
    await writeFile(join(dir.path, 'template/sub/data.txt'), 'from the template');
    const script = `const fs = require('fs'); fs.writeFileSync('answer.txt', fs.readFileSync('sub/data.txt') + '!');`;
    const { result, dir: attemptDir } = await runAgent(dir, script, {
      workspace: 'template',
      outputFile: 'answer.txt',
    });
    expect(result.output).toBe('from the template!');
    expect(attemptDir).toBe(join(dir.path, 'work/one/1-1'));
    expect(await readdir(join(dir.path, 'template'))).toEqual(['sub']);
    const again = await runAgent(dir, script, { workspace: 'template', outputFile: 'answer.txt' });
    expect(again.dir).toBe(join(dir.path, 'work/one/1-2'));
  });

  test('an id such as ../x never becomes a path outside', async () => {
    await using dir = await makeTempDir();
    const { dir: attemptDir } = await runAgent(dir, ECHO, {}, { sample: { id: '../../x' } });
    expect(attemptDir?.startsWith(join(dir.path, 'work/'))).toBe(true);
  });

  test('it sees only the environment that it may see, and no value of it is left in events', async () => {
    await using dir = await makeTempDir();
    const script = 'process.stdout.write(JSON.stringify(process.env))';
    const { result, attempt } = await runAgent(dir, script, { env: ['SECRET_KEY'] });
    const { HOLDFAST_PROCESS: marker, ...env } = JSON.parse(String(result.output));
    expect(marker).toBeTypeOf('string');
    expect(env).toEqual({ PATH: join(dir.path, 'bin'), HOME: dir.path, SECRET_KEY: '[redacted]' });
    expect(JSON.stringify(attempt.recorder.events)).not.toContain('sk-0123456789');
  });
});

test('a run of an agent is an event that Inspect can read', async () => {
  await using dir = await makeTempDir();
  const { attempt, result } = await runAgent(dir, `${ECHO} process.stderr.write('note');`);
  expect(attempt.recorder.events).toMatchObject([
    {
      event: 'sandbox',
      action: 'exec',
      cmd: 'agent',
      input: 'Hello',
      result: 0,
      output: 'stdin: Hello',
      metadata: { holdfast: { argv: ['agent'], exit_code: 0, stderr: { text: 'note' } } },
    },
  ]);
  expectInspectEvents(attempt.recorder.events);
  expect(result.messages).toMatchObject([
    { role: 'user', content: 'Hello' },
    { role: 'assistant', content: 'stdin: Hello' },
  ]);
  expect(result.modelOutput.model).toBe('command/agent');
});

describe('what goes wrong', () => {
  test('an exit code is an execution error with the end of stderr, secrets taken out', async () => {
    await using dir = await makeTempDir();
    const script = `process.stderr.write('x'.repeat(9000) + ' fatal: ' + process.env.SECRET_KEY); process.exitCode = 4;`;
    await expect(runAgent(dir, script, { env: ['SECRET_KEY'] })).rejects.toMatchObject({
      code: 'E_COMMAND_FAILED',
      message: expect.stringMatching(/exit code 4: x+ fatal: \[redacted\]$/),
    });
  });

  test('an agent that prints nothing has answered with nothing: that is an answer', async () => {
    await using dir = await makeTempDir();
    expect((await runAgent(dir, '')).result.output).toBe('');
  });

  test('an answer file that is not there is an execution error', async () => {
    await using dir = await makeTempDir();
    await expect(runAgent(dir, '', { outputFile: 'answer.txt' })).rejects.toMatchObject({
      code: 'E_TARGET_NO_OUTPUT',
    });
  });

  test('at the time limit it is stopped, and what it said is kept', async () => {
    await using dir = await makeTempDir();
    const bin = await makeAgent(dir, 'agent', `process.stdout.write('so far'); setInterval(() => {}, 1000);`);
    const models = testModels({ env: { PATH: bin } });
    const attempt = startAttempt({ limits: { timeMs: 1_000 } });
    const run = runTarget({ command: ['agent'] }, { models, workDir: dir.path, attempt });
    await expect(run).rejects.toMatchObject({ name: 'LimitExceeded', type: 'time' });
    expect(attempt.scope.conversation.output?.completion).toBe('so far');
    // What it has spent by then, nobody knows.
    expect(attempt.meter.totals).toMatchObject({ spentUsd: 0, unpricedCalls: 1 });
    expect(models.budget.unpricedCalls).toBe(1);
    expect(attempt.recorder.events).toMatchObject([{ event: 'sandbox', result: 143 }]);
  });

  test('bytes that are no UTF-8 are replaced, and the event says so', async () => {
    await using dir = await makeTempDir();
    const {
      result,
      attempt,
      dir: attemptDir,
    } = await runAgent(dir, 'process.stdout.write(Buffer.from([97, 255, 98]))');
    expect(result.output).toBe('a\ufffdb');
    expect(attempt.recorder.events[0]?.metadata).toMatchObject({
      holdfast: { stdout: { bytes: 3, invalid_utf8: true } },
    });
    expect([...(await readFile(join(attemptDir as string, 'agent-1.stdout')))]).toEqual([97, 255, 98]);
  });

  test.each([
    [{ command: ['no-such-agent'] }, 'E_COMMAND_NOT_FOUND'],
    [{ command: [] }, 'E_TARGET_UNKNOWN'],
    [{ command: ['agent', '{{target}}'] }, 'E_TEMPLATE_UNKNOWN'],
    [{ command: ['agent'], promptVia: 'argument' }, 'E_TEMPLATE_UNKNOWN'],
    [{ command: ['agent'], workspace: 'nowhere' }, 'E_WORKSPACE_MISSING'],
  ] as const)('%j is refused before anything runs: %s', async (spec, code) => {
    await using dir = await makeTempDir();
    await expect(runAgent(dir, ECHO, spec)).rejects.toMatchObject({ code });
    expect(await readdir(dir.path)).toEqual(['bin']);
  });

  test('it is not started when the budget is spent', async () => {
    await using dir = await makeTempDir();
    const models = testModels({
      env: { PATH: await makeAgent(dir, 'agent', ECHO) },
      budget: createBudget(0),
    });
    const run = runTarget({ command: ['agent'] }, { models, workDir: dir.path });
    await expect(run).rejects.toMatchObject({ code: 'E_BUDGET_EXHAUSTED' });
  });
});

test('the key of a target changes with its template, so that a changed one is not reused', async () => {
  await using dir = await makeTempDir();
  await makeAgent(dir, 'agent', ECHO);
  await mkdir(join(dir.path, 'template'));
  const models = testModels({ env: { PATH: join(dir.path, 'bin') } });
  const spec = { command: ['agent'], workspace: 'template' };
  const keyNow = async () => (await resolveTarget(spec, { models, disk: nodeDisk, baseDir: dir.path })).key;
  const before = await keyNow();
  expect(await keyNow()).toEqual(before);
  await writeFile(join(dir.path, 'template/file'), 'new');
  expect(await keyNow()).not.toEqual(before);
});

describe('presets', () => {
  const CLAUDE = {
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: 'Paris',
    num_turns: 2,
    session_id: 's1',
    total_cost_usd: 0.25,
    usage: { input_tokens: 10, cache_creation_input_tokens: 4, cache_read_input_tokens: 6, output_tokens: 5 },
  };

  async function runPreset(dir: TempDir, preset: 'claude' | 'codex', script: string) {
    const models = await presetModels(dir, preset, script);
    return { models, ...(await runTarget({ preset }, { models, workDir: dir.path })) };
  }

  async function presetModels(dir: TempDir, preset: 'claude' | 'codex', script: string) {
    return testModels({ env: { PATH: await makeAgent(dir, preset, script) }, budget: createBudget(10) });
  }

  test('claude: the result, its tokens and its cost are read from its JSON', async () => {
    await using dir = await makeTempDir();
    const script = `require('fs').writeFileSync('argv', process.argv.slice(2).join(' '));
      process.stdout.write(${JSON.stringify(JSON.stringify(CLAUDE))});`;
    const { result, attempt, models, dir: attemptDir } = await runPreset(dir, 'claude', script);
    expect(result.output).toBe('Paris');
    expect(result.modelOutput.usage).toEqual({
      input_tokens: 10,
      output_tokens: 5,
      total_tokens: 25,
      input_tokens_cache_write: 4,
      input_tokens_cache_read: 6,
    });
    expect(models.budget.spentUsd).toBe(0.25);
    expect(attempt.meter.usageByModel()['command/claude']?.total_cost).toBe(0.25);
    expect(await readFile(join(attemptDir as string, 'workspace/argv'), 'utf8')).toBe(
      '-p --output-format json --permission-mode acceptEdits',
    );
  });

  test('claude: an error that it reports is an execution error, and so is what cannot be read', async () => {
    await using dir = await makeTempDir();
    const failed = JSON.stringify({ ...CLAUDE, is_error: true, result: 'Credit balance is too low' });
    await expect(
      runPreset(dir, 'claude', `process.stdout.write(${JSON.stringify(failed)})`),
    ).rejects.toMatchObject({
      code: 'E_COMMAND_FAILED',
      message: expect.stringContaining('Credit balance'),
    });
    await expect(runPreset(dir, 'claude', `process.stdout.write('hi')`)).rejects.toMatchObject({
      code: 'E_COMMAND_OUTPUT',
    });
  });

  test.each([
    ['says that it failed', { is_error: true, result: 'too many turns' }, ''],
    ['says so and ends with an exit code', { is_error: true, result: undefined }, 'process.exitCode = 1;'],
    ['leaves no file', {}, ''],
  ])('claude: one that %s has cost what it says all the same', async (_, more, then) => {
    await using dir = await makeTempDir();
    const printed = JSON.stringify(JSON.stringify({ ...CLAUDE, ...more }));
    const models = await presetModels(dir, 'claude', `process.stdout.write(${printed}); ${then}`);
    // What it cost is more than it may, but that is not why it failed.
    const attempt = startAttempt({ limits: { costUsd: 0.1 } });
    const spec = { preset: 'claude', outputFile: 'answer.txt' } as const;
    const run = runTarget(spec, { models, workDir: dir.path, attempt });
    await expect(run).rejects.toMatchObject({
      code: expect.stringMatching(/^E_(COMMAND_FAILED|TARGET_NO_OUTPUT)$/),
    });
    expect(models.budget).toMatchObject({ spentUsd: 0.25, unpricedCalls: 0 });
    expect(attempt.meter.totals).toMatchObject({ spentUsd: 0.25, tokens: 25 });
  });

  test.each(['', 'process.exitCode = 3;'])(
    'one of which nothing can be read (%j) has cost nobody knows what',
    async (then) => {
      await using dir = await makeTempDir();
      const models = await presetModels(dir, 'claude', `process.stdout.write('hi'); ${then}`);
      const attempt = startAttempt();
      await expect(runTarget({ preset: 'claude' }, { models, workDir: dir.path, attempt })).rejects.toThrow();
      expect(models.budget).toMatchObject({ spentUsd: 0, unpricedCalls: 1 });
      expect(attempt.meter.totals.unpricedCalls).toBe(1);
    },
  );

  test('codex: the last message and the sum of the turns are read from its events', async () => {
    await using dir = await makeTempDir();
    const events = [
      { type: 'thread.started', thread_id: 't' },
      { type: 'item.completed', item: { type: 'agent_message', text: 'thinking' } },
      { type: 'turn.completed', usage: { input_tokens: 10, cached_input_tokens: 4, output_tokens: 3 } },
      { type: 'item.completed', item: { type: 'command_execution', command: 'ls' } },
      { type: 'item.completed', item: { type: 'agent_message', text: 'Paris' } },
      { type: 'turn.completed', usage: { input_tokens: 20, cached_input_tokens: 0, output_tokens: 2 } },
    ];
    const lines = ['not json', ...events.map((event) => JSON.stringify(event))].join('\n');
    const { result, attempt } = await runPreset(
      dir,
      'codex',
      `process.stdout.write(${JSON.stringify(lines)})`,
    );
    expect(result.output).toBe('Paris');
    expect(result.modelOutput.usage).toMatchObject({
      input_tokens: 26,
      input_tokens_cache_read: 4,
      total_tokens: 35,
    });
    expect(attempt.meter.totals.unpricedCalls).toBe(1);
  });

  test('codex: a turn that failed is an execution error', async () => {
    await using dir = await makeTempDir();
    const line = JSON.stringify({ type: 'turn.failed', error: { message: 'usage limit' } });
    await expect(runPreset(dir, 'codex', `process.stdout.write(${JSON.stringify(line)})`)).rejects.toThrow(
      'usage limit',
    );
  });
});

describe('exec for scorers', () => {
  async function setUp(dir: TempDir) {
    const attempt = startAttempt();
    const workspace = createWorkspace({ disk: nodeDisk, workDir: dir.path, sampleId: 'one', epoch: 1 });
    const exec = createExec({ models: testModels(), scope: attempt.scope, workspace });
    return { attempt, workspace, exec };
  }
  const node = (script: string) => [process.execPath, '-e', script];

  test('it runs in the workspace of the sample and tells all', async () => {
    await using dir = await makeTempDir();
    const { exec, workspace, attempt } = await setUp(dir);
    await writeFile(join(await workspace.open(), 'answer'), '42');
    const run = await exec(
      node(
        `process.stdin.pipe(process.stdout); console.error(require('fs').readFileSync('answer', 'utf8')); process.exitCode = 1`,
      ),
      { stdin: 'in' },
    );
    expect(run).toEqual({ exitCode: 1, signal: null, stdout: 'in', stderr: '42\n', timedOut: false });
    expectInspectEvents(attempt.recorder.events);
  });

  test('a command that takes too long is ended', async () => {
    await using dir = await makeTempDir();
    const { exec } = await setUp(dir);
    const run = await exec(node('setInterval(() => {}, 1000)'), { timeoutMs: 300 });
    expect(run).toMatchObject({ timedOut: true, exitCode: null, signal: 'SIGTERM' });
  });
});
