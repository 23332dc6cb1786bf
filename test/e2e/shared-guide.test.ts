/** Every command of docs/guide/many-machines.md, in its order, as it is written there, and what its model was asked for. */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { answerTo, isAboutTable } from '../../examples/text-to-sql/scripted-model.mts';
import { chatCompletion } from '../sim/chat-server.ts';
import { sendJson, startServer } from '../sim/http-server.ts';
import { samplesOf } from '../sim/read-log.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { commitAll, sharedProject } from './shared-project.ts';

const redis = useRedis();
const GUIDE = readFileSync(join(import.meta.dirname, '../../docs/guide/many-machines.md'), 'utf8');
const EXAMPLE = join(import.meta.dirname, '../../examples/text-to-sql');

const COMMANDS = [...GUIDE.matchAll(/```sh\n(.*?)```/gs)]
  .flatMap(([, block = '']) => block.split('\n'))
  .filter((line) => line.startsWith('holdfast '))
  .map((line) => line.slice('holdfast '.length));

/** For how many tables and questions the model is asked by the end of a command, since the one before that is named here. */
const ASKED: readonly (readonly [command: string, tables: number, questions: number])[] = [
  ['run text-to-sql.eval.ts', 8, 20],
  ['run text-to-sql.eval.ts --fresh --workers 2', 0, 20],
  ['run text-to-sql.eval.ts --fresh --shard 1/2 --log-dir logs/slices', 0, 10],
  ['run text-to-sql.eval.ts --fresh --shard 2/2 --log-dir logs/slices', 0, 10],
  ['run text-to-sql.eval.ts --log-dir logs/slices', 0, 0],
  // By then the laptop has forgotten what it had built.
  ['runs fetch "$RUN"', 8, 20],
  ['submit text-to-sql.eval.ts --fresh', 0, 20],
];

const ALONE = { HOLDFAST_BUCKET: '', HOLDFAST_QUEUE: '' };

const SAYS: Readonly<Record<string, readonly string[]>> = {
  'doctor --bucket "$HOLDFAST_BUCKET"': ['bucket'],
  bundle: ['code', 'lock', 'node'],
  'runs list': ['text-to-sql'],
  'runs logs "$RUN"': ['round'],
};

describe.skipIf(redisObstacle !== undefined)(onRedis('the guide to many machines'), () => {
  test('every command does what the guide says, and what was built once is not built again', async () => {
    const asked = { tables: 0, questions: 0 };
    await using model = await startServer((request, response) => {
      const prompt: string = JSON.parse(request.body).messages.at(-1).content;
      asked[isAboutTable(prompt) ? 'tables' : 'questions']++;
      sendJson(response, chatCompletion(request, answerTo(prompt)));
    });
    const env = { OPENAI_COMPATIBLE_BASE_URL: `${model.url}/v1` };
    await using project = await sharedProject({ samples: 1, queue: redis.url(), env });
    rmSync(join(project.path, 'shared.eval.ts'));
    cpSync(EXAMPLE, project.path, { recursive: true });
    writeFileSync(join(project.path, '.gitignore'), 'databases/*.sqlite\nlogs/\n.holdfast/\n');
    commitAll(project.path);
    const [due, told] = [[...ASKED], new Set<string>()];
    let run = '';
    for (const command of COMMANDS) {
      const words = command.split(' ');
      if (words[0] === 'worker') {
        // On each of two machines.
        for (const _ of [1, 2]) await project.worker(words.slice(1));
        // All that the laptop has built is gone: the workers build it, and it comes home.
        rmSync(join(project.path, '.holdfast/artifacts'), { recursive: true });
        continue;
      }
      const args = words.map((word) =>
        word.replace('"$RUN"', run).replace('"$HOLDFAST_BUCKET"', project.bucket),
      );
      // On the laptop the environment names nothing yet.
      const ended = await project.holdfast(args, words[0] === 'run' ? ALONE : {});
      expect({ command, code: ended.code, said: ended.code === 0 ? '' : ended.stderr }).toEqual({
        ...{ command, code: 0, said: '' },
      });
      for (const text of SAYS[command] ?? []) expect(ended.stdout + ended.stderr).toContain(text);
      if (command in SAYS) told.add(command);
      if (due[0]?.[0] === command) {
        const [, tables, questions] = due.shift() ?? [];
        expect({ command, ...asked }).toEqual({ command, tables, questions });
        Object.assign(asked, { tables: 0, questions: 0 });
      }
      if (words[0] === 'submit') {
        const { stdout } = await project.holdfast(['runs', 'list', '--json']);
        run = JSON.parse(stdout).runs[0].run;
      }
    }
    expect(due).toEqual([]);
    expect([...told].sort()).toEqual(Object.keys(SAYS).sort());
    // What was cancelled and resumed built nothing, either.
    expect(asked.tables).toBe(0);
    const { stdout } = await project.holdfast(['runs', 'list', '--json']);
    const states = JSON.parse(stdout).runs.map(({ state }: { state: string }) => state);
    expect(states).toEqual(['complete', 'complete', 'complete']);
    // Of the slices one log is made that has all.
    const slices = join(project.path, 'logs/slices');
    const names = readdirSync(slices).filter((name) => name.endsWith('.eval'));
    const sizes = names.map(async (name) => (await samplesOf(join(slices, name))).length);
    expect((await Promise.all(sizes)).sort()).toEqual([10, 10, 20]);
  }, 400_000);
});
