/** What `submit` refuses, as `run` does, and which keys it finds that workers need. */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { filesBelow, jsonOf } from './holdfast.ts';
import { commitAll, type SharedProject, sharedProject } from './shared-project.ts';

const redis = useRedis();

/** An eval in a file of its own: `more` takes the place of what it says usually. */
function addEval(project: SharedProject, name: string, more: string): string {
  const file = `${name}.eval.ts`;
  writeFileSync(
    join(project.path, file),
    `import { existsSync, writeFileSync } from 'node:fs';
     import { defineArtifact, defineEval, includes, modelGraded } from 'holdfast';
     const notes = defineArtifact({ kind: 'notes', key: 'one', version: '1', model: 'anthropic/builder', inputs: {}, build: async () => undefined });
     export default defineEval({ name: '${name}', data: [{ id: 'a', input: 'a', target: 'a' }], target: async () => 'a', scorers: [includes()], ...(${more}) });`,
  );
  commitAll(project.path);
  return file;
}

const GRADED = "{ scorers: [modelGraded({ model: 'openai/grader', rubric: 'any' })] }";
const BUILT = '{ requires: () => [notes] }';
const MADE = `{ requires: () => defineArtifact({ kind: 'made', key: 'one', version: '1', inputs: {}, build: ({ dir }) => writeFileSync(dir + '/f', 'f') }) }`;
const ABSENT = '{ requires: () => ({ artifact: notes, build: false }) }';

describe.skipIf(redisObstacle !== undefined)(onRedis('a submit'), () => {
  test('is refused as a run of one machine is, before anything is uploaded', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const file = 'shared.eval.ts';
    const cases: readonly (readonly [readonly string[], string])[] = [
      [[file, '--id', 'nobody'], 'E_DATA_EMPTY'],
      [[addEval(project, 'empty', '{ data: [] }')], 'E_DATA_EMPTY'],
      [[addEval(project, 'model', "{ target: 'openai/any' }")], 'E_MODEL_KEY'],
      [[addEval(project, 'input', "{ inputs: ['absent.txt'] }")], 'E_INPUT_MISSING'],
      [
        [addEval(project, 'dear', "{ target: 'openai-compatible/x@http://127.0.0.1:1/v1', budgetUsd: 1 }")],
        'E_PRICE_UNKNOWN',
      ],
      [[file, '--require-push'], 'E_RESULTS_NOT_BEGUN'],
      [[file, '--require-push', '--no-publish'], 'E_USAGE'],
    ];
    for (const [args, code] of cases) {
      const both = await Promise.all(
        ['run', 'submit'].map(async (command) => {
          const { exitCode, error, runs } = jsonOf(await project.holdfast([command, ...args, '--json']));
          return { command, args, exitCode, code: (error ?? runs[0].error).code };
        }),
      );
      expect(both).toEqual(['run', 'submit'].map((command) => ({ command, args, exitCode: 2, code })));
    }
    expect(readdirSync(project.bucket)).toEqual([]);
  });

  test('is refused where the queue has jobs of another version, and neither the bucket nor the queue has anything of it', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const submit = ['submit', 'shared.eval.ts', '--fresh', '--detach', '--json'];
    expect(jsonOf(await project.holdfast(submit))).toMatchObject({ exitCode: 0 });
    const client = new Redis({ port: redis.port });
    const prefix = new URL(project.env.HOLDFAST_QUEUE).searchParams.get('prefix');
    const [version = ''] = await client.keys(`${prefix}:*:version`);
    // As another version of Holdfast leaves it that serves the same place.
    await client.set(version, '7');
    await client.lpush(version.replace(/version$/, 'jobs-v7:wait'), 'job');
    const kept = async () => ({
      bucket: filesBelow(project.bucket),
      queue: (await client.keys(`${prefix}:*`)).sort(),
      jobs: await client.llen(version.replace(/version$/, 'jobs-v1:wait')),
    });
    const before = await kept();
    expect(jsonOf(await project.holdfast(submit))).toMatchObject({
      exitCode: 2,
      error: { code: 'E_QUEUE_VERSION', message: expect.stringContaining('version 7') },
    });
    expect(await kept()).toEqual(before);
    await client.set(version, '1');
    expect(jsonOf(await project.holdfast(submit))).toMatchObject({ exitCode: 0 });
    expect(await kept()).not.toEqual(before);
    client.disconnect();
  });

  test('is refused also for what a run of one machine finds out later: keys of graders and builders, artifacts', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const cases: readonly (readonly [string, string, string])[] = [
      ['graded', GRADED, 'E_MODEL_KEY'],
      ['built', BUILT, 'E_MODEL_KEY'],
      ['absent', ABSENT, 'E_ARTIFACT_MISSING'],
    ];
    for (const [name, more, code] of cases) {
      const { exitCode, error } = jsonOf(
        await project.holdfast(['submit', addEval(project, name, more), '--json']),
      );
      expect({ name, exitCode, code: error?.code }).toEqual({ name, exitCode: 2, code });
    }
    const file = addEval(project, 'damaged', MADE);
    await project.holdfast(['artifacts', 'build', file]);
    const cache = join(project.path, '.holdfast/artifacts/units');
    const made = readdirSync(cache, { recursive: true, encoding: 'utf8' }).find((path) =>
      path.endsWith('files/f'),
    );
    rmSync(join(cache, made ?? ''));
    const damaged = jsonOf(await project.holdfast(['submit', file, '--json']));
    expect(damaged).toMatchObject({ exitCode: 3, error: { code: 'E_ARTIFACT_DAMAGED' } });
    const detached = ['submit', 'shared.eval.ts', '--detach', '--require-push', '--json'];
    expect(jsonOf(await project.holdfast(detached))).toMatchObject({
      exitCode: 2,
      error: { code: 'E_USAGE' },
    });
    expect(readdirSync(project.bucket)).toEqual([]);
  });

  test('names the variables that models, graders, builders, agents and endpoints take their keys from, and no others', async () => {
    const keys = {
      ...{ OPENAI_API_KEY: 'sk-o', ANTHROPIC_API_KEY: 'sk-a', GOOGLE_GENERATIVE_AI_API_KEY: 'sk-g' },
      ...{ OTHER_KEY: 'sk-other', ENDPOINT: 'sk-e', CLAUDE_CONFIG_DIR: '/here' },
    };
    await using project = await sharedProject({ samples: 2, queue: redis.url(), env: keys });
    const cases: readonly (readonly [string, string, readonly string[]])[] = [
      ['graded', GRADED, ['OPENAI_API_KEY']],
      ['built', BUILT, ['ANTHROPIC_API_KEY']],
      ['named', "{ target: { model: 'openai/any', apiKeyEnv: 'OTHER_KEY' } }", ['OTHER_KEY']],
      ['agent', "{ target: { preset: 'claude', command: ['cat'] } }", ['ANTHROPIC_API_KEY']],
      [
        'endpoint',
        "{ target: { url: 'http://127.0.0.1:1/', headers: { a: 'Bearer {{env.ENDPOINT}}' } } }",
        ['ENDPOINT'],
      ],
      ['plain', '{}', []],
    ];
    for (const [name, more, wanted] of cases) {
      const file = addEval(project, name, more);
      const { runs } = jsonOf(await project.holdfast(['submit', file, '--detach', '--json']));
      const path = `.holdfast/shared/${runs[0].run}/shared/submission`;
      const text = readFileSync(join(project.bucket, path), 'utf8');
      expect({ name, keys: JSON.parse(text).work.keys }).toEqual({ name, keys: wanted });
      expect(text).not.toContain('sk-');
    }
  });

  test('that fails at its second run cancels the first: nobody works on it unseen', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const once = addEval(
      project,
      'once',
      `{ data: () => {
        const seen = process.env.LEDGER + '.seen';
        if (existsSync(seen)) throw new Error('the data is gone');
        writeFileSync(seen, '');
        return [{ id: 'a', input: 'a', target: 'a' }];
      } }`,
    );
    const failed = await project.holdfast(['submit', 'shared.eval.ts', once, '--json']);
    expect(failed.code).toBeGreaterThan(0);
    expect(failed.stderr).toContain('the data is gone');
    expect(jsonOf(await project.holdfast(['runs', 'list', '--json'])).runs).toMatchObject([
      { eval: 'shared', state: 'cancelled' },
    ]);
  });

  test('a worker that asks models elsewhere refuses the run, and says by which variable', async () => {
    const address = { OPENAI_BASE_URL: 'http://127.0.0.1:1/there' };
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const { runs } = jsonOf(
      await project.holdfast(['submit', 'shared.eval.ts', '--detach', '--json'], address),
    );
    const worker = await project.worker([], { ANTHROPIC_BASE_URL: 'http://127.0.0.1:1/' });
    await worker.said('OPENAI_BASE_URL is not set here');
    await worker.said('ANTHROPIC_BASE_URL is set here alone');
    const text = readFileSync(
      join(project.bucket, `.holdfast/shared/${runs[0].run}/shared/submission`),
      'utf8',
    );
    expect(text).not.toContain('127.0.0.1:1/there');
    // [SHR-25] It is the only one, and that is no mistake of the run all the same.
    expect(jsonOf(await project.holdfast(['runs', 'list', '--json'])).runs).toMatchObject([
      { state: 'queued' },
    ]);
    // One that has it goes on.
    await project.worker([], address);
    expect(jsonOf(await project.holdfast(['runs', 'wait', runs[0].run, '--json']))).toMatchObject({
      exitCode: 0,
    });
  });
});
