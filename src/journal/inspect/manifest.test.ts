import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readManifest } from './manifest.ts';

const read = (text: string) => readManifest('/x', new TextEncoder().encode(text));
const summary = (id: number | string) => ({ id, epoch: 1, input: 'NaN in here', target: '' });
const segment = (id: number, event = 0) => ({
  id,
  last_event_id: event,
  last_message_pool_id: 2,
  last_call_pool_id: 3,
  last_attachment_id: 4,
});

describe('a manifest', () => {
  test('names segments by number, by cursor, or both; numbers get the cursors of the whole segment', async () => {
    const manifest = await read(
      JSON.stringify({
        metrics: [],
        samples: [{ summary: summary(1), segments: [2, segment(1, 7), 9], metadata_hash: 'h' }],
        segments: [segment(1, 10), segment(2, 20)],
      }),
    );
    expect(manifest.isWhole).toBe(true);
    expect(manifest.samples[0]?.segments).toEqual([
      { id: 1, event: 7, message: 2, call: 3 },
      { id: 2, event: 20, message: 2, call: 3 },
      { id: 9, event: 0, message: 0, call: 0 },
    ]);
    expect(manifest.samples[0]?.metadataHash).toBe('h');
  });

  test('may hold NaN, and things that we do not know', async () => {
    const manifest = await read(
      '{"metrics": [{"value": NaN}], "new": [1], "samples": [{"summary": {"id": "a", "epoch": 1, "scores": {"x": {"value": NaN}}}, "segments": []}], "segments": []}',
    );
    expect(manifest.samples).toHaveLength(1);
    expect(manifest.isWhole).toBe(true);
  });

  test('passes over what is no sample', async () => {
    const manifest = await read(
      JSON.stringify({
        samples: [null, {}, { summary: {} }, { summary: { id: [], epoch: 1 } }, { summary: summary('ok') }],
        segments: [1, {}],
      }),
    );
    expect(manifest.samples.map((sample) => sample.summary.id)).toEqual(['ok']);
    expect(manifest.segments).toEqual([]);
  });
});

test('law: cut off anywhere, it gives the samples before the cut, and says that it is torn', async () => {
  const samples = [1, 2, 3].map((id) => ({ summary: summary(id), segments: [1] }));
  const text = JSON.stringify({ metrics: [], samples, segments: [segment(1)] }, null, 2);
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: text.length - 1 }), async (length) => {
      const manifest = await read(text.slice(0, length));
      expect(manifest.isWhole).toBe(false);
      expect(manifest.samples.map((sample) => sample.summary.id)).toEqual(
        [1, 2, 3].slice(0, manifest.samples.length),
      );
    }),
  );
});

test('law: whatever the bytes, it is read or said to be torn, and never throws', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), async (bytes) => {
      const manifest = await readManifest('/x', bytes);
      expect(Array.isArray(manifest.samples)).toBe(true);
    }),
  );
});
