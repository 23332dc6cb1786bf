/** What a killed or hanging session of a worker leaves behind: nothing that goes on with its keys. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { commitAll, isAlive, sharedProject, writeEval } from './shared-project.ts';

const redis = useRedis();

/** Says who it is and who started it, and stays for longer than the test. */
const AGENT = 'trap "" TERM; echo "$$ $PPID" >> "$PIDS"; for second in $(seq 600); do sleep 1; done\n';

const agentEval = `
import { defineEval, includes } from 'holdfast';
export default defineEval({
  name: 'agents',
  data: [{ id: 'q', input: 'q', target: 'q' }],
  target: { command: ['sh', 'agent.sh'], workspace: 'template', env: ['PIDS'] },
  scorers: [includes()],
});
`;

async function until<T>(what: string, look: () => T | undefined): Promise<T> {
  for (const end = Date.now() + 80_000; ; await sleep(50)) {
    const found = look();
    if (found) return found;
    if (Date.now() > end) throw new Error(`waited in vain for ${what}`);
  }
}

describe.skipIf(redisObstacle !== undefined)(onRedis('what is left behind'), () => {
  test('an agent ends within seconds when its session is killed, and when its worker is', async () => {
    await using project = await sharedProject({ samples: 1, queue: redis.url() });
    mkdirSync(join(project.path, 'template'));
    writeFileSync(join(project.path, 'template/agent.sh'), AGENT);
    writeEval(project, agentEval);
    commitAll(project.path);
    const pids = join(project.path, '../pids');
    const agentAt = (index: number) => () => {
      const line = existsSync(pids) ? readFileSync(pids, 'utf8').split('\n')[index] : undefined;
      const [agent = 0, session = 0] = (line ?? '').split(' ').map(Number);
      return session > 0 ? { agent, session } : undefined;
    };
    const worker = await project.worker([], { PIDS: pids });
    await project.holdfast(['submit', 'shared.eval.ts', '--json', '--detach'], { PIDS: pids });
    const first = await until('an agent', agentAt(0));
    process.kill(first.session, 'SIGKILL');
    await until('its end', () => !isAlive(first.agent));
    const second = await until('another agent', agentAt(1));
    expect(second.session).not.toBe(first.session);
    worker.child.kill('SIGKILL');
    await until('the end of the other', () => !isAlive(second.agent) && !isAlive(second.session));
  });

  test('a sample that never lets go of its process is found out, and set aside with that as the reason', async () => {
    await using project = await sharedProject({
      ...{ samples: 2, queue: redis.url() },
      more: `target: async ({ input }, { record }) => {
        await buy(record, input);
        while (input === 'q1');
        return input;
      },`,
    });
    const worker = await project.worker(['--slots', '1', '--hang-max', '6s']);
    const submit = ['submit', 'shared.eval.ts', '--json', '--lost-max', '1'];
    const [{ home }] = JSON.parse((await project.holdfast(submit)).stdout).runs;
    expect(home.samples).toMatchObject({ aside: 1 });
    const [{ job, reason }] = home.aside;
    expect({ job, reason }).toMatchObject({
      job: 's1',
      reason: expect.stringMatching(/did not answer for 6 s, kept busy by its own code, and was ended/),
    });
    worker.child.kill('SIGTERM');
    expect((await worker.ended).code).toBe(0);
    for (const pid of project.pids()) expect(isAlive(pid)).toBe(false);
  });
});
