/** Runs in other forms than a log of ours: under way, as one JSON file, as Inspect wrote them. */
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHarness, type Harness } from '../../../test/run-harness.ts';
import { newWriter, runRecord, sampleFields, sampleStart } from '../../../test/sim/journal-fixture.ts';
import { type FixtureSample, fixtureEvent, fixtureFields } from '../../../test/sim/log-fixture.ts';
import { runOfDay, writeRun } from '../../../test/sim/results-repo.ts';
import { ask, askLines, type StudioOfLogs, studioOfLogs } from '../../../test/sim/studio-of-logs.ts';
import { nodeDisk } from '../../disk/index.ts';
import { type ChatMessage, convertLog, type LogEvent } from '../../log/index.ts';
import type { SearchHit } from '../api.ts';
import { compare, comparedSamples } from './compare.ts';
import { search } from './search.ts';
import { transcripts } from './transcripts.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await createHarness();
});
afterEach(() => harness.close());

const model = (input: readonly ChatMessage[], content: string): LogEvent =>
  fixtureEvent({
    ...{ event: 'model', model: 'mock/m', input, tools: [], tool_choice: 'auto', config: {} },
    output: { model: 'mock/m', choices: [{ message: { role: 'assistant', content }, stop_reason: 'stop' }] },
  });
const LONG = `a zebra ${'and much more '.repeat(40)}`;
const events = (last: string): readonly LogEvent[] => [
  model([{ role: 'user', content: 'question' }], 'first'),
  model(
    [
      { role: 'user', content: 'question' },
      { role: 'assistant', content: 'first' },
      { role: 'user', content: LONG },
    ],
    last,
  ),
];
const sample = (id: string, last: string): FixtureSample => ({
  fields: fixtureFields(id),
  events: events(last),
});

async function hitsIn(studio: StudioOfLogs, text: string): Promise<readonly SearchHit[]> {
  const lines = await Array.fromAsync(askLines(studio, 'search', search, { query: { text } }));
  expect(lines.at(-1)?.problems).toEqual([]);
  return lines.flatMap(({ hits }) => hits);
}
const places = (hits: readonly SearchHit[]) => hits.map(({ sample: id, where, event }) => [id, where, event]);

describe('a run under way', () => {
  test('is searched, compared and laid beside a log, as far as it is', async () => {
    const journal = await newWriter(harness.stateDir, runRecord());
    for (const id of ['a', 'b']) {
      const attempt = journal.startAttempt(sampleStart(id));
      for (const event of events('an okapi')) attempt.event(event);
      if (id === 'a') await attempt.finish('completed', sampleFields(id));
    }
    await journal.flush();
    const finished = runOfDay(1);
    await writeRun(harness.logDir, finished, { samples: [sample('a', 'a gnu'), sample('b', 'a gnu')] });
    await using studio = await studioOfLogs({ logs: harness.logDir });
    const [running = ''] = studio.index.items().flatMap(({ run, form }) => (form === 'running' ? [run] : []));
    expect(places(await hitsIn(studio, 'okapi'))).toEqual([
      ['a', 'model', 1],
      ['b', 'model', 1],
    ]);
    expect(places((await hitsIn(studio, 'zebra')).filter(({ run }) => run === running))).toEqual([
      ['a', 'model', 1],
      ['b', 'model', 1],
    ]);
    const query = { runs: `${finished},${running}` };
    const { samples } = await ask(studio, 'comparedSamples', comparedSamples, { query });
    expect(samples.map(({ id, cells }) => [id, ...cells.map(({ outcome }) => outcome)])).toEqual([
      ['a', 'pass', 'pass'],
      ['b', 'pass', 'running'],
    ]);
    const { others } = await ask(studio, 'compare', compare, { query });
    expect(others[0]?.warnings.join()).toContain('not finished');
    // What is under way is read each time.
    expect(studio.listed.get(running)).toBeGreaterThan(studio.listed.get(finished) ?? 0);
    const aligned = await ask(studio, 'transcripts', transcripts, { params: { sample: 'b' }, query });
    expect([aligned.rows.map(({ is }) => is), aligned.firstDivergence]).toEqual([['same', 'changed'], 1]);
    journal.close();
  });
});

describe('a log that is one JSON file', () => {
  test('is searched and aligned as one of many documents', async () => {
    mkdirSync(harness.logDir, { recursive: true });
    const [first, second] = [runOfDay(1), runOfDay(2)];
    for (const [at, run] of [first, second].entries()) {
      const path = await writeRun(harness.logDir, run, { samples: [sample('a', `the end of ${run}`)] });
      await convertLog(nodeDisk, {
        from: path,
        to: join(harness.logDir, `2026-03-0${at + 1}T00-00-00+00-00_capitals_${at}.json`),
      });
      rmSync(path);
    }
    await using studio = await studioOfLogs({ logs: harness.logDir });
    expect(places(await hitsIn(studio, 'ZEBRA'))).toEqual([
      ['a', 'model', 1],
      ['a', 'model', 1],
    ]);
    expect(await hitsIn(studio, 'okapi')).toEqual([]);
    const query = { runs: `${first},${second}` };
    const aligned = await ask(studio, 'transcripts', transcripts, { params: { sample: 'a' }, query });
    expect(aligned.rows.map(({ is }) => is)).toEqual(['same', 'changed']);
  });
});

describe('a sample in chunks', () => {
  test('has the same hits as the same sample in one piece', async () => {
    const found: unknown[] = [];
    for (const name of ['chunked.eval', 'chunked-twin.eval']) {
      const dir = join(harness.dir, name);
      mkdirSync(dir);
      cpSync(join(import.meta.dirname, '../../../test/golden/log/shapes', name), join(dir, name));
      await using studio = await studioOfLogs({ logs: dir });
      expect(places(await hitsIn(studio, 'message 7'))).toEqual([['nile', 'model', 7]]);
      found.push([
        await hitsIn(studio, 'message'),
        await hitsIn(studio, 'nile'),
        await hitsIn(studio, 'nowhere'),
      ]);
    }
    expect(found[0]).toEqual(found[1]);
  });
});
