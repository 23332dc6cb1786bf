/** Mistakes of the user that no worker can get around: refused when they can be seen, and said in the words of a run on one machine when not. */
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import type { Ended } from './holdfast.ts';
import { commitAll, sharedProject, writeEval } from './shared-project.ts';

const redis = useRedis();
const jsonOf = ({ stdout }: Ended) => JSON.parse(stdout);
const SUBMIT = ['submit', 'shared.eval.ts', '--json'];
/** Of a machine that has the variable, and not of one that has not. */
const needs = (variable: string) => `
import { defineEval, includes } from 'holdfast';
if (!process.env.${variable}) throw new Error('${variable} is not set');
export default defineEval({
  name: 'shared',
  data: [{ id: 'a', input: 'a', target: 'a' }, { id: 'b', input: 'b', target: 'b' }],
  target: ({ input }) => input,
  scorers: [includes()],
});
`;

describe.skipIf(redisObstacle !== undefined)(onRedis('mistakes in shared runs'), () => {
  test('[SHR-25] a forgotten model cancels the round in the words of a run, nothing is lost, and status, wait and fetch say what to do', async () => {
    const more = 'target: async ({ input }, { generate }) => (await generate(input)).text,';
    await using project = await sharedProject({ samples: 6, queue: redis.url(), more });
    const local = jsonOf(
      await project.holdfast(['run', 'shared.eval.ts', '--json', '--log-dir', 'logs/own']),
    );
    const { message, hint } = local.runs[0].error;
    expect(local).toMatchObject({ exitCode: 2, runs: [{ error: { code: 'E_MODEL_NONE' } }] });
    await project.worker();
    const submitted = jsonOf(await project.holdfast(SUBMIT));
    const [{ run, status, home }] = submitted.runs;
    expect(submitted.exitCode).toBe(6);
    expect(status.cancelled).toMatchObject({
      because: 'mistake',
      code: 'E_MODEL_NONE',
      reason: message,
      hint,
    });
    expect(status).toMatchObject({ lostLeases: 0, samples: { aside: 0, errored: 0, completed: 0 } });
    for (const words of [
      ['runs', 'status', run],
      ['runs', 'wait', run],
      ['runs', 'fetch', run],
    ]) {
      const { stdout } = await project.holdfast(words, { COLUMNS: '500' });
      for (const said of [message, hint, 'E_MODEL_NONE']) expect(stdout).toContain(said);
    }
    expect(home).toMatchObject({ lostLeases: [], lostResults: [] });
    // Once nobody has anything of it there is a log of what was begun, or nothing to make one of.
    const isSettled = async () => {
      const { isUndone, log } = jsonOf(await project.holdfast(['runs', 'fetch', run, '--json'])).home;
      return isUndone === true || log !== undefined;
    };
    await expect.poll(isSettled).toBe(true);
  });

  test('[SHR-25] what every worker throws at cancels the round; resumed, it is done by those that have what was missing', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    writeEval(project, needs('SPECIAL'));
    commitAll(project.path);
    const poor = await project.worker();
    const submitted = jsonOf(await project.holdfast(SUBMIT, { SPECIAL: 'x' }));
    const [{ run, status }] = submitted.runs;
    expect(submitted.exitCode).toBe(6);
    expect(status.cancelled).toMatchObject({
      ...{ because: 'mistake', code: 'E_EVAL_THROWS', reason: expect.stringContaining('SPECIAL is not set') },
    });
    poor.child.kill('SIGTERM');
    await poor.ended;
    await project.worker([], { SPECIAL: 'x' });
    const resumed = jsonOf(await project.holdfast(['runs', 'resume', run, '--json']));
    expect(resumed).toMatchObject({
      ...{ exitCode: 0, runs: [{ status: { state: 'complete', lostLeases: 0, samples: { completed: 2 } } }] },
    });
  });

  test('[SHR-25] rows that are others each time are a mistake that is told, and not waited out', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    writeEval(
      project,
      needs('PATH').replace(
        /data: .*/,
        'data: () => [{ id: "a", input: String(Math.random()), target: "a" }],',
      ),
    );
    commitAll(project.path);
    await project.worker();
    expect(jsonOf(await project.holdfast(SUBMIT))).toMatchObject({
      exitCode: 6,
      runs: [{ status: { cancelled: { because: 'mistake', code: 'E_WORKER_DIFFERS' } } }],
    });
  });

  test('[EVI-5] what the eval wants redacted is in no reason, also when its rows cannot be read on a worker', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const rows = `() => {
    if (!process.env.SPECIAL) throw new Error('sk-123-456 is not known');
    return [{ id: 'a', input: 'a', target: 'a' }];
  }`;
    const text = needs('PATH').replace(/data: .*/, `data: ${rows},\n  redact: [/sk-\\d+-\\d+/],`);
    writeEval(project, text);
    commitAll(project.path);
    const worker = await project.worker();
    const submitted = jsonOf(await project.holdfast(SUBMIT, { SPECIAL: 'x' }));
    const [{ run, status }] = submitted.runs;
    expect(status.cancelled).toMatchObject({
      ...{ because: 'mistake', reason: expect.stringContaining('[redacted] is not known') },
    });
    const logs = await project.holdfast(['runs', 'logs', run, '--json']);
    // The code itself has it, and so has its bundle.
    const { stdout: stored } = spawnSync('grep', ['-rl', '--exclude-dir=bundles', 'sk-123', project.bucket], {
      encoding: 'utf8',
    });
    expect([logs.stdout.includes('sk-123'), stored]).toEqual([false, '']);
    worker.child.kill('SIGTERM');
    const { stdout, stderr } = await worker.ended;
    expect(`${stdout}${stderr}`).not.toContain('sk-123');
  });

  test('a model that does not exist, a target that is missing and files that workers would not have are refused before anything is uploaded', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const refusal = async (...more: readonly string[]) => {
      const submitted = jsonOf(await project.holdfast([...SUBMIT, ...more]));
      expect(submitted.exitCode).toBe(2);
      expect(readdirSync(project.bucket)).toEqual([]);
      return submitted.error;
    };
    const ofRun = async (...more: readonly string[]) => {
      const local = jsonOf(await project.holdfast(['run', 'shared.eval.ts', '--json', ...more]));
      return (local.error ?? local.runs[0].error).message;
    };
    expect(await refusal('-m', 'nobody/knows')).toMatchObject({
      ...{ code: 'E_MODEL_UNKNOWN', message: await ofRun('-m', 'nobody/knows') },
    });
    writeEval(project, needs('PATH').replace(/target: \(.*/, ''));
    expect(await refusal()).toMatchObject({ code: 'E_TARGET_NONE', message: await ofRun() });
    writeFileSync(join(project.path, '.gitignore'), 'logs/\n.holdfast/\nrows.jsonl\none.ts\n');
    writeFileSync(join(project.path, 'rows.jsonl'), '{"id":"a","input":"a","target":"a"}\n');
    writeEval(project, needs('PATH').replace(/data: .*/, 'data: "rows.jsonl",'));
    expect(await refusal()).toMatchObject({
      ...{ code: 'E_BUNDLE_WITHOUT_FILE', message: expect.stringContaining('reads rows.jsonl') },
      hint: expect.stringContaining('bundle.data'),
    });
    writeFileSync(join(project.path, 'one.ts'), 'export const one = 1;\n');
    writeEval(project, `import './one.ts';\n${needs('PATH')}`);
    expect((await refusal()).message).toContain('reads one.ts');
  });
});
