/** What nobody can tell of a shared run is no end of it: scripts go by the exit code. */
import { writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/index.ts';
import { directoryBucket } from '../../src/bucket/index.ts';
import { CATALOG } from '../../src/cli/catalog.ts';
import {
  beginRound,
  createSubmission,
  LeaseBook,
  SHARED_PREFIX,
  SharedRun,
  type Submission,
  sampleJob,
} from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { startServer } from '../sim/http-server.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { sharedFixture } from '../sim/shared-fixture.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast, jsonOf, startHoldfast } from './holdfast.ts';
import { sharedProject } from './shared-project.ts';

const redis = useRedis();

const RECORD = Object.assign(Object.create(null), { identity: { eval: 'e', targetName: 't' } });
const RUN = 'run';

/** While a file is there, a process may not read folders whose path holds a text, as when its credentials have expired. */
const denying = (gate: string, text: string) => `
import { existsSync } from 'node:fs';
import fs from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
for (const name of ['readdir', 'opendir', 'readFile', 'open']) {
  const real = fs[name];
  fs[name] = async (path, ...rest) => {
    if (existsSync(${JSON.stringify(gate)}) && String(path).includes(${JSON.stringify(text)}))
      throw Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', syscall: name, path });
    return real(path, ...rest);
  };
}
syncBuiltinESMExports();
`;

/** A run in a folder, and who looks at it, from whom something can be kept. */
async function submitted(text: string, more: Partial<Submission> = {}) {
  const dir = await makeTempDir();
  const bucket = join(dir.path, 'bucket');
  const gate = join(dir.path, 'gate');
  await mkdir(bucket);
  const place = { bucket: directoryBucket(nodeDisk, bucket), prefix: SHARED_PREFIX };
  const { submission } = sharedFixture({ samples: 1, record: RECORD, ...more });
  await createSubmission(place, submission);
  const shared = await SharedRun.open(place, RUN);
  if (!shared) throw new Error('it was submitted');
  await beginRound(shared, place, { clock: systemClock, by: 'laptop' });
  const preload = join(dir.path, 'preload.mjs');
  writeFileSync(preload, denying(gate, text));
  return {
    place,
    deny: () => writeFileSync(gate, ''),
    start: (...words: readonly string[]) =>
      startHoldfast(dir.path, [...words, '--bucket', bucket, '--json'], {
        NODE_OPTIONS: `--import=${preload}`,
      }),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const RUNS = CATALOG.filter(({ words }) => words[0] === 'runs').map(({ words }) => words[1] ?? '');

describe('a bucket that cannot be asked is no end of a run', () => {
  // Of a round that was not begun something is known: that nothing was done.
  const CODES = RUNS.map((command) => [command, command === 'resume' ? 2 : 9] as const);
  test.each(CODES)('runs %s ends with %i where the bucket lets nobody in', async (command, code) => {
    await using dir = await makeTempDir();
    await using server = await startServer((_, response) => void response.writeHead(403).end());
    const args = ['list', 'gc'].includes(command) ? [] : [RUN];
    const ended = await holdfast(
      dir.path,
      ['runs', command, ...args, '--bucket', 's3://team-evals/runs', '--json'],
      s3At(server.url),
    );
    expect(jsonOf(ended)).toMatchObject({ exitCode: code, error: { code: 'E_BUCKET_DENIED' } });
    expect(ended.code).toBe(code);
  });

  test('runs wait ends with 9 where it does not answer from the start', async () => {
    await using dir = await makeTempDir();
    const ended = await holdfast(
      dir.path,
      ['runs', 'wait', RUN, '--bucket', 's3://team-evals/runs', '--json'],
      s3At('http://127.0.0.1:1'),
    );
    expect(jsonOf(ended)).toMatchObject({ exitCode: 9, error: { code: 'E_BUCKET_AWAY' } });
    expect(ended.code).toBe(9);
  });

  test('runs wait ends with 9 when it is let in no longer', async () => {
    await using run = await submitted('/shared/leases');
    const waiting = run.start('runs', 'wait', RUN);
    await waiting.said('queued');
    run.deny();
    const ended = await waiting.ended;
    expect(jsonOf(ended)).toMatchObject({ exitCode: 9, error: { code: 'E_BUCKET_DENIED' } });
    expect(ended.code).toBe(9);
  });

  test('runs wait ends with 9 when the run is complete and its thresholds cannot be looked at', async () => {
    await using run = await submitted('/segments', { threshold: { accuracy: 0.5 } });
    const book = new LeaseBook(run.place, { run: RUN, clock: systemClock });
    const taken = await book.take(sampleJob(0), { round: 1, worker: 'a', writer: 'w' });
    if (taken.kind !== 'taken') throw new Error('nobody else is there');
    await book.end(taken.lease, { status: 'completed', by: 'a' });
    run.deny();
    const ended = await run.start('runs', 'wait', RUN).ended;
    expect(jsonOf(ended)).toMatchObject({ exitCode: 9, error: { code: 'E_BUCKET_DENIED' } });
    expect(ended.code).toBe(9);
  });
});

describe.skipIf(redisObstacle !== undefined)(onRedis('a submit that fails'), () => {
  test('ends with 2 as long as nothing was submitted, also when it is kept from uploading', async () => {
    await using project = await sharedProject({ samples: 1, queue: redis.url() });
    const gate = `${project.bucket}.gate`;
    const preload = `${project.bucket}.mjs`;
    writeFileSync(gate, '');
    writeFileSync(preload, denying(gate, '/bundles/objects'));
    const ended = await project.holdfast(['submit', 'shared.eval.ts', '--detach', '--json'], {
      NODE_OPTIONS: `--import=${preload}`,
    });
    expect(jsonOf(ended)).toMatchObject({ exitCode: 2, error: { code: 'E_BUCKET_DENIED' } });
    expect(ended.code).toBe(2);
    expect(jsonOf(await project.holdfast(['runs', 'list', '--json']))).toMatchObject({ runs: [] });
  });
});

test('every command about shared runs says in its help that it may end with 9', async () => {
  const about = CATALOG.filter(({ words }) => words[0] === 'runs' || words[0] === 'submit');
  const specs = await Promise.all(about.map(async ({ load }) => (await load()).command));
  expect(specs.map(({ isOfShared }) => isOfShared)).toEqual(specs.map(() => true));
  for (const { exits } of specs) expect(Object.keys(exits)).toEqual(expect.arrayContaining(['0', '2', '9']));
});

function s3At(url: string): Readonly<Record<string, string>> {
  return {
    ...{ AWS_ENDPOINT_URL: url, AWS_REGION: 'us-east-1', HOLDFAST_S3_PATH_STYLE: 'true' },
    ...{ AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' },
    // Resuming needs one; it is asked for after the bucket.
    HOLDFAST_QUEUE: 'redis://127.0.0.1:1',
  };
}
