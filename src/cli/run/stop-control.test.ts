import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';

const CHILD = join(import.meta.dirname, '../../../test/sim/stop-child.ts');

/** A real process, since what a signal does where nobody listens is the kernel's business. */
async function started() {
  const child = spawn(process.execPath, [CHILD], { stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
    });
  const ended = once(child, 'close');
  const said = (text: string, times = 1) =>
    expect.poll(() => output.stderr.split('\n').filter((line) => line.includes(text)).length).toBe(times);
  await said('working');
  return {
    ...{ child, said },
    step: () => void child.stdin.write('\n'),
    async end() {
      const [code, signal] = await ended;
      return { code, signal, ...output };
    },
  };
}

async function untilOver() {
  const process = await started();
  for (const says of ['working within', 'working on', 'over']) {
    process.step();
    await process.said(says);
  }
  return process;
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s that comes when the work is over does not keep a command from saying what came of it',
  async (signal) => {
    const { child, said, step, end } = await untilOver();
    child.kill(signal);
    await said('Press Ctrl-C again to leave without that');
    step();
    expect(await end()).toMatchObject({ code: 0, stdout: 'the report\n' });
  },
);

test('the second Ctrl-C is such a one when the first let the work end', async () => {
  const { child, said, step, end } = await started();
  child.kill('SIGINT');
  await said('draining');
  for (const says of ['working within', 'working on', 'over']) {
    step();
    await said(says);
  }
  child.kill('SIGINT');
  await said('what came of it is said next');
  step();
  const { code, stdout, stderr } = await end();
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'the report\n' });
  expect(stderr).not.toContain('aborting');
});

test('whoever does not want to wait for that either leaves with one more', async () => {
  const { child, said, end } = await untilOver();
  child.kill('SIGINT');
  await said('Press Ctrl-C again');
  child.kill('SIGINT');
  expect(await end()).toMatchObject({ code: 4, signal: null, stdout: '' });
});

test('work within work: a signal reaches both, and the outer one listens on when the inner is over', async () => {
  const { child, said, step, end } = await started();
  step();
  await said('working within');
  child.kill('SIGINT');
  await said('draining', 2);
  step();
  await said('working on');
  child.kill('SIGINT');
  await said('aborting');
  child.kill('SIGINT');
  const { code, stdout, stderr } = await end();
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  // Nothing is called done while one of them works.
  expect(stderr).not.toContain('what came of it is said next');
});
