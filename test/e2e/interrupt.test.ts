/** However a run is stopped, the same command goes on, and nothing that was paid for is bought again. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { moveToAnotherMachine } from '../sim/another-machine.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { HOLD, hold, letGo } from './hold.ts';
import { holdfast, reportOf, type Started, startHoldfast } from './holdfast.ts';

const SAMPLES = 24;

/** Two calls a sample. Each answer is written to an outside ledger by the model itself, so that no call can hide. */
const SLOW = (ledger: string) => `
import { appendFileSync } from 'node:fs';
import { defineEval, includes, mockModel } from 'holdfast';
${HOLD}
const model = mockModel({ name: 'mock/slow', async respond({ text, turn, request }) {
  await pause(10, undefined, { signal: request.abortSignal });
  await untilLetGo(${JSON.stringify(ledger)}, request.abortSignal);
  appendFileSync(${JSON.stringify(ledger)}, text + ' ' + turn + '\\n');
  return 'heard ' + text;
} });
export default defineEval({
  name: 'slow',
  data: Array.from({ length: ${SAMPLES} }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: 'q' + index })),
  models: { 'mock/slow': model },
  target: async ({ input }, { generate }) => {
    const first = await generate(input);
    const second = await generate({ messages: [{ role: 'user', content: input }, ...first.messages, { role: 'user', content: input }] });
    return second.text;
  },
  scorers: [includes()],
  concurrency: 4,
});
`;

const RUN = ['run', 'slow.eval.ts', '--model', 'mock/slow'];

async function slowEval() {
  const dir = await makeTempDir();
  const ledger = join(dir.path, 'ledger');
  await writeFile(ledger, '');
  await writeFile(join(dir.path, 'slow.eval.ts'), SLOW(ledger));
  return Object.assign(dir, {
    asked: () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean),
    letGo: () => letGo(ledger),
    /** A run that is told so many answers, and then none until it is let go. */
    async startHeld(answers: number, args: readonly string[] = RUN): Promise<Started> {
      hold(ledger, answers);
      const started = startHoldfast(dir.path, args);
      await untilAsked(this, answers, started);
      return started;
    },
  });
}

/** Waits until some answers have been given. */
async function untilAsked(dir: { asked(): string[] }, count: number, started: Started): Promise<void> {
  while (dir.asked().length < count) {
    if (started.child.exitCode !== null) throw new Error((await started.ended).stderr);
    await sleep(20);
  }
}

test('SIGKILL halfway: the next run says when the last one died, replays and completes', async () => {
  await using dir = await slowEval();
  const started = await dir.startHeld(SAMPLES);
  started.child.kill('SIGKILL');
  expect((await started.ended).signal).toBe('SIGKILL');
  dir.letGo();
  const unfinished = await holdfast(dir.path, ['log', 'list']);
  expect(unfinished.stdout).toMatch(/unfinished[\s\S]*slow +mock\/slow +dead +\d+\/24/);

  const again = await holdfast(dir.path, [...RUN, '--json']);
  expect(again.stderr).toMatch(/the last attempt died at .*; \d+ samples kept, \d+ (?:was|were) in flight/);
  const report = reportOf(again);
  expect(report).toMatchObject({
    exitCode: 0,
    runs: [{ state: 'done', samples: { planned: SAMPLES, remaining: 0, lost: 0 } }],
  });
  expect(report.runs[0]?.samples?.kept).toBeGreaterThan(0);
  // An answer may have been on its way when the process died; of those there are at most as many as samples at a time.
  const asked = dir.asked();
  expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(4);
  expect(new Set(asked).size).toBe(2 * SAMPLES);
});

test('--force-dead goes on with a run of a machine that cannot be seen, which is left alone without', async () => {
  await using dir = await slowEval();
  const started = await dir.startHeld(SAMPLES);
  started.child.kill('SIGKILL');
  await started.ended;
  dir.letGo();
  moveToAnotherMachine(join(dir.path, 'logs'));
  const list = await holdfast(dir.path, ['log', 'list']);
  expect(list.stdout).toMatch(/slow +mock\/slow +unknown/);
  const other = reportOf(await holdfast(dir.path, [...RUN, '--limit', '1', '--json']));
  expect(other.runs[0]).toMatchObject({ samples: { kept: 0, reused: 0, fresh: 1 } });
  const vouched = reportOf(await holdfast(dir.path, [...RUN, '--force-dead', '--json']));
  expect(vouched).toMatchObject({ exitCode: 0, runs: [{ samples: { remaining: 0, lost: 0 } }] });
  expect(vouched.runs[0]?.samples?.kept).toBeGreaterThan(0);
});

test('Ctrl-C once: running samples finish, the rest is left, and the exact command to go on is said', async () => {
  await using dir = await slowEval();
  const started = await dir.startHeld(8);
  started.child.kill('SIGINT');
  await started.said('Stopping (SIGINT)');
  dir.letGo();
  const ended = await started.ended;
  expect(ended.code).toBe(4);
  expect(ended.stderr).toMatch(/Stopping \(SIGINT\): \d running samples? may finish within 30 s/);
  expect(ended.stdout).toContain('interrupted, resumable');
  expect(ended.stdout).toContain('To go on where it stopped: holdfast run slow.eval.ts --model mock/slow');
  const again = await holdfast(dir.path, [...RUN, '--json']);
  expect(reportOf(again)).toMatchObject({
    exitCode: 0,
    runs: [{ samples: { replayed: 0, lost: 0, remaining: 0 } }],
  });
  expect(again.stderr).toContain('the last attempt was stopped at');
  // Whatever was running had finished: no answer was given twice.
  expect(dir.asked()).toHaveLength(2 * SAMPLES);
});

test('Ctrl-C twice: stops at once, and the next run replays what was answered', async () => {
  await using dir = await slowEval();
  const started = await dir.startHeld(6);
  started.child.kill('SIGINT');
  await started.said('Stopping (SIGINT)');
  started.child.kill('SIGINT');
  const ended = await started.ended;
  dir.letGo();
  expect(ended.code).toBe(4);
  expect(ended.stderr).toContain('Stopping now');
  const report = reportOf(await holdfast(dir.path, [...RUN, '--json']));
  expect(report).toMatchObject({ exitCode: 0, runs: [{ samples: { remaining: 0, lost: 0 } }] });
  expect(dir.asked()).toHaveLength(2 * SAMPLES);
});

test.each(['SIGTERM', 'SIGHUP'] as const)('%s is like Ctrl-C once', async (signal) => {
  await using dir = await slowEval();
  const started = await dir.startHeld(6, [...RUN, '--json']);
  started.child.kill(signal);
  await started.said(`Stopping (${signal})`);
  dir.letGo();
  const ended = await started.ended;
  expect(reportOf(ended)).toMatchObject({
    exitCode: 4,
    runs: [{ state: 'interrupted', samples: { lost: 0 } }],
  });
});

test('a short grace period ends samples that do not heed it, and they are replayed', async () => {
  await using dir = await slowEval();
  const started = await dir.startHeld(4, [...RUN, '--grace', '100ms']);
  started.child.kill('SIGINT');
  expect((await started.ended).code).toBe(4);
  dir.letGo();
  const report = reportOf(await holdfast(dir.path, [...RUN, '--json']));
  expect(report.runs[0]?.samples?.replayed).toBeGreaterThan(0);
  expect(dir.asked()).toHaveLength(2 * SAMPLES);
});

test('a spent budget stops admission with exit code 4, and a higher one goes on', async () => {
  await using dir = await slowEval();
  const prices = join(dir.path, 'prices.yaml');
  await writeFile(prices, 'mock/slow: { input: 0, output: 100000 }\n');
  const first = reportOf(await holdfast(dir.path, [...RUN, '--prices', prices, '--budget', '2', '--json']));
  expect(first).toMatchObject({ exitCode: 4, runs: [{ state: 'budget' }] });
  expect(first.runs[0]?.samples?.remaining).toBeGreaterThan(0);
  expect(first.next[0]?.what).toContain('budget');
  const second = reportOf(await holdfast(dir.path, [...RUN, '--prices', prices, '--json']));
  expect(second).toMatchObject({ exitCode: 0, runs: [{ samples: { remaining: 0, lost: 0 } }] });
  expect(dir.asked()).toHaveLength(2 * SAMPLES);
});

test('with a bucket as log directory the state is local, and the bucket holds the log', async () => {
  await using dir = await slowEval();
  const url = `file://${join(dir.path, 'bucket')}`;
  const report = reportOf(await holdfast(dir.path, [...RUN, '--log-dir', url, '--json']));
  expect(report.runs[0]?.log).toContain(join(dir.path, 'bucket'));
  expect((await holdfast(dir.path, ['log', 'verify', 'bucket'])).stdout).toContain('1 log whole');
  const again = reportOf(await holdfast(dir.path, [...RUN, '--log-dir', url, '--json']));
  expect(again.runs[0]).toMatchObject({ samples: { reused: SAMPLES } });
});

test('--attempts goes on by itself until nothing is missing', async () => {
  await using dir = await makeTempDir();
  await writeFile(
    join(dir.path, 'x.eval.mjs'),
    `import { defineEval, exact } from 'holdfast';
     let calls = 0;
     export default defineEval({ name: 'x', data: [{ input: 'a', target: 'a' }],
       target: ({ input }) => { if (calls++ === 0) throw new Error('a bad moment'); return input; }, scorers: [exact()] });`,
  );
  const ended = await holdfast(dir.path, ['run', 'x.eval.mjs', '--attempts', '3', '--json']);
  expect(ended.stderr).toContain('attempt 2 begins in');
  // Each attempt counts anew: one that went wrong does not add to the next.
  expect(ended.stderr.match(/ended, \S+ \(.+?\)/g)).toEqual(['ended, 1/1 (100 %)', 'ended, 1/1 (100 %)']);
  expect(reportOf(ended)).toMatchObject({ exitCode: 0, runs: [{ samples: { errored: 0, remaining: 0 } }] });
});

test('the demo dies, recovers, and loses nothing', async () => {
  await using dir = await makeTempDir();
  const ended = await holdfast(dir.path, ['demo', '--dir', 'demo', '--json']);
  expect(ended.code).toBe(0);
  const report = JSON.parse(ended.stdout);
  expect(report.killed.completed).toBeGreaterThanOrEqual(100);
  expect(report.runs[0].samples).toMatchObject({ planned: 200, remaining: 0, errored: 0, lost: 0 });
  expect(report.runs[0].samples.kept).toBeGreaterThanOrEqual(100);
  expect((await holdfast(dir.path, ['log', 'verify', report.runs[0].log])).code).toBe(0);
  expect((await holdfast(dir.path, ['demo', '--dir', 'demo'])).code).toBe(2);
});
