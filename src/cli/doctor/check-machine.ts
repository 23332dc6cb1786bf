import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { ActionableError, errnoOf, messageOf, systemClock, systemRandom } from '../../base/index.ts';
import {
  createFile,
  type Disk,
  freeBytes,
  hasNoLinks,
  isLocked,
  nodeDisk,
  tempPathFor,
  tryLock,
} from '../../disk/index.ts';
import { streamProcess } from '../../process/index.ts';
import { checkWritable } from '../../runner/index.ts';
import { keyVariableOf, PROVIDERS, packageOf } from '../../targets/index.ts';
import { formatBytes } from '../quantities.ts';
import type { Environment } from '../terminal.ts';
import { type Check, fail, ok, warn } from './check.ts';

const FREE_BYTES_MIN = 1_000_000_000;
const PROGRAM_MS_MAX = 20_000;

/** What is built into Node: its version, SQLite and zstd. */
export async function checkNode(): Promise<readonly Check[]> {
  const checks = [ok('node', `${process.versions.node} on ${process.platform} ${process.arch}`)];
  try {
    const { DatabaseSync } = await import('node:sqlite');
    const database = new DatabaseSync(':memory:');
    const row = database.prepare('SELECT sqlite_version() AS version').get();
    database.close();
    checks.push(ok('sqlite', String(row?.version)));
  } catch (error) {
    checks.push(fail('sqlite', messageOf(error), 'Install Node 22.18 or newer, built with SQLite.'));
  }
  const text = Buffer.from('holdfast');
  const isSame = zstdDecompressSync(zstdCompressSync(text)).equals(text);
  checks.push(
    isSame
      ? ok('zstd', 'compresses and decompresses')
      : fail('zstd', 'does not give back what it got', 'Install another Node.'),
  );
  return checks;
}

/** The log directory: writable, synced, lockable, with room. Leaves nothing behind. */
export async function checkLogDir(disk: Disk, logDir: string, cwd: string): Promise<readonly Check[]> {
  const dir = resolve(cwd, logDir);
  try {
    await checkWritable(disk, dir);
  } catch (error) {
    if (!(error instanceof ActionableError)) throw error;
    return [fail('log directory', error.message, error.hint)];
  }
  const place = await nearest(disk, dir);
  return [
    ok('log directory', `${dir} can be written`),
    await checkSync(disk, place),
    await checkLinks(disk, place),
    checkLock(place),
    await checkRoom(place),
    await sweepProbe(disk, place),
  ].filter((check) => check !== undefined);
}

async function checkSync(disk: Disk, dir: string): Promise<Check> {
  const path = tempPathFor(join(dir, 'holdfast-doctor'));
  try {
    const file = await disk.open(path, 'create');
    await file.write(Buffer.from('x'), 0);
    await file.sync();
    await file.close();
    await disk.syncDir(dir);
    return ok('fsync', 'files and directories can be synced');
  } catch (error) {
    return fail(
      'fsync',
      messageOf(error),
      'Choose a log directory on another file system: without fsync a power loss loses results.',
    );
  } finally {
    await disk.remove(path);
  }
}

/** New files get their name by a hard link, which nobody else's can be lost to; not every file system has them. */
export async function checkLinks(disk: Disk, dir: string): Promise<Check> {
  const [file, link] = [tempPathFor(join(dir, 'file')), tempPathFor(join(dir, 'link'))];
  try {
    await using _ = await disk.open(file, 'create');
    await disk.link(file, link);
    return ok('hard links', 'work: a new file never takes the place of another');
  } catch (error) {
    if (!hasNoLinks(error)) return fail('hard links', messageOf(error), NO_LINKS_NEXT);
    return checkCreateWithoutLinks(disk, dir);
  } finally {
    for (const path of [link, file]) await disk.remove(path);
  }
}

const NO_LINKS_NEXT =
  'Choose a log directory on a file system with hard links: ext4, xfs, btrfs, APFS or NTFS.';

/** Without links files are made in another way, if there is one here: tried before anything is bought. */
async function checkCreateWithoutLinks(disk: Disk, dir: string): Promise<Check> {
  const path = tempPathFor(join(dir, 'file'));
  const body = Buffer.from('x');
  try {
    const made = [await createFile(disk, path, body), await createFile(disk, path, body)];
    return made[0] === true && made[1] === false
      ? warn(
          'hard links',
          'do not work here; files are made without them',
          `It works, but is less safe. ${NO_LINKS_NEXT}`,
        )
      : fail('hard links', 'do not work here, and a new file can take the place of another', NO_LINKS_NEXT);
  } catch (error) {
    return fail(
      'hard links',
      `do not work here, and no file can be made without them: ${messageOf(error)}`,
      NO_LINKS_NEXT,
    );
  } finally {
    await disk.remove(path);
  }
}

const LOCK_NAME = '.holdfast-doctor.lock';

function checkLock(dir: string): Check {
  const path = join(dir, LOCK_NAME);
  try {
    using lock = tryLock(path);
    const isHeld = lock !== undefined && isLocked(path);
    return isHeld
      ? ok('locks', 'work between processes')
      : fail(
          'locks',
          'a lock that was taken does not hold',
          'Choose a log directory on a local file system.',
        );
  } catch (error) {
    return fail('locks', messageOf(error), 'Choose a log directory on a local file system.');
  }
}

async function sweepProbe(disk: Disk, dir: string): Promise<undefined> {
  await disk.remove(join(dir, LOCK_NAME));
}

async function checkRoom(dir: string): Promise<Check> {
  const free = await freeBytes(dir);
  const detail = `${formatBytes(free)} free`;
  return free < FREE_BYTES_MIN
    ? warn(
        'disk space',
        detail,
        'Free some space before a large run; a run that fills the disk stops, resumable.',
      )
    : ok('disk space', detail);
}

/** Which providers are there, and whether their keys are set. Values of keys are never read. */
export function checkProviders(env: Environment, cwd: string): readonly Check[] {
  const own = createRequire(import.meta.url);
  const project = createRequire(join(cwd, 'package.json'));
  return PROVIDERS.flatMap((provider) => {
    const name = packageOf(provider);
    if (name === undefined) return [];
    if (!isInstalled(own, name) && !isInstalled(project, name))
      return [warn(provider, 'not installed', `For ${provider}/… models: npm install ${name}`)];
    const variable = keyVariableOf(`${provider}/any`) ?? '';
    if (env[variable]) return [ok(provider, `installed, ${variable} is set`)];
    if (provider === 'openai-compatible')
      return [ok(provider, `installed, ${variable} is not set (not all servers need it)`)];
    return [
      warn(provider, `installed, ${variable} is not set`, `For ${provider}/… models: export ${variable}=…`),
    ];
  });
}

/** Programs that are useful beside Holdfast. */
export async function checkPrograms(env: Environment, cwd: string): Promise<readonly Check[]> {
  const where = { env, cwd };
  return [
    await checkProgram('git', where, 'Install git to keep results in a repository.'),
    await checkProgram(
      'inspect',
      where,
      'Only for Inspect’s own viewer and tools: pip install inspect-ai. "holdfast studio" shows logs, too.',
    ),
  ];
}

async function checkProgram(
  name: string,
  where: { readonly env: Environment; readonly cwd: string },
  next: string,
): Promise<Check> {
  try {
    await using program = await streamProcess({
      ...where,
      argv: [name, '--version'],
      disk: nodeDisk,
      clock: systemClock,
      random: systemRandom,
      signal: new AbortController().signal,
      timeoutMs: PROGRAM_MS_MAX,
    });
    const said = Buffer.concat(await Array.fromAsync(program.stdout)).toString('utf8');
    const { timedOut } = await program.end;
    return timedOut ? warn(name, 'does not answer', next) : ok(name, said.trim().split('\n')[0] ?? '');
  } catch (error) {
    return warn(name, errnoOf(error) === 'E_COMMAND_NOT_FOUND' ? 'not found' : messageOf(error), next);
  }
}

function isInstalled(require: NodeJS.Require, name: string): boolean {
  try {
    require.resolve(`${name}/package.json`);
    return true;
  } catch (error) {
    const code = errnoOf(error);
    // A package that hides its package.json is there, too.
    if (code === 'ERR_PACKAGE_PATH_NOT_EXPORTED') return true;
    if (code === 'MODULE_NOT_FOUND') return false;
    throw error;
  }
}

async function nearest(disk: Disk, dir: string): Promise<string> {
  for (let at = dir; ; at = dirname(at)) if (await disk.stat(at)) return at;
}
