import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runRecord } from '../sim/journal-fixture.ts';
import { makeTempDir } from '../sim/temp-dir.ts';

const CHILD = join(import.meta.dirname, 'start-child.ts');

for (const processes of [3, 10]) {
  test(`[JRN-8] ${processes} processes that start at once on one run work on it one by one, or are told that it is busy`, async () => {
    await using dir = await makeTempDir();
    const run = JSON.stringify(runRecord());
    const all = await Promise.all(
      Array.from({ length: processes }, (_, seed) => startOne([dir.path, run, String(seed), '2500'])),
    );
    const total: Record<string, number> = {};
    for (const counts of all)
      for (const [name, count] of Object.entries(counts)) total[name] = (total[name] ?? 0) + count;
    const { worked = 0, released: _, E_JOURNAL_BUSY: __, ...others } = total;
    expect(others).toEqual({});
    // How many come through says how busy the machine is, and nothing else.
    expect(worked).toBeGreaterThan(0);
  });
}

async function startOne(args: readonly string[]): Promise<Record<string, number>> {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  await once(child, 'close');
  return JSON.parse(text);
}
