/** Warm both ways: what workers build comes home, and the next submit builds nothing and asks the builder's model nothing. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerTo, isAboutTable } from '../../examples/text-to-sql/scripted-model.mts';
import { chatCompletion } from '../sim/chat-server.ts';
import { sendJson, startServer } from '../sim/http-server.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast } from './holdfast.ts';
import { commitAll, git, type SharedProject, sharedProject } from './shared-project.ts';

const redis = useRedis();
const EXAMPLE = join(import.meta.dirname, '../../examples/text-to-sql');

/** The ledger: how often the model of the builder and that of the target were asked. */
async function startLedger() {
  const asked = { descriptions: 0, queries: 0 };
  const server = await startServer((request, response) => {
    const prompt: string = JSON.parse(request.body).messages.at(-1).content;
    asked[isAboutTable(prompt) ? 'descriptions' : 'queries']++;
    sendJson(response, chatCompletion(request, answerTo(prompt)));
  });
  return {
    asked,
    env: { OPENAI_COMPATIBLE_BASE_URL: `${server.url}/v1` },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** An artifact that is not what it should be in the bucket does not come home, so the run there is not done with. */
async function fetchDamaged(project: SharedProject, run: string): Promise<void> {
  const store = join(project.bucket, '.holdfast/shared/artifacts');
  const files = readdirSync(store, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  const [found] = files.filter(({ parentPath }) => parentPath.includes('/objects/'));
  const file = join(found?.parentPath ?? '', found?.name ?? '');
  const before = readFileSync(file);
  writeFileSync(file, 'x'.repeat(before.length));
  await using elsewhere = await makeTempDir();
  const fetched = await holdfast(elsewhere.path, ['runs', 'fetch', run, '--json'], project.env);
  const { exitCode, artifacts } = JSON.parse(fetched.stdout);
  const states = artifacts.entries.map(({ state }: { state: string }) => state);
  expect({ exitCode, states }).toEqual({ exitCode: 3, states: expect.arrayContaining(['corrupt']) });
  const { stdout } = await project.holdfast(['runs', 'gc', '--older-than', '0d', '--json']);
  expect(JSON.parse(stdout).runs).toMatchObject([
    { run, isRemoved: false, reason: 'not all its artifacts and evidence are home' },
  ]);
  writeFileSync(file, before);
}

describe.skipIf(redisObstacle !== undefined)(onRedis('artifacts of shared runs'), () => {
  test('empty cache, submit, fetch: the second submit builds nothing and asks the builder’s model nothing', async () => {
    await using ledger = await startLedger();
    await using project = await sharedProject({ samples: 1, queue: redis.url(), env: ledger.env });
    rmSync(join(project.path, 'shared.eval.ts'));
    cpSync(EXAMPLE, project.path, { recursive: true });
    writeFileSync(join(project.path, '.gitignore'), 'databases/*.sqlite\nlogs/\n.holdfast/\n');
    commitAll(project.path);
    await Promise.all([project.worker(), project.worker()]);
    const submit = ['submit', 'text-to-sql.eval.ts', '--json', '--fresh'];
    const { run } = JSON.parse((await project.holdfast([...submit, '--detach', '--allow-dirty'])).stdout)
      .runs[0];
    await project.holdfast(['runs', 'wait', run]);
    await fetchDamaged(project, run);
    const first = JSON.parse((await project.holdfast(['runs', 'fetch', run, '--json'])).stdout);
    expect(first).toMatchObject({
      exitCode: 0,
      home: { samples: { completed: 20, errored: 0 }, builds: { completed: 8, errored: 0 }, lostResults: [] },
    });
    // Eight tables are described once each, although two workers needed them: the same unit is never built by two.
    expect(ledger.asked).toEqual({ descriptions: 8, queries: 20 });
    const came = first.artifacts.entries.map(({ state }: { state: string }) => state);
    expect(new Set(came)).toEqual(new Set(['installed']));
    expect(existsSync(join(project.path, '.holdfast/artifacts/units'))).toBe(true);

    // Other workers, another bucket, nothing but what came home: it is offered with the submit.
    git(project.path, 'status');
    const elsewhere = { HOLDFAST_BUCKET: `${project.bucket}-2`, HOLDFAST_QUEUE: redis.url() };
    mkdirSync(elsewhere.HOLDFAST_BUCKET);
    await project.worker([], elsewhere);
    const second = JSON.parse((await project.holdfast(submit, elsewhere)).stdout);
    expect(second).toMatchObject({
      exitCode: 0,
      runs: [{ home: { samples: { completed: 20 }, builds: { completed: 0, usd: 0 } } }],
    });
    expect(ledger.asked).toEqual({ descriptions: 8, queries: 40 });
  });
});
