/** Evidence: what agents and targets leave behind is in the bucket while they work, and comes home by attempt. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { jsonOf } from './holdfast.ts';
import { commitAll, type SharedProject, sharedProject } from './shared-project.ts';

const redis = useRedis();
const PASSWORD = 'correct-horse-battery';

/** The first agent works until it is killed, and whoever comes after it ends at once. */
const AGENT = `
count=$(wc -l < "$LEDGER"); echo "begun" >> "$LEDGER"
echo "attempt $count at $1"; echo "a word to stderr" >&2
echo "the password is $DOOR, account 4711-0815"
echo "notes of attempt $count, with $DOOR" > notes.txt
mkdir -p node_modules .git/objects; echo no > node_modules/x; echo no > .git/objects/y; echo yes > .git/HEAD
printf 'step one\\n' > session.log
if [ "$count" = 0 ]; then for tick in $(seq 1200); do echo "tick $tick" >> session.log; echo "tick $tick"; sleep 0.5; done; fi
echo "answer to $1"
`;

const agentEval = `
import { defineEval, includes } from 'holdfast';
export default defineEval({
  name: 'agents',
  data: [{ id: 'q', input: 'q', target: 'answer to q' }],
  target: { command: ['sh', 'agent.sh', '{{input}}'], workspace: 'template', env: ['LEDGER', 'DOOR'] },
  scorers: [includes()],
  redact: [/\\d{4}-\\d{4}/],
});
`;

async function agentProject() {
  const project = await sharedProject({ samples: 1, queue: redis.url(), env: { DOOR: PASSWORD } });
  mkdirSync(join(project.path, 'template'));
  writeFileSync(join(project.path, 'template/agent.sh'), AGENT);
  writeFileSync(join(project.path, 'shared.eval.ts'), agentEval);
  commitAll(project.path);
  return project;
}

const submit = async (project: SharedProject): Promise<string> =>
  jsonOf(await project.holdfast(['submit', 'shared.eval.ts', '--json', '--detach'])).runs[0].run;

const partsOf = ({ bucket }: SharedProject): readonly string[] =>
  (existsSync(bucket) ? readdirSync(bucket, { recursive: true, encoding: 'utf8' }) : [])
    .filter((path) => /\/evidence\/.*\/\d{6}$/.test(path))
    .map((path) => join(bucket, path));

async function untilParts(project: SharedProject, count: number): Promise<void> {
  for (const until = Date.now() + 150_000; partsOf(project).length < count; await sleep(100))
    if (Date.now() > until) throw new Error(`only ${partsOf(project).length} of ${count} parts are there`);
}

interface EventWords {
  readonly kind: string;
  readonly n?: number;
  readonly status?: string;
}

/** What `runs logs` tells of a run whose first worker was killed. */
async function checkLogs(project: SharedProject, run: string): Promise<void> {
  const logs = jsonOf(await project.holdfast(['runs', 'logs', run, '--sample', 'q', '--json']));
  expect(logs).toMatchObject({ exitCode: 0, run, state: 'complete', round: 1 });
  const [, , first, lost, second] = logs.events;
  expect(logs.events.map(({ kind, n = 0, status = '' }: EventWords) => `${kind} ${n} ${status}`)).toEqual([
    ...['submitted 0 ', 'round 0 ', 'begun 1 ', 'ended 1 lost', 'begun 2 ', 'ended 2 completed'],
  ]);
  expect(lost).toMatchObject({ job: 's0', worker: first.worker, by: second.worker });
  expect(lost.reason).toContain('no sign of life');
  const said = (n: number) =>
    logs.output.flatMap((one: { n: number; path: string; text: string }) =>
      one.n === n && one.path === '1-1/agent-1.stdout' ? one.text : [],
    );
  expect(said(1).join('')).toMatch(/^attempt 0 at q\n[\s\S]*tick 1\n/);
  expect(said(2).join('')).toContain('answer to q\n');
  const ofWorker = await project.holdfast(['runs', 'logs', run, '--sample', '0', '--worker', second.worker]);
  expect(ofWorker.code).toBe(0);
  expect(ofWorker.stdout).toContain(`begun      s0 q (lease 2) on ${second.worker}`);
  expect(ofWorker.stdout).toContain('s0.2 1-1/agent-1.stderr | a word to stderr');
  expect(ofWorker.stdout).not.toContain('lease 1');
  expect(ofWorker.stdout).not.toContain('s0.1 ');
  const unknown = jsonOf(await project.holdfast(['runs', 'logs', run, '--sample', 'nobody', '--json']));
  expect(unknown).toMatchObject({ exitCode: 2, error: { code: 'E_SHARED_SAMPLE' } });
}

describe.skipIf(redisObstacle !== undefined)(onRedis('evidence'), () => {
  test('[EVI-1] [EVI-3] [EVI-4] a worker that is killed leaves evidence up to the last interval, and both attempts come home', async () => {
    await using project = await agentProject();
    const victim = await project.worker();
    const run = await submit(project);
    await untilParts(project, 2);
    victim.child.kill('SIGKILL');
    await project.worker();
    expect(jsonOf(await project.holdfast(['runs', 'wait', run, '--json']))).toMatchObject({ exitCode: 0 });
    const { home } = jsonOf(await project.holdfast(['runs', 'fetch', run, '--json']));
    expect(home.evidence).toMatchObject({
      ...{ folder: `.holdfast/work/${run}`, attempts: 2, underWay: 0, problems: [] },
      ...{ cutBytes: 0, unstoredBytes: 0 },
    });
    const work = join(project.path, 'logs', home.evidence.folder);
    const attempts = readdirSync(work).sort();
    expect(attempts).toEqual([expect.stringMatching(/^s0\.1\.\w+$/), expect.stringMatching(/^s0\.2\.\w+$/)]);
    const [first = '', second = ''] = attempts;
    const read = (attempt: string, path: string) => readFileSync(join(work, attempt, path), 'utf8');
    expect(read(first, '1-1/agent-1.stdout')).toContain('attempt 0 at q\n');
    expect(read(first, '1-1/agent-1.stdout')).toContain('tick 1\n');
    expect(read(first, '1-1/agent-1.stderr')).toBe('a word to stderr\n');
    expect(read(first, '1-1/workspace/session.log')).toMatch(/^step one\ntick 1\n/);
    expect(read(second, '1-1/agent-1.stdout')).toContain('attempt 1 at q\n');
    expect(read(second, '1-1/agent-1.stdout')).toContain('answer to q\n');
    expect(read(second, '1-1/workspace/notes.txt')).toContain('notes of attempt 1');
    expect(JSON.parse(read(first, 'evidence.json'))).toMatchObject({
      ...{ job: 's0', n: 1, status: 'lost', sample: { id: 'q', epoch: 1 } },
    });
    // What is known elsewhere, or cannot be kept, is left out; what must not be kept is nowhere.
    const files = readdirSync(join(work, second, '1-1/workspace'), { recursive: true });
    expect(files.sort()).toEqual(['.git', '.git/HEAD', 'notes.txt', 'session.log']);
    for (const path of partsOf(project)) expect(readFileSync(path, 'utf8')).not.toMatch(/correct-horse|4711/);
    expect(read(second, '1-1/agent-1.stdout')).toContain('the password is [redacted], account [redacted]\n');
    await checkLogs(project, run);
    // Fetching again changes nothing.
    const again = jsonOf(await project.holdfast(['runs', 'fetch', run, '--json']));
    expect(again.home.evidence).toMatchObject({ attempts: 2, files: home.evidence.files });
    expect(readdirSync(work).sort()).toEqual(attempts);
  });

  test('[EVI-4] what a function target prints is evidence of its own sample, and is followed while it runs', async () => {
    await using project = await sharedProject({
      ...{ samples: 2, queue: redis.url(), env: { SPECIAL_TOKEN: PASSWORD } },
      more: `target: async ({ input }) => {
        console.log('hello from ' + input + ' with ' + process.env.SPECIAL_TOKEN);
        await untilLetGo(process.env.LEDGER);
        process.stderr.write('bad ' + input + '\\n');
        return input;
      },`,
    });
    project.hold(0);
    await project.worker();
    const run = await submit(project);
    await untilParts(project, 2);
    const following = project.start(['runs', 'logs', run, '--sample', '1', '--follow', '--json']);
    await once(following.child.stdout ?? process, 'data');
    project.letGo();
    const followed = await following.ended;
    const lines = followed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toEqual({ run, kind: 'over', exitCode: 0, state: 'complete', damaged: [] });
    const output = lines.filter(({ kind }) => kind === 'output');
    expect(output.map(({ job, path, text }) => [job, path, text])).toEqual([
      ['s1', 'printed.stdout', 'hello from q1 with [redacted]\n'],
      ['s1', 'printed.stderr', 'bad q1\n'],
    ]);
    expect(lines.filter(({ kind }) => kind === 'ended')).toMatchObject([
      { job: 's1', status: 'completed', evidence: { parts: 2 } },
    ]);
    const quiet = await project.holdfast(['runs', 'fetch', run, '--json', '--no-evidence']);
    expect(jsonOf(quiet).home).not.toHaveProperty('evidence');
    // What is only in the bucket stays there.
    const collect = ['runs', 'gc', '--older-than', '1d', '--dry-run', '--json'];
    expect(jsonOf(await project.holdfast(collect)).runs).toMatchObject([
      { run, isRemoved: false, reason: 'not all its artifacts and evidence are home' },
    ]);
    const fetched = await project.holdfast(['runs', 'fetch', run]);
    expect(fetched.stdout).toContain(`evidence of 2 attempts: 4 files`);
    expect(fetched.stdout).toContain(`.holdfast/work/${run}`);
    expect(jsonOf(await project.holdfast(collect)).runs).toMatchObject([
      { run, reason: 'fetched a short while ago' },
    ]);
  });

  test('[EVI-3] a sample that kills its process leaves what it had printed, and the next attempt what it prints', async () => {
    await using project = await sharedProject({
      ...{ samples: 1, queue: redis.url() },
      more: `target: async ({ input }, { record }) => {
        const isFirst = !process.env.LEDGER || (await import('node:fs')).readFileSync(process.env.LEDGER, 'utf8') === '';
        console.log(isFirst ? 'last words' : 'all well');
        if (!isFirst) return input;
        appendFileSync(process.env.LEDGER, process.pid + ' begun\\n');
        await untilLetGo(process.env.LEDGER);
        process.kill(process.pid, 'SIGKILL');
      },`,
    });
    project.hold(0);
    await project.worker();
    const submitted = project.start(['submit', 'shared.eval.ts', '--json']);
    await untilParts(project, 1);
    project.letGo();
    const { exitCode, runs } = jsonOf(await submitted.ended);
    const [{ home }] = runs;
    expect({ exitCode, lost: home.lostLeases.length }).toEqual({ exitCode: 0, lost: 1 });
    expect(home.evidence).toMatchObject({ attempts: 2, problems: [] });
    const work = join(project.path, 'logs', home.evidence.folder);
    const printed = readdirSync(work)
      .sort()
      .map((attempt) => readFileSync(join(work, attempt, 'printed.stdout'), 'utf8'));
    expect(printed).toEqual(['last words\n', 'all well\n']);
  });

  test('[EVI-5] what a process said last, and why a run is refused, is redacted in the bucket and on the screen of the worker', async () => {
    const refused = 'another-horse-another-battery';
    await using project = await sharedProject({
      ...{ samples: 1, queue: redis.url(), env: { SPECIAL_TOKEN: PASSWORD } },
      more: `target: async () => {
        console.log('my key is ' + process.env.SPECIAL_TOKEN);
        console.log('my account is 47' + '11-0815 and my key is ' + process.env.SPECIAL_TOKEN);
        await sleep(200);
        process.kill(process.pid, 'SIGKILL');
      },
      redact: [/\\d{4}-\\d{4}/],
      ...(process.env.BAD_TOKEN && (() => { throw new Error('no use for ' + process.env.BAD_TOKEN); })()),`,
    });
    const run = await submit(project);
    const other = await project.worker([], { BAD_TOKEN: refused });
    await other.said('no use for');
    const texts = () =>
      readdirSync(project.bucket, { recursive: true, withFileTypes: true, encoding: 'utf8' })
        .filter((entry) => entry.isFile())
        .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));
    // Its next sign of life says so; and since nobody else is there the round is cancelled for it [SHR-25].
    await expect.poll(() => texts().filter((text) => text.includes('no use for [redacted]'))).toHaveLength(2);
    other.child.kill('SIGTERM');
    const worker = await project.worker();
    await project.holdfast(['runs', 'resume', run, '--detach']);
    const waited = jsonOf(await project.holdfast(['runs', 'wait', run, '--json']));
    expect(waited).toMatchObject({ exitCode: 5 });
    const logs = jsonOf(await project.holdfast(['runs', 'logs', run, '--json']));
    const { reason } = logs.events.find(({ status }: EventWords) => status === 'lost');
    expect(reason).toContain('SIGKILL (my account is [redacted] and my key is [redacted])');
    worker.child.kill('SIGTERM');
    const said = [(await other.ended).stderr, (await worker.ended).stderr];
    expect(said[1]).toContain('my account is [redacted] and my key is [redacted]');
    for (const text of [...texts(), ...said]) expect(text).not.toMatch(/another-horse|correct-horse|4711/);
  });
});
