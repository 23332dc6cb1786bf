/** The warm cache from outside: a cache that a small script made, and the commands on it. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { recipeOf } from '../../src/artifacts/index.ts';
import { tryLock } from '../../src/disk/index.ts';
import { building, buildOf, openCache, partsOf } from '../sim/artifact-fixture.ts';
import { overwrite } from '../sim/overwrite.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { holdfast, startHoldfast } from './holdfast.ts';

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
    expect(shown.stdout).toMatch(/ {4}file +more\/hints\.md {2}5 B\n {4}file +notes\.md {2}6 B\n/);
    expect(shown.stdout).toMatch(/ {4}folder +\S+\/files\n/);
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
    rmSync(join(one?.current?.filesDir ?? '', 'notes.md'));
    overwrite(join(two?.current?.dir ?? '', 'manifest.json'), '{');
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

  test('verify --set-aside makes room for a whole copy, which pull then brings', async () => {
    const cache = await project('db1');
    await holdfast(dir.path, ['artifacts', 'push', '--store', 'bucket']);
    const [one] = await cache.units();
    rmSync(join(one?.current?.filesDir ?? '', 'notes.md'));
    const found = await holdfast(dir.path, ['artifacts', 'verify']);
    expect(found.stderr).toContain(
      '"holdfast artifacts verify --set-aside", and then "holdfast artifacts pull"',
    );
    expect(found.stderr).toContain('holdfast artifacts build <eval files> --rebuild knowledge/db1');
    expect((await holdfast(dir.path, ['artifacts', 'verify', '--set-aside'])).code).toBe(3);
    expect(await cache.damages()).toHaveLength(1);
    expect((await holdfast(dir.path, ['artifacts', 'pull', '--store', 'bucket'])).code).toBe(0);
    expect((await holdfast(dir.path, ['artifacts', 'verify'])).code).toBe(0);
  });

  test('what cannot be read is listed, shown and found by its name as damaged, with or without a manifest', async () => {
    const cache = await project('db1', 'db2', 'db3');
    const [one, two] = await cache.units();
    overwrite(join(one?.current?.dir ?? '', 'manifest.json'), '{"edited":true}');
    rmSync(join(two?.current?.dir ?? '', 'manifest.json'));
    const listed = await holdfast(dir.path, ['artifacts', 'list']);
    expect(listed.code).toBe(0);
    expect(listed.stdout).toMatch(
      /^damaged knowledge\/db1 \S+: its manifest does not fit its own digest\. It lies in /m,
    );
    expect(listed.stdout).toMatch(/^damaged knowledge\/db2 \S+: it has no manifest\. It lies in /m);
    expect(listed.stdout).toMatch(/^knowledge\/db3 /m);
    expect(listed.stderr).toContain('holdfast artifacts pull');
    expect((await json('list', 'knowledge/db2')).value).toMatchObject({
      units: [],
      unusable: [{ key: 'db2', reason: 'it has no manifest' }],
    });
    expect((await holdfast(dir.path, ['artifacts', 'show', 'knowledge/db1'])).stdout).toMatch(
      /^damaged knowledge\/db1 /,
    );
    for (const words of [[], ['knowledge/db2']]) {
      const { code, value } = await json('verify', ...words);
      expect([code, value.isWhole]).toEqual([3, false]);
      expect(JSON.stringify(value.generations)).toContain('it has no manifest');
    }
  });

  test('a rebuild that is damaged is never stood in for by what it superseded: not in lists, not in what is sent or copied', async () => {
    const cache = await project('db1', 'db2');
    const again = building(buildOf({ 'notes.md': 'better' }), { isRebuild: true });
    const { generation } = await cache.buildOnce(partsOf('db1'), again);
    rmSync(join(generation.filesDir, 'notes.md'));
    expect((await cache.use(recipeOf(partsOf('db1')))).kind).toBe('damaged');
    const id = generation.manifest.generation;
    const listed = await json('list', 'knowledge/db1');
    expect(listed.value).toMatchObject({
      units: [{ key: 'db1', generations: 1, current: null }],
      unusable: [{ generation: id, isCurrent: true }],
    });
    expect((await holdfast(dir.path, ['artifacts', 'list'])).stdout).toMatch(
      /^knowledge\/db1 .*current one damaged$/m,
    );
    const shown = await holdfast(dir.path, ['artifacts', 'show', 'knowledge/db1']);
    expect(shown.stdout).not.toMatch(/ {2}current$/m);
    expect(shown.stdout).toContain(`damaged knowledge/db1 ${id}: notes.md is missing`);
    const pushed = await holdfast(dir.path, ['artifacts', 'push', '--store', 'bucket']);
    expect(pushed.code).toBe(3);
    expect(pushed.stdout).toMatch(/^1 pushed, 0 already there, 1 not sent$/m);
    expect(pushed.stdout).toContain(`damaged knowledge/db1 ${id}: notes.md is missing`);
    const exported = await holdfast(dir.path, ['artifacts', 'export', '--to', 'stick']);
    expect([exported.code, exported.stdout]).toEqual([3, expect.stringMatching(/^1 installed$/m)]);
    expect(exported.stderr).toContain(`damaged knowledge/db1 ${id}`);
    expect(exported.stdout).not.toContain('db1');
    expect((await holdfast(dir.path, ['artifacts', 'verify'])).code).toBe(3);
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

describe('sharing', () => {
  const other = () => join(dir.path, 'other');

  test('merge takes over, says what, leaves a report, and changes nothing the second time', async () => {
    await project('db1', 'db2');
    mkdirSync(other());
    const merge = ['artifacts', 'merge', '../.holdfast/artifacts'];
    const first = await holdfast(other(), [...merge, '--report', 'run']);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toMatch(
      /^installed knowledge\/db1 \S+, 2 files, 11 B\ninstalled .*db2.*\n2 installed\n$/,
    );
    const second = await holdfast(other(), merge);
    expect([second.code, second.stdout]).toEqual([0, '2 already-here\n']);
    expect(readdirSync(join(other(), '.holdfast/artifacts/reports'))).toHaveLength(2);
    const [report = ''] = readdirSync(join(other(), 'run'));
    const printed = await holdfast(other(), [...merge, '--json']);
    expect(Object.keys(JSON.parse(printed.stdout)).toSorted()).toEqual(
      [
        ...Object.keys(JSON.parse(readFileSync(join(other(), 'run', report), 'utf8'))),
        'isInterrupted',
        'unwritten',
      ].toSorted(),
    );
  });

  test('merge takes the rest of a damaged source, names what it did not take, and ends with 3', async () => {
    const cache = await project('db1', 'db2');
    const [one] = await cache.units();
    overwrite(join(one?.current?.filesDir ?? '', 'notes.md'), 'tablet');
    mkdirSync(other());
    const { code, stdout } = await holdfast(other(), ['artifacts', 'merge', '../.holdfast/artifacts']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^corrupt knowledge\/db1 .*: notes\.md is not what its manifest promises$/m);
    expect(stdout).toMatch(/^installed knowledge\/db2 /m);
    expect(stdout).toMatch(/^1 installed, 1 corrupt$/m);
  });

  test('merge says when the current generation becomes another one', async () => {
    const cache = await project('db1');
    mkdirSync(other());
    await holdfast(other(), ['artifacts', 'merge', '../.holdfast/artifacts']);
    await cache.buildOnce(partsOf('db1'), building(buildOf({ 'notes.md': 'better' }), { isRebuild: true }));
    const { stdout } = await holdfast(other(), ['artifacts', 'merge', '../.holdfast/artifacts']);
    expect(stdout).toMatch(/^current of knowledge\/db1 changed from \S+ to \S+$/m);
  });

  test('merge takes what a run of another machine has beside it, and leaves a report beside that run as well', async () => {
    await project('db1');
    const logs = join(dir.path, 'logs');
    mkdirSync(logs);
    mkdirSync(other());
    writeFileSync(join(logs, '2026-01-01T00-00-00_sql_x.eval'), '');
    for (const [at, word] of ['../logs', '../logs/2026-01-01T00-00-00_sql_x.eval', '..'].entries()) {
      const merged = await holdfast(other(), ['artifacts', 'merge', word, '--cache', `cache${at}`]);
      expect([merged.code, merged.stderr]).toEqual([0, '']);
      expect(merged.stdout).toMatch(/^installed knowledge\/db1 /);
      const [name = ''] = readdirSync(join(other(), `cache${at}/reports`));
      const beside = join(word === '..' ? dir.path : logs, `artifacts-${name}`);
      expect(readFileSync(beside)).toEqual(readFileSync(join(other(), `cache${at}/reports`, name)));
    }
    // Its own cache is not that of a run of another machine.
    const own = await holdfast(dir.path, ['artifacts', 'merge', 'logs', '--verbose']);
    expect([own.code, own.stderr.includes('E_ARTIFACT_SOURCE')]).toEqual([2, true]);
  });

  test('merge and pull miss what was expected and nobody has, by name', async () => {
    await project('db1', 'db2');
    mkdirSync(other());
    await holdfast(dir.path, ['artifacts', 'push', 'knowledge/db1', '--store', 'bucket']);
    const expecting = ['--expect', 'knowledge/db1', '--expect', 'knowledge/db2', '--expect', 'notes/a/b'];
    const pulled = await holdfast(other(), ['artifacts', 'pull', '--store', '../bucket', ...expecting]);
    expect(pulled.code).toBe(1);
    expect(pulled.stdout.split('\n')).toMatchObject([
      expect.stringMatching(/^installed knowledge\/db1 /),
      'never-seen knowledge/db2: it was expected, and nobody has it',
      'never-seen notes/a/b: it was expected, and nobody has it',
      '1 installed, 2 never-seen',
      '',
    ]);
    const merged = await holdfast(other(), ['artifacts', 'merge', '..', '--expect', 'knowledge/db2']);
    expect([merged.code, merged.stdout]).toEqual([
      0,
      expect.stringMatching(/^1 installed, 1 already-here$/m),
    ]);
    const wrong = await holdfast(other(), ['artifacts', 'merge', '..', '--expect', 'knowledge']);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('<kind>/<key>')]);
  });

  test('Ctrl-C ends a merge before the next unit: the report says what came and what was not reached', async () => {
    const cache = await project('db1', 'db2', 'db3', 'db4', 'db5');
    mkdirSync(join(other(), 'cache/locks'), { recursive: true });
    const [first] = await cache.units();
    using _lock = tryLock(join(other(), `cache/locks/${first?.recipe}.lock`));
    const args = ['artifacts', 'merge', '../.holdfast/artifacts', '--cache', 'cache', '--json'];
    const { child, ended, said } = startHoldfast(other(), args);
    await said('working on knowledge/db1');
    child.kill('SIGINT');
    const { code, stdout } = await ended;
    expect(code).toBe(4);
    const report = JSON.parse(stdout);
    expect(report.isInterrupted).toBe(true);
    expect(report.entries.map((one: { state: string; reason?: string }) => [one.state, one.reason])).toEqual([
      ['failed', 'the merge was stopped before it was here'],
      ['installed', undefined],
      ['installed', undefined],
      ['failed', 'not reached: the merge was stopped before'],
      ['failed', 'not reached: the merge was stopped before'],
    ]);
    const [name = ''] = readdirSync(join(other(), 'cache/reports'));
    expect(JSON.parse(readFileSync(join(other(), 'cache/reports', name), 'utf8')).entries).toEqual(
      report.entries,
    );
    expect(readdirSync(join(other(), 'cache/units/knowledge/db1'), { recursive: true })).toHaveLength(1);
  });

  test('a file is neither a cache, nor a folder to export to, nor a source: one sentence says so, and nothing is made', async () => {
    await project('db1');
    writeFileSync(join(dir.path, 'p.eval.ts'), '');
    for (const words of [
      ['list', '--cache', 'p.eval.ts'],
      ['show', 'knowledge/db1', '--cache', 'p.eval.ts/below'],
      ['merge', '.holdfast/artifacts', '--cache', 'p.eval.ts'],
      ['export', '--to', 'p.eval.ts'],
    ]) {
      const { code, stderr } = await holdfast(dir.path, ['artifacts', ...words, '--verbose']);
      expect([words[0], code, stderr]).toEqual([
        words[0],
        2,
        expect.stringContaining('E_ARTIFACT_NO_FOLDER'),
      ]);
      expect(stderr).not.toContain('bug in Holdfast');
    }
    const merged = await holdfast(dir.path, [
      'artifacts',
      'merge',
      'p.eval.ts',
      '--cache',
      'other',
      '--verbose',
    ]);
    expect([merged.code, merged.stderr]).toEqual([2, expect.stringContaining('E_ARTIFACT_SOURCE')]);
    expect(existsSync(join(dir.path, 'other'))).toBe(false);
  });

  test('what a source remembers as damaged is said by merge and export, which end with 3, and nothing else is current', async () => {
    const cache = await project('db1');
    const again = building(buildOf({ 'notes.md': 'better' }), { isRebuild: true });
    const { generation } = await cache.buildOnce(partsOf('db1'), again);
    rmSync(join(generation.filesDir, 'notes.md'));
    expect((await cache.use(recipeOf(partsOf('db1')))).kind).toBe('damaged');
    const id = generation.manifest.generation;
    const ways = [
      ['merge', '.holdfast/artifacts', '--cache', 'to'],
      ['export', '--all', '--to', 'stick'],
    ];
    for (const words of ways) {
      const { code, stdout, stderr } = await holdfast(dir.path, ['artifacts', ...words]);
      expect(code).toBe(3);
      expect(stdout).toContain(
        `corrupt knowledge/db1 ${id}: it was found damaged there: notes.md is missing`,
      );
      expect(stdout).toMatch(/^superseded knowledge\/db1 /m);
      expect(stderr).not.toContain('Waiting');
      const { value } = await json('list', '--cache', words.at(-1) ?? '');
      expect(value).toMatchObject({ units: [{ current: null }], unusable: [{ generation: id }] });
    }
  });

  test('what is no source is refused before anything is made', async () => {
    mkdirSync(other());
    const { code, stderr } = await holdfast(other(), ['artifacts', 'merge', '..', '--verbose']);
    expect(code).toBe(2);
    expect(stderr).toContain('E_ARTIFACT_SOURCE');
    expect(readdirSync(other())).toEqual([]);
  });

  test('export and import carry chosen artifacts by a folder', async () => {
    await project('db1', 'db2');
    mkdirSync(other());
    const exported = await holdfast(dir.path, ['artifacts', 'export', 'knowledge/db2', '--to', 'stick']);
    expect([exported.code, exported.stderr]).toEqual([0, '']);
    const imported = await holdfast(other(), ['artifacts', 'import', '../stick', '--json']);
    expect(JSON.parse(imported.stdout).entries).toMatchObject([
      { unit: 'knowledge/db2', state: 'installed' },
    ]);
    expect((await holdfast(other(), ['artifacts', 'verify'])).code).toBe(0);
  });

  test('push and pull share by a bucket, which is named by an option or a setting', async () => {
    await project('db1', 'db2');
    mkdirSync(other());
    const none = await holdfast(dir.path, ['artifacts', 'push', '--verbose']);
    expect([none.code, none.stderr.includes('E_ARTIFACT_STORE')]).toEqual([2, true]);
    const pushed = await holdfast(dir.path, ['artifacts', 'push', '--store', 'bucket']);
    expect([pushed.code, pushed.stdout.split('\n').at(-2)]).toEqual([0, '2 pushed, 0 already there']);
    const again = await holdfast(dir.path, ['artifacts', 'push', '--store', 'bucket']);
    expect(again.stdout).toBe('0 pushed, 2 already there\n');
    writeFileSync(
      join(other(), 'holdfast.config.json'),
      JSON.stringify({ artifacts: { store: '../bucket' } }),
    );
    const pulled = await holdfast(other(), ['artifacts', 'pull']);
    expect([pulled.code, pulled.stderr]).toEqual([0, '']);
    expect(pulled.stdout).toMatch(/^2 installed$/m);
    // A bucket is a source of merge as well.
    const merged = await holdfast(other(), ['artifacts', 'merge', '../bucket', '--cache', 'third']);
    expect(merged.stdout).toMatch(/^2 installed$/m);
  });

  test('push sends the rest when one is damaged, and says which', async () => {
    const cache = await project('db1', 'db2');
    const [one] = await cache.units();
    rmSync(join(one?.current?.filesDir ?? '', 'notes.md'));
    const { code, stdout } = await holdfast(dir.path, ['artifacts', 'push', '--store', 'bucket']);
    expect(code).toBe(3);
    expect(stdout).toMatch(/^damaged knowledge\/db1 .*: notes\.md is missing$/m);
    expect(stdout).toMatch(/^1 pushed, 0 already there, 1 not sent$/m);
  });
});

describe('diff and gc', () => {
  test('diff says why recipes differ and what came out otherwise', async () => {
    const cache = await project('db1');
    await cache.buildOnce(
      partsOf('db1', { version: '2' }),
      building(buildOf({ 'notes.md': 'new', 'more/hints.md': 'joins' })),
    );
    const { code, stdout } = await holdfast(dir.path, ['artifacts', 'diff', 'knowledge/db1']);
    expect(code).toBe(0);
    expect(stdout).toMatch(/another recipe:\n {2}version: 1 → 2\n.*1 changed, 1 the same\n {2}~ notes\.md/);
    const [one, two] = (await cache.units()).map(({ current }) => current?.manifest.generation);
    const { value } = await json('diff', String(one), String(two));
    expect(value).toMatchObject({ before: { generation: one }, after: { generation: two } });
  });

  test('diff of what has one generation is refused', async () => {
    await project('db1');
    const { code, stderr } = await holdfast(dir.path, ['artifacts', 'diff', 'knowledge/db1', '--verbose']);
    expect([code, stderr.includes('E_ARTIFACT_CHOICE')]).toEqual([2, true]);
  });

  test('gc says what would go, keeps what is young, pinned or current, and lets the rest go', async () => {
    const cache = await project('db1', 'db2');
    const again = building(buildOf({ 'notes.md': 'better' }), { isRebuild: true });
    await cache.buildOnce(partsOf('db1'), again);
    const [old] = await cache.generations(recipeOf(partsOf('db1')));
    const { generation = '', digest = '' } = old?.manifest ?? {};
    const gc = (...args: readonly string[]) => holdfast(dir.path, ['artifacts', 'gc', ...args]);
    expect((await gc()).stdout).toBe('Removed 0 generations, 0 B.\n');
    expect((await gc('--older-than', '0d', '--keep', digest)).stdout).toBe('Removed 0 generations, 0 B.\n');
    expect((await gc('--older-than', '0d', '--keep', generation.slice(0, 22))).stdout).toBe(
      'Removed 0 generations, 0 B.\n',
    );
    expect((await gc('--older-than', '0d', '--keep', 'nothere')).code).toBe(2);
    const dry = await gc('--older-than', '0d', '--dry-run');
    expect(dry.stdout).toBe(
      `knowledge/db1 ${generation}  not current, 11 B\nWould remove 1 generation, 11 B.\n`,
    );
    expect(await cache.generations(recipeOf(partsOf('db1')))).toHaveLength(2);
    expect((await json('gc', '--older-than', '0')).value).toMatchObject({
      isDone: true,
      removed: [{ generation }],
    });
    expect(await cache.generations(recipeOf(partsOf('db1')))).toHaveLength(1);
    expect((await holdfast(dir.path, ['artifacts', 'verify'])).code).toBe(0);
  });
});
