import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { ArtifactCache, pinsIn } from '../../src/artifacts/index.ts';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { type Bucket, bucketErrors, bucketFolder, directoryBucket } from '../../src/bucket/index.ts';
import { buildJob, LeaseBook } from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { type Artifact, type BuildContext, defineArtifact, defineEval } from '../../src/evals/index.ts';
import { openLog } from '../../src/log/index.ts';
import { mockModel } from '../../src/targets/index.ts';
import { FaultyBucket } from './faulty-bucket.ts';
import { overwrite } from './overwrite.ts';
import {
  bringHome,
  nextRound,
  openShared,
  openZombie,
  type Submitted,
  startWorker,
  submit,
  until,
  untilComplete,
} from './shared-machines.ts';
import { useTempDir } from './use-temp-dir.ts';
import { withMethods } from './with-methods.ts';

const dir = useTempDir();
const DATABASES = ['shop', 'school', 'bank'];
const SAMPLES = 9;

/** What an outside ledger says: which builds were begun, and what was asked of the model, by all machines. */
let begun: string[];
let asked: string[];
beforeEach(() => {
  begun = [];
  asked = [];
  for (const db of DATABASES) writeFileSync(join(dir.path, `${db}.txt`), `table ${db}`);
});

const model = (answer: (text: string) => string | Promise<string> = (text) => `answer to ${text}`) =>
  mockModel({
    name: 'mock/scripted',
    respond: async ({ text }) => {
      asked.push(text);
      return { text: await answer(text), usage: { inputTokens: 1_000_000, outputTokens: 0 } };
    },
  });

type Build = (context: BuildContext, db: string) => Promise<void>;

interface Parts {
  /** What the second stage does after its first question. */
  readonly middle?: Build;
  /** What the first stage does first. */
  readonly first?: (db: string) => void;
  readonly mayBuild?: boolean;
}

function schemaOf(db: string, { first }: Parts = {}): Artifact {
  return defineArtifact({
    kind: 'schema',
    key: db,
    version: 1,
    inputs: { database: { file: `${db}.txt` } },
    build: ({ dir: folder, inputs }) => {
      begun.push(`schema/${db}`);
      first?.(db);
      writeFileSync(join(folder, 'schema.txt'), readFileSync(inputs.database, 'utf8').toUpperCase());
    },
  });
}

/** A first stage without a model, and a second one that asks twice. */
function knowledgeOf(db: string, parts: Parts = {}): Artifact {
  return defineArtifact({
    kind: 'knowledge',
    key: db,
    version: 1,
    model: 'mock/scripted',
    inputs: { schema: schemaOf(db, parts) },
    build: async (context) => {
      begun.push(`knowledge/${db}`);
      const schema = readFileSync(join(context.inputs.schema, 'schema.txt'), 'utf8');
      const one = await context.generate(`first on ${schema}`);
      await parts.middle?.(context, db);
      const two = await context.generate(`second on ${schema}`);
      writeFileSync(join(context.dir, 'knowledge.md'), `${one.text}, ${two.text}`);
    },
  });
}

function sqlEval(parts: Parts = {}) {
  return defineEval<string, string, string>({
    name: 'sql',
    data: Array.from({ length: SAMPLES }, (_, at) => ({ id: `q${at}`, input: DATABASES[at % 3] ?? '' })),
    requires: ({ input }) => {
      const artifact = knowledgeOf(input, parts);
      return parts.mayBuild === false ? { artifact, build: false } : artifact;
    },
    target: async ({ input }, { artifact, generate }) => {
      const known = readFileSync(join(artifact(knowledgeOf(input)), 'knowledge.md'), 'utf8');
      return (await generate(`with ${known}: SQL for ${input}`)).text;
    },
    scorers: [],
  });
}

const bucketHere = (): Bucket => directoryBucket(nodeDisk, join(dir.path, 'bucket'));
const storeOf = (bucket: Bucket): Bucket => bucketFolder(bucket, 'artifacts');

function submitHere(parts: Parts = {}, name = 'laptop', store = storeOf(bucketHere())) {
  return submit(bucketHere(), { dir: dir.path, eval: sqlEval(parts), model: model(), store }, name);
}

async function workBy(submitted: Submitted, names: readonly string[], parts: Parts = {}): Promise<void> {
  const machines = names.map((name) => ({ name, eval: sqlEval(parts), model: model() }));
  const workers = await Promise.all(machines.map((one) => startWorker(submitted, one)));
  await untilComplete(submitted);
  for (const worker of workers) await worker.stop();
}

/** What each machine has, as `<kind>/<key>`. */
async function cacheOf(name: string) {
  const cache = ArtifactCache.open({
    ...{ disk: nodeDisk, clock: systemClock, random: systemRandom },
    dir: join(dir.path, name, 'artifacts'),
  });
  return (await cache.units()).map(({ kind, key }) => `${kind}/${key}`);
}

async function logOf(path: string | undefined) {
  const log = await openLog(nodeDisk, path ?? '');
  const header = await log.header();
  const samples: {
    id: unknown;
    error: string | undefined;
    artifacts: unknown;
    output: string | undefined;
  }[] = [];
  for await (const { id, epoch } of log.summaries()) {
    const sample = await log.sample(id, epoch);
    const ours = sample?.metadata.holdfast as { artifacts?: unknown } | undefined;
    samples.push({
      ...{ id, error: sample?.error?.message, artifacts: ours?.artifacts },
      output: sample?.output.completion,
    });
  }
  await log.close();
  return { header, samples };
}

const UNITS = ['knowledge', 'schema'].flatMap((kind) => DATABASES.map((db) => `${kind}/${db}`)).sort();
const ofBuilds = () => asked.filter((text) => /^(first|second) on/.test(text)).sort();
const EACH_ONCE = DATABASES.flatMap((db) => [
  `first on TABLE ${db.toUpperCase()}`,
  `second on TABLE ${db.toUpperCase()}`,
]).sort();

test('[SHR-11] [SHR-12] each unit is built once by one of two workers, after what it is made of, and all samples read that', async () => {
  const submitted = await submitHere();
  expect([begun, asked, existsSync(join(dir.path, 'laptop/artifacts/units'))]).toEqual([[], [], false]);
  const { builds } = submitted.shared.submission;
  expect(builds.map(({ unit, samples, needs }) => [unit, samples, needs.length])).toEqual(
    DATABASES.flatMap((db, at) => [
      [`schema/${db}`, '', 0],
      [`knowledge/${db}`, `${at},${at + 3},${at + 6}`, 1],
    ]),
  );
  await workBy(submitted, ['a', 'b']);
  expect(begun.sort()).toEqual(UNITS);
  expect(ofBuilds()).toEqual(EACH_ONCE);
  const report = await bringHome(submitted);
  expect(report).toMatchObject({
    ...{ isComplete: true, lostResults: [], usd: SAMPLES },
    samples: { completed: SAMPLES, errored: 0 },
    builds: { completed: 6, errored: 0, aside: 0, due: 0, usd: 6 },
  });
  const { header, samples } = await logOf(report.log);
  const pins = new Map(pinsIn(header.eval.metadata).map((pin) => [`${pin.kind}/${pin.key}`, pin.digest]));
  expect([...pins.keys()].sort()).toEqual(DATABASES.map((db) => `knowledge/${db}`).sort());
  for (const { id, artifacts, output } of samples) {
    const db = DATABASES[Number(String(id).slice(1)) % 3] ?? '';
    expect(artifacts).toEqual({ [`knowledge/${db}`]: pins.get(`knowledge/${db}`) });
    expect(output).toContain(`second on TABLE ${db.toUpperCase()}`);
  }
});

test('[SHR-12] workers that open a run before its builds and after them plan what was submitted, also on another store', async () => {
  const submitted = await submitHere();
  const before = await openShared(submitted, { name: 'before' });
  await workBy(submitted, ['a']);
  const after = await openShared(submitted, { name: 'after' });
  const warm = await openShared(submitted, { name: 'a' });
  for (const one of [before, after, warm]) await one.close();
  writeFileSync(join(dir.path, 'shop.txt'), 'another table');
  await expect(openShared(submitted, { name: 'other' })).rejects.toMatchObject({ code: 'E_WORKER_DIFFERS' });
});

test('what was built is there for the next submission, from any machine: it builds nothing and asks no builder', async () => {
  const first = await submitHere();
  await workBy(first, ['a', 'b']);
  [begun.length, asked.length] = [0, 0];
  const second = await submitHere({}, 'another laptop');
  expect(second.shared.submission.builds).toEqual([]);
  await workBy(second, ['c']);
  expect([begun, ofBuilds()]).toEqual([[], []]);
  const { header, samples } = await logOf((await bringHome(second)).log);
  expect(pinsIn(header.eval.metadata)).toHaveLength(3);
  expect(samples.filter(({ error }) => error !== undefined)).toEqual([]);
  // What was run once is not run again by whoever has its log.
  const third = await submitHere({}, 'another laptop');
  expect(third.shared.submission).toMatchObject({ lent: `0-${SAMPLES - 1}`, builds: [] });
  // It never needed what they are made of.
  expect((await cacheOf('c')).filter((unit) => unit.startsWith('knowledge'))).toHaveLength(3);
});

test('what is in the cache of whoever submits goes to the store, and is not built by workers', async () => {
  // It has the artifacts of a run of its own, in a store of its own.
  const own = bucketFolder(bucketHere(), 'own');
  const first = await submit(bucketHere(), {
    ...{ dir: dir.path, eval: sqlEval(), model: model(), store: own },
  });
  await workBy(first, ['laptop']);
  [begun.length, asked.length] = [0, 0];
  const second = await submitHere();
  expect(second.shared.submission.builds).toEqual([]);
  await workBy(second, ['c']);
  expect([begun, ofBuilds()]).toEqual([[], []]);
  expect((await bringHome(second)).samples).toMatchObject({ completed: SAMPLES });
  // So does what only a store of its own has.
  const store = bucketFolder(bucketHere(), 'third');
  const options = { dir: dir.path, eval: sqlEval(), model: model(), store, ownStore: own };
  expect((await submit(bucketHere(), options, 'new laptop')).shared.submission.builds).toEqual([]);
});

test('[SHR-13] a worker that is lost in the middle of a build leaves its answers to the next, and is fenced', async () => {
  const submitted = await submitHere();
  const { shared } = submitted;
  const { promise: thawed, resolve: thaw } = Promise.withResolvers<void>();
  const zombie = await openZombie(submitted, {
    ...{ name: 'a', eval: sqlEval({ middle: () => thawed }), model: model() },
  });
  const [schema, knowledge] = shared.submission.builds.map(({ job }) => job);
  if (!schema || !knowledge) throw new Error('there are builds');
  await zombie.work(schema);
  await shared.refresh();
  const held = zombie.work(knowledge);
  await until(() => asked.includes('first on TABLE SHOP'));
  // What it bought is in the bucket.
  await until(() => countSegments() > 0);
  await workBy(submitted, ['b']);
  expect(ofBuilds()).toEqual(EACH_ONCE);
  thaw();
  expect(await held).toMatchObject({ kind: 'ended', isOwn: false, end: { status: 'lost', by: 'b' } });
  await zombie.close();
  const report = await bringHome(submitted);
  expect(report).toMatchObject({ samples: { completed: SAMPLES }, builds: { completed: 6, usd: 6 } });
  // What it went on with it could not bring anywhere.
  const { header } = await logOf(report.log);
  const [shop] = pinsIn(header.eval.metadata).filter(({ key }) => key === 'shop');
  const stored: string[] = [];
  for await (const { key } of storeOf(bucketHere()).list('units/knowledge/shop')) stored.push(key);
  expect(stored).toEqual([expect.stringContaining(`/${shop?.generation}.json`)]);
});

/** What the bucket has of the build of knowledge/shop. */
function namesOfBuild(): readonly string[] {
  const [run = ''] = readdirSync(join(dir.path, 'bucket/.holdfast')).filter((name) => /^\d{8}T/.test(name));
  const builds = join(dir.path, 'bucket/.holdfast', run, 'builds/knowledge/shop');
  return existsSync(builds) ? readdirSync(builds, { recursive: true }).map(String) : [];
}

function countSegments(): number {
  return namesOfBuild().filter((name) => name.includes('/segments/')).length;
}

test('a worker that must go returns its build at once, and the next goes on with it', async () => {
  const submitted = await submitHere();
  const { promise: half, resolve: isHalfDone } = Promise.withResolvers<void>();
  const middle = () => {
    isHalfDone();
    return new Promise<void>(() => undefined);
  };
  const leaving = await openZombie(submitted, { name: 'a', eval: sqlEval({ middle }), model: model() });
  const [schema, knowledge] = submitted.shared.submission.builds.map(({ job }) => job);
  if (!schema || !knowledge) throw new Error('there are builds');
  await leaving.work(schema);
  const held = leaving.work(knowledge);
  // The answer is not only asked for, but there.
  await half;
  leaving.stop();
  expect(await held).toMatchObject({ kind: 'ended', end: { status: 'returned', usd: 1 } });
  await leaving.close();
  await workBy(submitted, ['b']);
  expect(ofBuilds()).toEqual(EACH_ONCE);
  expect((await bringHome(submitted)).builds).toMatchObject({ completed: 6, usd: 6 });
});

const burns: Build = async (_context, db) => {
  if (db === 'shop') throw new Error('the disk of the builder burns');
};

test('a build that fails fails the samples that read it, as in a local run, and the next round builds it with the answers that it has', async () => {
  const submitted = await submitHere();
  await workBy(submitted, ['a', 'b'], { middle: burns });
  const failed = await bringHome(submitted);
  expect(failed).toMatchObject({
    samples: { completed: 6, errored: 3 },
    builds: { completed: 5, errored: 1, aside: 0, due: 0, usd: 5 },
  });
  const { samples } = await logOf(failed.log);
  expect(new Set(samples.flatMap(({ error }) => error ?? []))).toEqual(
    new Set(['E_ARTIFACT_BUILD: The build of knowledge/shop failed: the disk of the builder burns']),
  );
  begun.length = 0;
  await nextRound(submitted);
  expect([...submitted.shared.due()]).toEqual([jobOf(submitted, 'knowledge/shop')]);
  await workBy(submitted, ['a', 'c']);
  expect(begun).toEqual(['knowledge/shop']);
  expect(ofBuilds()).toEqual(EACH_ONCE);
  expect((await bringHome(submitted)).builds).toMatchObject({ completed: 6, errored: 0, usd: 6 });
  for (const job of submitted.shared.jobs())
    expect(submitted.shared.endOf(job)).toMatchObject({ status: 'completed' });
});

test('a worker that stays for the next round takes what another built in it, for samples that failed for want of it', async () => {
  const submitted = await submitHere();
  let isBroken = true;
  const middle: Build = async (context, db) => {
    if (isBroken) await burns(context, db);
  };
  const stays = await startWorker(submitted, { name: 'a', eval: sqlEval({ middle }), model: model() });
  await untilComplete(submitted);
  isBroken = false;
  await nextRound(submitted);
  await untilComplete(submitted);
  await stays.stop();
  for (const job of submitted.shared.jobs())
    expect(submitted.shared.endOf(job)).toMatchObject({ status: 'completed' });
  expect(ofBuilds()).toEqual(EACH_ONCE);
});

test('a worker that is lost after its build, and before the store had it, leaves its answers to the next as well', async () => {
  const submitted = await submitHere();
  const store = withMethods(storeOf(bucketHere()), {
    create: async () => {
      throw bucketErrors.away('the store', new Error('it is away for this worker'));
    },
  });
  const options = { ...submitted.options, store };
  const zombie = await openZombie({ ...submitted, options }, { name: 'a' });
  const { job } = submitted.shared.submission.builds.find(({ unit }) => unit === 'schema/shop') ?? {};
  if (!job) throw new Error('there are builds');
  const helper = await openZombie(submitted, { name: 'helper' });
  await helper.work(job);
  const held = zombie.work(jobOf(submitted, 'knowledge/shop'));
  await until(() => asked.includes('second on TABLE SHOP') && countLogs() === 1);
  await workBy(submitted, ['b']);
  zombie.stop();
  expect(await held).toMatchObject({ isOwn: false, end: { status: 'lost' } });
  for (const one of [zombie, helper]) await one.close();
  expect(ofBuilds()).toEqual(EACH_ONCE);
  expect((await bringHome(submitted)).samples).toMatchObject({ completed: SAMPLES });
});

/** Logs of the build of knowledge/shop that are in the bucket. */
function countLogs(): number {
  return namesOfBuild().filter((name) => name.endsWith('.eval')).length;
}

function jobOf({ shared }: Submitted, unit: string) {
  const build = shared.submission.builds.find((one) => one.unit === unit);
  return buildJob(build?.recipe ?? '');
}

test('what a failed build would have been an input of is not built, and samples name the one that failed', async () => {
  const first = (db: string) => {
    if (db === 'bank') throw new Error('no such table');
  };
  const submitted = await submitHere();
  await workBy(submitted, ['a'], { first });
  expect(begun).not.toContain('knowledge/bank');
  const report = await bringHome(submitted);
  expect(report).toMatchObject({
    samples: { completed: 6, errored: 3 },
    builds: { completed: 4, errored: 2 },
  });
  const end = submitted.shared.endOf(jobOf(submitted, 'knowledge/bank'));
  expect(end).toMatchObject({
    status: 'errored',
    reason: 'schema/bank, which it is made of, could not be built',
  });
  const { samples } = await logOf(report.log);
  const errors = samples.flatMap(({ error }) => error ?? []);
  expect(errors).toEqual(Array(3).fill('E_ARTIFACT_BUILD: The build of schema/bank failed: no such table'));
});

/** Replaces the content of all objects of the store that hold this text. */
function damageInStore(text: string): void {
  const objects = join(dir.path, 'bucket/artifacts/objects');
  for (const entry of readdirSync(objects, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && readFileSync(path, 'utf8').includes(text)) overwrite(path, 'x');
  }
}

test('a copy that is damaged in the store is used by nobody: samples that read it fail, and a new submission builds it', async () => {
  await workBy(await submitHere(), ['a']);
  const pinned = await submitHere({}, 'second laptop');
  damageInStore('TABLE BANK, answer');
  await workBy(pinned, ['c']);
  const report = await bringHome(pinned);
  expect(report.samples).toMatchObject({ completed: 6, errored: 3 });
  const errors = (await logOf(report.log)).samples.flatMap(({ error }) => error ?? []);
  expect(errors).toHaveLength(3);
  for (const error of errors)
    expect(error).toMatch(/^E_ARTIFACT_DAMAGED: Generation .* of knowledge\/bank is damaged: /);
  [begun.length, asked.length] = [0, 0];
  const anew = await submitHere({}, 'third laptop');
  expect(anew.shared.submission.builds.map(({ unit }) => unit)).toEqual(['knowledge/bank']);
  await workBy(anew, ['d']);
  expect(begun).toEqual(['knowledge/bank']);
  expect((await bringHome(anew)).samples).toMatchObject({ completed: SAMPLES });
});

test('what is gone from the store is said by the samples that read it, and looked for anew in the next round', async () => {
  await workBy(await submitHere(), ['a']);
  const pinned = await submitHere({}, 'second laptop');
  const store = storeOf(bucketHere());
  const gone = new Map<string, Uint8Array>();
  for await (const { key } of store.list('units/knowledge/shop'))
    gone.set(key, (await store.read(key)) ?? new Uint8Array());
  await store.removeAll(gone.keys());
  const stays = await startWorker(pinned, { name: 'c' });
  await untilComplete(pinned);
  const errors = (await logOf((await bringHome(pinned)).log)).samples.flatMap(({ error }) => error ?? []);
  expect(errors).toHaveLength(3);
  for (const error of errors)
    expect(error).toMatch(
      /^E_ARTIFACT_GONE: .* of knowledge\/shop, which neither this worker nor its store has\.$/,
    );
  for (const [key, bytes] of gone) await store.create(key, bytes);
  await nextRound(pinned);
  await untilComplete(pinned);
  await stays.stop();
  for (const job of pinned.shared.jobs())
    expect(pinned.shared.endOf(job)).toMatchObject({ status: 'completed' });
});

test('a build from which no worker comes back is set aside, and the samples that read it say so', async () => {
  const submitted = await submitHere();
  const { place, shared } = submitted;
  const book = new LeaseBook(place, { run: shared.run, clock: systemClock });
  for (const worker of ['x', 'y', 'z']) {
    const taken = await book.take(jobOf(submitted, 'schema/shop'), { round: 1, worker, writer: worker });
    if (taken.kind !== 'taken') throw new Error('nobody has it');
    await book.end(taken.lease, { status: 'lost', by: 'somebody', reason: `${worker} is gone` });
  }
  await workBy(submitted, ['a']);
  const report = await bringHome(submitted);
  expect(report).toMatchObject({
    samples: { completed: 6, errored: 3 },
    builds: { completed: 4, errored: 1, aside: 1, due: 0 },
  });
  const errors = (await logOf(report.log)).samples.flatMap(({ error }) => error ?? []);
  const why = '3 workers did not come back from it: x is gone; y is gone; z is gone';
  expect(errors).toEqual(Array(3).fill(`E_ARTIFACT_BUILD: The build of schema/shop failed: ${why}`));
});

test('what may not be built, or is damaged here, is refused before anything is written or sent', async () => {
  const nothing = () => readdirSync(dir.path).filter((name) => name === 'bucket');
  await expect(submitHere({ mayBuild: false })).rejects.toMatchObject({ code: 'E_ARTIFACT_MISSING' });
  expect(nothing()).toEqual([]);
  await workBy(await submitHere({}, 'a'), ['a']);
  const before = readdirSync(join(dir.path, 'bucket/.holdfast'));
  const empty = bucketFolder(bucketHere(), 'empty');
  const [path = ''] = readdirSync(join(dir.path, 'a/artifacts/units/knowledge'), { recursive: true })
    .map(String)
    .filter((name) => name.startsWith('shop') && name.endsWith('knowledge.md'));
  overwrite(join(dir.path, 'a/artifacts/units/knowledge', path), 'damaged');
  await expect(submitHere({}, 'a', empty)).rejects.toMatchObject({ code: 'E_ARTIFACT_DAMAGED' });
  expect(readdirSync(join(dir.path, 'bucket/.holdfast'))).toEqual(before);
  expect(existsSync(join(dir.path, 'bucket/empty'))).toBe(false);
});

test('a store that does not take what is here, when a run is submitted, is said, and nothing is submitted', async () => {
  await workBy(await submitHere({}, 'a'), ['a']);
  const before = readdirSync(join(dir.path, 'bucket/.holdfast'));
  const away = { on: 'create', kind: 'timeout', at: /\/units\// } as const;
  using faulty = new FaultyBucket(bucketHere(), [away]);
  const submitting = submitHere({}, 'a', bucketFolder(faulty, 'empty'));
  await expect(submitting).rejects.toMatchObject({ code: 'E_ARTIFACT_UNSENT' });
  expect(readdirSync(join(dir.path, 'bucket/.holdfast'))).toEqual(before);
});

test('[SHR-4] a store that is away when something is built, or taken, is waited for: nothing is built twice, and no build is lost', async () => {
  const bucket = bucketHere();
  const at = /^artifacts\/units\/knowledge\/.*\.json$/;
  using faulty = new FaultyBucket(bucket, [
    { on: 'create', kind: 'timeout', at },
    { on: 'create', kind: 'lostAcknowledgement', at, after: 1 },
    { on: 'list', kind: 'timeout', at: /^artifacts\/units\/knowledge\//, after: 4 },
    { on: 'read', kind: 'timeout', at: /^artifacts\/objects\// },
  ]);
  const submitted = await submitHere({}, 'laptop', storeOf(faulty));
  await workBy(submitted, ['a', 'b']);
  expect(begun.sort()).toEqual(UNITS);
  expect(ofBuilds()).toEqual(EACH_ONCE);
  const report = await bringHome(submitted);
  expect(report).toMatchObject({
    lostLeases: [],
    samples: { completed: SAMPLES },
    builds: { completed: 6, usd: 6 },
  });
});
