import { join } from 'node:path';
import { type Disk, openForProcess } from '../disk/index.ts';
import { readTail } from '../process/index.ts';

/** Names that evidence of printed texts has in every run. */
const FILES = { stdout: 'printed.stdout', stderr: 'printed.stderr' } as const;
/** Enough for a line that says why. */
const TAIL_BYTES = 4_096;

/**
 * What a process writes to its descriptors, in two files of a folder of its own: they have what native code and children wrote as well,
 * and all of it is there the moment the process is gone.
 */
export class SessionOutputs {
  readonly dir: string;
  readonly #disk: Disk;

  private constructor(disk: Disk, dir: string) {
    this.#disk = disk;
    this.dir = dir;
  }

  /** `start` gets the descriptors, which are closed here when it has given them away. */
  static async open<T>(
    disk: Disk,
    dir: string,
    start: (fds: Readonly<Record<keyof typeof FILES, number>>) => T,
  ): Promise<{ readonly outputs: SessionOutputs; readonly started: T }> {
    await disk.makeDir(dir, { isSynced: false });
    await using stdout = await openForProcess(join(dir, FILES.stdout), 'create');
    await using stderr = await openForProcess(join(dir, FILES.stderr), 'create');
    const started = start({ stdout: stdout.fd, stderr: stderr.fd });
    return { outputs: new SessionOutputs(disk, dir), started };
  }

  /** Of both; those of stderr come last. Whole ones only: what is cut off may be the end of something that must not be kept. */
  async lastLines(): Promise<readonly string[]> {
    const lines: string[] = [];
    try {
      for (const name of Object.values(FILES)) {
        const path = join(this.dir, name);
        const isCut = ((await this.#disk.stat(path))?.sizeBytes ?? 0) > TAIL_BYTES;
        const tail = await readTail(this.#disk, path, TAIL_BYTES);
        lines.push(...tail.split('\n').slice(isCut ? 1 : 0));
      }
    } catch {
      // What cannot be read tells nothing; how the process ended is known without it.
    }
    return lines;
  }

  async remove(): Promise<void> {
    await this.#disk.removeTree(this.dir);
  }
}
