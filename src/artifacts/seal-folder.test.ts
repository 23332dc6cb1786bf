import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { building, buildOf, COST, openCache, partsOf } from '../../test/sim/artifact-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { ArtifactCache } from './cache.ts';
import { HostPaths } from './host-paths.ts';

const dir = useTempDir();

/** Builds with what `fill` leaves, and gives what it was refused for. */
async function refusal(fill: (dir: string) => void): Promise<string> {
  const cache = ArtifactCache.open({
    disk: nodeDisk,
    dir: join(dir.path, 'cache'),
    clock: systemClock,
    random: systemRandom,
    hostPaths: ['/home/ann/project'],
  });
  const build = async (folder: string) => {
    fill(folder);
    return { cost: COST };
  };
  const error: unknown = await cache.buildOnce(partsOf(), building(build)).catch((caught: unknown) => caught);
  expect(error).toMatchObject({ code: 'E_ARTIFACT_CONTENT' });
  expect(await cache.units()).toEqual([]);
  return error instanceof Error ? error.message : '';
}

test('[ART-4] what would not mean the same elsewhere is refused, and the file is named', async () => {
  expect(await refusal(() => undefined)).toContain('it left no file');
  expect(await refusal((folder) => mkdirSync(join(folder, 'empty')))).toContain('it left no file');
  expect(await refusal((folder) => symlinkSync('/etc/passwd', join(folder, 'link')))).toContain(
    '"link" is neither',
  );
  expect(await refusal((folder) => symlinkSync('..', join(folder, 'up')))).toContain('"up" is neither');
  const twice = (folder: string) =>
    ['Readme.md', 'README.md'].map((name) => writeFileSync(join(folder, name), ''));
  expect(await refusal(twice)).toContain('"README.md" and "Readme.md" are one name');
  expect(await refusal((folder) => writeFileSync(join(folder, 'a\\b'), ''))).toContain('backslash');
});

test('[ART-4] paths of this machine are refused in every file, text or not, and in the notes', async () => {
  const holding = (text: string) => (folder: string) => {
    mkdirSync(join(folder, 'sub'));
    writeFileSync(join(folder, 'sub/x.bin'), `\0\u0001${text}`);
  };
  expect(await refusal(holding('see /home/ann/project/data.db'))).toContain(
    '"sub/x.bin" holds /home/ann/project, a path of this machine',
  );
  expect(await refusal(holding(join(dir.path, 'cache')))).toContain('a path of this machine');
  expect(await refusal((folder) => writeFileSync(join(folder, 'a'), folder))).toContain(
    'a path of this machine',
  );
  const cache = openCache(join(dir.path, 'cache'));
  const noting = async (folder: string) => ({
    ...(await buildOf({ a: '' })(folder, undefined)),
    notes: folder,
  });
  await expect(cache.buildOnce(partsOf(), building(noting))).rejects.toMatchObject({
    code: 'E_ARTIFACT_CONTENT',
  });
});

test('a path that only begins like one of this machine is another path', () => {
  const holds = (text: string, path = '/home/ann') =>
    new HostPaths([path]).search()(Buffer.from(text), true) !== undefined;
  expect(holds('in /home/ann')).toBe(true);
  expect(holds('"/home/ann/x"')).toBe(true);
  expect(holds('/home/anna')).toBe(false);
  expect(holds('/home/ann-marie /home/ann.bak')).toBe(false);
  expect(holds('file:///home/my%20own/x', '/home/my own')).toBe(true);
  expect(holds('C:\\\\Users\\\\ann\\\\x', 'C:\\Users\\ann')).toBe(true);
  expect(holds('an XPath: /root/item', '/root')).toBe(false);
  expect(new HostPaths([homedir(), '/']).search()(Buffer.from('/'), true)).toBeUndefined();
});

test('a path is found wherever the chunks of a file are cut', () => {
  const text = Buffer.from('….../home/ann/project/x…/home/ann');
  const property = fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
    const search = new HostPaths(['/home/ann/project']).search();
    const marks = [0, ...cuts.sort((a, b) => a - b), text.length];
    const found = marks
      .slice(1)
      .map((end, at) => search(text.subarray(marks[at], end), at === marks.length - 2));
    expect(found.filter((path) => path !== undefined)).not.toEqual([]);
  });
  fc.assert(property);
});

test('[ART-3] the manifest names every file with size, digest and the right to run it; empty folders are not kept', async () => {
  const cache = openCache(join(dir.path, 'cache'));
  const build = async (folder: string) => {
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'empty/inner'), { recursive: true });
    writeFileSync(join(folder, 'bin/run'), '#!/bin/sh\n');
    writeFileSync(join(folder, 'notes.md'), '');
    chmodSync(join(folder, 'bin/run'), 0o555);
    return { cost: COST, notes: 'two files' };
  };
  const steps: number[] = [];
  const { generation } = await cache.buildOnce(
    partsOf(),
    building(build, { onProgress: ({ filesDone }) => steps.push(filesDone) }),
  );
  expect(generation.manifest.files).toMatchObject([
    { path: 'bin/run', size: 10, executable: true },
    { path: 'notes.md', size: 0, executable: false },
  ]);
  expect(generation.manifest).toMatchObject({ cost: COST, notes: 'two files', supersedes: [] });
  expect(await nodeDisk.list(generation.filesDir)).toHaveLength(2);
  expect(steps).toEqual([1, 2]);
});
