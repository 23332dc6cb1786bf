/** `isolate`: each sample in a process of its own. What that process prints is its evidence, and what kills it kills nothing else. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast, jsonOf, reportOf } from './holdfast.ts';
import { sharedProject, writeEval } from './shared-project.ts';

const redis = useRedis();
const PASSWORD = 'correct-horse-battery';

/** Speaks past the streams of Node: to the descriptors themselves, and through a child that has them, too. One of them crashes. */
const evalText = (more: string) => `
import { spawnSync } from 'node:child_process';
import { appendFileSync, writeSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEval, includes } from 'holdfast';
export default defineEval({
  name: 'loud',
  data: ['q0', 'q1', 'crash'].map((input) => ({ id: input, input, target: input })),
  target: async ({ input }) => {
    appendFileSync(process.env.LEDGER, process.pid + ' ' + input + '\\n');
    writeSync(1, 'descriptor of ' + input + '\\n');
    await sleep(500);
    spawnSync('sh', ['-c', 'echo child of ' + input + '; echo child complains of ' + input + ' >&2'], { stdio: 'inherit' });
    console.log('node of ' + input + ' with ' + process.env.SPECIAL_TOKEN);
    if (input === 'crash') {
      writeSync(2, 'the last words ' + process.env.SPECIAL_TOKEN + ' 4711-0815\\n');
      process.abort();
    }
    return input;
  },
  scorers: [includes()],
  redact: [/\\d{4}-\\d{4}/],
  concurrency: 3,
  ${more}
});
`;

/** Each sample asks four times, and is refused: no process gets to ten. */
const DEAF = `
import { appendFileSync } from 'node:fs';
import { defineEval, includes } from 'holdfast';
export default defineEval({
  name: 'deaf',
  data: Array.from({ length: 8 }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: 'q' + index })),
  target: async ({ input }, { record }) => {
    const ask = (turn) => record('ask', { input, turn }, async () => {
      appendFileSync(process.env.LEDGER, process.pid + ' ' + input + '\\n');
      throw new Error('no such key');
    });
    for (let turn = 1; turn < 4; turn++) await ask(turn).catch(() => undefined);
    return ask(4);
  },
  scorers: [includes()],
});
`;

describe.skipIf(redisObstacle !== undefined)(onRedis('isolate'), () => {
  test('[EVI-9] each sample has a process of its own, and all that this prints on its descriptors is its evidence', async () => {
    await using project = await sharedProject({
      ...{ samples: 1, queue: redis.url(), env: { SPECIAL_TOKEN: PASSWORD } },
    });
    writeEval(project, evalText(''));
    const worker = await project.worker();
    const submit = ['submit', 'shared.eval.ts', '--json', '--isolate', '--lost-max', '2'];
    const { exitCode, runs } = jsonOf(await project.holdfast(submit));
    const [{ home }] = runs;
    expect({ exitCode, lost: home.lostLeases.length }).toEqual({ exitCode: 5, lost: 2 });
    expect(home).toMatchObject({
      samples: { completed: 2, aside: 1 },
      evidence: { problems: [], unstoredBytes: 0 },
    });
    // Each of both who crashed, and each of both who did not, was alone in its process.
    expect([...project.bought()].sort()).toEqual(['crash', 'crash', 'q0', 'q1']);
    expect(project.pids().size).toBe(4);
    const work = join(project.path, 'logs', home.evidence.folder);
    const printed = (attempt: string, name: string) => readFileSync(join(work, attempt, name), 'utf8');
    const attempts = readdirSync(work)
      .filter((name) => !name.startsWith('s2.3'))
      .sort();
    expect(attempts.map((name) => name.split('.').slice(0, 2).join('.'))).toEqual([
      's0.1',
      's1.1',
      's2.1',
      's2.2',
    ]);
    for (const [index, input] of ['q0', 'q1', 'crash', 'crash'].entries()) {
      const attempt = attempts[index] ?? '';
      expect(printed(attempt, 'printed.stdout')).toBe(
        `descriptor of ${input}\nchild of ${input}\nnode of ${input} with [redacted]\n`,
      );
      const errors = printed(attempt, 'printed.stderr');
      if (input !== 'crash') expect(errors).toBe(`child complains of ${input}\n`);
      else expect(errors).toMatch(/^child complains of crash\nthe last words \[redacted\] \[redacted\]\n/);
    }
    expect(home.lostLeases[0].reason).toContain('ended by SIGABRT');
    const { events } = jsonOf(
      await project.holdfast(['runs', 'logs', home.run, '--json', '--sample', 'crash']),
    );
    // One, unless the machine was so slow that an interval ended before the sample did.
    expect(
      events.findLast((one: { status?: string }) => one.status === 'lost').evidence.parts,
    ).toBeGreaterThan(0);
    worker.child.kill('SIGTERM');
    const { stderr } = await worker.ended;
    expect(stderr).not.toContain(PASSWORD);
    // All of them are in the bucket, so none of their journals is left here.
    const left = readdirSync(join(project.path, '../worker-0/runs'), { recursive: true, encoding: 'utf8' });
    // What a process that crashed had put together of segments is swept later.
    expect(left.filter((name) => name.endsWith('journal.db') && !name.includes('.tmp/'))).toEqual([]);
  });

  test('[SHR-22] processes that do one sample each are counted together: calls that all fail alike do not burn the run', async () => {
    await using project = await sharedProject({ samples: 1, queue: redis.url() });
    writeEval(project, DEAF);
    await project.worker();
    const submit = ['submit', 'shared.eval.ts', '--json', '--isolate'];
    const { runs } = jsonOf(await project.holdfast(submit));
    expect(runs[0].home.cancelled).toMatchObject({
      ...{ because: 'calls', reason: expect.stringContaining('no such key') },
    });
    // Ten, and what two slots ask until they hear it; all samples would ask 32 times.
    expect(project.bought().length).toBeLessThanOrEqual(20);
  }, 180_000);
});

test('`run` isolates as well: each sample in a process of its own, and a crash is the error of its own sample', async () => {
  await using dir = await makeTempDir();
  const ledger = join(dir.path, 'ledger');
  writeEval(dir, evalText('isolate: true,'));
  const pids = () =>
    readFileSync(ledger, 'utf8')
      .trim()
      .split('\n')
      .map((line) => Number.parseInt(line, 10));
  const ended = await holdfast(dir.path, ['run', 'shared.eval.ts', '--json'], { LEDGER: ledger });
  expect(reportOf(ended)).toMatchObject({ exitCode: 1, runs: [{ samples: { fresh: 3, errored: 1 } }] });
  expect(new Set(pids()).size).toBe(5);
  expect(ended.stderr).toContain('descriptor of q0');
  const { log = '' } = reportOf(ended).runs[0] ?? {};
  const again = await holdfast(dir.path, ['retry', log, '--json'], { LEDGER: ledger });
  expect(reportOf(again)).toMatchObject({ exitCode: 1, runs: [{ samples: { reused: 2, errored: 1 } }] });
  expect(new Set(pids()).size).toBe(8);
});
