// The golden data says of itself what it holds; this keeps both in step, without any of our readers.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type GoldenCase, listGoldenCases, type Placed, placeGoldenCase } from './golden-case.ts';

const cases = await listGoldenCases();
let temp = '';

beforeAll(async () => {
  temp = await mkdtemp(join(tmpdir(), 'holdfast-golden-'));
});
afterAll(() => rm(temp, { recursive: true, force: true }));

function place(golden: GoldenCase): Promise<Placed> {
  return placeGoldenCase(golden, join(temp, golden.version, golden.name));
}

test('there is golden data of at least three versions of Inspect', () => {
  expect(new Set(cases.map((golden) => golden.version)).size).toBeGreaterThanOrEqual(3);
});

describe.each(cases)('$version/$name', (golden) => {
  test('holds the database that it describes, hot WAL included', async () => {
    const { dataDir, expected } = await place(golden);
    if (expected.database === null) return;
    const buffers = join(dataDir, 'inspect_ai/samplebuffer');
    const [folder = ''] = await readdir(buffers);
    const path = join(buffers, folder, expected.database.file);
    for (const [kind, size] of Object.entries(expected.database.bytes))
      expect((await readFile(path.replace(/\.db$/, `.${kind}`))).byteLength).toBe(size);

    const database = new DatabaseSync(path);
    const rows = database.prepare('SELECT id, epoch FROM samples ORDER BY epoch, id').all();
    const events = database.prepare('SELECT count(*) AS n FROM events').get();
    database.close();
    expect(rows.map(({ id, epoch }) => [id, epoch])).toEqual(
      expected.database.samples.map(({ id, epoch }) => [id, epoch]),
    );
    const owned = expected.database.samples.reduce((sum, sample) => sum + sample.eventRows, 0);
    expect(events?.n).toBe(expected.database.orphans.reduce((sum, [, , rows]) => sum + rows, owned));
  });

  test('knows every committed event of every sample that was not flushed', async () => {
    const { expected } = await place(golden);
    for (const sample of expected.samples.filter(({ inDatabase }) => inDatabase)) {
      const row = expected.database?.samples.find(
        ({ id, epoch }) => id === String(sample.id) && epoch === sample.epoch,
      );
      expect(row).toMatchObject({ events: sample.events, eventRows: sample.eventRows });
      expect(row?.completed).toBe(sample.state === 'completed');
    }
  });

  test('names no place but its own', async () => {
    const { log } = await place(golden);
    const bytes = (await readFile(log)).toString('latin1');
    expect(bytes).not.toContain('/root');
    expect(bytes).not.toContain('/home/');
  });
});
