/** A bucket that is a folder goes away while workers run, as a share does that is not mounted any more; then it comes back. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { headerOf, samplesOf } from '../sim/read-log.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { jsonOf } from './holdfast.ts';
import { allAnswers, sharedProject, untilBought } from './shared-project.ts';

const redis = useRedis();
const SAMPLES = 6;
/** Longer than a worker may be silent. */
const AWAY_MS = 10_000;

/** Each sample waits between its two calls until the gate is open: so the run is not over before the bucket has gone. */
const GATED = `target: async ({ input }, { record }) => {
  await buy(record, input + ' first');
  while (!process.getBuiltinModule('node:fs').existsSync(process.env.GATE)) await sleep(20);
  return buy(record, input + ' second');
},`;

describe.skipIf(redisObstacle !== undefined)(onRedis('a bucket that is a folder'), () => {
  test.each([
    { what: 'its folder is gone', kind: 'one process', more: GATED },
    {
      what: 'another folder is in its place',
      kind: 'a process for each sample',
      more: `isolate: true, ${GATED}`,
    },
  ])(
    '[BUCKET-11] [SHR-6] $what for a while: who works waits, nobody is lost, and nothing is bought twice ($kind)',
    async ({ what, more }) => {
      await using project = await sharedProject({ samples: SAMPLES, queue: redis.url(), more });
      const gate = `${project.bucket}.gate`;
      const workers = await Promise.all([
        project.worker([], { GATE: gate }),
        project.worker([], { GATE: gate }),
      ]);
      const submitted = await project.holdfast(['submit', 'shared.eval.ts', '--detach', '--json']);
      const { run } = jsonOf(submitted).runs[0];
      const waiting = project.start(['runs', 'wait', run, '--json']);
      await Promise.all([untilBought(project, 4), waiting.said('running')]);

      renameSync(project.bucket, `${project.bucket}.away`);
      if (what.startsWith('another')) mkdirSync(project.bucket);
      const wentMs = Date.now();
      await Promise.all([...workers, waiting].map(({ said }) => said(what)));
      // What is under way goes on, and ends while nobody can be told.
      writeFileSync(gate, '');
      await untilBought(project, 8);
      await sleep(Math.max(0, wentMs + AWAY_MS - Date.now()));
      expect(existsSync(project.bucket)).toBe(what.startsWith('another'));
      // What was made there would be hidden by the share when it is back.
      if (existsSync(project.bucket)) {
        expect(readdirSync(project.bucket)).toEqual([]);
        rmdirSync(project.bucket);
      }
      renameSync(`${project.bucket}.away`, project.bucket);

      const waited = await waiting.ended;
      expect(waited, waited.stderr).toMatchObject({ code: 0 });
      expect(waited.stderr).toContain('The bucket is back.');
      const status = jsonOf(await project.holdfast(['runs', 'status', run, '--json']));
      expect(JSON.stringify(status)).toContain('"complete"');
      const fetched = jsonOf(await project.holdfast(['runs', 'fetch', run, '--json']));
      expect(fetched).toMatchObject({ exitCode: 0, home: { samples: { completed: SAMPLES } } });
      expect(await headerOf(fetched.home.log)).toMatchObject({ status: 'success' });
      expect(await samplesOf(fetched.home.log)).toHaveLength(SAMPLES);
      expect(project.bought().sort()).toEqual(allAnswers(SAMPLES));
    },
    180_000,
  );
});
