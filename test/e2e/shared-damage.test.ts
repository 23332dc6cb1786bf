/** [SHR-24] What is damaged in the bucket costs its own sample one round, and nothing else. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { samplesOf } from '../sim/read-log.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import type { Ended } from './holdfast.ts';
import { allAnswers, type SharedProject, sharedProject, untilBought } from './shared-project.ts';

const redis = useRedis();

function jsonOf({ stdout }: Ended) {
  return JSON.parse(stdout);
}

const leasesOf = ({ bucket }: SharedProject, run: string) =>
  join(bucket, '.holdfast/shared', run, 'shared/leases/0000');

/** Gives what it was. */
function tear(path: string): Buffer {
  const whole = readFileSync(path);
  writeFileSync(path, whole.subarray(0, whole.length / 2));
  return whole;
}

describe.skipIf(redisObstacle !== undefined)(onRedis('damaged records of shared runs'), () => {
  test('[SHR-24] a torn end and a torn beginning of a run under way: the rest comes home, all commands say it and end with 3, and resume completes it without buying twice', async () => {
    // One sample waits for a file, so that the run is under way for as long as this test wants.
    const queue = redis.url();
    const more = `target: async ({ input }, { record }) => {
      await buy(record, input + ' first');
      const { existsSync } = await import('node:fs');
      while (input === 'q5' && !existsSync(process.env.LEDGER + '.gate')) await sleep(50);
      return buy(record, input + ' second');
    },`;
    await using project = await sharedProject({ samples: 6, queue, more });
    const worker = await project.worker();
    const submit = project.start(['submit', 'shared.eval.ts', '--json']);
    await submit.said('submitted');
    const { run } = jsonOf(await project.holdfast(['runs', 'list', '--json'])).runs[0];
    await untilBought(project, 11);
    const leases = leasesOf(project, run);
    const ends = () => readdirSync(leases).filter((name) => name.endsWith('.ended'));
    await expect.poll(() => ends().length, { timeout: 60_000 }).toBe(5);
    // The one that is under way loses its beginning, and its worker is told to go: nothing is known of it but that it was.
    const whole = tear(join(leases, 's0.0001.ended'));
    tear(join(leases, 's5.0001.begun'));
    worker.child.kill('SIGKILL');
    await worker.ended;
    const status = await project.holdfast(['runs', 'status', run, '--json']);
    const damaged = [
      {
        job: 's0',
        key: expect.stringMatching(/s0\.0001\.ended$/),
        problem: expect.stringContaining('no JSON'),
      },
      { job: 's5', key: expect.stringMatching(/s5\.0001\.begun$/) },
    ];
    expect(jsonOf(status)).toMatchObject({
      ...{ exitCode: 3, state: 'complete', damaged },
      samples: { completed: 4, damaged: 2, due: 0, running: 0 },
    });
    const submitted = jsonOf(await submit.ended);
    expect(submitted).toMatchObject({
      exitCode: 3,
      runs: [{ end: 'complete', home: { damaged: expect.any(Array) } }],
    });
    for (const words of [['list'], ['wait', run], ['logs', run], ['cancel', run], ['fetch', run]]) {
      const ended = await project.holdfast(['runs', ...words]);
      expect([words[0], ended.code, ended.stdout + ended.stderr]).toEqual([
        ...[words[0], 3],
        expect.stringContaining('s5.0001.begun'),
      ]);
    }
    const fetched = jsonOf(await project.holdfast(['runs', 'fetch', run, '--json']));
    expect(fetched).toMatchObject({ exitCode: 3, home: { samples: { completed: 4, damaged: 2 }, damaged } });
    expect(basename(fetched.home.log)).toMatch(/-without2\.eval$/);
    expect(await samplesOf(fetched.home.log)).toHaveLength(4);
    expect(jsonOf(await project.holdfast(['runs', 'gc', '--older-than', '0d', '--json']))).toMatchObject({
      ...{ exitCode: 3, runs: [{ run, isRemoved: false, isDamaged: true }] },
    });
    writeFileSync(`${project.env.LEDGER}.gate`, '');
    await project.worker();
    const resumed = await project.holdfast(['runs', 'resume', run, '--json']);
    expect(resumed.stderr).toContain('goes past');
    expect(jsonOf(resumed)).toMatchObject({
      ...{ exitCode: 0, runs: [{ round: 2, home: { damaged: [], samples: { completed: 6, damaged: 0 } } }] },
    });
    // Its answers were in the bucket, or in the journal that the killed worker left: either way nothing of the first sample is bought again.
    const bought = project.bought();
    expect(bought.filter((what) => what.startsWith('q0'))).toEqual(['q0 first', 'q0 second']);
    expect([...new Set(bought)].sort()).toEqual(allAnswers(6));
    expect(await samplesOf(jsonOf(resumed).runs[0].home.log)).toHaveLength(6);
    // What is restored counts as what it says: nothing is due, and nothing is damaged.
    writeFileSync(join(leases, 's0.0001.ended'), whole);
    expect(jsonOf(await project.holdfast(['runs', 'status', run, '--json']))).toMatchObject({
      ...{ exitCode: 0, damaged: [], samples: { completed: 6 } },
    });
  });

  test('[SHR-24] an end that is restored counts in the round that was without it', async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url() });
    await project.worker();
    const { runs } = jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json']));
    const [{ run }] = runs;
    const path = join(leasesOf(project, run), 's1.0001.ended');
    const whole = tear(path);
    const args = ['runs', 'fetch', run, '--json', '--log-dir', 'again'];
    expect(jsonOf(await project.holdfast(args))).toMatchObject({
      exitCode: 3,
      home: { samples: { damaged: 1 } },
    });
    writeFileSync(path, whole);
    const fetched = jsonOf(await project.holdfast(args));
    expect(fetched).toMatchObject({ exitCode: 0, home: { samples: { completed: 2, damaged: 0 } } });
    expect(await samplesOf(fetched.home.log)).toHaveLength(2);
    expect(project.bought().sort()).toEqual(allAnswers(2));
  });
});
