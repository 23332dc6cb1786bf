import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness } from '../../../test/run-harness.ts';
import { overwrite } from '../../../test/sim/overwrite.ts';
import { ArtifactCache, type Manifest, pushGenerations } from '../../artifacts/index.ts';
import { systemClock, systemRandom } from '../../base/index.ts';
import { type Bucket, openBucket } from '../../bucket/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { defineArtifact, type EvalDefinition } from '../../evals/index.ts';
import { StateDir } from '../../journal/index.ts';
import { directoryLogStore } from '../../log/index.ts';
import { mockModel } from '../../targets/index.ts';

let harness: Harness;
let store: Bucket;
let begun: string[];

beforeEach(async () => {
  harness = await createHarness();
  store = await openBucket(join(harness.dir, 'store'), { disk: nodeDisk });
  begun = [];
});
afterEach(() => harness.close());

const indexOf = (key: string) =>
  defineArtifact({
    kind: 'index',
    key,
    version: 1,
    build: ({ dir }) => {
      begun.push(key);
      writeFileSync(join(dir, 'index.txt'), `index of ${key}`);
    },
  });

function definition(name: string, more: Partial<EvalDefinition<string, string, string>> = {}) {
  return {
    name,
    data: ['a', 'b'].map((input, at) => ({ id: at + 1, input })),
    requires: ({ input }: { readonly input: string }) => indexOf(input),
    target: async (
      { input }: { readonly input: string },
      { artifact }: { artifact: (of: ReturnType<typeof indexOf>) => string },
    ) => readFileSync(join(artifact(indexOf(input)), 'index.txt'), 'utf8'),
    scorers: [],
    ...more,
  };
}

/** A machine of its own: another cache, the same store. */
const machine = (name: string, more: { readonly store?: Bucket } = { store }) => ({
  artifacts: { dir: join(harness.dir, name), hostPaths: [], ...more },
});

function filesOf(name: string, key: string): string {
  const unit = join(harness.dir, name, 'units/index', key);
  const recipe = join(unit, readdirSync(unit)[0] ?? '');
  return join(recipe, readdirSync(recipe)[0] ?? '', 'files/index.txt');
}

/** A store that cannot be reached, for what is asked of it. */
function awayFor(...methods: readonly (keyof Bucket)[]): Bucket {
  return new Proxy(store, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      if (!(methods as readonly PropertyKey[]).includes(name)) return value.bind(target);
      return () => {
        throw new Error('the network is down');
      };
    },
  });
}

describe('the store of artifacts', () => {
  test('what one machine built, the next one takes, and pays for nothing', async () => {
    await harness.run(definition('first'), machine('one'));
    expect(begun.splice(0).sort()).toEqual(['a', 'b']);
    const { account } = await harness.run(definition('second'), machine('two'));
    expect(begun).toEqual([]);
    expect(account).toMatchObject({
      samples: { errored: 0 },
      artifacts: { reused: 2, fetched: 2, built: [] },
    });
    expect(readFileSync(filesOf('two', 'a'))).toEqual(readFileSync(filesOf('one', 'a')));
    const again = await harness.run(definition('third'), machine('two'));
    expect(again.account.artifacts).toMatchObject({ reused: 2, fetched: 0 });
  });

  test('a whole copy from the store takes the place of a damaged one', async () => {
    await harness.run(definition('first'), machine('one'));
    overwrite(filesOf('one', 'a'), 'something else');
    begun.length = 0;
    const { account } = await harness.run(definition('second'), machine('one'));
    expect(account).toMatchObject({ samples: { errored: 0 }, artifacts: { fetched: 1, unavailable: [] } });
    expect([begun, readFileSync(filesOf('one', 'a'), 'utf8')]).toEqual([[], 'index of a']);
    // That it was damaged is said all the same, once: with where it lies, and whence the whole copy came.
    const [aside = ''] = readdirSync(join(harness.dir, 'one/damaged')).filter(
      (name) => !name.includes('.json'),
    );
    const said = account.artifacts?.mended ?? [];
    expect(said).toEqual([
      expect.stringMatching(
        /of index\/a is damaged: .*index\.txt.* lies in .* A whole copy was taken from .*store\.$/s,
      ),
    ]);
    expect(said[0]).toContain(join(harness.dir, 'one/damaged', aside));
    expect(account.notes).toContain(said[0]);
    const after = await harness.run(definition('third'), machine('one'));
    expect(after.account.artifacts?.mended).toEqual([]);
  });

  test('a damaged copy in the store is not taken: it is said, and the artifact is built', async () => {
    await harness.run(definition('first'), machine('one'));
    const objects = join(harness.dir, 'store/objects');
    for (const folder of readdirSync(objects))
      for (const name of readdirSync(join(objects, folder))) writeFileSync(join(objects, folder, name), 'x');
    begun.length = 0;
    const notes: string[] = [];
    const observer = { onNote: (text: string) => void notes.push(text) };
    const { account } = await harness.run(definition('second'), { ...machine('two'), observer });
    expect(begun.sort()).toEqual(['a', 'b']);
    expect(notes.join('\n')).toMatch(/of index\/a in .*store is not taken/);
    expect(account.samples.errored).toBe(0);
  });

  test('a store that cannot be asked is not an empty one: nothing is built as if nobody had it', async () => {
    await harness.run(definition('first'), machine('one'));
    begun.length = 0;
    const { account } = await harness.run(definition('second'), machine('two', { store: awayFor('list') }));
    expect(begun).toEqual([]);
    expect(account.artifacts?.unavailable).toMatchObject([
      { unit: 'index/a', code: 'E_ARTIFACT_STORE_AWAY' },
      { unit: 'index/b', code: 'E_ARTIFACT_STORE_AWAY' },
    ]);
    expect(account.samples.errored).toBe(2);
    const without = await harness.run(definition('third'), machine('two', {}));
    expect([begun.sort(), without.account.samples.errored]).toEqual([['a', 'b'], 0]);
  });

  test('what the store does not take is said, fails nothing, and is sent by the next run; what it has is not sent again', async () => {
    const { account } = await harness.run(definition('first'), machine('one', { store: awayFor('create') }));
    expect(account).toMatchObject({ state: 'done', samples: { errored: 0 } });
    expect(account.notes.join('\n')).toMatch(/index\/a is not in .*the network is down/);
    expect(existsSync(join(harness.dir, 'store/units'))).toBe(false);
    await harness.run(definition('second'), machine('one'));
    const sent = readdirSync(join(harness.dir, 'store/units/index'));
    expect(sent).toEqual(['a', 'b']);
    rmSync(join(harness.dir, 'store/units'), { recursive: true });
    await harness.run(definition('again'), machine('one'));
    expect(readdirSync(join(harness.dir, 'store/units/index'))).toEqual(['a', 'b']);
    // One that is away hinders nobody who has what is needed.
    const third = await harness.run(
      definition('third'),
      machine('one', { store: awayFor('read', 'create', 'list') }),
    );
    expect(third.account.notes.filter((note) => note.includes('is not in'))).toEqual([]);
  });

  test('what others are made of is sent by the next run as well, although that one needs only the others', async () => {
    const madeOf = (key: string) =>
      defineArtifact({
        kind: 'known',
        key,
        version: 1,
        inputs: { index: indexOf(key) },
        build: ({ dir }) => writeFileSync(join(dir, 'index.txt'), `known of ${key}`),
      });
    const staged = (name: string) =>
      definition(name, {
        requires: ({ input }) => madeOf(input),
        target: ({ input }, { artifact }) => readFileSync(join(artifact(madeOf(input)), 'index.txt'), 'utf8'),
      });
    const { account } = await harness.run(staged('first'), machine('one', { store: awayFor('create') }));
    expect(account.notes.join('\n')).toMatch(/index\/a is not in .* The next run sends it again/);
    await harness.run(staged('second'), machine('one'));
    for (const kind of ['known', 'index'])
      expect(readdirSync(join(harness.dir, 'store/units', kind))).toEqual(['a', 'b']);
  });
});

describe('a rebuild on another machine', () => {
  const only = (name: string) => definition(name, { data: [{ id: 1, input: 'a' }] });
  const cacheOf = (name: string) =>
    ArtifactCache.open({
      ...{ disk: nodeDisk, clock: systemClock, random: systemRandom },
      dir: join(harness.dir, name),
    });
  const generationsOf = async (name: string) =>
    (await cacheOf(name).units()).flatMap(({ generations }) => generations.map(({ manifest }) => manifest));

  /** As `artifacts build --rebuild` does, on machine one, which sends it to the store. */
  async function rebuilt(text: string): Promise<void> {
    const [unit] = await cacheOf('one').units();
    if (!unit?.current) throw new Error('machine one has built nothing');
    const { kind, key, version, inputs, parameters, producer } = unit.current.manifest;
    const { generation } = await cacheOf('one').buildOnce(
      { kind, key, version, inputs, parameters },
      {
        ...{ isRebuild: true, producer },
        build: async (dir) => {
          writeFileSync(join(dir, 'index.txt'), text);
          return { cost: { usd: 0, tokens: 0, calls: 0 } };
        },
      },
    );
    await pushGenerations([generation], { disk: nodeDisk, bucket: store });
  }

  const completion = async (log: string | undefined) => (await harness.samples(log))[0]?.output.completion;

  test('a run that pinned nothing yet takes the one that supersedes, and says so', async () => {
    await harness.run(only('first'), machine('one'));
    await harness.run(only('second'), machine('two'));
    await rebuilt('anew');
    const notes: string[] = [];
    const observer = { onNote: (text: string) => void notes.push(text) };
    const { account } = await harness.run(only('third'), { ...machine('two'), observer });
    expect(await completion(account.log)).toBe('anew');
    expect(account.artifacts).toMatchObject({ fetched: 1, built: [] });
    const [old, anew] = (await generationsOf('two')).map(({ generation }) => generation);
    expect(notes.filter((note) => note.includes('takes the place of'))).toEqual([
      expect.stringMatching(new RegExp(`${anew} of index/a.*store takes the place of ${old}`)),
    ]);
    // What has come is here: it is told once.
    notes.length = 0;
    await harness.run(only('fourth'), { ...machine('two'), observer });
    expect(notes).toEqual([]);
  });

  test('a run under way keeps what it pinned', async () => {
    await harness.run(only('first'), machine('one'));
    const stop = new AbortController();
    const signals = { drain: stop.signal, abort: new AbortController().signal };
    const two = definition('second', {
      data: ['a', 'a'].map((input, at) => ({ id: at + 1, input })),
      target: async ({ input }, { artifact }) => {
        stop.abort();
        return readFileSync(join(artifact(indexOf(input)), 'index.txt'), 'utf8');
      },
    });
    const begunRun = await harness.run(two, { ...machine('two'), signals, concurrency: 1 });
    expect(begunRun.account.state).toBe('interrupted');
    await rebuilt('anew');
    const { account } = await harness.run(two, machine('two'));
    expect(account).toMatchObject({ runId: begunRun.account.runId, state: 'done' });
    expect((await harness.samples(account.log)).map(({ output }) => output.completion)).toEqual([
      'index of a',
      'index of a',
    ]);
  });

  test('while the store is away, what is here is used, and that is said once', async () => {
    await harness.run(definition('first'), machine('one'));
    const notes: string[] = [];
    const observer = { onNote: (text: string) => void notes.push(text) };
    const away = machine('one', { store: awayFor('list') });
    const { account } = await harness.run(definition('second'), { ...away, observer });
    expect(account).toMatchObject({ state: 'done', samples: { errored: 0 } });
    expect(notes).toEqual([expect.stringMatching(/store cannot be asked \(the network is down\).*is used/)]);
  });

  /** What may become of the rebuild in the store, and what is said then. */
  const DAMAGES: readonly (readonly [string, string, (manifest: Manifest) => void])[] = [
    ['content', 'E_ARTIFACT_DAMAGED', ({ files }) => writeFileSync(contentOf(files[0]?.sha256 ?? ''), 'x')],
    ['missing content', 'E_ARTIFACT_DAMAGED', ({ files }) => rmSync(contentOf(files[0]?.sha256 ?? ''))],
    ['manifest', 'E_ARTIFACT_DAMAGED', (manifest) => writeFileSync(manifestOf(manifest), '{')],
    ['later format', 'E_ARTIFACT_NEWER', (manifest) => writeFileSync(manifestOf(manifest), '{"format":2}')],
  ];
  const contentOf = (sha256: string) => join(harness.dir, 'store/objects', sha256.slice(0, 2), sha256);
  const manifestOf = ({ kind, key, recipe, generation }: Manifest) =>
    join(harness.dir, 'store/units', kind, key, recipe.slice(0, 16), `${generation}.json`);

  test.each(DAMAGES)(
    '[ART-9] one that is damaged in the store (%s) brings back nothing that it superseded, on no machine',
    async (_, code, harm) => {
      await harness.run(only('first'), machine('one'));
      await harness.run(only('second'), machine('two'));
      await rebuilt('anew');
      const anew = (await generationsOf('one')).at(-1);
      if (!anew) throw new Error('nothing was built anew');
      harm(anew);
      begun.length = 0;
      for (const name of ['two', 'empty']) {
        const { account } = await harness.run(only(`third-${name}`), machine(name));
        expect(account.samples.errored).toBe(1);
        expect(account.artifacts?.unavailable).toMatchObject([{ unit: 'index/a', code }]);
        // It is remembered, also while the store is away.
        const again = await harness.run(only(`fourth-${name}`), machine(name, {}));
        expect(again.account.artifacts?.unavailable).toMatchObject([{ unit: 'index/a', code }]);
      }
      expect(begun).toEqual([]);
      // Whoever has a whole one goes on with it.
      const { account } = await harness.run(only('fifth'), machine('one'));
      expect(await completion(account.log)).toBe('anew');
    },
  );

  test('recipes are looked for side by side, and not one after the other', async () => {
    const keys = Array.from({ length: 12 }, (_, at) => `k${at}`);
    const many = (name: string) =>
      definition(name, { data: keys.map((input, at) => ({ id: at + 1, input })) });
    await harness.run(many('first'), machine('one'));
    let [now, most, asked] = [0, 0, 0];
    const counting = new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        if (name !== 'list') return value.bind(target);
        return async function* (...words: Parameters<Bucket['list']>) {
          asked++;
          most = Math.max(most, ++now);
          await systemClock.sleep(20);
          now--;
          yield* target.list(...words);
        };
      },
    });
    await harness.run(many('second'), machine('one', { store: counting }));
    // One listing for each recipe, which also says that the store still has what was sent.
    expect(asked).toBe(keys.length);
    expect(most).toBeGreaterThan(3);
    expect(most).toBeLessThanOrEqual(8);
  });
});

describe('a machine that is lost', () => {
  test('with a bucket the answers of its builds are not bought again, of one that was done and of one that was not', async () => {
    const bucket = await openBucket(join(harness.dir, 'bucket'), { disk: nodeDisk });
    const asked: string[] = [];
    let isLost = false;
    const learned = (key: string) =>
      defineArtifact({
        kind: 'learned',
        key,
        version: 1,
        model: 'mock/scripted',
        build: async ({ dir, generate }) => {
          const { text } = await generate(`first of ${key}`);
          if (key === 'b' && !isLost) throw new Error('the machine is gone');
          writeFileSync(join(dir, 'index.txt'), `${text} ${(await generate(`second of ${key}`)).text}`);
        },
      });
    const model = mockModel({
      respond: ({ text }) => {
        asked.push(text);
        return 'known';
      },
    });
    const evaluation = definition('lost', {
      requires: ({ input }) => learned(input),
      target: ({ input }, { artifact }) => readFileSync(join(artifact(learned(input)), 'index.txt'), 'utf8'),
    });
    const on = (name: string) => {
      const logDir = join(harness.dir, name, 'logs');
      const logs = directoryLogStore(nodeDisk, logDir);
      const places = { logs, logDir, state: StateDir.of(logDir), segments: { bucket, prefix: '.holdfast/' } };
      return { ...machine(join(name, 'cache'), {}), places, model };
    };
    await harness.run(evaluation, on('one'));
    expect(asked.splice(0).sort()).toEqual(['first of a', 'first of b', 'second of a']);
    rmSync(join(harness.dir, 'one'), { recursive: true });
    isLost = true;
    const { account } = await harness.run(evaluation, on('two'));
    expect(asked).toEqual(['second of b']);
    expect(account.samples.errored).toBe(0);
    expect(account.artifacts?.built).toHaveLength(2);
    // Nobody who looks for logs finds those of builds.
    const names = await Array.fromAsync(bucket.listFolder(''), ({ key }) => key);
    expect(names.filter((name) => name.endsWith('.eval')).length).toBe(2);
  });
});

describe('seeds', () => {
  const seeded = (name: string, build = true) =>
    definition(name, {
      requires: ({ input }) => ({ artifact: indexOf(input), build, seed: ['nowhere', 'seeds'] }),
    });

  test('give what is not here, whole, also to what may not be built; one that is not there is none', async () => {
    await harness.run(definition('first'), machine('one', {}));
    cpSync(join(harness.dir, 'one/units'), join(harness.dir, 'seeds/units'), { recursive: true });
    begun.length = 0;
    const { account } = await harness.run(seeded('second', false), machine('two', {}));
    expect(account).toMatchObject({ samples: { errored: 0 }, artifacts: { reused: 2, built: [] } });
    expect(begun).toEqual([]);
  });

  test('may be buckets that are folders, named by a path; what came by a seed is counted as that', async () => {
    await harness.run(definition('first'), machine('one'));
    begun.length = 0;
    const fromBucket = definition('second', {
      requires: ({ input }) => ({ artifact: indexOf(input), seed: 'store' }),
    });
    const { account } = await harness.run(fromBucket, machine('two', {}));
    expect(begun).toEqual([]);
    expect(account).toMatchObject({
      samples: { errored: 0 },
      artifacts: { reused: 2, fetched: 0, seeded: 2, built: [] },
    });
    const again = await harness.run({ ...fromBucket, name: 'third' }, machine('two', {}));
    expect(again.account.artifacts).toMatchObject({ reused: 2, seeded: 0 });
  });

  test('are taken although another sample names the artifact without them', async () => {
    await harness.run(definition('first'), machine('one', {}));
    cpSync(join(harness.dir, 'one/units'), join(harness.dir, 'seeds/units'), { recursive: true });
    begun.length = 0;
    const mixed = definition('second', {
      data: ['a', 'a'].map((input, at) => ({ id: at + 1, input })),
      requires: ({ id, input }) => (id === 1 ? indexOf(input) : { artifact: indexOf(input), seed: 'seeds' }),
    });
    expect((await harness.run(mixed, machine('two', {}))).account.samples.errored).toBe(0);
    expect(begun).toEqual([]);
  });

  test('never overwrite anything, and only what is required is taken', async () => {
    await harness.run(definition('first'), machine('one', {}));
    cpSync(join(harness.dir, 'one/units'), join(harness.dir, 'seeds/units'), { recursive: true });
    rmSync(join(harness.dir, 'one'), { recursive: true });
    await harness.run(definition('own', { data: [{ id: 1, input: 'a' }] }), machine('one', {}));
    const before = filesOf('one', 'a');
    const only = definition('second', {
      data: [{ id: 1, input: 'a' }],
      requires: ({ input }) => ({ artifact: indexOf(input), seed: 'seeds' }),
    });
    await harness.run(only, machine('one', {}));
    expect(filesOf('one', 'a')).toBe(before);
    await harness.run({ ...only, name: 'third' }, machine('two', {}));
    expect(readdirSync(join(harness.dir, 'two/units/index'))).toEqual(['a']);
  });
});
