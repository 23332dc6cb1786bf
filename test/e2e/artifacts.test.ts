/** The warm cache from outside: a cache that a small script made, and the commands on it. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recipeOf } from '../../src/artifacts/index.ts';
import { building, buildOf, openCache, partsOf } from '../sim/artifact-fixture.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { holdfast } from './holdfast.ts';

const dir = useTempDir();
const FILES = { 'notes.md': 'tables', 'more/hints.md': 'joins' };

/** A project with the artifacts of these keys. */
async function project(...keys: readonly string[]) {
  const cache = openCache(join(dir.path, '.holdfast/artifacts'));
  for (const key of keys) await cache.buildOnce(partsOf(key), building(buildOf(FILES)));
  return cache;
}

async function json(...args: readonly string[]) {
  const { stdout, code, stderr } = await holdfast(dir.path, ['artifacts', ...args, '--json']);
  return { code, stderr, value: JSON.parse(stdout) };
}

describe('list, show and verify', () => {
  test('what is in the cache is listed and shown, and is whole', async () => {
    await project('db1', 'db2');
    const listed = await holdfast(dir.path, ['artifacts', 'list']);
    expect([listed.code, listed.stderr]).toEqual([0, '']);
    expect(listed.stdout).toMatch(/knowledge\/db1 .* 2 .* 11 B .*\$0\.2500/);
    expect((await json('list', 'knowledge/db2')).value.units).toMatchObject([{ key: 'db2', generations: 1 }]);
    const shown = await holdfast(dir.path, ['artifacts', 'show', 'knowledge/db1']);
    expect(shown.stdout).toContain(recipeOf(partsOf('db1')).recipe);
    expect(shown.stdout).toContain('current');
    expect((await json('show', 'knowledge/db1')).value.units[0].generations[0].files).toHaveLength(2);
    expect((await holdfast(dir.path, ['artifacts', 'verify'])).stdout).toBe(
      '2 generations, 4 files, 22 B checked: all whole\n',
    );
  });

  test('an empty cache is empty, and what is not there is named with what was meant', async () => {
    const empty = await holdfast(dir.path, ['artifacts', 'list']);
    expect([empty.code, empty.stdout]).toEqual([
      0,
      `There are no artifacts in ${join(dir.path, '.holdfast/artifacts')}.\n`,
    ]);
    await project('db1');
    const unknown = await holdfast(dir.path, ['artifacts', 'show', 'knowledge/db2', '--verbose']);
    expect(unknown.code).toBe(2);
    expect(unknown.stderr).toContain('E_ARTIFACT_UNKNOWN');
    expect(unknown.stderr).toContain('did you mean "knowledge/db1"?');
  });

  test('verify lists all damage, ends with 3, and changes nothing', async () => {
    const cache = await project('db1', 'db2', 'db3');
    const [one, two] = await cache.units();
    rmSync(join(one?.current.filesDir ?? '', 'notes.md'));
    writeFileSync(join(two?.current.dir ?? '', 'manifest.json'), '{');
    for (let turn = 0; turn < 2; turn++) {
      const { code, value } = await json('verify');
      expect(code).toBe(3);
      expect(value.generations.filter((each: { problem?: string }) => each.problem)).toMatchObject([
        { unit: 'knowledge/db1', problem: 'notes.md is missing' },
        { problem: 'its manifest is no JSON object' },
      ]);
    }
    expect(await cache.damages()).toEqual([]);
  });

  test('linked work trees of one repository share one cache', async () => {
    const git = (...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: dir.path });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'x');
    git('worktree', 'add', '-q', join(dir.path, 'linked'));
    await project('db1');
    mkdirSync(join(dir.path, 'linked/deeper'));
    const listed = await holdfast(join(dir.path, 'linked/deeper'), ['artifacts', 'list', '--json']);
    expect(JSON.parse(listed.stdout).units).toHaveLength(1);
  });

  test('the folder of the cache can be named by an option, a variable and a setting', async () => {
    await project('db1');
    mkdirSync(join(dir.path, 'sub'));
    const sub = join(dir.path, 'sub');
    const at = join(dir.path, '.holdfast/artifacts');
    const count = async (args: readonly string[], env = {}) =>
      JSON.parse((await holdfast(sub, ['artifacts', 'list', '--json', ...args], env)).stdout).units.length;
    expect(await count([])).toBe(0);
    expect(await count(['--cache', at])).toBe(1);
    expect(await count([], { HOLDFAST_ARTIFACTS_CACHE: at })).toBe(1);
    writeFileSync(
      join(sub, 'holdfast.config.json'),
      JSON.stringify({ artifacts: { cache: '../.holdfast/artifacts' } }),
    );
    expect(await count([])).toBe(1);
  });
});
