import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness } from '../../../test/run-harness.ts';
import { overwrite } from '../../../test/sim/overwrite.ts';
import { ArtifactCache, pinsIn, type StoredGeneration } from '../../artifacts/index.ts';
import { systemClock, systemRandom } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { type Artifact, type BuildContext, defineArtifact, type EvalDefinition } from '../../evals/index.ts';
import { type LogHeader, openLog } from '../../log/index.ts';
import { createModels, mockModel } from '../../targets/index.ts';
import { LoggedArtifacts } from './logged-artifacts.ts';

let harness: Harness;
/** What was asked of the model, and which builds were begun. */
let asked: string[];
let begun: string[];

beforeEach(async () => {
  harness = await createHarness();
  asked = [];
  begun = [];
  for (const db of ['shop', 'school']) writeFileSync(join(harness.dir, `${db}.txt`), `table ${db}`);
});
afterEach(() => harness.close());

const model = () =>
  mockModel({
    respond: ({ text }) => {
      asked.push(text);
      return `answer to ${text}`;
    },
  });

/** A first stage without a model, and a second one that a model writes. */
function schemaOf(db: string): Artifact {
  return defineArtifact({
    kind: 'schema',
    key: db,
    version: 1,
    inputs: { database: { file: `${db}.txt` } },
    build: ({ dir, inputs }) => {
      begun.push(`schema/${db}`);
      writeFileSync(join(dir, 'schema.txt'), readFileSync(inputs.database, 'utf8').toUpperCase());
    },
  });
}

function knowledgeOf(db: string, version = 1): Artifact {
  return defineArtifact({
    kind: 'knowledge',
    key: db,
    version,
    model: 'mock/scripted',
    inputs: { schema: schemaOf(db), style: { value: { words: 10 } } },
    build: async ({ dir, inputs, generate }) => {
      begun.push(`knowledge/${db}`);
      const schema = readFileSync(join(inputs.schema, 'schema.txt'), 'utf8');
      const { text } = await generate(`${inputs.style.words} words on ${schema}`);
      writeFileSync(join(dir, 'knowledge.md'), text);
    },
  });
}

/** A knowledge that is built in a way of its own. */
const knowledgeBy =
  (build: (context: BuildContext, key: string) => unknown) =>
  ({ input }: { readonly input: string }) =>
    defineArtifact({
      kind: 'knowledge',
      key: input,
      version: 1,
      model: 'mock/scripted',
      build: (context) => build(context, input),
    });

function definition(
  more: Partial<EvalDefinition<string, string, string>> = {},
): EvalDefinition<string, string, string> {
  return {
    name: 'sql',
    data: ['shop', 'school', 'shop'].map((db, index) => ({ id: index + 1, input: db })),
    requires: ({ input }) => knowledgeOf(input),
    target: async ({ input }, { artifact, generate }) => {
      const known = readFileSync(join(artifact(knowledgeOf(input)), 'knowledge.md'), 'utf8');
      return (await generate(`with ${known}: SQL for ${input}`)).text;
    },
    scorers: [],
    ...more,
  };
}

describe('artifacts of a run', () => {
  test('are built once, in the order of their stages, before the samples; the next run builds nothing and says what it saved', async () => {
    const first = await harness.run(definition(), { model: model() });
    expect(first.account.samples).toMatchObject({ fresh: 3, errored: 0 });
    expect(begun.sort()).toEqual(['knowledge/school', 'knowledge/shop', 'schema/school', 'schema/shop']);
    expect(asked.filter((prompt) => prompt.startsWith('10 words'))).toHaveLength(2);
    expect(first.account.artifacts).toMatchObject({ reused: 0, unavailable: [] });
    expect(first.account.artifacts?.built.map(({ unit }) => unit).sort()).toEqual(begun);
    begun.length = 0;
    asked.length = 0;
    const second = await harness.run(definition({ name: 'sql-2' }), { model: model() });
    expect(begun).toEqual([]);
    expect(asked.filter((prompt) => prompt.startsWith('10 words'))).toEqual([]);
    expect(second.account.artifacts).toMatchObject({ reused: 2, built: [] });
    expect(second.account.samples).toMatchObject({ fresh: 3, errored: 0 });
  });

  test('[LOG-40] name their generations: in the header of the log, and for each sample those that it used', async () => {
    const { account } = await harness.run(definition(), { model: model() });
    const cache = await cached();
    const samples = await harness.samples(account.log);
    const used = (db: string) => ({ [`knowledge/${db}`]: cache.get(`knowledge/${db}`)?.manifest.digest });
    for (const { id, metadata } of samples)
      expect(metadata.holdfast).toMatchObject({ artifacts: used(id === 2 ? 'school' : 'shop') });
    const header = await headerOf(account.log);
    expect(
      pinsIn(header.eval.metadata)
        .map(({ kind, key }) => `${kind}/${key}`)
        .sort(),
    ).toEqual(['knowledge/school', 'knowledge/shop']);
  });

  test('a build that failed after it paid does not pay again for its answers, and only samples that need it fail', async () => {
    let isBroken = true;
    const broken = (db: string) =>
      defineArtifact({
        kind: 'knowledge',
        key: db,
        version: 1,
        model: 'mock/scripted',
        build: async ({ dir, generate }) => {
          const first = await generate(`first on ${db}`);
          if (isBroken && db === 'shop') throw new Error('the disk of the builder burns');
          const second = await generate(`second on ${db} after ${first.text}`);
          writeFileSync(join(dir, 'knowledge.md'), second.text);
        },
      });
    const evaluation = definition({ requires: ({ input }) => broken(input) });
    const first = await harness.run(evaluation, { model: model() });
    expect(first.account.samples).toMatchObject({ errored: 2, fresh: 3 });
    // What a build that failed had cost is counted: three calls were paid.
    const [unit = 0] = [...(await cached()).values()].map(({ manifest }) => manifest.cost.usd ?? 0);
    expect(first.account.artifacts?.spentUsd).toBeGreaterThan(unit);
    expect(first.account.artifacts?.unavailable).toEqual([
      {
        unit: 'knowledge/shop',
        code: 'E_ARTIFACT_BUILD',
        reason: expect.stringContaining('the disk of the builder burns'),
        hint: expect.stringContaining('correct the build'),
        isStopped: false,
      },
    ]);
    const failed = (await harness.samples(first.account.log)).filter(({ error }) => error);
    expect(failed.map(({ id }) => id)).toEqual([1, 3]);
    expect(failed[0]?.error?.message).toContain('knowledge/shop');
    expect(asked.filter((text) => text.startsWith('with'))).toHaveLength(1);
    isBroken = false;
    asked.length = 0;
    const second = await harness.run(evaluation, { model: model() });
    expect(second.account.samples).toMatchObject({ errored: 0 });
    expect(asked.filter((text) => text.includes('first on') && !text.includes('with'))).toEqual([
      'second on shop after answer to first on shop',
    ]);
    expect((await cached()).get('knowledge/shop')?.manifest.cost).toMatchObject({ calls: 2 });
  });

  test('one that must be there is refused before anything is built or asked, and the refusal names the command', async () => {
    const evaluation = definition({
      requires: ({ input }) => [{ artifact: knowledgeOf(input), build: input === 'shop' }],
    });
    await expect(harness.run(evaluation, { model: model() })).rejects.toMatchObject({
      code: 'E_ARTIFACT_MISSING',
      message: expect.stringContaining('knowledge/school'),
      hint: expect.stringContaining('holdfast artifacts build'),
    });
    expect([asked, begun]).toEqual([[], []]);
  });

  test('a damaged one is refused with its samples, and never built over; the others run', async () => {
    await harness.run(definition(), { model: model() });
    const shop = (await cached()).get('knowledge/shop');
    overwrite(join(shop?.filesDir ?? '', 'knowledge.md'), 'something else');
    begun.length = 0;
    const { account } = await harness.run(definition({ name: 'sql-2' }), { model: model() });
    expect(begun).toEqual([]);
    expect(account.samples).toMatchObject({ errored: 2, planned: 3 });
    expect(account.artifacts?.unavailable).toMatchObject([{ unit: 'knowledge/shop' }]);
    expect((await harness.samples(account.log)).find(({ id }) => id === 1)?.error?.message).toContain(
      'damaged',
    );
  });

  test('a result that another generation made is not taken; its answers are', async () => {
    await harness.run(definition(), { model: model() });
    asked.length = 0;
    const again = await harness.run(definition(), { model: model() });
    expect(again.account.samples).toMatchObject({ reused: 3 });
    await rebuild('knowledge/shop');
    asked.length = 0;
    const other = await harness.run(definition(), { model: model() });
    expect(other.account.samples).toMatchObject({ reused: 1, replayed: 2 });
    expect(asked).toEqual([]);
  });

  test('what changed is said: an artifact is no code of the target', async () => {
    const silent = definition({
      target: ({ input }, { artifact }) =>
        readFileSync(join(artifact(knowledgeOf(input)), 'knowledge.md'), 'utf8'),
    });
    await harness.run(silent, { model: model() });
    await rebuild('knowledge/shop');
    const notes = (await harness.run(silent, { model: model() })).account.notes.join();
    expect(notes).toContain('An artifact that the target reads is another one now, and 2 samples');
    expect(notes).not.toContain('The code of the target');
    const other = (await harness.run({ ...silent, version: 2 }, { model: model() })).account.notes.join();
    expect(other).not.toContain('An artifact');
  });

  test('a run that was interrupted goes on with the generations that it pinned, whatever is current now', async () => {
    const stop = new AbortController();
    const signals = { drain: stop.signal, abort: new AbortController().signal };
    const once = definition({
      data: ['shop', 'school', 'shop'].map((db, index) => ({ id: index + 1, input: db })),
      target: async ({ id, input }, { artifact, generate }) => {
        const known = readFileSync(join(artifact(knowledgeOf(input)), 'knowledge.md'), 'utf8');
        if (id === 1) stop.abort();
        return (await generate(`with ${known}: SQL for ${input}`)).text;
      },
    });
    const first = await harness.run(once, { model: model(), signals, concurrency: 1 });
    expect(first.account.state).toBe('interrupted');
    const before = (await cached()).get('knowledge/shop')?.manifest.digest;
    await rebuild('knowledge/shop');
    expect((await cached()).get('knowledge/shop')?.manifest.digest).not.toBe(before);
    const second = await harness.run(once, { model: model() });
    expect(second.account).toMatchObject({ runId: first.account.runId, state: 'done' });
    const samples = await harness.samples(second.account.log);
    for (const { id, metadata } of samples.filter(({ id }) => id !== 2))
      expect([id, metadata.holdfast]).toMatchObject([id, { artifacts: { 'knowledge/shop': before } }]);
  });

  test('when the run is told to stop, what was built meanwhile is kept, and the next command goes on', async () => {
    const stop = new AbortController();
    const signals = { drain: stop.signal, abort: new AbortController().signal };
    const slow = definition({
      requires: knowledgeBy(({ dir }, input) => {
        begun.push(input);
        stop.abort();
        writeFileSync(join(dir, 'knowledge.md'), 'x');
      }),
    });
    const first = await harness.run(slow, { model: model(), signals, concurrency: 1 });
    expect(first.account).toMatchObject({ state: 'interrupted', samples: { remaining: 3, errored: 0 } });
    // Its log is whole: nobody would come back to it.
    const [unit = ''] = begun;
    const logs = readdirSync(join(harness.dir, 'artifacts/builds/knowledge', unit));
    expect(logs.filter((name) => name.endsWith('.eval'))).toHaveLength(1);
    const second = await harness.run(slow, { model: model() });
    expect(second.account).toMatchObject({ state: 'done', samples: { errored: 0 } });
    expect(begun.sort()).toEqual(['school', 'shop']);
  });

  test('what builds cost counts towards the budget: when it is spent, the run stops and can be resumed', async () => {
    const first = await harness.run(definition(), { model: model(), budgetUsd: 0.00001 });
    expect(first.account).toMatchObject({ state: 'budget', samples: { errored: 0, remaining: 3 } });
    expect(first.account.budget?.spentUsd).toBeGreaterThan(0);
    const second = await harness.run(definition(), { model: model(), budgetUsd: 1 });
    expect(second.account).toMatchObject({ state: 'done', samples: { errored: 0, fresh: 3 } });
    expect(asked.filter((text) => text.startsWith('10 words'))).toHaveLength(2);
  });

  test('a build that the budget stops is no failure of it, and its samples are left', async () => {
    const two = definition({
      requires: knowledgeBy(async ({ dir, generate }, input) => {
        const first = await generate(`10 words on ${input}`);
        writeFileSync(join(dir, 'knowledge.md'), (await generate(`more on ${first.text}`)).text);
      }),
    });
    const { account } = await harness.run(two, { model: model(), budgetUsd: 0.00001 });
    expect(account).toMatchObject({ state: 'budget', samples: { errored: 0, remaining: 3 } });
    expect(account.artifacts?.unavailable[0]).toMatchObject({ code: 'E_ARTIFACT_STOPPED', isStopped: true });
  });

  test('a sample reads only what it requires; what requires gives is looked at', async () => {
    const other = definition({ requires: () => knowledgeOf('shop'), data: [{ id: 1, input: 'school' }] });
    await expect(harness.run(other, { model: model() })).rejects.toMatchObject({
      code: 'E_ARTIFACT_NOT_REQUIRED',
    });
    const wrong = definition({ requires: () => ({ artifact: 'knowledge' }) as never });
    await expect(harness.run(wrong, { model: model() })).rejects.toMatchObject({ code: 'E_EVAL_INVALID' });
    const twice = definition({ requires: () => [knowledgeOf('shop'), knowledgeOf('shop', 2)] });
    await expect(harness.run(twice, { model: model() })).rejects.toMatchObject({ code: 'E_ARTIFACT_TWICE' });
    const missing = defineArtifact({
      kind: 'x',
      key: 'y',
      version: 1,
      inputs: { db: { file: 'no.db' } },
      build: () => undefined,
    });
    await expect(harness.run(definition({ requires: missing }), { model: model() })).rejects.toMatchObject({
      code: 'E_INPUT_MISSING',
    });
  });

  test('what a log used and the cache lacks is missed by whoever asks for it, with its name', async () => {
    const { account } = await harness.run(definition(), { model: model() });
    const [sample] = await harness.samples(account.log);
    const header = await headerOf(account.log);
    const logged = (dir: string) =>
      LoggedArtifacts.open(
        { disk: nodeDisk, clock: systemClock, random: systemRandom, artifactsDir: join(harness.dir, dir) },
        header,
      );
    const here = await logged('artifacts')?.of(sample?.metadata ?? {});
    expect(here?.folder(knowledgeOf('shop'))).toBe((await cached()).get('knowledge/shop')?.filesDir);
    const gone = await logged('elsewhere')?.of(sample?.metadata ?? {});
    expect(() => gone?.folder(knowledgeOf('shop'))).toThrow(
      expect.objectContaining({
        code: 'E_ARTIFACT_GONE',
        message: expect.stringContaining('knowledge/shop'),
      }),
    );
  });

  test('a second Ctrl-C stops a build at once, and is no failure', async () => {
    const stop = new AbortController();
    const signals = { drain: stop.signal, abort: stop.signal };
    const slow = definition({
      requires: knowledgeBy(async ({ signal }) => {
        stop.abort(new Error('Stopped by SIGINT'));
        await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
      }),
    });
    const { account } = await harness.run(slow, { model: model(), signals });
    expect(account).toMatchObject({ state: 'interrupted', samples: { errored: 0, remaining: 3 } });
    expect(account.artifacts?.unavailable[0]).toMatchObject({ code: 'E_ARTIFACT_STOPPED' });
  });

  test('an input that changes while it is read: what was built is kept for neither', async () => {
    const first = await harness.run(
      definition({
        data: [{ id: 1, input: 'shop' }],
        requires: defineArtifact({
          kind: 'knowledge',
          key: 'shop',
          version: 1,
          inputs: { database: { file: 'shop.txt' } },
          build: ({ dir, inputs }) => {
            writeFileSync(inputs.database, 'another table');
            writeFileSync(join(dir, 'knowledge.md'), readFileSync(inputs.database));
          },
        }),
      }),
      { model: model() },
    );
    expect(first.account.artifacts?.unavailable[0]).toMatchObject({
      code: 'E_ARTIFACT_INPUT_CHANGED',
      reason: expect.stringContaining('changed while it was built'),
    });
    expect(await openCache().units()).toEqual([]);
  });

  test('a build that names no model is told where to name one, which is not the command line', async () => {
    const nameless = definition({
      requires: defineArtifact({
        ...{ kind: 'knowledge', key: 'shop', version: 1 },
        build: async ({ generate }) => void (await generate('words')),
      }),
    });
    const refused = harness.run(nameless, { model: model() });
    await expect(refused).rejects.toMatchObject({
      code: 'E_MODEL_NONE',
      message: expect.stringContaining('knowledge/shop'),
      hint: expect.not.stringContaining('--model'),
    });
  });

  test('a generation names the run that built it, whose log is kept', async () => {
    await harness.run(definition(), { model: model() });
    const { producer } = (await cached()).get('knowledge/shop')?.manifest ?? {};
    const place = join(harness.dir, 'artifacts/builds/knowledge/shop');
    const [log = ''] = readdirSync(place).filter((name) => name.endsWith('.eval'));
    expect((await headerOf(join(place, log))).eval.run_id).toBe(producer?.run);
  });

  test('programs find them by the environment', async () => {
    const { account } = await harness.run(
      {
        name: 'program',
        data: [{ id: 1, input: 'shop' }],
        requires: [knowledgeOf('shop')],
        target: { command: ['sh', '-c', 'cat "$HOLDFAST_ARTIFACT_KNOWLEDGE/knowledge.md"'] },
        scorers: [],
      },
      {
        models: createModels({
          env: { PATH: process.env.PATH },
          concurrency: 1,
          scripted: { 'mock/scripted': model() },
        }),
      },
    );
    const [sample] = await harness.samples(account.log);
    expect(sample?.output.completion).toBe('answer to 10 words on TABLE SHOP');
  });

  test('a changed input is another recipe, and the old one stays', async () => {
    await harness.run(definition(), { model: model() });
    writeFileSync(join(harness.dir, 'shop.txt'), 'another table');
    begun.length = 0;
    await harness.run(definition(), { model: model() });
    expect(begun.sort()).toEqual(['knowledge/shop', 'schema/shop']);
    expect((await openCache().units()).filter(({ key }) => key === 'shop')).toHaveLength(4);
  });
});

function openCache(): ArtifactCache {
  const dir = join(harness.dir, 'artifacts');
  return ArtifactCache.open({ disk: nodeDisk, dir, clock: systemClock, random: systemRandom });
}

/** The current generation of each unit, by name. */
async function cached(): Promise<ReadonlyMap<string, StoredGeneration>> {
  const units = await openCache().units();
  return new Map(units.flatMap(({ kind, key, current }) => (current ? [[`${kind}/${key}`, current]] : [])));
}

/** As `artifacts build --rebuild` does: another content, which replaces the one that is there. */
async function rebuild(unit: string): Promise<void> {
  const known = (await cached()).get(unit);
  if (!known) throw new Error(`There is no ${unit}`);
  const text = readFileSync(join(known.filesDir, 'knowledge.md'));
  const { kind, key, version, inputs, parameters } = known.manifest;
  await openCache().buildOnce(
    { kind, key, version, inputs, parameters },
    {
      isRebuild: true,
      producer: known.manifest.producer,
      build: async (dir) => {
        writeFileSync(join(dir, 'knowledge.md'), text);
        return { cost: { usd: 0, tokens: 0, calls: 0 } };
      },
    },
  );
}

async function headerOf(log: string | undefined): Promise<LogHeader> {
  const reader = await openLog(nodeDisk, log ?? '');
  try {
    return await reader.header();
  } finally {
    await reader.close();
  }
}
