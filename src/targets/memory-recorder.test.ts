import fc from 'fast-check';
import { expect, test } from 'vitest';
import { digestOf } from '../base/index.ts';
import { createMemoryRecorder, type RecordedExchange } from './memory-recorder.ts';
import type { PaidRequest } from './recorder.ts';

const request = (name: string): PaidRequest => ({ kind: 'model', digest: digestOf(name) });
const event = (name: string) => ({ event: 'info', timestamp: '2026-01-01T00:00:00+00:00', data: name });

test('[REC-1] an answer and its events are there when record resolves', async () => {
  const recorder = createMemoryRecorder();
  await recorder.record(request('a'), { value: 1 }, [event('a')]);
  expect(recorder.exchanges).toEqual([{ request: request('a'), answer: { value: 1 } }]);
  expect(recorder.events).toEqual([event('a')]);
});

test('[REC-2] the n-th equal request gets the n-th recorded answer, and then none', () => {
  const names = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 20 });
  fc.assert(
    fc.property(names, names, (recorded, asked) => {
      const earlier: RecordedExchange[] = recorded.map((name, index) => ({
        request: request(name),
        answer: { value: index },
      }));
      const recorder = createMemoryRecorder(earlier);
      const left = recorded.map((name, index) => ({ name, index }));
      for (const name of asked) {
        const at = left.findIndex((item) => item.name === name);
        const expected = at < 0 ? undefined : left.splice(at, 1)[0]?.index;
        expect(recorder.recall(request(name))?.value).toBe(expected);
      }
    }),
  );
});

test('[REC-2] what is recorded in this attempt is not recalled in it', async () => {
  const recorder = createMemoryRecorder();
  expect(recorder.recall(request('a'))).toBeUndefined();
  await recorder.record(request('a'), { value: 1 }, []);
  expect(recorder.recall(request('a'))).toBeUndefined();
  expect(recorder.recall({ kind: 'http', digest: digestOf('a') })).toBeUndefined();
});

test('[REC-3] emit keeps events in order', () => {
  const recorder = createMemoryRecorder();
  recorder.emit(event('1'));
  recorder.emit(event('2'));
  expect(recorder.events.map(({ data }) => data)).toEqual(['1', '2']);
});
