import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { InvariantError } from '../base/index.ts';
import { copyTree } from './copy-tree.ts';
import { isLocked, tryLock } from './lock.ts';
import { nodeDisk } from './node-disk.ts';
import { openForProcess } from './process-file.ts';
import { openSyncFile } from './sync-file.ts';

test('one holder at a time, also within a process; release frees', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'lock');
  const lock = tryLock(path);
  expect(lock?.path).toBe(path);
  expect(tryLock(path)).toBeUndefined();
  expect(isLocked(path)).toBe(true);
  lock?.release();
  lock?.release();
  expect(isLocked(path)).toBe(false);
  using again = tryLock(path);
  expect(again).toBeDefined();
});

test('asking makes no file, changes nothing and does not free a lock of this process', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'lock');
  expect(isLocked(path)).toBe(false);
  expect(existsSync(path)).toBe(false);
  using lock = tryLock(path);
  expect(lock).toBeDefined();
  for (let turn = 0; turn < 20; turn++) expect(isLocked(path)).toBe(true);
  expect(await askFromOutside(path)).toBe('locked');
  expect(statSync(path).size).toBe(0);
  expect(readdirSync(dir.path)).toEqual(['lock']);
});

test('a lock is kept although nobody holds the object any more', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'lock');
  await using holder = await startHolder(path, 'forget');
  expect(holder.said).toBe('held');
  expect(isLocked(path)).toBe(true);
});

test('another process cannot take a lock that is held, and SIGKILL frees it', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'lock');
  for (let turn = 0; turn < 3; turn++) {
    await using holder = await startHolder(path, 'keep');
    expect(holder.said).toBe('held');
    expect(isLocked(path)).toBe(true);
    expect(tryLock(path)).toBeUndefined();
    await holder.kill();
    expect(isLocked(path)).toBe(false);
    expect(readdirSync(dir.path)).toEqual(['lock']);
  }
  using lock = tryLock(path);
  expect(lock).toBeDefined();
  await using late = await startHolder(path, 'keep');
  expect(late.said).toBe('refused');
});

test('a process that ends by itself frees its locks', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'lock');
  await using holder = await startHolder(path, 'exit');
  await holder.ended;
  expect(holder.said).toBe('held');
  using lock = tryLock(path);
  expect(lock).toBeDefined();
});

test('of many processes at once exactly one gets it', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'lock');
  const holders = await Promise.all(Array.from({ length: 4 }, () => startHolder(path, 'keep')));
  const said = holders.map((holder) => holder.said).sort();
  for (const holder of holders) await holder.kill();
  expect(said).toEqual(['held', 'refused', 'refused', 'refused']);
});

test('people who only ask never keep somebody from taking a free lock', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'lock');
  tryLock(path)?.release();
  await using _asker = await startHolder(path, 'ask');
  for (let turn = 0; turn < 300; turn++) {
    const lock = tryLock(path);
    expect(lock).toBeDefined();
    lock?.release();
  }
});

test('[JRN-8] no other way of opening a lock file that is held is there, under whatever name: closing it would drop the lock', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'lock');
  const alias = join(dir.path, 'alias');
  using lock = tryLock(path);
  expect(lock).toBeDefined();
  linkSync(path, alias);
  for (const name of [path, alias]) {
    await expect(nodeDisk.read(name)).rejects.toThrow(InvariantError);
    await expect(nodeDisk.open(name, 'read')).rejects.toThrow(InvariantError);
    await expect(nodeDisk.open(name, 'update')).rejects.toThrow(InvariantError);
    await expect(openForProcess(name, 'read')).rejects.toThrow(InvariantError);
    expect(() => openSyncFile(name, 'read')).toThrow(InvariantError);
  }
  writeFileSync(join(dir.path, 'other'), 'text');
  await copyTree(dir.path, `${dir.path}-copy`);
  expect(readdirSync(`${dir.path}-copy`)).toEqual(['other']);
  rmSync(`${dir.path}-copy`, { recursive: true });
  expect(await askFromOutside(path)).toBe('locked');
  lock?.release();
  expect(await nodeDisk.read(path)).toEqual(new Uint8Array(0));
});

test('[JRN-8] a lock whose file was moved away or replaced between opening and locking it is not taken for the one of that name', async () => {
  await using dir = await makeTempDir();
  const home = join(dir.path, 'home');
  const path = join(home, 'lock');
  for (const isReplaced of [false, true]) {
    mkdirSync(home, { recursive: true });
    writeFileSync(path, '');
    using opening = onceOpened(() => {
      renameSync(home, join(dir.path, `moved ${isReplaced}`));
      if (isReplaced) mkdirSync(home);
      if (isReplaced) writeFileSync(path, '');
    });
    if (isReplaced) {
      using lock = tryLock(path);
      expect(lock).toBeDefined();
      expect(isLocked(path)).toBe(true);
    } else expect(() => tryLock(path)).toThrow(/Cannot lock/);
    expect(opening.isDone()).toBe(true);
    expect(isLocked(join(dir.path, `moved ${isReplaced}`, 'lock'))).toBe(false);
  }
});

/** Does something at the worst moment: when a database was just opened, and nothing of it was locked yet. */
function onceOpened(act: () => void): Disposable & { isDone(): boolean } {
  const real = process.getBuiltinModule;
  let isDone = false;
  class Opened extends DatabaseSync {
    constructor(...args: ConstructorParameters<typeof DatabaseSync>) {
      super(...args);
      if (!isDone) act();
      isDone = true;
    }
  }
  const spy = vi.spyOn(process, 'getBuiltinModule').mockImplementation((id: string) => {
    const found: object | undefined = real.call(process, id);
    return id === 'node:sqlite' ? { ...found, DatabaseSync: Opened } : found;
  });
  return { isDone: () => isDone, [Symbol.dispose]: () => spy.mockRestore() };
}

test('a lock goes with its directory', async () => {
  await using dir = await makeTempDir();
  const home = join(dir.path, 'home');
  mkdirSync(home);
  using lock = tryLock(join(home, 'lock'));
  expect(lock).toBeDefined();
  renameSync(home, join(dir.path, 'moved'));
  expect(isLocked(join(home, 'lock'))).toBe(false);
  expect(isLocked(join(dir.path, 'moved', 'lock'))).toBe(true);
});

test('a lock file that cannot be one is told with its path', async () => {
  await using dir = await makeTempDir();
  const unusable = { code: 'E_LOCK_UNUSABLE', message: expect.stringContaining(dir.path) };
  expect(() => tryLock(join(dir.path, 'none', 'lock'))).toThrow(expect.objectContaining(unusable));
  expect(() => tryLock(dir.path)).toThrow(expect.objectContaining(unusable));
  expect(() => isLocked(dir.path)).toThrow(expect.objectContaining(unusable));
});

/** A database of two pages of which the second is lost. */
function cutDatabase(): Buffer {
  const bytes = Buffer.alloc(4096);
  bytes.write('SQLite format 3\0', 'latin1');
  bytes.set([0x10, 0, 1, 1, 0, 64, 32, 32], 16);
  bytes.writeUInt32BE(2, 28);
  return bytes;
}

const CONTENTS: ReadonlyArray<readonly [string, Buffer]> = [
  ['text', Buffer.from('this is not a lock file, and long enough to be looked at '.repeat(90))],
  ['a few bytes', Buffer.from('x')],
  ['half a database', cutDatabase()],
];

for (const [what, bytes] of CONTENTS) {
  test(`[JRN-8] what is in a lock file does not matter: ${what}`, async () => {
    await using dir = await makeTempDir();
    const path = join(dir.path, 'lock');
    writeFileSync(path, bytes);
    expect(isLocked(path)).toBe(false);
    expect(statSync(path).size).toBe(bytes.length);
    {
      await using holder = await startHolder(path, 'keep');
      expect(holder.said).toBe('held');
      writeFileSync(path, bytes);
      expect(isLocked(path)).toBe(true);
      expect(tryLock(path)).toBeUndefined();
      expect(await askFromOutside(path)).toBe('locked');
      expect(statSync(path).size).toBe(bytes.length);
    }
    expect(isLocked(path)).toBe(false);
    using lock = tryLock(path);
    expect(lock).toBeDefined();
    expect(isLocked(path)).toBe(true);
    expect(await askFromOutside(path)).toBe('locked');
    expect(tryLock(path)).toBeUndefined();
  });
}

test('[JRN-8] of many processes at once exactly one gets a lock with garbage in it', async () => {
  await using dir = await makeTempDir();
  const path = join(dir.path, 'lock');
  writeFileSync(path, Buffer.alloc(5_000, 'garbage'));
  const holders = await Promise.all(Array.from({ length: 4 }, () => startHolder(path, 'keep')));
  const said = holders.map((holder) => holder.said).sort();
  for (const holder of holders) await holder.kill();
  expect(said).toEqual(['held', 'refused', 'refused', 'refused']);
});

type Manner = 'keep' | 'forget' | 'exit' | 'ask';

interface Holder extends AsyncDisposable {
  readonly said: string;
  readonly ended: Promise<unknown>;
  kill(): Promise<void>;
}

/** A real process that tries to take the lock, says `held` or `refused`, and goes on in its manner. */
async function startHolder(path: string, manner: Manner): Promise<Holder> {
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--no-warnings', '--input-type=module', '-e', PROGRAM],
    {
      env: { LOCK_MODULE: new URL('./lock.ts', import.meta.url).href, LOCK_PATH: path, MANNER: manner },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const ended = once(child, 'exit');
  const said = await firstWord(child);
  const kill = async () => {
    child.kill('SIGKILL');
    await ended;
  };
  return { said, ended, kill, [Symbol.asyncDispose]: kill };
}

const PROGRAM = `
  const { tryLock, isLocked } = await import(process.env.LOCK_MODULE);
  const path = process.env.LOCK_PATH;
  const manner = process.env.MANNER;
  if (manner === 'ask') {
    process.stdout.write('asking');
    for (;;) {
      for (let turn = 0; turn < 100; turn++) isLocked(path);
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  let lock = tryLock(path);
  const word = lock ? 'held' : 'refused';
  if (manner === 'forget') {
    lock = undefined;
    await new Promise((resolve) => setTimeout(resolve, 10));
    globalThis.gc();
    await new Promise((resolve) => setTimeout(resolve, 10));
    globalThis.gc();
  }
  process.stdout.write(word);
  if (manner !== 'exit') setInterval(() => {}, 1_000);
`;

async function askFromOutside(path: string): Promise<string> {
  await using holder = await startHolder(path, 'exit');
  await holder.ended;
  return holder.said === 'refused' ? 'locked' : 'free';
}

async function firstWord(child: ChildProcess): Promise<string> {
  const output = child.stdout;
  if (!output) throw new Error('the child has no output');
  const [chunk] = await once(output, 'data');
  return String(chunk);
}
