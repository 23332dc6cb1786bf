import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlink, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { openSyncFile } from './sync-file.ts';

/** Says that it has begun, then makes and removes a file until its input ends. */
const COMES_AND_GOES = `
const { closeSync, openSync, unlinkSync } = require('node:fs');
process.stdin.on('end', () => process.exit()).resume();
process.stdout.write('.');
setImmediate(function again() {
  for (let round = 0; round < 100; round++) {
    closeSync(openSync(process.argv[1], 'wx'));
    unlinkSync(process.argv[1]);
  }
  setImmediate(again);
});`;

test('a file that another process removes at this moment is absent, and no error', async () => {
  await using dir = await makeTempDir();
  const path = `${dir.path}/comes-and-goes`;
  const other = spawn(process.execPath, ['-e', COMES_AND_GOES, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  await once(other.stdout, 'data');
  try {
    let there = 0;
    let absent = 0;
    while (there < 500 || absent < 500) {
      using file = openSyncFile(path, 'read');
      if (file) there++;
      else absent++;
    }
  } finally {
    other.stdin.end();
    await once(other, 'close');
  }
});

test('a file below something that is no directory is absent; one that may not be read is not', async () => {
  await using dir = await makeTempDir();
  await writeFile(`${dir.path}/file`, 'text');
  expect(openSyncFile(`${dir.path}/file/below`, 'read')).toBeUndefined();
  await symlink('loop', `${dir.path}/loop`);
  expect(() => openSyncFile(`${dir.path}/loop`, 'read')).toThrow('ELOOP');
});
