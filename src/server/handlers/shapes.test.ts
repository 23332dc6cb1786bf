/** Whatever shape a log has, and whatever happened to its bytes: what is asked of it is answered, or refused in words. */
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AGENTV_REF, addAgentv4 } from '../../../test/sim/agentv-branch.ts';
import { GIT_ENV, initRepository } from '../../../test/sim/results-repo.ts';
import { ask, askLines, type StudioOfLogs, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { wholeSkeleton } from '../../../test/sim/whole-skeleton.ts';
import { ActionableError, stringifyJson, systemClock, systemRandom, toJson } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { openSource } from '../../sources/index.ts';
import { closeSpools } from '../spool/spools.ts';
import { header, run } from './run.ts';
import { sample } from './sample.ts';
import { sampleOrder, samples } from './samples.ts';
import { timeline } from './timeline.ts';
import { event, events, find, messages, skeleton } from './transcript.ts';

const dir = useTempDir();
const ROOT = join(import.meta.dirname, '../../../test/golden/log');
const SHAPES = globSync('**/*.{eval,json}', { cwd: ROOT });

describe('every shape of a log', () => {
  test.each(SHAPES)('%s', async (file) => {
    mkdirSync(join(dir.path, 'logs'));
    copyFileSync(join(ROOT, file), join(dir.path, 'logs', basename(file)));
    await using studio = await studioOfLogs({ logs: join(dir.path, 'logs') });
    for (const item of studio.index.items()) if (item.facts) await checkRun(studio, item.run);
    await closeSpools(studio);
  });
});

test('a run of AgentV is read as any other', async () => {
  initRepository(dir.path);
  addAgentv4(dir.path, { time: '2026-07-06T11:31:36.988Z' });
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV, cwd: dir.path };
  const sources = await openSource(`${dir.path}#${AGENTV_REF.replace('refs/heads/', '')}`, ports);
  await using studio = await studioOfLogs({ sources });
  const [item] = studio.index.items();
  expect(item?.form).toBe('agentv');
  await checkRun(studio, item?.run ?? '');
  const params = { run: item?.run ?? '', sample: 'addition', epoch: '1' };
  const said = await ask(studio, 'messages', messages, { params });
  expect(said.total).toBeGreaterThan(0);
  const view = await ask(studio, 'run', run, { params });
  expect(view.counts).toMatchObject({ total: 2, pass: 1, partial: 1 });
  await closeSpools(studio);
});

describe('damage', () => {
  const seeds = SHAPES.filter((file) => /\.eval$/.test(file)).map((file) => readFileSync(join(ROOT, file)));
  const change = fc.record({ at: fc.nat(), byte: fc.nat(255), kind: fc.constantFrom('set', 'cut', 'drop') });

  test('bytes that are changed, cut off or dropped give answers or errors with a code, and never anything else', {
    timeout: 120_000,
  }, async () => {
    const logs = join(dir.path, 'logs');
    const property = fc.asyncProperty(
      fc.constantFrom(...seeds),
      fc.array(change, { minLength: 1, maxLength: 4 }),
      async (seed, changes) => {
        let bytes: Buffer = Buffer.from(seed);
        for (const { at, byte, kind } of changes) {
          const position = at % Math.max(bytes.length, 1);
          if (kind === 'set') bytes[position] = byte;
          else if (kind === 'cut') bytes = bytes.subarray(0, bytes.length - (byte % 40));
          else bytes = Buffer.concat([bytes.subarray(0, position), bytes.subarray(position + byte)]);
        }
        rmSync(logs, { recursive: true, force: true });
        mkdirSync(logs);
        writeFileSync(join(logs, 'x.eval'), bytes);
        await using studio = await studioOfLogs({ logs });
        for (const item of studio.index.items()) await askEverything(studio, item.run);
        await closeSpools(studio);
      },
    );
    await fc.assert(property, { numRuns: 60 });
  });
});

async function checkRun(studio: StudioOfLogs, id: string): Promise<void> {
  const params = { run: id };
  const view = await ask(studio, 'run', run, { params });
  const { total, ...parts } = view.counts;
  expect(Object.values(parts).reduce((sum, count) => sum + count, 0)).toBe(total);
  await ask(studio, 'header', header, { params });
  await ask(studio, 'timeline', timeline, { params });
  const { keys } = await ask(studio, 'sampleOrder', sampleOrder, { params });
  for (const [sampleId, epoch] of keys)
    await checkSample(studio, { ...params, sample: String(sampleId), epoch: String(epoch) });
}

/** Every event is the one that the reader of the log gives. */
async function checkSample(
  studio: StudioOfLogs,
  params: { readonly run: string; readonly sample: string; readonly epoch: string },
): Promise<void> {
  const view = await ask(studio, 'sample', sample, { params });
  const said = await ask(studio, 'messages', messages, { params });
  expect(said.total).toBe(view.messageCount);
  const rows = await wholeSkeleton(studio, params);
  await using open = await studio.open(params.run);
  let index = 0;
  for await (const { value } of open.reader.events({ id: params.sample, epoch: Number(params.epoch) })) {
    expect(rows.kinds[rows.columns.kind[index] ?? -1]).toBe(value.event);
    const whole = await ask(studio, 'event', event, { params: { ...params, event: String(index++) } });
    const text = JSON.stringify(whole);
    if (!/"\$(cut|number)"/.test(text)) expect(whole).toEqual(JSON.parse(stringifyJson(toJson(value))));
  }
  expect(index).toBe(rows.known);
}

async function askEverything(studio: StudioOfLogs, id: string): Promise<void> {
  const params = { run: id };
  await orCode(() => ask(studio, 'run', run, { params }));
  await orCode(() => ask(studio, 'header', header, { params }));
  await orCode(() => ask(studio, 'timeline', timeline, { params }));
  const page = await orCode(() => ask(studio, 'samples', samples, { params }));
  for (const { id: sampleId, epochs } of page?.samples ?? []) {
    const one = { ...params, sample: String(sampleId), epoch: String(epochs[0]?.epoch) };
    await orCode(() => ask(studio, 'sample', sample, { params: one }));
    await orCode(() => ask(studio, 'skeleton', skeleton, { params: one }));
    await orCode(() => ask(studio, 'events', events, { params: one }));
    await orCode(() => ask(studio, 'messages', messages, { params: one }));
    await orCode(() =>
      Array.fromAsync(askLines(studio, 'find', find, { params: one, query: { text: 'a' } })),
    );
  }
}

async function orCode<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    expect(error).toBeInstanceOf(ActionableError);
    return undefined;
  }
}
