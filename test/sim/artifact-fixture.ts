import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  ArtifactCache,
  type Build,
  type BuildCost,
  type BuildOptions,
  type CacheOptions,
  type Producer,
  type RecipeParts,
} from '../../src/artifacts/index.ts';
import { digestOf, systemClock, systemRandom } from '../../src/base/index.ts';
import { type Disk, nodeDisk } from '../../src/disk/index.ts';

/** What a build of one unit depends on; whatever is not said is always the same. */
export function partsOf(key = 'db', more: Partial<RecipeParts> = {}): RecipeParts {
  return {
    kind: 'knowledge',
    key,
    version: '1',
    inputs: [{ name: 'schema', kind: 'file', digest: digestOf(`schema of ${key}`) }],
    parameters: { model: 'mock' },
    ...more,
  };
}

export const PRODUCER: Producer = { version: '0.0.0', run: 'build', writer: 'w1' };
export const COST: BuildCost = { usd: 0.25, tokens: 1_000, calls: 2 };

/** A build that writes these files. */
export function buildOf(files: Readonly<Record<string, string>>): Build {
  return async (dir) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), text);
    }
    return { cost: COST };
  };
}

/** The same on a disk that is not the machine's. */
export function buildOn(disk: Disk, files: Readonly<Record<string, string>>): Build {
  return async (dir) => {
    for (const [path, text] of Object.entries(files)) {
      await disk.makeDir(dirname(join(dir, path)));
      await using file = await disk.open(join(dir, path), 'create');
      await file.write(Buffer.from(text), 0);
    }
    return { cost: COST };
  };
}

export function openCache(
  dir: string,
  disk: Disk = nodeDisk,
  more: Partial<CacheOptions> = {},
): ArtifactCache {
  return ArtifactCache.open({ disk, dir, clock: systemClock, random: systemRandom, ...more });
}

export function building(build: Build, more: Partial<BuildOptions> = {}): BuildOptions {
  return { build, producer: PRODUCER, ...more };
}

/** A build that must not be asked for. */
export const neverBuild: Build = async () => {
  throw new Error('it was built although it is there');
};
