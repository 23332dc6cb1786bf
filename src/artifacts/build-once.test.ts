import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { building, buildOf, COST, neverBuild, openCache, partsOf } from '../../test/sim/artifact-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { isTempName } from '../disk/index.ts';
import { type Build, type Built, type BuiltOnce, type RecipeInput, recipeOf, type Waiting } from './index.ts';
import { recipeDir } from './layout.ts';

const dir = useTempDir();
const cacheDir = () => join(dir.path, 'cache');
const FILES = { 'a.md': 'alpha' };

/** A build that ends when it is told to. */
function slowBuild(): {
  readonly build: Build;
  readonly finish: () => void;
  readonly started: Promise<void>;
  count(): number;
} {
  const started = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let count = 0;
  const build: Build = async (folder, signal) => {
    count++;
    started.resolve();
    const stopped = new Promise<never>((_, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason)),
    );
    await Promise.race([gate.promise, stopped]);
    return buildOf(FILES)(folder, signal);
  };
  return { build, finish: gate.resolve, started: started.promise, count: () => count };
}

describe('within a process', () => {
  test('[ART-10] callers of one recipe share one build, whichever cache object they ask', async () => {
    const slow = slowBuild();
    const waits: Waiting[] = [];
    const first = openCache(cacheDir()).buildOnce(partsOf(), building(slow.build));
    await slow.started;
    const others = [1, 2, 3].map(() =>
      openCache(cacheDir()).buildOnce(
        partsOf(),
        building(neverBuild, { onWait: (waiting) => waits.push(waiting) }),
      ),
    );
    slow.finish();
    const all = await Promise.all([first, ...others]);
    expect(all.map(({ origin }) => origin)).toEqual(['built', 'peer', 'peer', 'peer']);
    expect(new Set(all.map(({ generation }) => generation.manifest.digest)).size).toBe(1);
    expect(slow.count()).toBe(1);
    expect(waits).toMatchObject(Array(3).fill({ unit: 'knowledge/db', pid: process.pid }));
  });

  test('one caller that is aborted leaves; the build goes on for the others', async () => {
    const slow = slowBuild();
    const stop = new AbortController();
    const cache = openCache(cacheDir());
    const leaver = cache.buildOnce(partsOf(), building(slow.build, { signal: stop.signal }));
    await slow.started;
    const stayer = cache.buildOnce(partsOf(), building(neverBuild));
    stop.abort(new Error('enough'));
    await expect(leaver).rejects.toThrow('enough');
    slow.finish();
    expect((await stayer).origin).toBe('peer');
  });

  test('[ART-3] an aborted build leaves nothing, frees the lock, and can be asked for again at once', async () => {
    const slow = slowBuild();
    const stop = new AbortController();
    const cache = openCache(cacheDir());
    const aborted = cache.buildOnce(partsOf(), building(slow.build, { signal: stop.signal }));
    await slow.started;
    stop.abort(new Error('enough'));
    const again = cache.buildOnce(partsOf(), building(buildOf(FILES)));
    await expect(aborted).rejects.toThrow('enough');
    expect((await again).origin).toBe('built');
    expect(readdirSync(recipeDir(cacheDir(), recipeOf(partsOf())))).toHaveLength(1);
    const before = AbortSignal.abort(new Error('before'));
    await expect(cache.buildOnce(partsOf(), building(neverBuild, { signal: before }))).rejects.toThrow(
      'before',
    );
  });

  test('[ART-3] a build that throws leaves nothing, and the error names the unit', async () => {
    const cache = openCache(cacheDir());
    const failing: Build = async (folder) => {
      await buildOf(FILES)(folder, undefined);
      throw new Error('no more tokens');
    };
    const error: unknown = await cache
      .buildOnce(partsOf(), building(failing))
      .catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      code: 'E_ARTIFACT_BUILD',
      message: 'The build of knowledge/db failed: no more tokens',
    });
    expect(readdirSync(recipeDir(cacheDir(), recipeOf(partsOf())))).toEqual([]);
    expect(await cache.use(recipeOf(partsOf()))).toEqual({ kind: 'absent' });
  });

  test('[ART-10] a build that asks for itself, or for what it does not name, is refused instead of waiting for ever', async () => {
    const cache = openCache(cacheDir());
    const asking =
      (key: string): Build =>
      async (folder) => {
        await cache.buildOnce(partsOf(key), building(buildOf(FILES)));
        return buildOf(FILES)(folder, undefined);
      };
    for (const key of ['db', 'other']) {
      const error: unknown = await cache
        .buildOnce(partsOf(), building(asking(key)))
        .catch((caught: unknown) => caught);
      expect(error).toMatchObject({ code: 'E_ARTIFACT_BUILD', cause: { code: 'E_ARTIFACT_NESTED' } });
    }
  });

  test('[ART-2] a build may build its inputs, and says which generation of them it read', async () => {
    const cache = openCache(cacheDir());
    const schema = partsOf('db', { kind: 'schema' });
    const inputs: readonly RecipeInput[] = [
      { name: 'schema', kind: 'artifact', digest: recipeOf(schema).recipe },
    ];
    const parts = partsOf('db', { inputs });
    let used: BuiltOnce | undefined;
    const build: Build = async (folder) => {
      used = await cache.buildOnce(schema, building(buildOf({ 's.sql': 'create' })));
      const { generation, digest } = used.generation.manifest;
      await buildOf(FILES)(folder, undefined);
      const built: Built = { cost: COST, used: { schema: { generation, digest } } };
      return built;
    };
    const { generation } = await cache.buildOnce(parts, building(build));
    const { digest } = used?.generation.manifest ?? {};
    expect(generation.manifest.inputs).toMatchObject([{ name: 'schema', used: { digest } }]);
    expect(generation.manifest.recipe).toBe(recipeOf(parts).recipe);
  });

  test('[ART-2] whoever has only the second stage builds neither: what is here is asked before any input', async () => {
    const cache = openCache(cacheDir());
    const inputs = [
      { name: 'schema', kind: 'artifact', digest: recipeOf(partsOf('db', { kind: 'schema' })).recipe },
    ] as const;
    const parts = partsOf('db', { inputs });
    await cache.buildOnce(parts, building(buildOf(FILES)));
    expect((await cache.buildOnce(parts, building(neverBuild))).origin).toBe('here');
    expect((await cache.units()).map(({ kind }) => kind)).toEqual(['knowledge']);
  });
});

interface Said {
  readonly building?: string;
  readonly unit?: string;
  readonly origin?: string;
  readonly digest?: string;
  readonly waits?: readonly Waiting[];
  readonly failed?: string;
}

class Child {
  readonly process: ChildProcess;
  readonly said: Said[] = [];
  readonly #ended: Promise<unknown>;

  constructor(...args: readonly string[]) {
    const script = join(import.meta.dirname, '../../test/crash/artifact-child.ts');
    this.process = spawn(process.execPath, [script, cacheDir(), ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#ended = once(this.process, 'close');
    if (this.process.stdout)
      createInterface(this.process.stdout).on('line', (line) => this.said.push(JSON.parse(line) as Said));
  }

  async untilBuilding(): Promise<void> {
    while (!this.said.some(({ building: unit }) => unit)) await sleep(5);
  }

  async end(): Promise<Said | undefined> {
    await this.#ended;
    return this.said.at(-1);
  }
}

const buildsDone = () => readFileSync(`${cacheDir()}.builds`, 'utf8').trim().split('\n');

describe('between processes', () => {
  test('[ART-10] of many who ask at once one builds; the others wait, say for whom, and take what it committed', async () => {
    const children = [1, 2, 3, 4].map(() => new Child('db', '2500'));
    const said = await Promise.all(children.map((child) => child.end()));
    expect(said.filter((one) => one?.origin === 'built')).toHaveLength(1);
    expect(said.filter((one) => one?.origin === 'peer')).not.toEqual([]);
    expect(new Set(said.map((one) => one?.digest)).size).toBe(1);
    expect(buildsDone()).toEqual(['db']);
    const builder = children.find((child) => child.said.at(-1)?.origin === 'built');
    for (const one of said.filter((other) => other?.origin === 'peer'))
      expect(one?.waits).toContainEqual(
        expect.objectContaining({
          unit: 'knowledge/db',
          pid: builder?.process.pid,
          sinceMs: expect.any(Number),
        }),
      );
  });

  test('[ART-10] a builder that is killed frees the recipe; who waited builds, and what the dead one left is swept', async () => {
    const first = new Child('db', '60000', '1', '100');
    await first.untilBuilding();
    const second = new Child('db', '50');
    await sleep(300);
    first.process.kill('SIGKILL');
    expect(await second.end()).toMatchObject({ origin: 'built' });
    expect(buildsDone()).toEqual(['db', 'db']);
    const names = readdirSync(recipeDir(cacheDir(), recipeOf(partsOf())));
    expect(names.filter(isTempName)).toEqual([]);
    expect(names).toHaveLength(1);
  });

  test('[ART-3] killed at any moment, a builder leaves whole generations or none', async () => {
    const cache = openCache(cacheDir());
    for (let turn = 0; turn < 8; turn++) {
      const child = new Child(`turn${turn}-`, '0', '40', '20');
      await child.untilBuilding();
      await sleep(turn * 25);
      child.process.kill('SIGKILL');
      await child.end();
    }
    let whole = 0;
    for (const unit of await cache.units()) {
      expect((await cache.use(unit)).kind).toBe('usable');
      whole++;
    }
    expect(whole).toBeGreaterThan(0);
    expect(existsSync(join(cacheDir(), 'damaged'))).toBe(false);
  });

  test('abort ends the waiting for another process', async () => {
    const child = new Child('db', '60000', '1', '100');
    await child.untilBuilding();
    const stop = new AbortController();
    const waiting = openCache(cacheDir()).buildOnce(
      partsOf(),
      building(neverBuild, { signal: stop.signal, onWait: () => stop.abort(new Error('enough')) }),
    );
    await expect(waiting).rejects.toThrow('enough');
    child.process.kill('SIGKILL');
    await child.end();
  });
});
