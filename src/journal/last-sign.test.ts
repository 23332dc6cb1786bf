import { utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { newWriter, runRecord } from '../../test/sim/journal-fixture.ts';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { lastSignMs } from './index.ts';

test('a writer was last seen when it acknowledged something, or at its last beat, whichever is later', async () => {
  await using dir = await makeTempDir();
  const writer = await newWriter(dir.path, runRecord());
  const beatMs = writer.reader.lastBeatMs() ?? 0;
  const mark = join(dirname(writer.reader.path), 'acknowledged');
  const setMark = (ms: number) => utimesSync(mark, new Date(ms), new Date(ms));
  setMark(beatMs + 4_000);
  expect(await lastSignMs(nodeDisk, writer.reader)).toBe(beatMs + 4_000);
  setMark(beatMs - 4_000);
  expect(await lastSignMs(nodeDisk, writer.reader)).toBe(beatMs);
  writer.close();
});
