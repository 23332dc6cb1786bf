/** Code of an eval that does what it should not: the account comes all the same, and stdout stays clean. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast, reportOf, startHoldfast } from './holdfast.ts';

const RUN = ['run', 'x.eval.mjs', '--model', 'mock/echo'];

/** Four samples, one at a time; `body` sees `input` ('q0' to 'q3') and the context. */
async function evalOf(body: string, top = '') {
  const dir = await makeTempDir();
  await writeFile(
    join(dir.path, 'x.eval.mjs'),
    `import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEval, exact } from 'holdfast';
const isMended = existsSync(${JSON.stringify(join(dir.path, 'mended'))});
${top}
export default defineEval({
  name: 'x',
  data: [0, 1, 2, 3].map((n) => ({ id: n, input: 'q' + n, target: 'q' + n })),
  target: async ({ input }, context) => { ${body}; return input; },
  scorers: [exact()],
  concurrency: 1,
});
`,
  );
  return Object.assign(dir, { mend: () => writeFile(join(dir.path, 'mended'), '') });
}

test.each(['process.exit(0)', 'process.exit(3)', 'process.exitCode = 0; process.exit()'])(
  '%s in a target is an interruption with a sentence, and the same command goes on',
  async (exit) => {
    await using dir = await evalOf(`if (input === 'q2' && !isMended) { ${exit}; }`);
    const ended = await holdfast(dir.path, RUN);
    expect(ended.code).toBe(4);
    expect(ended.stderr).toContain('The process was ended from inside the eval (process.exit)');
    expect(ended.stderr).toContain('run the same command again to go on');
    await dir.mend();
    const again = reportOf(await holdfast(dir.path, [...RUN, '--json']));
    expect(again).toMatchObject({ exitCode: 0, runs: [{ samples: { kept: 2, remaining: 0, lost: 0 } }] });
  },
);

test('process.exit with --json still leaves one document', async () => {
  await using dir = await evalOf('process.exit(0)');
  const ended = await holdfast(dir.path, [...RUN, '--json']);
  expect(ended.code).toBe(4);
  expect(reportOf(ended)).toMatchObject({ exitCode: 4, error: { code: 'E_PROCESS_ENDED' } });
});

test('an eval file whose loading never ends is no success', async () => {
  await using dir = await evalOf('', 'await new Promise(() => {});');
  const ended = await holdfast(dir.path, RUN);
  expect(ended.code).toBe(4);
  expect(ended.stderr).toContain('nothing left to wait for');
});

test('a target that never settles is waited for, and Ctrl-C ends it with the account', async () => {
  await using dir = await evalOf(
    `if (input === 'q2' && !isMended) { console.log('for ever'); await new Promise(() => {}); }`,
  );
  const started = startHoldfast(dir.path, [...RUN, '--grace', '100ms', '--json']);
  await started.said('for ever');
  await sleep(500); // Long enough to end by itself, if nothing kept it.
  started.child.kill('SIGINT');
  const ended = await started.ended;
  expect(reportOf(ended)).toMatchObject({
    exitCode: 4,
    runs: [{ state: 'interrupted', samples: { lost: 0 } }],
  });
  await dir.mend();
  const again = reportOf(await holdfast(dir.path, [...RUN, '--json']));
  expect(again).toMatchObject({ exitCode: 0, runs: [{ samples: { kept: 2, remaining: 0, lost: 0 } }] });
});

test('process.exit after the account does not change the exit code', async () => {
  await using dir = await evalOf(
    `if (input === 'q3') throw new Error('it broke')`,
    'process.on("beforeExit", () => process.exit(0));',
  );
  const ended = await holdfast(dir.path, RUN);
  expect(ended.stdout).toContain('To run what failed again');
  expect(ended.code).toBe(1);
});

test('a call that outlives its sample is a note, and the account comes', async () => {
  await using dir = await evalOf('void sleep(50).then(() => context.generate(input))');
  const ended = await holdfast(dir.path, RUN);
  expect(ended.stdout).toContain('x · mock/echo  done');
  expect(ended.stderr).toContain('A promise in an eval was rejected and not handled: ');
  expect(ended.stderr).not.toMatch(/^\s+at /m);
  expect(ended.code).toBe(0);
});

test('a promise that is rejected after the run is a note, too', async () => {
  await using dir = await evalOf(
    `if (input === 'q3') void sleep(300).then(() => { throw new Error('too late'); })`,
  );
  const ended = await holdfast(dir.path, RUN);
  expect(ended.stdout).toContain('x · mock/echo  done');
  expect(ended.stderr).toMatch(/not handled: too late \(x\.eval\.mjs:\d+:\d+\)/);
  expect(ended.code).toBe(0);
});

test('so many of them that they would fill the screen are cut short', async () => {
  await using dir = await evalOf(`for (let n = 0; n < 9; n++) void Promise.reject(new Error('stray'))`);
  const ended = await holdfast(dir.path, RUN);
  expect(ended.stderr.match(/not handled: stray/g)).toHaveLength(5);
  expect(ended.stderr).toContain('Further errors of that kind are not shown.');
});

test.each([[], ['--quiet']])(
  'a throw in a timer drains the run: named, accounted, resumable %s',
  async (...flags) => {
    await using dir = await evalOf(
      `if (input === 'q1' && !isMended) setTimeout(() => { throw new Error('in a timer'); }, 1); await sleep(100)`,
    );
    const ended = await holdfast(dir.path, [...RUN, ...flags]);
    expect(ended.code).toBe(4);
    expect(ended.stderr).toMatch(/thrown outside of any sample: in a timer \(x\.eval\.mjs:\d+:\d+\)/);
    expect(ended.stdout).toContain('interrupted, resumable');
    expect(ended.stdout).toContain('To go on where it stopped: holdfast run x.eval.mjs');
    await dir.mend();
    const again = reportOf(await holdfast(dir.path, [...RUN, '--json']));
    expect(again).toMatchObject({ exitCode: 0, runs: [{ samples: { kept: 2, remaining: 0, lost: 0 } }] });
  },
);

test('with --json nobody else writes to stdout', async () => {
  await using dir = await evalOf(
    `console.log('from a target'); process.stdout.write('raw from a target\\n')`,
    `console.log('from the top'); process.stdout.write('raw from the top\\n'); process.on('exit', () => console.log('at the end'));`,
  );
  const ended = await holdfast(dir.path, [...RUN, '--json']);
  expect(reportOf(ended)).toMatchObject({ exitCode: 0 });
  expect(ended.stdout.trimEnd().split('\n')).toHaveLength(1);
  for (const text of ['from the top', 'raw from the top', 'from a target', 'raw from a target', 'at the end'])
    expect(ended.stderr).toMatch(new RegExp(`^${text}$`, 'm'));
  const plain = await holdfast(dir.path, RUN);
  expect(plain.stdout).toContain('raw from the top');
});
