import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { digestOf, systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk, stateOfProcess } from '../disk/index.ts';
import { type StreamOptions, streamProcess } from './stream-process.ts';

test('stdin goes in, stdout comes out, the exit code and stderr are data', async () => {
  const program = `let text = ''; for await (const chunk of process.stdin) text += chunk;
    process.stdout.write(text.toUpperCase()); process.stderr.write('note'); process.exitCode = 3;`;
  await using child = await start(program, { stdin: Buffer.from('héllo') });
  expect(await textOf(child.stdout)).toBe('HÉLLO');
  expect(await child.end).toEqual({
    exitCode: 3,
    signal: null,
    timedOut: false,
    aborted: false,
    killed: 0,
    stderr: 'note',
  });
});

test('stdin may be a stream, and many times what a pipe holds comes back whole', async () => {
  const block = Uint8Array.from({ length: 1 << 20 }, (_, index) => index % 251);
  async function* blocks() {
    for (let count = 0; count < 40; count++) yield block;
  }
  await using child = await start('process.stdin.pipe(process.stdout)', { stdin: blocks() });
  let sizeBytes = 0;
  for await (const chunk of child.stdout) {
    sizeBytes += chunk.length;
    // A slow listener makes the process wait, and loses nothing.
    if (sizeBytes % 7 === 0) await systemClock.sleep(1);
  }
  expect(sizeBytes).toBe(40 << 20);
  expect(await child.end).toMatchObject({ exitCode: 0 });
});

test('bytes come as they are', async () => {
  const bytes = Uint8Array.from({ length: 256 }, (_, index) => index);
  await using child = await start('process.stdin.pipe(process.stdout)', { stdin: bytes });
  expect(digestOf(Buffer.concat(await Array.fromAsync(child.stdout)))).toBe(digestOf(bytes));
});

test('a process that does not read its stdin is no failure', async () => {
  await using child = await start('process.exit(0)', { stdin: new Uint8Array(4 << 20) });
  expect(await textOf(child.stdout)).toBe('');
  expect(await child.end).toMatchObject({ exitCode: 0 });
});

test('the end is not waited for by whoever left and holds stderr open', async () => {
  const left = `setTimeout(() => {}, 200_000)`;
  const program = `import { spawn } from 'node:child_process';
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(left)}], { detached: true, stdio: ['ignore', 'ignore', 'inherit'] });
    child.unref(); process.stderr.write('left ' + child.pid);`;
  const startedMs = systemClock.monotonicMs();
  await using child = await start(program);
  expect(await textOf(child.stdout)).toBe('');
  const { stderr, exitCode } = await child.end;
  expect(systemClock.monotonicMs() - startedMs).toBeLessThan(100_000);
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: expect.stringMatching(/^left \d+$/) });
  process.kill(Number(stderr.slice('left '.length)), 'SIGKILL');
});

test('a stdin that fails ends the process, and is told', async () => {
  async function* broken() {
    yield Buffer.from('x');
    throw new Error('no more');
  }
  await using child = await start('process.stdin.resume(); setInterval(() => {}, 1000)', { stdin: broken() });
  await expect(child.end).rejects.toThrow('no more');
});

test('a full stderr does not make it wait; its end is kept', async () => {
  const program = `const { writeSync } = await import('node:fs');
    for (let i = 0; i < 3000; i++) writeSync(2, 'x'.repeat(99) + '\\n'); writeSync(2, 'the end');`;
  await using child = await start(program);
  const { stderr, exitCode } = await child.end;
  expect(exitCode).toBe(0);
  expect(stderr).toMatch(/x\nthe end$/);
  expect(stderr.length).toBeLessThanOrEqual(65_536);
});

test('at the time limit it is ended, and what it said is there', async () => {
  await using child = await start(`process.stdout.write('so far'); setInterval(() => {}, 1000)`, {
    timeoutMs: 700,
    graceMs: 100,
  });
  expect(await textOf(child.stdout)).toBe('so far');
  expect(await child.end).toMatchObject({ timedOut: true, aborted: false, signal: 'SIGTERM' });
});

test('at an abort the whole tree is ended, also who ignores SIGTERM', async () => {
  await using dir = await makeTempDir();
  const stop = new AbortController();
  await using child = await start(FAMILY, { cwd: dir.path, signal: stop.signal, graceMs: 100 });
  const pids = await pidsIn(dir.path);
  stop.abort(new Error('enough'));
  expect(await child.end).toMatchObject({ aborted: true, timedOut: false });
  expect(pids.filter(isAlive)).toEqual([]);
});

test('leaving the scope ends the whole tree', async () => {
  await using dir = await makeTempDir();
  let pids: readonly number[] = [];
  {
    await using _ = await start(FAMILY, { cwd: dir.path, graceMs: 100 });
    pids = await pidsIn(dir.path);
    expect(pids.filter(isAlive)).toEqual(pids);
  }
  expect(pids.filter(isAlive)).toEqual([]);
});

test('the environment is what is given, and nothing else', async () => {
  await using child = await start('process.stdout.write(JSON.stringify(process.env))', { env: { A: 'b' } });
  const { HOLDFAST_PROCESS: marker, ...env } = JSON.parse(await textOf(child.stdout));
  expect(marker).toEqual(expect.any(String));
  expect(env).toMatchObject({ A: 'b' });
  expect(env.PATH).toBeUndefined();
});

test('a command that does not exist, or cannot be executed, is said so', async () => {
  await using dir = await makeTempDir();
  const missing = start('', { argv: ['no-such-command-anywhere'] });
  await expect(missing).rejects.toMatchObject({ code: 'E_COMMAND_NOT_FOUND' });
  const folder = start('', { argv: [dir.path] });
  await expect(folder).rejects.toMatchObject({ code: 'E_COMMAND_START' });
});

test('nothing is started after an abort', async () => {
  const reason = new Error('enough');
  await expect(start('', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});

/** Two processes, neither of which heeds SIGTERM. */
const FAMILY = `
  import { spawn } from 'node:child_process';
  import { appendFileSync } from 'node:fs';
  const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
  const say = "require('fs').appendFileSync('pids', process.pid + '\\\\n');";
  process.on('SIGTERM', () => {});
  appendFileSync('pids', process.pid + '\\n');
  spawn(process.execPath, ['-e', stubborn + say], { stdio: 'inherit' });
  setInterval(() => {}, 1000);
`;

async function pidsIn(dir: string): Promise<readonly number[]> {
  for (;;) {
    const text = existsSync(join(dir, 'pids')) ? await readFile(join(dir, 'pids'), 'utf8') : '';
    const pids = text.split('\n').filter(Boolean).map(Number);
    if (pids.length === 2 && text.endsWith('\n')) return pids;
    await systemClock.sleep(10);
  }
}

function isAlive(pid: number): boolean {
  return stateOfProcess(pid).kind === 'running';
}

function start(program: string, more: Partial<StreamOptions> = {}) {
  return streamProcess({
    argv: [process.execPath, '--input-type=module', '-e', program],
    cwd: process.cwd(),
    env: {},
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    ...more,
  });
}

async function textOf(stream: AsyncIterable<Uint8Array>): Promise<string> {
  return Buffer.concat(await Array.fromAsync(stream)).toString('utf8');
}
