/** Every command of docs/guide/many-machines.md, in its order, as it is written there. */
import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerTo } from '../../examples/text-to-sql/scripted-model.mts';
import { chatCompletion } from '../sim/chat-server.ts';
import { sendJson, startServer } from '../sim/http-server.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { commitAll, sharedProject } from './shared-project.ts';

const redis = useRedis();
const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guide/many-machines.md'), 'utf8');
const EXAMPLE = join(import.meta.dirname, '../../examples/text-to-sql');

const COMMANDS = [...GUIDE.matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = '']) => block.split('\n'))
  .filter((line) => line.startsWith('holdfast '));

describe.skipIf(redisObstacle !== undefined)(onRedis('the guide to many machines'), () => {
  test('every command does what the guide says', async () => {
    await using model = await startServer((request, response) => {
      const prompt: string = JSON.parse(request.body).messages.at(-1).content;
      sendJson(response, chatCompletion(request, answerTo(prompt)));
    });
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1` };
    await using project = await sharedProject({ samples: 1, queue: redis.url(), env });
    rmSync(join(project.path, 'shared.eval.ts'));
    cpSync(EXAMPLE, project.path, { recursive: true });
    writeFileSync(join(project.path, '.gitignore'), 'databases/*.sqlite\nlogs/\n.holdfast/\n');
    commitAll(project.path);
    expect(COMMANDS.length).toBeGreaterThan(12);
    let run = '';
    for (const command of COMMANDS) {
      const words = command.split(' ').slice(1);
      if (words[0] === 'worker') {
        await project.worker(words.slice(1));
        continue;
      }
      const args = words.map((word) =>
        word.replace('"$RUN"', run).replace('"$HOLDFAST_BUCKET"', project.bucket),
      );
      const ended = await project.holdfast(args);
      expect({ command, code: ended.code, said: ended.code === 0 ? '' : ended.stderr }).toEqual({
        ...{ command, code: 0, said: '' },
      });
      if (words[0] === 'submit') {
        const { stdout } = await project.holdfast(['runs', 'list', '--json']);
        run = JSON.parse(stdout).runs[0].run;
      }
    }
    const { stdout } = await project.holdfast(['runs', 'list', '--json']);
    const states = JSON.parse(stdout).runs.map(({ state }: { state: string }) => state);
    expect(states).toEqual(['complete', 'complete', 'complete']);
  });
});
