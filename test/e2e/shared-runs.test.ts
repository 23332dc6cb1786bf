/** `submit`, `worker` and `runs …`: many processes, one log, and nothing that is paid for is lost. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../../src/disk/index.ts';
import { openLog } from '../../src/log/index.ts';
import { headerOf, samplesOf } from '../sim/read-log.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast, jsonOf } from './holdfast.ts';
import { allAnswers, sharedProject, untilBought, untilGone, untilStored } from './shared-project.ts';

const redis = useRedis();
const SAMPLES = 12;
const TWO_MODELS = ['-m', 'mock/echo', '-m', 'mock/fixed:x'];

/** A journal of two of them is larger than a disk that is next to full. */
const LARGE_ANSWERS = `target: async ({ input }, { record }) => {
  await record('ask', { input }, async () => Array.from({ length: 90_000 }, () => Math.random()).join(' '));
  return input;
},`;

describe.skipIf(redisObstacle !== undefined)(onRedis('shared runs'), () => {
  test('two workers run what is submitted, and one log comes home with every sample, each answer bought once', async () => {
    await using project = await sharedProject({ samples: SAMPLES, queue: redis.url() });
    await Promise.all([project.worker(), project.worker()]);
    // Neither can have all of it before the other has begun.
    project.hold(0);
    const submit = project.start(['submit', 'shared.eval.ts', '--json']);
    await untilStored(project, '.begun', 4);
    project.letGo();
    const report = jsonOf(await submit.ended);
    expect(report).toMatchObject({
      exitCode: 0,
      runs: [
        {
          end: 'complete',
          home: {
            ...{ isComplete: true, lostLeases: [], lostResults: [], problems: [] },
            samples: { planned: SAMPLES, completed: SAMPLES, errored: 0, aside: 0, due: 0 },
          },
        },
      ],
    });
    expect(project.bought().sort()).toEqual(allAnswers(SAMPLES));
    expect(project.pids().size).toBe(2);
    expect(readdirSync(join(project.path, 'logs')).filter((name) => name.endsWith('.eval'))).toHaveLength(1);
    const { run } = report.runs[0].home;
    expect(jsonOf(await project.holdfast(['runs', 'list', '--json'])).runs).toMatchObject([
      { run, state: 'complete', eval: 'shared' },
    ]);
    expect(jsonOf(await project.holdfast(['runs', 'wait', run, '--json']))).toMatchObject({ exitCode: 0 });
  });

  test('a worker that is killed takes nothing with it: its samples go to another, with what it had paid for', async () => {
    await using project = await sharedProject({ samples: SAMPLES, queue: redis.url() });
    const victim = await project.worker();
    project.hold(3);
    const submitted = jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json', '--detach']));
    const { run } = submitted.runs[0];
    await untilBought(project, 3);
    // Of three answers for two samples one sample has both, and a third is begun.
    await untilStored(project, '.ended', 1);
    victim.child.kill('SIGKILL');
    await untilGone(project.pids());
    project.letGo();
    await project.worker();
    const waited = jsonOf(await project.holdfast(['runs', 'wait', run, '--json']));
    // From a machine that never saw the project.
    await using elsewhere = await makeTempDir();
    const fetched = jsonOf(await holdfast(elsewhere.path, ['runs', 'fetch', run, '--json'], project.env));
    expect(fetched).toMatchObject({ exitCode: 0, home: { aside: [], lostResults: [], problems: [] } });
    expect(waited).toMatchObject({
      exitCode: 0,
      status: { state: 'complete', samples: { completed: SAMPLES } },
    });
    expect(fetched.home.lostLeases.length).toBeGreaterThan(0);
    expect(new Set(project.bought())).toEqual(new Set(allAnswers(SAMPLES)));
    // What was on its way when it was killed is bought again, and nothing else.
    expect(project.bought().length).toBeLessThanOrEqual(2 * SAMPLES + 2);
  });

  test('SIGTERM gives back within seconds what a worker has, and it leaves nothing running', async () => {
    await using project = await sharedProject({ samples: SAMPLES, queue: redis.url() });
    const first = await project.worker();
    project.hold(2);
    const { run } = jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json', '--detach']))
      .runs[0];
    await untilBought(project, 2);
    // What it has would never end by itself.
    first.child.kill('SIGTERM');
    expect(await first.ended).toMatchObject({ code: 0 });
    expect(jsonOf(await project.holdfast(['runs', 'status', run, '--json']))).toMatchObject({
      state: 'interrupted',
      samples: { running: 0 },
      lostLeases: 0,
    });
    project.letGo();
    await project.worker();
    expect(jsonOf(await project.holdfast(['runs', 'wait', run, '--json']))).toMatchObject({ exitCode: 0 });
  });

  test('[SHR-21] cancel stops everywhere within seconds, what is there comes home, and resume runs exactly what is missing', async () => {
    await using project = await sharedProject({ samples: SAMPLES, queue: redis.url() });
    await project.worker();
    project.hold(5);
    const { run } = jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json', '--detach']))
      .runs[0];
    await untilBought(project, 5);
    expect(jsonOf(await project.holdfast(['runs', 'cancel', run, '--json']))).toMatchObject({
      state: 'cancelled',
    });
    expect(jsonOf(await project.holdfast(['runs', 'wait', run, '--json']))).toMatchObject({
      exitCode: 6,
      end: 'cancelled',
    });
    const bought = project.bought().length;
    expect(jsonOf(await project.holdfast(['runs', 'status', run, '--json']))).toMatchObject({ inFlight: [] });
    const partial = jsonOf(await project.holdfast(['runs', 'fetch', run, '--json']));
    expect(partial).toMatchObject({
      exitCode: 4,
      home: { isComplete: false, log: expect.stringContaining('-partial.eval'), cancelled: {} },
    });
    const { home } = partial;
    expect((await headerOf(home.log)).status).toBe('cancelled');
    const whole = (await samplesOf(home.log)).filter(({ error }) => error === undefined);
    expect(whole).toHaveLength(home.samples.completed);
    const said = (await project.holdfast(['runs', 'fetch', run])).stdout;
    expect(said).toContain(`${home.samples.due} still due`);
    expect(said).toContain(`holdfast runs resume ${run}`);
    expect(project.bought()).toHaveLength(bought);
    project.letGo();
    const resumed = jsonOf(await project.holdfast(['runs', 'resume', run, '--json']));
    expect(resumed).toMatchObject({
      exitCode: 0,
      runs: [{ home: { round: 2, samples: { completed: SAMPLES } } }],
    });
    expect(new Set(project.bought())).toEqual(new Set(allAnswers(SAMPLES)));
    expect(project.bought().length).toBeLessThanOrEqual(2 * SAMPLES + 2);
  });

  test('a sample that kills its worker is set aside with what is known, and the run ends without it', async () => {
    const queue = redis.url();
    await using project = await sharedProject({ samples: 4, queue, env: { POISON: 'q2' } });
    await project.worker();
    const report = jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json', '--lost-max', '2']));
    expect(report).toMatchObject({
      exitCode: 5,
      runs: [
        {
          home: {
            samples: { completed: 3, aside: 1 },
            aside: [{ job: 's2', reason: expect.stringContaining('SIGKILL') }],
          },
        },
      ],
    });
    expect(project.bought().filter((what) => what === 'q2 first')).toHaveLength(1);
    // Also what the processes that died had paid for and not sent.
    expect(report.runs[0].home.usd).toBeCloseTo(project.bought().length * 0.01);
  });

  test('a sample that fails is a result; resume runs exactly those that failed, in another round', async () => {
    await using project = await sharedProject({ samples: 4, queue: redis.url(), env: {} });
    const worker = await project.worker([], { THROWS: 'q1' });
    const failed = jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json']));
    expect(failed).toMatchObject({
      exitCode: 5,
      runs: [{ home: { samples: { completed: 3, errored: 1 } } }],
    });
    const { run } = failed.runs[0].home;
    worker.child.kill('SIGTERM');
    await worker.ended;
    await project.worker();
    const again = jsonOf(await project.holdfast(['runs', 'resume', run, '--json']));
    expect(again).toMatchObject({
      exitCode: 0,
      runs: [{ home: { round: 2, samples: { completed: 4, errored: 0 } } }],
    });
    const logs = [failed.runs[0].home.log, again.runs[0].home.log];
    expect(await Promise.all(logs.map(failuresIn))).toEqual([1, 0]);
    // The failed one's first answer was paid for, and is replayed.
    expect(project.bought().sort()).toEqual(allAnswers(4));
    expect(jsonOf(await project.holdfast(['runs', 'resume', run, '--json', '--detach']))).toMatchObject({
      runs: [{ run, due: 0, state: 'complete' }],
    });
  });

  test('code that no commit holds is not submitted and left alone, unless that is asked for', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    writeFileSync(
      join(project.path, 'shared.eval.ts'),
      `${readFileSync(join(project.path, 'shared.eval.ts'), 'utf8')}// more\n`,
    );
    const submit = ['submit', 'shared.eval.ts', '--detach', '--json'];
    const refused = await project.holdfast(submit);
    expect(jsonOf(refused)).toMatchObject({ exitCode: 2, error: { code: 'E_BUNDLE_DIRTY' } });
    expect(readdirSync(project.bucket)).toEqual([]);
    expect(jsonOf(await project.holdfast([...submit, '--allow-dirty']))).toMatchObject({ exitCode: 0 });
    writeFileSync(join(project.path, 'other.eval.ts'), 'export { default } from "./shared.eval.ts";\n');
    expect(jsonOf(await project.holdfast(['submit', 'other.eval.ts', '--json']))).toMatchObject({
      exitCode: 2,
      error: { code: 'E_BUNDLE_WITHOUT_EVAL' },
    });
  });

  test('a run goes to workers that have what it needs; one that has not says so, and takes nothing', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url(), env: { SPECIAL: 'x' } });
    const poor = await project.worker([], { SPECIAL: '' });
    const { run } = jsonOf(
      await project.holdfast(['submit', 'shared.eval.ts', '--detach', '--json', '--key', 'SPECIAL']),
    ).runs[0];
    await poor.said('SPECIAL, which this worker does not have');
    // It says so with its next sign of life.
    let status: { readonly workers: unknown };
    do status = jsonOf(await project.holdfast(['runs', 'status', run, '--json']));
    while (!JSON.stringify(status.workers).includes('SPECIAL'));
    expect(status).toMatchObject({ state: 'queued', samples: { due: 2 }, lostLeases: 0 });
    await project.worker();
    expect(jsonOf(await project.holdfast(['runs', 'wait', run, '--json']))).toMatchObject({ exitCode: 0 });
    // E_WORKER_KEY is told by the worker's notes alone.
    expect(project.bought().sort()).toEqual(allAnswers(2));
  });

  test.skipIf(process.platform === 'win32')(
    '[SHR-8] a worker whose disk takes nothing more gives its jobs back, says so, and spoils none of them',
    async () => {
      await using project = await sharedProject({ samples: 6, queue: redis.url(), more: LARGE_ANSWERS });
      // Beyond this size every write fails: to its journal an error like that of a full disk.
      const limited = `ulimit -f 1200; trap '' XFSZ; exec "$0" "$@"`;
      const sick = await project.worker([], {}, ['bash', '-c', limited]);
      const { run } = jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json', '--detach']))
        .runs[0];
      await sick.said('returned');
      await sick.said('problem');
      await project.worker();
      expect(await project.holdfast(['runs', 'wait', run])).toMatchObject({ code: 0 });
      const { workers, lostLeases, samples } = jsonOf(
        await project.holdfast(['runs', 'status', run, '--json']),
      );
      expect({ lostLeases, samples }).toMatchObject({ lostLeases: 0, samples: { completed: 6, aside: 0 } });
      expect(workers.flatMap(({ refuses }: { refuses: unknown[] }) => refuses)).toMatchObject([{ run }]);
    },
  );

  test('a worker finds queue and bucket in its file of keys', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const { HOLDFAST_QUEUE, HOLDFAST_BUCKET } = project.env;
    const file = join(project.path, '../keys');
    writeFileSync(file, `HOLDFAST_QUEUE=${HOLDFAST_QUEUE}\nHOLDFAST_BUCKET=${HOLDFAST_BUCKET}\n`, {
      mode: 0o600,
    });
    await project.worker(['--keys-file', file], { HOLDFAST_QUEUE: '', HOLDFAST_BUCKET: '' });
    expect(jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json']))).toMatchObject({
      exitCode: 0,
    });
  });

  test('a worker ends by itself when its time is over, and gives back what it has', async () => {
    await using project = await sharedProject({ samples: 12, queue: redis.url() });
    project.hold(2);
    const worker = await project.worker(['--max-runtime', '6s']);
    const { run } = jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--detach', '--json']))
      .runs[0];
    const ended = await worker.ended;
    expect(ended).toMatchObject({ code: 0, stderr: expect.stringContaining('it ran for 6.0 s') });
    expect(jsonOf(await project.holdfast(['runs', 'status', run, '--json']))).toMatchObject({
      inFlight: [],
      lostLeases: 0,
    });
  });

  test('what earlier logs lend is not run again, and comes home also where those logs are not', async () => {
    await using project = await sharedProject({ samples: 6, queue: redis.url() });
    expect((await project.holdfast(['run', 'shared.eval.ts', '--limit', '4'])).code).toBe(0);
    const { run } = jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json', '--detach']))
      .runs[0];
    await project.worker();
    expect(jsonOf(await project.holdfast(['runs', 'wait', run, '--json']))).toMatchObject({ exitCode: 0 });
    await using elsewhere = await makeTempDir();
    const fetched = jsonOf(await holdfast(elsewhere.path, ['runs', 'fetch', run, '--json'], project.env));
    expect(fetched).toMatchObject({
      exitCode: 0,
      home: { problems: [], samples: { planned: 6, completed: 2, reused: 4 } },
      results: { total_samples: 6, completed_samples: 6 },
    });
    expect(project.bought().sort()).toEqual(allAnswers(6));
  });

  test('of several runs one that is damaged does not keep the others from coming home', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const submit = project.start(['submit', 'shared.eval.ts', '--json', ...TWO_MODELS]);
    await submit.said('submitted');
    const { run } = jsonOf(await project.holdfast(['runs', 'list', '--json'])).runs.at(-1);
    const leases = join(project.bucket, '.holdfast/shared', run, 'shared/leases/0000');
    mkdirSync(leases, { recursive: true });
    writeFileSync(join(leases, 's0.0001.begun'), '{');
    await project.worker();
    const { exitCode, runs } = jsonOf(await submit.ended);
    expect([exitCode, runs]).toMatchObject([
      3,
      [
        { run, exitCode: 3, home: { samples: { completed: 1, damaged: 1 }, damaged: [{ job: 's0' }] } },
        { exitCode: 0, home: { samples: { completed: 2 } } },
      ],
    ]);
  });

  test('what can be refused is refused before anything is uploaded', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    const refusals: readonly (readonly [readonly string[], Readonly<Record<string, string>>, string])[] = [
      [['submit', 'shared.eval.ts', '--id', 'nobody'], {}, 'E_'],
      [['submit', 'shared.eval.ts'], { HOLDFAST_QUEUE: 'redis://127.0.0.1:1' }, 'E_QUEUE'],
      [['submit', 'shared.eval.ts', '--key', 'OPENAI_API_KEY=sk-1'], {}, 'E_USAGE'],
      [['submit', 'absent.eval.ts'], {}, 'E_'],
      [['submit', 'shared.eval.ts', '--launch-workers', '2'], {}, 'E_USAGE'],
    ];
    for (const [args, env, code] of refusals) {
      const ended = await project.holdfast([...args, '--json'], env);
      expect(ended.code, args.join(' ')).toBeGreaterThan(0);
      expect(jsonOf(ended).error.code).toContain(code);
    }
    expect(readdirSync(project.bucket)).toEqual([]);
  });
});

describe('what shared runs need is named when it is missing', () => {
  const refusals: readonly (readonly [readonly string[], string])[] = [
    [['runs', 'list'], 'E_SHARED_BUCKET'],
    [['worker', '--bucket', 'b'], 'E_QUEUE_MISSING'],
    [['worker', '--bucket', 'b', '--queue', 'redis://127.0.0.1:1'], 'E_QUEUE_AWAY'],
    [['runs', 'status', 'nobody', '--bucket', 'b'], 'E_SHARED_UNKNOWN'],
    [['worker', '--bucket', 'b', '--queue', 'redis://127.0.0.1:1', '--keys-file', 'absent'], 'E_ENV_FILE'],
    [['worker', '--bucket', 'b', '--queue', 'redis://127.0.0.1:1', '--keys-file', 'open.env'], 'E_ENV_FILE'],
  ];
  test.each(refusals)('holdfast %j: %s', async (args, code) => {
    await using dir = await makeTempDir();
    writeFileSync(join(dir.path, 'open.env'), 'OPENAI_API_KEY=sk-secret\n', { mode: 0o644 });
    mkdirSync(join(dir.path, 'b'));
    const ended = await holdfast(dir.path, [...args, '--json']);
    expect(ended.code).toBe(2);
    expect(jsonOf(ended).error.code).toBe(code);
    expect(ended.stdout + ended.stderr).not.toContain('sk-secret');
    expect(readdirSync(dir.path, { recursive: true })).toEqual(['b', 'open.env']);
  });
});

describe('runs in a bucket', () => {
  /** As if they were submitted: nothing else of them is read. */
  async function bucketOf(runs: Readonly<Record<string, string>>) {
    const dir = await makeTempDir();
    for (const [run, submission] of Object.entries(runs)) {
      const folder = join(dir.path, 'b/.holdfast/shared', run, 'shared');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'submission'), submission);
    }
    return Object.assign(dir, {
      holdfast: (...args: readonly string[]) => holdfast(dir.path, [...args, '--bucket', 'b', '--json']),
    });
  }

  const WHOLE = JSON.stringify({
    ...{ format: 'holdfast-submission', version: 1, at: '', by: 'a', samples: 1, lent: '', builds: [] },
    ...{ run: '20261101-whole', lostMax: 3, record: { identity: { eval: 'e', targetName: 't' } } },
    work: {
      ...{ bundle: '', dir: '', file: 'a.eval.ts', eval: 'e', changes: {}, keys: [] },
      ...{ isUnpricedAllowed: false, reuse: 'same', isOutputKept: false },
    },
  });

  test('one that is damaged is listed as unknown with the problem, never collected, and keeps nobody from the others', async () => {
    await using bucket = await bucketOf({ '20261101-whole': WHOLE, '20261102-torn': WHOLE.slice(0, 40) });
    const listed = await bucket.holdfast('runs', 'list');
    expect(jsonOf(listed)).toMatchObject({
      exitCode: 3,
      runs: [
        { run: '20261102-torn', state: 'unknown', problem: expect.stringContaining('it is no JSON') },
        { run: '20261101-whole', state: 'interrupted' },
      ],
    });
    const plain = await holdfast(bucket.path, ['runs', 'list', '--bucket', 'b']);
    expect(plain).toMatchObject({ code: 3, stdout: expect.stringMatching(/torn\s+damaged\s+unknown/) });
    expect(jsonOf(await bucket.holdfast('runs', 'gc', '--older-than', '0d'))).toMatchObject({
      exitCode: 3,
      runs: [{ isRemoved: false }, { run: '20261102-torn', isRemoved: false, isDamaged: true }],
    });
  });

  test('a name that several have is refused with all of them', async () => {
    await using bucket = await bucketOf({ '20261101-a': WHOLE, '20261101-b': WHOLE, '20261102-c': WHOLE });
    const refused = jsonOf(await bucket.holdfast('runs', 'status', '20261101'));
    expect(refused).toMatchObject({ exitCode: 2, error: { code: 'E_SHARED_AMBIGUOUS' } });
    expect(refused.error.message).toContain('20261101-b, 20261101-a');
  });
});

/** How many samples of a log failed. */
async function failuresIn(path: string): Promise<number> {
  const log = await openLog(nodeDisk, path);
  try {
    const summaries = await Array.fromAsync(log.summaries());
    expect(summaries).toHaveLength(4);
    return summaries.filter(({ error }) => error !== undefined).length;
  } finally {
    await log.close();
  }
}
