import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir, type TempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { findProgram } from './command-program.ts';

async function agent(dir: TempDir, text: string, mode = 0o755): Promise<string> {
  const path = join(dir.path, 'agent.sh');
  await writeFile(path, text);
  await chmod(path, mode);
  return path;
}

const find = (dir: TempDir, command = './agent.sh', more: { template?: string; path?: string } = {}) =>
  findProgram(command, {
    disk: nodeDisk,
    baseDir: dir.path,
    template: more.template,
    env: { PATH: more.path ?? '' },
  });

test('a program that may not be executed is refused before anything runs, with what to do', async () => {
  await using dir = await makeTempDir();
  const path = await agent(dir, '#!/bin/sh\n', 0o644);
  const refused = { code: 'E_COMMAND_NOT_EXECUTABLE', hint: `Run: chmod +x ${path}` };
  await expect(find(dir)).rejects.toMatchObject(refused);
  await expect(find(dir, path)).rejects.toMatchObject(refused);
  await expect(find(dir, './agent.sh', { template: dir.path })).rejects.toMatchObject(refused);
});

test('on the PATH one that may not be executed is passed over, as a shell does', async () => {
  await using dir = await makeTempDir();
  await agent(dir, '#!/bin/sh\n', 0o644);
  await expect(find(dir, 'agent.sh', { path: dir.path })).rejects.toMatchObject({
    code: 'E_COMMAND_NOT_FOUND',
  });
  const bin = join(dir.path, 'bin');
  await mkdir(bin);
  await writeFile(join(bin, 'agent.sh'), '#!/bin/sh\n');
  await chmod(join(bin, 'agent.sh'), 0o755);
  const found = await find(dir, 'agent.sh', { path: `${dir.path}:${bin}` });
  expect(found.file).toBe(join(bin, 'agent.sh'));
});

test.each([
  ['#!/no/such/interpreter\n', '/no/such/interpreter'],
  ['#!/bin/sh\r\necho\r\n', 'carriage return'],
])('a script whose first line is %j is refused, and the line is named', async (text, named) => {
  await using dir = await makeTempDir();
  await agent(dir, text);
  await expect(find(dir)).rejects.toMatchObject({
    code: 'E_COMMAND_INTERPRETER',
    message: expect.stringContaining(named),
  });
});

test('a script with an interpreter that is there, or without that line, is taken', async () => {
  await using dir = await makeTempDir();
  for (const text of ['#!/bin/sh\n', '#! /bin/sh -e\necho', 'echo', '']) {
    const path = await agent(dir, text);
    expect(await find(dir)).toEqual({ command: path, file: path, isShared: true });
  }
});
