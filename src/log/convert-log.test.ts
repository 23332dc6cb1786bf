import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { type Disk, nodeDisk } from '../disk/index.ts';
import { convertLog } from './convert-log.ts';

const FROM = join(import.meta.dirname, '../../test/golden/log/v2-stored.eval');

test('[STORE-3] a conversion leaves alone what is there, also when it came while the log was written', async () => {
  await using dir = await makeTempDir();
  const to = join(dir.path, 'x.json');
  const meeting: Disk = {
    ...nodeDisk,
    async open(path, mode) {
      const file = await nodeDisk.open(path, mode);
      if (mode === 'create') writeFileSync(to, 'of somebody else');
      return file;
    },
  };
  for (const disk of [meeting, nodeDisk]) {
    const converted = convertLog(disk, { from: FROM, to, replace: false });
    await expect(converted).rejects.toMatchObject({ code: 'E_FILE_EXISTS' });
    expect(readFileSync(to, 'utf8')).toBe('of somebody else');
  }
  await convertLog(nodeDisk, { from: FROM, to });
  expect(readFileSync(to, 'utf8')).toContain('"version"');
});
