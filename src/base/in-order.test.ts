import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { inOrder } from './in-order.ts';

test('results come in the order of their items, however long each takes', async () => {
  const work = async (ms: number) => {
    await sleep(ms);
    return ms;
  };
  const items = [15, 1, 8, 2, 12, 3];
  expect(await Array.fromAsync(inOrder(items, { atATime: 3, work }))).toEqual(items);
});

test('after a failure nothing more is begun, and what is under way has ended', async () => {
  const [begun, ended]: number[][] = [[], []];
  const work = async (item: number) => {
    begun?.push(item);
    await sleep(item === 2 ? 1 : 20);
    if (item === 2) throw new Error('no');
    ended?.push(item);
  };
  await expect(Array.fromAsync(inOrder([1, 2, 3, 4, 5, 6], { atATime: 3, work }))).rejects.toThrow('no');
  expect(begun).toEqual([1, 2, 3, 4]);
  expect(ended).toEqual([1, 3, 4]);
});
