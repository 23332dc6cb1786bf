import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { freeBytes } from './free-space.ts';

test('there is a number of free bytes where a path is, and an error where there is none', async () => {
  expect(await freeBytes(tmpdir())).toBeGreaterThanOrEqual(0);
  await expect(freeBytes('/none/such')).rejects.toThrow('ENOENT');
});
