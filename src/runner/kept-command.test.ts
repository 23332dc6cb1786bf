/** Agents whose output is kept while nothing of them changed. Each writes a line into a ledger whenever it works. */
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { type CommandTarget, includes } from '../evals/index.ts';
import { createModels } from '../targets/index.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const data = ['a', 'b'].map((id) => ({ id, input: id, target: id }));

async function writeProgram(path: string, script: string): Promise<void> {
  await writeFile(path, `#!/bin/sh\n${script}\n`);
  await chmod(path, 0o755);
}

/** Says what it is told, after it has written down that it worked. */
const working = (more = '') => `echo x >> ${join(harness.dir, 'ledger')}\ncat\n${more}`;

async function worked(): Promise<number> {
  return (await readFile(join(harness.dir, 'ledger'), 'utf8')).split('\n').length - 1;
}

function run(target: CommandTarget, env: Readonly<Record<string, string>> = {}) {
  const models = createModels({ env: { PATH: '/usr/bin:/bin', ...env }, concurrency: 4 });
  return harness.run({ name: 'agent', data, target, scorers: [includes()] }, { models });
}

test('a program beside the eval is found, and its output is kept until the program changes', async () => {
  const program = join(harness.dir, 'agent.sh');
  await writeProgram(program, working());
  const { account } = await run({ command: ['./agent.sh'] });
  expect((await harness.samples(account.log)).map(({ output }) => output?.completion)).toEqual(['a', 'b']);
  await run({ command: ['./agent.sh'] });
  expect(await worked()).toBe(2);
  await writeProgram(program, working('echo more'));
  await run({ command: ['./agent.sh'] });
  expect(await worked()).toBe(4);
});

test('a program of the workspace folder is that of the workspace, also when another lies beside the eval', async () => {
  await mkdir(join(harness.dir, 'template'));
  await writeProgram(join(harness.dir, 'agent.sh'), 'echo wrong');
  await writeProgram(join(harness.dir, 'template/agent.sh'), working());
  const target = { command: ['./agent.sh'], workspace: 'template' };
  const { account } = await run(target);
  expect((await harness.samples(account.log)).map(({ output }) => output?.completion)).toEqual(['a', 'b']);
  await writeProgram(join(harness.dir, 'agent.sh'), 'echo still wrong');
  await run(target);
  expect(await worked()).toBe(2);
  await writeProgram(join(harness.dir, 'template/agent.sh'), working('echo more'));
  await run(target);
  expect(await worked()).toBe(4);
});

test('a path that leads nowhere is refused before anything runs', async () => {
  await expect(run({ command: ['./agent.sh'] })).rejects.toMatchObject({
    code: 'E_COMMAND_NOT_FOUND',
    message: expect.stringContaining(harness.dir),
  });
});

test('a file that an argument names by its whole path counts as the program does', async () => {
  const script = join(harness.dir, 'agent.sh');
  await writeFile(script, working());
  const target = { command: ['sh', script] };
  await run(target);
  await run(target);
  expect(await worked()).toBe(2);
  await writeFile(script, working('echo more'));
  await run(target);
  expect(await worked()).toBe(4);
});

test('a setting in the environment counts, a key does not', async () => {
  await writeProgram(join(harness.dir, 'agent.sh'), working());
  const target = { command: ['./agent.sh'], env: ['AGENT_MODEL', 'AGENT_KEY'] };
  await run(target, { AGENT_MODEL: 'small', AGENT_KEY: 'k1' });
  await run(target, { AGENT_MODEL: 'small', AGENT_KEY: 'k2' });
  expect(await worked()).toBe(2);
  await run(target, { AGENT_MODEL: 'large', AGENT_KEY: 'k2' });
  expect(await worked()).toBe(4);
});

test('an installed agent is another one when it prints another version, and is asked for it once a run', async () => {
  // Outside of the folder of the eval: what is installed is known by its version alone.
  const other = await createHarness();
  try {
    const install = (version: string, more = '') =>
      writeProgram(
        join(other.dir, 'claude'),
        `if [ "$1" = --version ]; then echo v >> ${join(other.dir, 'asked')}; echo ${version}; exit; fi
        echo x >> ${join(harness.dir, 'ledger')}; echo '{"type":"result","result":"a b"}' ${more}`,
      );
    const env = { PATH: `${other.dir}:/usr/bin:/bin` };
    await install('1.0');
    await run({ preset: 'claude' }, env);
    expect(await readFile(join(other.dir, 'asked'), 'utf8')).toBe('v\n');
    await install('1.0', ';');
    await run({ preset: 'claude' }, env);
    expect(await worked()).toBe(2);
    await install('1.1');
    await run({ preset: 'claude' }, env);
    expect(await worked()).toBe(4);
    await run({ preset: 'claude' }, { ...env, ANTHROPIC_BASE_URL: 'http://other' });
    expect(await worked()).toBe(6);
  } finally {
    await other.close();
  }
});
