import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness } from '../../test/run-harness.ts';
import { type IndexedStudio, indexedStudio, until } from '../../test/sim/indexed-studio.ts';
import {
  infoEvent,
  newWriter,
  runRecord,
  sampleFields,
  sampleStart,
} from '../../test/sim/journal-fixture.ts';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { GIT_ENV } from '../../test/sim/results-repo.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { defineEval, includes } from '../evals/index.ts';
import { openFolder, type RunSource } from '../sources/index.ts';
import type { LiveEvent } from './api.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const folder = (): Promise<readonly RunSource[]> =>
  openFolder(harness.logDir, {
    disk: nodeDisk,
    clock: systemClock,
    random: systemRandom,
    env: GIT_ENV,
    cwd: harness.dir,
  });

type RunEvent = Extract<LiveEvent, { kind: 'run' }>;
const ofRun = (told: readonly LiveEvent[]) => told.filter((event): event is RunEvent => event.kind === 'run');

describe('a run under way', () => {
  test('tells which samples began, went on and ended, and when it is finished it is a log in the index', async () => {
    const gates = new Map(['a', 'b'].map((id) => [id, Promise.withResolvers<void>()]));
    const definition = defineEval({
      name: 'gated',
      data: [...gates.keys()].map((id) => ({ id, input: id, target: id })),
      target: async ({ id, input }) => {
        await gates.get(String(id))?.promise;
        return String(input);
      },
      scorers: [includes()],
    });
    const running = harness.run(definition);
    await until(() => exists(harness.stateDir), 'the run');
    await using studio = indexedStudio(await folder());
    await studio.whole();
    // Its folder is there a little before its journal.
    await until(async () => {
      await studio.index.lookAgain();
      return studio.index.items().length === 1;
    }, 'the run in the index');
    expect(studio.index.items()).toMatchObject([
      { form: 'running', facts: { eval: 'gated', status: 'running', samples: { total: 2, completed: 0 } } },
    ]);
    const [run = ''] = studio.index.items().map((item) => item.run);
    await until(async () => (await begunIn(studio, run)) === 2, 'the beginning of both samples');
    // Nobody listens: nobody watches.
    expect(studio.watch.runs).toEqual([]);
    const control = new AbortController();
    const told = studio.listen(control.signal);
    await until(() => studio.watch.runs.includes(run), 'the watch');
    await systemClock.sleep(600);
    // What was there before anybody listened is read with everything else, and not told.
    expect(ofRun(told)).toEqual([]);
    gates.get('a')?.resolve();
    await until(() => ofRun(told).some(({ samples }) => samples.some(({ is }) => is === 'ended')), 'an end');
    expect(ofRun(told).flatMap(({ samples }) => samples)).toContainEqual({ id: 'a', epoch: 1, is: 'ended' });
    expect(ofRun(told).every(({ isFinished }) => !isFinished)).toBe(true);
    gates.get('b')?.resolve();
    await running;
    await until(() => ofRun(told).some(({ isFinished }) => isFinished), 'the end of the run');
    expect(studio.index.items()).toMatchObject([
      { run, form: 'log', facts: { status: 'success', samples: { completed: 2 } } },
    ]);
    expect(told).toContainEqual({ kind: 'runs', runs: [run] });
    control.abort();
    await until(() => studio.live.listeners === 0);
    expect(studio.bugs).toEqual([]);
  });

  test('is left alone as soon as nobody listens, and taken up again', async () => {
    const record = runRecord();
    const journal = await newWriter(harness.stateDir, record);
    await using studio = indexedStudio(await folder());
    await studio.whole();
    for (let times = 0; times < 2; times++) {
      const control = new AbortController();
      studio.listen(control.signal);
      await until(() => studio.watch.runs.length === 1, 'the watch');
      control.abort();
      await until(() => studio.watch.runs.length === 0, 'the end of the watch');
    }
    journal.close();
  });

  test('much that happens at once is few events, and nothing keeps its journal from being tidied', async () => {
    const record = runRecord();
    const journal = await newWriter(harness.stateDir, record);
    await using studio = indexedStudio(await folder());
    await studio.whole();
    const control = new AbortController();
    const told = studio.listen(control.signal);
    await until(() => studio.watch.runs.length === 1, 'the watch');
    await systemClock.sleep(400);
    const fromMs = systemClock.monotonicMs();
    for (let n = 0; n < 300; n++) {
      const attempt = journal.startAttempt(sampleStart(`s${n}`));
      attempt.event(infoEvent('x'.repeat(20_000)));
      await attempt.finish('completed', sampleFields(`s${n}`));
    }
    await journal.flush();
    const seen = () => new Set(ofRun(told).flatMap(({ samples }) => samples.map(({ id }) => id)));
    await until(() => seen().size === 300, 'all samples');
    const tookMs = systemClock.monotonicMs() - fromMs;
    expect(ofRun(told).length).toBeLessThanOrEqual(Math.ceil(tookMs / 250) + 1);
    // A writer can checkpoint the whole of its write-ahead log: nobody holds any of it.
    const checkpoint = journal.reader.rows.select('PRAGMA wal_checkpoint(TRUNCATE)')[0];
    expect(checkpoint).toEqual({ busy: 0, log: 0, checkpointed: 0 });
    control.abort();
    journal.close();
  });

  test('a batch waits a quarter of a second for what comes with it', async () => {
    const record = runRecord();
    const journal = await newWriter(harness.stateDir, record);
    const clock = manualClock();
    await using studio = indexedStudio(await folder(), clock);
    await studio.whole();
    const control = new AbortController();
    const told = studio.listen(control.signal);
    await until(() => studio.watch.runs.length === 1, 'the watch');
    await systemClock.sleep(400);
    const attempt = journal.startAttempt(sampleStart('a'));
    await attempt.finish('completed', sampleFields('a'));
    await journal.flush();
    // The reader has a clock of its own; only the telling waits for this one.
    await systemClock.sleep(600);
    expect(ofRun(told)).toEqual([]);
    await clock.advance(250);
    expect(ofRun(told)).toEqual([
      { kind: 'run', run: record.runId, samples: [{ id: 'a', epoch: 1, is: 'ended' }], isFinished: false },
    ]);
    control.abort();
    journal.close();
  });
});

async function begunIn(studio: IndexedStudio, run: string): Promise<number> {
  await using open = await studio.open(run);
  return (await Array.fromAsync(open.reader.summaries())).length;
}

function exists(stateDir: string): boolean {
  try {
    return readdirSync(stateDir).some((name) => /^\d{8}T/.test(name));
  } catch {
    return false; // It is made by the run.
  }
}
