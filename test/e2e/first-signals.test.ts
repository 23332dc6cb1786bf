/** Signals that come before a command can end in order: it ends as its help says, at once, and leaves nothing behind. */
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { CATALOG } from '../../src/cli/catalog.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { filesBelow, holdfast, jsonOf, startHoldfast } from './holdfast.ts';
import { commitAll, git } from './shared-project.ts';

const redis = useRedis();

/** Sends the signal to its own process in the moment in which a module is loaded. */
const PRELOAD = `
import { registerHooks } from 'node:module';
const [wanted, signal] = process.env.SIGNAL_AT.split(' ');
let isSent = false;
registerHooks({
  load(url, context, next) {
    const loaded = next(url, context);
    if (!isSent && url.endsWith(wanted)) {
      isSent = true;
      process.kill(process.pid, signal);
    }
    return loaded;
  },
});
`;

const EVAL = (top: string, data = '[{ id: 1, input: "q" }]') => `
import { writeFileSync } from 'node:fs';
import { defineEval, exact } from 'holdfast';
const loopForAMinute = () => {
  writeFileSync('mark', 'x');
  for (const untilMs = Date.now() + 60_000; Date.now() < untilMs; );
};
${top}
export default defineEval({ name: 'x', data: ${data}, target: async () => 'a', scorers: [exact()] });
`;

async function projectOf(text: string) {
  const dir = await makeTempDir();
  const preload = join(dir.path, 'preload.mjs');
  await writeFile(preload, PRELOAD);
  await writeFile(join(dir.path, 'x.eval.mjs'), text);
  await writeFile(join(dir.path, '.gitignore'), 'logs/\n.holdfast/\nmark\n');
  git(dir.path, 'init', '-q', '-b', 'main');
  commitAll(dir.path);
  const env = {
    // Nobody listens there: whoever asks is not stopped.
    ...{ HOLDFAST_QUEUE: 'redis://127.0.0.1:1', HOLDFAST_BUCKET: join(dir.path, 'bucket') },
    NODE_OPTIONS: `--import=${preload}`,
  };
  return Object.assign(dir, { env });
}

const STOPPED: readonly (readonly [command: string, module: string, signal: string, code: number])[] = [
  ['submit x.eval.mjs', 'cli/main.ts', 'SIGINT', 4],
  ['submit x.eval.mjs', 'shared/submit-command.ts', 'SIGTERM', 4],
  ['worker', 'cli/main.ts', 'SIGTERM', 0],
  ['worker', 'shared/worker-command.ts', 'SIGINT', 0],
  ['runs wait 2026', 'commands/runs-wait.ts', 'SIGINT', 4],
  ['runs fetch 2026', 'commands/runs-fetch.ts', 'SIGINT', 4],
  ['runs logs 2026 --follow', 'commands/runs-logs.ts', 'SIGHUP', 4],
  ['run x.eval.mjs', 'run/run-command.ts', 'SIGINT', 4],
];

/** What the help of a command says of its codes. */
async function exitsOf(command: string): Promise<Readonly<Record<number, string>>> {
  const entry = CATALOG.find(({ words }) => `${command} `.startsWith(`${words.join(' ')} `));
  return (await entry?.load())?.command.exits ?? {};
}

describe('a signal while modules are loaded', () => {
  test.each(STOPPED)('%s, at %s, %s: ends with its own code', async (command, module, signal, code) => {
    await using project = await projectOf(EVAL(''));
    const before = filesBelow(project.path).filter((path) => !path.startsWith('.git'));
    const ended = await holdfast(project.path, [...command.split(' '), '--json'], {
      ...project.env,
      SIGNAL_AT: `${module} ${signal}`,
    });
    expect(ended).toMatchObject({ code, signal: null });
    expect(jsonOf(ended)).toMatchObject({ exitCode: code, error: { code: 'E_INTERRUPTED' } });
    expect(ended.stderr).toBe(`Stopped by ${signal} before anything was begun.\n`);
    expect(filesBelow(project.path).filter((path) => !path.startsWith('.git'))).toEqual(before);
    expect(await exitsOf(command)).toMatchObject({
      [code]: expect.stringMatching(/[Ii]nterrupted|told to go/),
    });
  });

  test('whoever has no such code dies of it, as programs do', async () => {
    await using project = await projectOf(EVAL(''));
    const env = { ...project.env, SIGNAL_AT: 'commands/log-list.ts SIGINT' };
    expect(await holdfast(project.path, ['log', 'list'], env)).toMatchObject({
      code: null,
      signal: 'SIGINT',
    });
  });
});

describe('code that keeps its thread while an eval is loaded', () => {
  const inData = EVAL('', 'async function* () { loopForAMinute(); yield { id: 1, input: "q" }; }');
  const cases = [
    ['run', 'at the top of its file', EVAL('loopForAMinute();')],
    ...(redisObstacle === undefined ? [['submit', 'in its data', inData] as const] : []),
  ] as const;
  test.each(cases)(onRedis('%s, %s: one Ctrl-C ends it'), async (command, _, text) => {
    await using project = await projectOf(text);
    const env = { HOLDFAST_BUCKET: project.env.HOLDFAST_BUCKET, HOLDFAST_QUEUE: redis.url() };
    const started = startHoldfast(project.path, [command, 'x.eval.mjs', '--model', 'mock/echo'], env);
    while (!existsSync(join(project.path, 'mark'))) {
      if (started.child.exitCode !== null) throw new Error((await started.ended).stderr);
      await sleep(20);
    }
    started.child.kill('SIGINT');
    expect(await started.ended).toMatchObject({ code: null, signal: 'SIGINT' });
  });
});
