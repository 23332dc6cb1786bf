import { describe, expect, test } from 'vitest';
import { ActionableError, type SampleKey, sampleKeyText } from '../../src/base/index.ts';
import type { LogEvent, Position, Positioned, RunChange, RunReader } from '../../src/log/index.ts';
import { type FixtureSample, fixtureEvent, fixtureFields } from '../sim/log-fixture.ts';

/** What a run is to hold. Its samples have ended; unless it is finished, the run itself has not. */
export interface RunContent {
  readonly samples: readonly FixtureSample[];
  readonly isFinished: boolean;
}

export interface RunUnderTest extends AsyncDisposable {
  open(): Promise<RunReader>;
  /** Makes what is stored of a sample unreadable, without touching the others; `open` afterwards. */
  damage(sample: SampleKey): Promise<void>;
  /** Only of a form that can be under way: adds one more sample that ended, then finishes the run. */
  readonly grow?: (sample: FixtureSample) => Promise<void>;
}

/** What every RunReader promises. `make` stores such a run in the form that is tested; one that `canGrow` may be under way. */
export function runReaderContract(
  name: string,
  make: (content: RunContent) => Promise<RunUnderTest>,
  { canGrow }: { readonly canGrow: boolean },
): void {
  describe(`${name} is a RunReader`, () => {
    test('[RUN-1] the header has the status of the run, which is `started` while it is not finished', async () => {
      for (const isFinished of [true, false]) {
        await using run = await make({ samples: someSamples(), isFinished });
        const reader = await run.open();
        const { status, eval: spec } = await reader.header();
        expect(status).toBe(isFinished ? 'success' : 'started');
        expect(spec.task).toBe('capitals');
        expect(reader.place).not.toBe('');
        await reader.close();
      }
    });

    test('[RUN-2] summaries gives every sample once, and goes on after any position', async () => {
      await using run = await make({ samples: someSamples(), isFinished: true });
      const reader = await run.open();
      const all = await Array.fromAsync(reader.summaries());
      const names = all.map(({ value }) => sampleKeyText(value.id, value.epoch));
      expect(names.toSorted()).toEqual(
        someSamples()
          .map(({ fields }) => sampleKeyText(fields.id, fields.epoch))
          .toSorted(),
      );
      expect(new Set(all.map(({ position }) => position)).size).toBe(all.length);
      expect(all.every(({ value }) => value.completed)).toBe(true);
      for (const [at, { position }] of all.entries())
        expect(await Array.fromAsync(reader.summaries(position))).toEqual(all.slice(at + 1));
      expect(await Array.fromAsync(reader.summaries())).toEqual(all);
      await reader.close();
    });

    test('[RUN-2] fields gives all but the transcript, and undefined for what is not there', async () => {
      await using run = await make({ samples: someSamples(), isFinished: true });
      const reader = await run.open();
      for (const { fields } of someSamples()) {
        const found = await reader.fields(fields);
        expect(found).toMatchObject(fields);
        expect(found).not.toHaveProperty('events');
      }
      expect(await reader.fields({ id: 'nobody', epoch: 1 })).toBeUndefined();
      expect(await Array.fromAsync(reader.events({ id: 'nobody', epoch: 1 }))).toEqual([]);
      await reader.close();
    });

    test('[RUN-3] events are whole, in order, and go on after any position', async () => {
      await using run = await make({ samples: someSamples(), isFinished: true });
      const reader = await run.open();
      for (const { fields, events } of someSamples()) {
        const all = await Array.fromAsync(reader.events(fields));
        expect(all.map(({ value }) => value)).toEqual(events);
        for (const [at, { position }] of all.entries())
          expect(await Array.fromAsync(reader.events(fields, position))).toEqual(all.slice(at + 1));
      }
      await reader.close();
    });

    test('[RUN-4] changes tells how each sample ended, then that the run is finished, and goes on after any position', async () => {
      await using run = await make({ samples: someSamples(), isFinished: true });
      const reader = await run.open();
      const { signal } = new AbortController();
      const all = await Array.fromAsync(reader.changes(undefined, signal));
      expect(endedIn(all)).toEqual(
        someSamples()
          .map(({ fields }) => sampleKeyText(fields.id, fields.epoch))
          .toSorted(),
      );
      expect(all.at(-1)?.kind).toBe('finished');
      expect(all.filter(({ kind }) => kind === 'finished')).toHaveLength(1);
      for (const [at, { position }] of all.entries())
        expect(await Array.fromAsync(reader.changes(position, signal))).toEqual(all.slice(at + 1));
      await reader.close();
    });

    test('[RUN-4] a signal ends it without an error', async () => {
      await using run = await make({ samples: someSamples(), isFinished: true });
      const reader = await run.open();
      const control = new AbortController();
      const seen: RunChange[] = [];
      for await (const change of reader.changes(undefined, control.signal)) {
        seen.push(change);
        control.abort();
      }
      expect(seen).toHaveLength(1);
      await reader.close();
    });

    test.skipIf(!canGrow)('[RUN-4] what comes while somebody watches is told', async () => {
      await using run = await make({ samples: someSamples(), isFinished: false });
      if (!run.grow) throw new Error('It is said to grow, and cannot.');
      const reader = await run.open();
      const watching = Array.fromAsync(reader.changes(undefined, new AbortController().signal));
      await run.grow({ fields: fixtureFields('late'), events: [] });
      expect(endedIn(await watching)).toContain(sampleKeyText('late', 1));
      await reader.close();
    });

    test('[RUN-7] after the latest position nothing is told of what is there', async () => {
      for (const samples of [someSamples(), []]) {
        await using run = await make({ samples, isFinished: true });
        const reader = await run.open();
        const latest = await reader.latest();
        expect(await Array.fromAsync(reader.changes(latest, new AbortController().signal))).toEqual([]);
        await reader.close();
      }
    });

    test.skipIf(!canGrow)('[RUN-7] and all of what comes after it', async () => {
      await using run = await make({ samples: someSamples(), isFinished: false });
      const reader = await run.open();
      const watching = Array.fromAsync(reader.changes(await reader.latest(), new AbortController().signal));
      await run.grow?.({ fields: fixtureFields('late'), events: [] });
      const told = await watching;
      expect(endedIn(told)).toEqual([sampleKeyText('late', 1)]);
      expect(told.at(-1)?.kind).toBe('finished');
      await reader.close();
    });

    test('[RUN-5] a reader that is left in the middle holds nothing: others go on, and so does it', async () => {
      await using run = await make({ samples: someSamples(), isFinished: true });
      const reader = await run.open();
      const [first] = someSamples();
      for (let times = 0; times < 3; times++) {
        for await (const _ of reader.summaries()) break;
        for await (const _ of reader.events(first?.fields ?? { id: 1, epoch: 1 })) break;
      }
      const other = await run.open();
      expect(await Array.fromAsync(other.summaries())).toEqual(await Array.fromAsync(reader.summaries()));
      await other.close();
      await reader.close();
    });

    test('[RUN-6] a damaged sample is told as such, and the others are readable', async () => {
      await using run = await make({ samples: someSamples(), isFinished: true });
      const [broken, ...others] = someSamples();
      await run.damage(broken?.fields ?? { id: 1, epoch: 1 });
      const reader = await run.open();
      const key = { id: broken?.fields.id ?? 1, epoch: 1 };
      await expect(reader.fields(key)).rejects.toBeInstanceOf(ActionableError);
      await expect(Array.fromAsync(reader.events(key))).rejects.toBeInstanceOf(ActionableError);
      for (const { fields, events } of others)
        expect(valuesOf(await Array.fromAsync(reader.events(fields)))).toEqual(events);
      await reader.close();
    });

    test('[RUN-6] a position that nobody gave is refused', async () => {
      await using run = await make({ samples: someSamples(), isFinished: true });
      const reader = await run.open();
      const wrong = 'no position' as Position;
      const code = 'E_RUN_POSITION';
      await expect(async () => Array.fromAsync(reader.summaries(wrong))).rejects.toMatchObject({ code });
      await expect(async () =>
        Array.fromAsync(reader.events({ id: 1, epoch: 1 }, wrong)),
      ).rejects.toMatchObject({ code });
      await reader.close();
    });
  });
}

function endedIn(changes: readonly RunChange[]): string[] {
  const ended = changes.filter(({ kind }) => kind === 'ended');
  return ended.map(({ sample }) => (sample ? sampleKeyText(sample.id, sample.epoch) : '')).toSorted();
}

function valuesOf(items: readonly Positioned<LogEvent>[]): LogEvent[] {
  return items.map(({ value }) => value);
}

const LONG = 'A text that is long enough to become an attachment of its own. '.repeat(3);

/** Two samples of two epochs, with pooled messages and attachments. */
function someSamples(): readonly FixtureSample[] {
  const message = { role: 'user', content: LONG };
  const model = (input: LogEvent['input']) =>
    fixtureEvent({
      event: 'model',
      model: 'mock/m',
      input: input ?? [],
      tools: [],
      tool_choice: 'auto',
      config: {},
      output: { model: 'mock/m', choices: [], completion: '' },
    });
  const events = [
    fixtureEvent({ event: 'info', data: LONG }),
    model([message]),
    model([message, { role: 'assistant', content: 'yes' }, message]),
  ];
  return [
    { fields: fixtureFields(1), events },
    { fields: fixtureFields('zwei'), events: [] },
    { fields: fixtureFields(1, { epoch: 2 }), events: events.slice(0, 2) },
  ];
}
