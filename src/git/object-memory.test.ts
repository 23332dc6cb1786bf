import { expect, test } from 'vitest';
import type { ObjectId } from './object-id.ts';
import { ObjectMemory } from './object-memory.ts';

function objectAt(n: number, sizeBytes: number) {
  return {
    id: n.toString(16).padStart(40, '0') as ObjectId,
    type: 'blob',
    bytes: Buffer.alloc(sizeBytes, n % 256),
  };
}

test('what was read last stays, what nobody wanted for long goes, and what is large is never kept', () => {
  const memory = new ObjectMemory();
  const all = Array.from({ length: 100 }, (_, n) => objectAt(n, 200 * 1024));
  const [first, second] = all;
  for (const one of all) {
    memory.put(one);
    if (first) memory.get(first.id);
  }
  expect(memory.get(first?.id as ObjectId)).toEqual(first);
  expect(memory.get(second?.id as ObjectId)).toBeUndefined();
  const kept = all.filter(({ id }) => memory.get(id));
  expect(kept.at(-1)).toBe(all.at(-1));
  expect(kept.length).toBeLessThan(50);
  const large = objectAt(1_000, 2 ** 20);
  memory.put(large);
  expect(memory.get(large.id)).toBeUndefined();
});

test('a part of a larger buffer is kept as a copy of its own', () => {
  const memory = new ObjectMemory();
  const whole = Buffer.alloc(2 ** 20, 'a');
  const { id } = objectAt(1, 0);
  memory.put({ id, type: 'blob', bytes: whole.subarray(0, 10) });
  whole.fill('b');
  expect(memory.get(id)?.bytes.toString()).toBe('aaaaaaaaaa');
});
