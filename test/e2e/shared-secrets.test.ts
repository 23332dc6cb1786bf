/** Keys are in no command line, queue, record, log or bundle, although all code of a run prints them and fails with them. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { sendJson } from '../sim/http-server.ts';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { type Text, textsBelow } from '../sim/unpacked.ts';
import { startChatServer } from './chat-server.ts';
import { jsonOf, PROGRAM } from './holdfast.ts';
import { commitAll, sharedProject, untilBought, untilGone } from './shared-project.ts';

const redis = useRedis();

const KEY = 'sk-proj-4Jx0pQ9vLmZr7TnW2yBd';
const OTHER = 'other-8Hc3uKsE5oVq1XgF6aYi';
/** In the evals, in their rows and in what their code says: where this is not seen a key would not be seen either. */
const MARK = 'marked-4711';

/** The server tells the key of a call that it refuses, as OpenAI's does. */
const MODEL_EVAL = `
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { defineArtifact, defineEval, includes } from 'holdfast';
const { OPENAI_COMPATIBLE_API_KEY: key, OTHER_KEY: other, LEDGER } = process.env;
const say = (who) => {
  console.log('${MARK} ' + who + ' says ' + key + ' and ' + other);
  process.stderr.write('${MARK} ' + who + ' complains of ' + key + ' and ' + other + '\\n');
};
const made = (name) => defineArtifact({
  kind: 'made', key: name, version: '1', inputs: {},
  build: async ({ dir }) => {
    say('build');
    writeFileSync(dir + '/file', '${MARK}');
    if (name === 'bad') throw new Error('the ${MARK} build broke on ' + key + ' and ' + other);
  },
});
export default defineEval({
  name: '${MARK}-model',
  data: ['answers', 'throws', 'refused', 'unscored', 'unbuilt'].map((id) => ({ id, input: id + ' ${MARK}', target: id })),
  requires: ({ id }) => made(id === 'unbuilt' ? 'bad' : 'good'),
  target: async ({ id, input }, { generate }) => {
    say('target');
    appendFileSync(LEDGER, process.pid + ' target\\n');
    while (existsSync(LEDGER + '-held')) await pause(20);
    const { text } = await generate({ prompt: input });
    if (id === 'throws') throw new Error('the target broke on ' + key + ' and ' + other, { cause: new Error(key) });
    return text;
  },
  scorers: [includes(), async function strict({ input }) {
    say('scorer');
    if (input.startsWith('unscored')) throw new Error('the scorer broke on ' + key + ' and ' + other);
    return 1;
  }],
});
`;

const AGENT_EVAL = `
import { defineEval, includes } from 'holdfast';
export default defineEval({
  name: '${MARK}-agent',
  data: ['works', 'fails'].map((id) => ({ id, input: id, target: id })),
  target: { command: ['sh', 'agent.sh', '{{input}}'], workspace: 'template', env: ['LEDGER', 'OPENAI_COMPATIBLE_API_KEY', 'OTHER_KEY'] },
  scorers: [includes()],
});
`;

const AGENT = `
echo "$$ agent" >> "$LEDGER"
while [ -e "$LEDGER-held" ]; do sleep 0.1; done
echo "${MARK} $1 with $OPENAI_COMPATIBLE_API_KEY and $OTHER_KEY"
echo "${MARK} complains of $OPENAI_COMPATIBLE_API_KEY and $OTHER_KEY" >&2
echo "${MARK} notes: $OPENAI_COMPATIBLE_API_KEY $OTHER_KEY" > notes.txt
printf '${MARK} \\000\\377 %s' "$OPENAI_COMPATIBLE_API_KEY" > notes.bin
[ "$1" = works ]
`;

/** Two workers that are launched by command, with keys in their environment, and results into which runs are published. */
async function secretProject(model: string) {
  const env = { OPENAI_COMPATIBLE_API_KEY: KEY, OPENAI_COMPATIBLE_BASE_URL: model, OTHER_KEY: OTHER };
  const project = await sharedProject({ samples: 1, queue: redis.url(), env });
  const launch = {
    ...{ kind: 'command', workers: 2, slots: 8, program: `${process.execPath} ${PROGRAM}` },
    start: 'for i in $(seq {workers}); do ( {command} --dir "$LEDGER.w$i" > "$LEDGER.out$i" 2>&1 & ) ; done',
    stop: 'pkill -f -- "--label {label}"; true',
  };
  rmSync(join(project.path, 'shared.eval.ts'));
  mkdirSync(join(project.path, 'template'));
  writeFileSync(join(project.path, 'template/agent.sh'), AGENT);
  writeFileSync(join(project.path, 'model.eval.ts'), MODEL_EVAL);
  writeFileSync(join(project.path, 'agent.eval.ts'), AGENT_EVAL);
  writeFileSync(join(project.path, 'holdfast.config.json'), JSON.stringify({ launch: { here: launch } }));
  commitAll(project.path);
  await project.holdfast(['results', 'init']);
  return project;
}

/** All that Redis has: names and values, of whatever type. */
async function storedIn(client: Redis): Promise<string> {
  const read: Record<string, (key: string) => Promise<unknown>> = {
    string: (key) => client.get(key),
    hash: (key) => client.hgetall(key),
    list: (key) => client.lrange(key, 0, -1),
    set: (key) => client.smembers(key),
    zset: (key) => client.zrange(key, '0', '-1'),
    stream: (key) => client.xrange(key, '-', '+'),
  };
  const all: unknown[] = [];
  for (const key of await client.keys('*')) {
    const type = await client.type(key);
    // It may have gone in the meantime.
    if (type === 'none') continue;
    all.push(key, await read[type]?.(key));
    expect(Object.keys(read)).toContain(type);
  }
  return JSON.stringify(all);
}

/** What is said to Redis from now on: also what is there only for a moment. */
async function listenTo(client: Redis) {
  const said: string[] = [];
  const monitor = await client.monitor();
  monitor.on('monitor', (_time: string, words: readonly string[]) => said.push(words.join(' ')));
  return { said, [Symbol.dispose]: () => monitor.disconnect() };
}

const commandLines = () => execFileSync('ps', ['-e', '-ww', '-o', 'args'], { encoding: 'utf8' });

const holding = (texts: readonly Text[], word: string) =>
  texts.filter(({ bytes }) => bytes.includes(word)).map(({ place }) => place);

/** Each has the mark, so whoever looks there does look. */
const LOOKED_INTO: readonly RegExp[] = [
  /^bucket\/.*\/shared\/submission$/,
  /^bucket\/.*\/shared\/leases\/.*\.ended$/,
  /^bucket\/.*\/segments\/.* zstd$/,
  /^bucket\/.*\/builds\/.*\.eval samples\//,
  /^bucket\/.*\/evidence\/s/,
  /^bucket\/.*\/evidence\/b/,
  /^bucket\/.*\/bundles\/objects\//,
  /^project\/logs\/[^/]*\.eval .*journal\/start\.json$/,
  /^project\/logs\/[^/]*\.eval samples\//,
  /^project\/logs\/\.holdfast\/work\/.*\/agent-1\.stderr$/,
  /^project\/logs\/\.holdfast\/work\/.*\/printed\.stdout$/,
  /^project\/\.git objects$/,
  /^ledger\.out/,
];

/** What agents print and write stays on the machine that they ran on as it is: docs/guide/privacy.md says so. */
const STAYS = /^ledger\.w\d\/runs\/\.holdfast\/work\//;

describe.skipIf(redisObstacle !== undefined)(onRedis('secrets'), () => {
  // Alone in its process a sample is heard in another way.
  test.each([
    ['', [] as string[]],
    [', also where each sample has a process of its own', ['--isolate']],
  ])(
    'are in no command line, queue, record, segment, evidence, bundle, log or result, though all code prints them and fails with them%s',
    async (_, words) => {
      await using server = await startChatServer(({ headers, body }, response) => {
        if (!body.includes('refused')) return false;
        const message = `Incorrect API key provided: ${headers.authorization}.`;
        sendJson(response, { error: { message } }, 401);
        return true;
      });
      await using project = await secretProject(`${server.url}/v1`);
      const { LEDGER: ledger } = project.env;
      writeFileSync(`${ledger}-held`, '');
      const client = new Redis({ port: redis.port });
      using monitor = await listenTo(client);
      const submit = project.start([
        ...['submit', 'model.eval.ts', 'agent.eval.ts', '-m', 'openai-compatible/any'],
        ...['--launch', 'here', '--key', 'OTHER_KEY', '--json', ...words],
      ]);
      // Four samples of the one, two of the other: the fifth lacks its artifact.
      await untilBought(project, 6);
      const argv = commandLines();
      for (const words of ['--label holdfast-', 'worker --session', 'agent.sh works'])
        expect(argv).toContain(words);
      const stored = await storedIn(client);
      rmSync(`${ledger}-held`);
      const ended = await submit.ended;
      const { runs } = jsonOf(ended);
      expect(runs.map(({ exitCode }: { exitCode: number }) => exitCode)).toEqual([5, 5]);
      await untilGone(project.pids());
      const queued = [stored, await storedIn(client), ...monitor.said].join('\n');
      client.disconnect();
      for (const { run } of runs) expect(queued).toContain(run);
      const texts = (await textsBelow(join(project.path, '..'))).filter(({ place }) => !STAYS.test(place));
      const marked = holding(texts, MARK);
      expect(LOOKED_INTO.filter((place) => !marked.some((one) => place.test(one)))).toEqual([]);
      // It was there to be kept.
      expect(server.requests.map(({ headers }) => headers.authorization)).toContain(`Bearer ${KEY}`);
      for (const secret of [KEY, OTHER]) {
        expect(argv).not.toContain(secret);
        expect(queued).not.toContain(secret);
        expect(ended.stdout + ended.stderr).not.toContain(secret);
        expect(holding(texts, secret)).toEqual([]);
      }
    },
    240_000,
  );
});
