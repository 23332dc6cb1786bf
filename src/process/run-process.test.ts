import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk, stateOfProcess } from '../disk/index.ts';
import { readLines, readProcessText, readTail } from './process-output.ts';
import { exitCodeOf, type ProcessOptions, runProcess } from './run-process.ts';

/** Runs a small program, written as text, in Node. */
async function runScript(dir: string, script: string, more: Partial<ProcessOptions> = {}) {
  const path = join(dir, 'program.mjs');
  await writeFile(path, script);
  const files = { stdout: join(dir, 'stdout'), stderr: join(dir, 'stderr') };
  const end = await runProcess({
    argv: [process.execPath, path],
    cwd: dir,
    env: {},
    files: { ...files, ...more.files },
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    ...more,
  });
  const read = (file: string) => readFile(file, 'utf8');
  return { end, stdout: () => read(files.stdout), stderr: () => read(files.stderr), files };
}

const isAlive = (pid: number) => stateOfProcess(pid).kind === 'running';

async function waitFor(file: string): Promise<string> {
  for (let tries = 0; tries < 1_000; tries++) {
    if (existsSync(file)) {
      const text = await readFile(file, 'utf8');
      if (text.endsWith('\n')) return text;
    }
    await systemClock.sleep(10);
  }
  throw new Error(`${file} never came`);
}

test('a process gets its input from a file and writes its output to files', async () => {
  await using dir = await makeTempDir();
  const stdin = join(dir.path, 'stdin');
  await writeFile(stdin, 'héllo');
  const { end, stdout, stderr } = await runScript(
    dir.path,
    `let text = ''; for await (const chunk of process.stdin) text += chunk;
     process.stdout.write(text.toUpperCase()); process.stderr.write('note'); process.exitCode = 3;`,
    { files: { stdin, stdout: join(dir.path, 'stdout'), stderr: join(dir.path, 'stderr') } },
  );
  expect(end).toEqual({ exitCode: 3, signal: null, timedOut: false, aborted: false, killed: 0 });
  expect(await stdout()).toBe('HÉLLO');
  expect(await stderr()).toBe('note');
});

test('a process is ended whose signal was aborted while it was being started', async () => {
  await using dir = await makeTempDir();
  const abort = new AbortController();
  const started = runProcess({
    // It would end well by itself.
    argv: ['/bin/sleep', '3'],
    cwd: dir.path,
    env: {},
    files: { stdout: join(dir.path, 'stdout'), stderr: join(dir.path, 'stderr') },
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    signal: abort.signal,
  });
  abort.abort();
  expect(await started).toMatchObject({ aborted: true, exitCode: null, signal: 'SIGTERM' });
});

test('arguments are never read by a shell', async () => {
  await using dir = await makeTempDir();
  const files = { stdout: join(dir.path, 'stdout'), stderr: join(dir.path, 'stderr') };
  const nasty = ['$(touch pwned)', '`touch pwned`', '; touch pwned', '"quoted" \'too\'', '*', 'a\nb'];
  const program = 'process.stdout.write(JSON.stringify(process.argv.slice(1)))';
  await runScript(dir.path, '', { argv: [process.execPath, '-e', program, '--', ...nasty], files });
  expect(JSON.parse(await readFile(files.stdout, 'utf8'))).toEqual(nasty);
  expect(existsSync(join(dir.path, 'pwned'))).toBe(false);
});

test('a command that does not exist is said so', async () => {
  await using dir = await makeTempDir();
  const run = runScript(dir.path, '', { argv: ['no-such-command-anywhere'] });
  await expect(run).rejects.toMatchObject({ code: 'E_COMMAND_NOT_FOUND' });
});

/** A program with a child in its group, a grandchild, and one that fled into a session of its own; none heeds SIGTERM. */
const FAMILY = `
  import { spawn } from 'node:child_process';
  import { appendFileSync } from 'node:fs';
  const stubborn = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000);";
  const say = "require('fs').appendFileSync('pids', process.pid + '\\\\n');";
  const nested = \`\${stubborn} \${say} require('child_process').spawn(process.execPath, ['-e', \${JSON.stringify(stubborn + say)}], { stdio: 'inherit' })\`;
  process.on('SIGTERM', () => {});
  appendFileSync('pids', process.pid + '\\n');
  spawn(process.execPath, ['-e', nested], { stdio: 'inherit' });
  spawn(process.execPath, ['-e', stubborn + say], { stdio: 'ignore', detached: true }).unref();
  setInterval(() => {}, 1000);
`;

async function familyPids(dir: string): Promise<number[]> {
  for (;;) {
    const pids = (await waitFor(join(dir, 'pids'))).trim().split('\n').map(Number);
    if (pids.length >= 4) return pids;
    await systemClock.sleep(10);
  }
}

describe.skipIf(process.platform !== 'linux')(
  'the whole tree is ended (looks into /proc, so on Linux)',
  () => {
    test('at an abort, also children that ignore SIGTERM or left the group', async () => {
      await using dir = await makeTempDir();
      const stop = new AbortController();
      const run = runScript(dir.path, FAMILY, { signal: stop.signal, graceMs: 100 });
      const pids = await familyPids(dir.path);
      expect(pids.filter(isAlive)).toEqual(pids);
      stop.abort(new Error('enough'));
      const { end } = await run;
      expect(end).toMatchObject({ aborted: true, signal: 'SIGKILL', killed: 4 });
      expect(pids.filter(isAlive)).toEqual([]);
    });

    test('at the time limit', async () => {
      await using dir = await makeTempDir();
      const { end } = await runScript(dir.path, FAMILY, { timeoutMs: 1_500, graceMs: 50 });
      expect(end).toMatchObject({ timedOut: true, aborted: false });
      const pids = (await readFile(join(dir.path, 'pids'), 'utf8')).trim().split('\n').map(Number);
      expect(pids.filter(isAlive)).toEqual([]);
    });

    test('when the command ends well but leaves somebody behind', async () => {
      await using dir = await makeTempDir();
      const leaver = `
      import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore', detached: true });
      child.unref();
      writeFileSync('pids', child.pid + '\\n');`;
      const { end } = await runScript(dir.path, leaver, { sweep: true });
      expect(end).toMatchObject({ exitCode: 0, killed: 1 });
      expect(isAlive(Number(await readFile(join(dir.path, 'pids'), 'utf8')))).toBe(false);
    });
  },
);

test('a process that ends by itself at SIGTERM is not killed', async () => {
  await using dir = await makeTempDir();
  const stop = new AbortController();
  const polite = `import { writeFileSync } from 'node:fs';
    process.on('SIGTERM', () => { process.stdout.write('bye'); process.exit(0); });
    writeFileSync('pids', process.pid + '\\n'); setInterval(() => {}, 1000);`;
  const run = runScript(dir.path, polite, { signal: stop.signal });
  await waitFor(join(dir.path, 'pids'));
  stop.abort();
  const { end, stdout } = await run;
  expect(end).toMatchObject({ exitCode: 0, signal: null, aborted: true });
  expect(await stdout()).toBe('bye');
});

test('an end by a signal has the exit code that shells give it', () => {
  expect(exitCodeOf({ exitCode: null, signal: 'SIGKILL' })).toBe(137);
  expect(exitCodeOf({ exitCode: 7, signal: null })).toBe(7);
});

test('200 MB of output take a bounded part of our memory', async () => {
  await using dir = await makeTempDir();
  const loud = `
    const block = Buffer.alloc(1 << 20, 'é');
    const { writeSync } = await import('node:fs');
    for (let i = 0; i < 200; i++) for (let at = 0; at < block.length; ) at += writeSync(1, block, at);
    writeSync(1, 'the end');`;
  const before = process.memoryUsage().rss;
  const { files } = await runScript(dir.path, loud);
  const { text, sizeBytes, leftOutBytes, wasRepaired } = await readProcessText(
    nodeDisk,
    files.stdout,
    1 << 20,
  );
  expect(sizeBytes).toBe(200 * 2 ** 20 + 7);
  expect(Buffer.byteLength(text)).toBeLessThan(2 ** 20 + 100);
  expect(leftOutBytes).toBeGreaterThan(198 * 2 ** 20);
  expect(wasRepaired).toBe(false);
  expect(text).toMatch(/^é.*\n\[… \d+ bytes left out; the whole text is in .+ …\]\n.*the end$/su);
  expect(process.memoryUsage().rss - before).toBeLessThan(100 * 2 ** 20);
});

describe('reading back', () => {
  const write = async (dir: string, bytes: Uint8Array) => {
    const path = join(dir, 'file');
    await writeFile(path, bytes);
    return path;
  };

  test('bytes that are no UTF-8 are replaced, and that is said', async () => {
    await using dir = await makeTempDir();
    const path = await write(dir.path, Buffer.from([0x61, 0xff, 0xfe, 0x62]));
    expect(await readProcessText(nodeDisk, path, 100)).toMatchObject({
      text: 'a\ufffd\ufffdb',
      wasRepaired: true,
    });
  });

  test('no cut goes through a character, wherever it falls', async () => {
    await using dir = await makeTempDir();
    const path = await write(dir.path, Buffer.from('aé€👋'.repeat(20)));
    for (let bytesMax = 8; bytesMax < 60; bytesMax++) {
      const { text, wasRepaired } = await readProcessText(nodeDisk, path, bytesMax);
      expect(wasRepaired).toBe(false);
      expect(text).not.toContain('\ufffd');
      expect(await readTail(nodeDisk, path, bytesMax)).not.toContain('\ufffd');
    }
  });

  test('lines come whole, also across chunks, and one that is too long is skipped', async () => {
    await using dir = await makeTempDir();
    const long = 'x'.repeat(3 << 20);
    const path = await write(
      dir.path,
      Buffer.from(['one', long, 'two', 'y'.repeat(1 << 20), 'last'].join('\n')),
    );
    const lines: string[] = [];
    for await (const line of readLines(nodeDisk, path, 2 << 20)) lines.push(line);
    expect(lines.map(({ length }) => length)).toEqual([3, 3, 1 << 20, 4]);
  });

  test('lines are those of the file, though it does not end with a chunk', async () => {
    await using dir = await makeTempDir();
    const path = join(dir.path, 'lines');
    const text = `${Array.from({ length: 40_000 }, (_, n) => `${n} ${'x'.repeat(n % 60)}`).join('\n')}\nlast`;
    expect(text.length).toBeGreaterThan(1 << 20);
    await writeFile(path, text);
    expect(await Array.fromAsync(readLines(nodeDisk, path, 1_000))).toEqual(text.split('\n'));
  });
});
