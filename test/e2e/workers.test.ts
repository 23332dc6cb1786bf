/** `run --workers`: samples in processes of their own, and nothing that is paid for is lost with one of them. */
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { HOLD, hold, letGo } from './hold.ts';
import { holdfast, reportOf, type Started, startHoldfast } from './holdfast.ts';

const SAMPLES = 12;

/** Two recorded calls a sample; whoever sells one writes down which process asked. `POISON` names an input that kills whoever has it. */
const evalText = (ledger: string) => `
import { appendFileSync } from 'node:fs';
import { defineEval, includes } from 'holdfast';
${HOLD}
const buy = (record, what) => record('ask', { what }, async () => {
  await pause(10);
  await untilLetGo(${JSON.stringify(ledger)});
  appendFileSync(${JSON.stringify(ledger)}, process.pid + ' ' + what + '\\n');
  return 'heard ' + what;
});
export default defineEval({
  name: 'shared',
  data: Array.from({ length: ${SAMPLES} }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: 'q' + index })),
  target: async ({ input }, { record }) => {
    await buy(record, input + ' first');
    appendFileSync(${JSON.stringify(`${ledger}.heard`)}, input + '\\n');
    if (input === process.env.POISON) process.kill(process.pid, 'SIGKILL');
    return buy(record, input + ' second');
  },
  scorers: [includes()],
  prices: { 'record/ask': { call: 0.01 } },
  concurrency: 4,
});
`;

async function sharedEval() {
  const dir = await makeTempDir();
  const ledger = join(dir.path, 'ledger');
  await writeFile(ledger, '');
  await writeFile(join(dir.path, 'shared.eval.ts'), evalText(ledger));
  const lines = () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean);
  return Object.assign(dir, {
    bought: () => lines().map((line) => line.slice(line.indexOf(' ') + 1)),
    pids: () => new Set(lines().map((line) => Number.parseInt(line, 10))),
    letGo: () => letGo(ledger),
    /** A run that is sold so many answers, and then none until it is let go. */
    async startHeld(answers: number): Promise<Started> {
      hold(ledger, answers);
      const started = startHoldfast(dir.path, RUN);
      await untilBought(this, answers, started);
      // What one of them heard is kept, whoever is killed now.
      while (!existsSync(`${ledger}.heard`)) await sleep(10);
      return started;
    },
  });
}

const RUN = ['run', 'shared.eval.ts', '--json', '--workers', '3'];
const ALL = Array.from({ length: SAMPLES }, (_, index) => [`q${index} first`, `q${index} second`]).flat();

async function untilBought(
  dir: { bought(): readonly string[] },
  count: number,
  started: Started,
): Promise<void> {
  while (dir.bought().length < count) {
    if (started.child.exitCode !== null) throw new Error((await started.ended).stderr);
    await sleep(10);
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // ESRCH: there is no such process.
  }
}

/** What is killed while an answer is on its way had not got it: at most one for each sample in flight. */
const IN_FLIGHT = 4;

test('samples run in other processes, and one log holds all of them', async () => {
  await using dir = await sharedEval();
  const started = startHoldfast(dir.path, RUN);
  const ended = await started.ended;
  expect(reportOf(ended)).toMatchObject({
    exitCode: 0,
    runs: [
      {
        state: 'done',
        samples: { planned: SAMPLES, fresh: SAMPLES, lost: 0 },
        answers: { bought: 2 * SAMPLES },
      },
    ],
  });
  expect(dir.bought().sort()).toEqual([...ALL].sort());
  expect(dir.pids().size).toBe(3);
  expect(dir.pids()).not.toContain(started.child.pid);
  expect([...dir.pids()].filter(isAlive)).toEqual([]);
  const again = reportOf(await holdfast(dir.path, RUN));
  expect(again).toMatchObject({ exitCode: 0, runs: [{ samples: { reused: SAMPLES, fresh: 0 } }] });
  expect(dir.bought()).toHaveLength(2 * SAMPLES);
});

test('a worker that is killed takes nothing with it: its samples go to others, with what it had paid for', async () => {
  await using dir = await sharedEval();
  const started = await dir.startHeld(9);
  const [victim] = dir.pids();
  process.kill(victim ?? 0, 'SIGKILL');
  while (isAlive(victim ?? 0)) await sleep(10);
  dir.letGo();
  const report = reportOf(await started.ended);
  expect(report).toMatchObject({
    exitCode: 0,
    runs: [{ state: 'done', samples: { planned: SAMPLES, errored: 0, lost: 0 } }],
  });
  expect(new Set(dir.bought())).toEqual(new Set(ALL));
  expect(dir.bought().length).toBeLessThanOrEqual(2 * SAMPLES + IN_FLIGHT);
});

test('a sample from which no worker comes back is an error after three of them, and the others have results', async () => {
  await using dir = await sharedEval();
  const ended = await holdfast(dir.path, RUN, { POISON: 'q5' });
  expect(reportOf(ended)).toMatchObject({
    exitCode: 1,
    runs: [{ state: 'done', samples: { planned: SAMPLES, errored: 1, lost: 0 } }],
  });
  expect(ended.stderr).toMatch(
    /sample s5 failed: E_WORKERS_LOST: 3 workers did not come back from this sample: process \d+ ended by SIGKILL/,
  );
  // What those bought that did not come back is in the account as well.
  expect(reportOf(ended).runs[0]).toMatchObject({ answers: { bought: dir.bought().length } });
  expect(reportOf(ended).runs[0]?.usd?.spent).toBeCloseTo(0.01 * dir.bought().length, 6);
  // It was paid for once, and replayed by those that came after.
  expect(dir.bought().filter((what) => what === 'q5 first')).toHaveLength(1);
});

test('when the process that has the run is killed its workers end, and any later run goes on with what they paid for', async () => {
  await using dir = await sharedEval();
  const started = await dir.startHeld(4);
  started.child.kill('SIGKILL');
  await started.ended;
  const bought = dir.bought().length;
  while ([...dir.pids()].some(isAlive)) await sleep(20);
  // They do not wait for what they had begun: it would never end.
  expect(dir.bought()).toHaveLength(bought);
  dir.letGo();
  const report = reportOf(await holdfast(dir.path, ['run', 'shared.eval.ts', '--json']));
  expect(report).toMatchObject({
    exitCode: 0,
    runs: [{ state: 'done', samples: { planned: SAMPLES, lost: 0 } }],
  });
  const { kept = 0, replayed = 0 } = report.runs[0]?.samples ?? {};
  expect(kept + replayed).toBeGreaterThan(0);
  expect(new Set(dir.bought())).toEqual(new Set(ALL));
  expect(dir.bought().length).toBeLessThanOrEqual(2 * SAMPLES + IN_FLIGHT);
});

test('Ctrl-C lets samples under way finish, and the same command goes on', async () => {
  await using dir = await sharedEval();
  const started = await dir.startHeld(5);
  started.child.kill('SIGINT');
  await started.said('Stopping');
  dir.letGo();
  expect(reportOf(await started.ended)).toMatchObject({ exitCode: 4, runs: [{ state: 'interrupted' }] });
  expect([...dir.pids()].filter(isAlive)).toEqual([]);
  expect(reportOf(await holdfast(dir.path, RUN))).toMatchObject({
    exitCode: 0,
    runs: [{ samples: { lost: 0 } }],
  });
  expect(dir.bought().sort()).toEqual([...ALL].sort());
});

test('Ctrl-C twice stops the workers at once, and what they had paid for is replayed', async () => {
  await using dir = await sharedEval();
  const started = await dir.startHeld(4);
  started.child.kill('SIGINT');
  await started.said('Stopping');
  const bought = dir.bought().length;
  started.child.kill('SIGINT');
  expect(reportOf(await started.ended)).toMatchObject({ exitCode: 4, runs: [{ state: 'interrupted' }] });
  expect([...dir.pids()].filter(isAlive)).toEqual([]);
  expect(dir.bought()).toHaveLength(bought);
  dir.letGo();
  expect(reportOf(await holdfast(dir.path, RUN))).toMatchObject({
    exitCode: 0,
    runs: [{ samples: { lost: 0 } }],
  });
  expect(dir.bought().sort()).toEqual([...ALL].sort());
});

test('the budget holds over all workers together', async () => {
  await using dir = await sharedEval();
  const report = reportOf(await holdfast(dir.path, [...RUN, '--budget', '0.1']));
  expect(report).toMatchObject({ exitCode: 4, runs: [{ state: 'budget' }] });
  expect(dir.bought().length).toBeGreaterThanOrEqual(10);
  expect(dir.bought().length).toBeLessThanOrEqual(10 + IN_FLIGHT);
});

test('an error of the eval is told once, and not taken for a lost worker', async () => {
  await using dir = await makeTempDir();
  await writeFile(
    join(dir.path, 'wrong.eval.ts'),
    "import { defineEval, exact } from 'holdfast';\nexport default defineEval({ name: 'wrong', data: [{ id: 1, input: 'a', target: 'a' }], target: async () => { throw new Error('no luck'); }, scorers: [exact()] });\n",
  );
  const ended = await holdfast(dir.path, ['run', 'wrong.eval.ts', '--workers', '2', '--json']);
  expect(reportOf(ended)).toMatchObject({ exitCode: 1, runs: [{ state: 'done', samples: { errored: 1 } }] });
  expect(ended.stderr).toContain('no luck');
});

test('--worker-session is refused in a process that nobody started for it', async () => {
  await using dir = await sharedEval();
  const ended = await holdfast(dir.path, ['run', 'shared.eval.ts', '--worker-session', '--json']);
  expect(reportOf(ended)).toMatchObject({ exitCode: 2, error: { code: 'E_NO_PARENT' } });
});

test('--shard: slices have every sample once, and the whole run afterwards buys nothing', async () => {
  await using dir = await sharedEval();
  for (const index of [1, 2, 3]) {
    const report = reportOf(
      await holdfast(dir.path, ['run', 'shared.eval.ts', '--json', '--shard', `${index}/3`]),
    );
    expect(report).toMatchObject({
      exitCode: 0,
      runs: [{ state: 'done', samples: { planned: SAMPLES / 3, lost: 0 } }],
    });
  }
  expect(dir.bought().sort()).toEqual([...ALL].sort());
  const whole = reportOf(await holdfast(dir.path, ['run', 'shared.eval.ts', '--json']));
  expect(whole).toMatchObject({ exitCode: 0, runs: [{ samples: { planned: SAMPLES, reused: SAMPLES } }] });
  expect(dir.bought()).toHaveLength(2 * SAMPLES);
});

test('--shard: a slice without samples says so and ends well, and a wrong one is refused', async () => {
  await using dir = await sharedEval();
  for (const more of [[], ['--dry-run']]) {
    const empty = await holdfast(dir.path, ['run', 'shared.eval.ts', '--shard', '20/20', ...more]);
    expect(empty.code).toBe(0);
    expect(empty.stderr + empty.stdout).toContain(
      'Shard 20/20 has no samples: there are 12 rows for 20 shards. Nothing is missing: the other shards have them.',
    );
  }
  const wrong = await holdfast(dir.path, ['run', 'shared.eval.ts', '--shard', '4/3', '--json']);
  expect(reportOf(wrong)).toMatchObject({ exitCode: 2, error: { code: 'E_USAGE' } });
});

const ARTIFACTS = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineArtifact, defineEval, includes } from 'holdfast';
const indexOf = (key) => defineArtifact({ kind: 'index', key, version: 1, inputs: {}, build: ({ dir }) => {
  appendFileSync(join(process.cwd(), 'builds'), process.pid + ' ' + key + '\\n');
  if (key === 'bad') throw new Error('no such index');
  writeFileSync(join(dir, 'index.txt'), 'index of ' + key);
} });
export default defineEval({
  name: 'indexed',
  data: ['good', 'bad', 'good', 'good'].map((key, id) => ({ id, input: key, target: 'index of' })),
  requires: ({ input }) => indexOf(input),
  target: async ({ input }, { artifact }) => readFileSync(join(artifact({ kind: 'index', key: input }), 'index.txt'), 'utf8') + ' by ' + process.pid,
  scorers: [includes()],
});
`;

test('workers use what the process that has the run built, and build nothing themselves', async () => {
  await using dir = await makeTempDir();
  await writeFile(join(dir.path, 'indexed.eval.ts'), ARTIFACTS);
  const started = startHoldfast(dir.path, ['run', 'indexed.eval.ts', '--workers', '2', '--json']);
  const ended = await started.ended;
  expect(reportOf(ended)).toMatchObject({
    exitCode: 1,
    runs: [{ state: 'done', samples: { planned: 4, fresh: 4, errored: 1, lost: 0 } }],
  });
  expect(ended.stderr).toContain('no such index');
  const builds = readFileSync(join(dir.path, 'builds'), 'utf8').trimEnd().split('\n').sort();
  expect(builds).toEqual([`${started.child.pid} bad`, `${started.child.pid} good`]);
});

test('a worker that runs out of memory takes no other sample with it, and why it ended is said', async () => {
  await using dir = await makeTempDir();
  const greedy =
    "async ({ input }) => { const kept = []; while (input === '2') kept.push(new Array(1e6).fill(input)); return input; }";
  await writeFile(
    join(dir.path, 'greedy.eval.ts'),
    `import { defineEval, includes } from 'holdfast';\nexport default defineEval({ name: 'greedy', data: [1, 2, 3, 4].map((id) => ({ id, input: String(id), target: String(id) })), target: ${greedy}, scorers: [includes()] });\n`,
  );
  const memory = { NODE_OPTIONS: '--max-old-space-size=150' };
  const ended = await holdfast(dir.path, ['run', 'greedy.eval.ts', '--workers', '2', '--json'], memory);
  expect(reportOf(ended)).toMatchObject({
    exitCode: 1,
    runs: [{ state: 'done', samples: { planned: 4, errored: 1, lost: 0 } }],
  });
  expect(ended.stderr).toMatch(/sample 2 failed: E_WORKERS_LOST: .*ended by SIGABRT \(FATAL ERROR: .*heap/);
});
