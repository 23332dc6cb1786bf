/** The Studio of a folder, served by this process as the command serves it. */
import type { ArtifactCache } from '../../../src/artifacts/index.ts';
import { systemClock, systemRandom } from '../../../src/base/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import {
  Assets,
  type CreateStudioOptions,
  createStudio,
  type ServedStudio,
  serveStudio,
} from '../../../src/server/index.ts';
import { openFolder, openSource, type RunSource } from '../../../src/sources/index.ts';
import { GIT_ENV } from '../../sim/results-repo.ts';
import { builtApp } from './built-app.ts';

export interface TestStudio extends ServedStudio {
  /** Our own bugs, as the server saw them. */
  readonly bugs: unknown[];
}

export interface ServeTestOptions {
  readonly places: readonly string[];
  readonly logDirs?: readonly string[];
  readonly port?: number;
  readonly host?: string;
  /** A bucket with shared runs. */
  readonly shared?: CreateStudioOptions['shared'];
  readonly artifacts?: ArtifactCache;
}

const IDENTITY = {
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'user.name',
  GIT_CONFIG_VALUE_0: 'Ada',
  GIT_CONFIG_KEY_1: 'user.email',
  GIT_CONFIG_VALUE_1: 'ada@example.test',
};

export async function serveTestStudio({
  places,
  logDirs = [],
  port = 0,
  host = '127.0.0.1',
  shared,
  artifacts,
}: ServeTestOptions): Promise<TestStudio> {
  const context = {
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    env: { ...GIT_ENV, ...IDENTITY },
    cwd: '/',
  };
  const sources: RunSource[] = [];
  for (const place of places) sources.push(...(await openSource(place, context)));
  for (const dir of logDirs) sources.push(...(await openFolder(dir, context)));
  const studio = createStudio({ sources, clock: systemClock, random: systemRandom, shared, artifacts });
  const bugs: unknown[] = [];
  const assets = await Assets.open(nodeDisk, builtApp());
  const onBug = (error: unknown) => bugs.push(error);
  const served = await serveStudio({ studio, assets, random: systemRandom, host, port, onBug }).catch(
    async (error: unknown) => {
      await studio[Symbol.asyncDispose]();
      throw error;
    },
  );
  return {
    ...served,
    bugs,
    [Symbol.asyncDispose]: async () => {
      await served[Symbol.asyncDispose]();
      await studio[Symbol.asyncDispose]();
    },
  };
}
