import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  BUNDLE_PORTS,
  bundleOf,
  commitAll,
  digestOfBundle,
  makeProject,
  PACKAGE_FILES,
  writeFiles,
} from '../../test/sim/bundle-fixture.ts';
import { cloneRepository, git } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { deriveBundle } from './derive-bundle.ts';

const temp = useTempDir();
const project = (more: Readonly<Record<string, string>> = {}) =>
  makeProject(join(temp.path, 'project'), more);

describe('[BUN-1] the same content has the same digest', () => {
  test('from another clone, whatever it is called', async () => {
    const dir = project();
    cloneRepository(dir, join(temp.path, 'another'));
    expect(await digestOfBundle(join(temp.path, 'another'))).toBe(await digestOfBundle(dir));
  });

  test('from a linked work tree, on another branch and commit', async () => {
    const dir = project();
    git(dir, 'worktree', 'add', '--quiet', '-b', 'other', join(temp.path, 'linked'));
    git(
      join(temp.path, 'linked'),
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@b',
      'commit',
      '--allow-empty',
      '-qm',
      'x',
    );
    const [here, there] = [await bundleOf(dir), await bundleOf(join(temp.path, 'linked'))];
    expect(there.digest).toBe(here.digest);
    expect(there.revision).not.toBe(here.revision);
  });

  test('at other times, from a folder below, with other rights for groups', async () => {
    const dir = project();
    const before = await digestOfBundle(dir);
    utimesSync(join(dir, 'lib/add.ts'), 1, 1);
    chmodSync(join(dir, 'lib/add.ts'), 0o600);
    expect(await digestOfBundle(join(dir, 'evals'))).toBe(before);
  });

  test('from a folder that is reached through a link', async () => {
    const dir = project({ 'holdfast.config.yaml': '' });
    symlinkSync(join(dir, 'evals'), join(temp.path, 'short'));
    const settings = { files: ['run.sh'], from: join(temp.path, 'short'), logDir: 'logs' };
    const found = await bundleOf(join(temp.path, 'short'), settings);
    expect(found).toMatchObject({ root: dir, dir: 'evals' });
    expect(found.digest).toBe(await digestOfBundle(dir, { files: ['evals/run.sh'] }));
  });

  test('where the file system has no rights to run, git says them', async () => {
    const dir = project();
    const before = await digestOfBundle(dir);
    git(dir, 'config', 'core.fileMode', 'false');
    chmodSync(join(dir, 'evals/run.sh'), 0o644);
    chmodSync(join(dir, 'lib/add.ts'), 0o755);
    expect(await digestOfBundle(dir)).toBe(before);
  });

  test('whatever order files were made in', async () => {
    const dir = project();
    const other = join(temp.path, 'other');
    cloneRepository(dir, other);
    git(other, 'rm', '--quiet', '-r', '--cached', '.');
    git(other, 'add', 'lib', 'evals', '.gitignore');
    expect(await digestOfBundle(other)).toBe(await digestOfBundle(dir));
  });

  test('without git', async () => {
    const dir = project({ 'package.json': '{}' });
    const before = await digestOfBundle(dir);
    renameSync(join(dir, '.git'), join(temp.path, 'git'));
    rmSync(join(dir, 'ignored'), { recursive: true });
    writeFiles(dir, { 'node_modules/a/index.js': '1', '.holdfast/x': '1', 'logs/a.eval': '1' });
    const found = await bundleOf(join(dir, 'evals'), { logDir: '../logs' });
    expect(found).toMatchObject({
      digest: before,
      root: dir,
      dir: 'evals',
      revision: undefined,
      isDirty: false,
    });
  });
});

describe('each kind of input moves the digest', () => {
  const changes: readonly (readonly [string, (dir: string) => void])[] = [
    ['what a file says, also without a commit', (dir) => writeFileSync(join(dir, 'lib/add.ts'), 'other')],
    ['the right to run it', (dir) => chmodSync(join(dir, 'lib/add.ts'), 0o755)],
    ['the name of a file', (dir) => git(dir, 'mv', 'lib/add.ts', 'lib/sum.ts')],
    ['a file more', (dir) => addFile(dir, 'lib/new.ts')],
    ['a file less', (dir) => rmSync(join(dir, 'lib/add.ts'))],
    ['where a link leads', (dir) => relink(dir, '../lib/other.ts')],
    ['a link that became a file', (dir) => asFile(dir)],
    ['the lock file, even if git does not know it', (dir) => writeFiles(dir, { 'yarn.lock': 'x' })],
  ];
  test.each(changes)('%s', async (_, change) => {
    const dir = project();
    const before = await digestOfBundle(dir);
    change(dir);
    const after = await bundleOf(dir);
    expect(after.digest).not.toBe(before);
    expect(after.isDirty).toBe(true);
  });

  test('what the lock file says, also where git ignores it', async () => {
    const dir = project({ '.gitignore': 'yarn.lock\nignored/\n', 'yarn.lock': 'one' });
    const before = await bundleOf(dir);
    expect(before).toMatchObject({ dirtyFiles: ['yarn.lock'], manifest: { lock: 'yarn.lock' } });
    expect(before.manifest.files.map(({ path }) => path)).toContain('yarn.lock');
    writeFiles(dir, { 'yarn.lock': 'two' });
    expect(await digestOfBundle(dir)).not.toBe(before.digest);
  });

  test('Node, programs, their versions, the image, data', async () => {
    const dir = project({ 'tool.sh': '#!/bin/sh\necho tool 1.0; echo more\n' });
    const say = (programs: Readonly<Record<string, string>>) => digestOfBundle(dir, { programs });
    const data = { data: ['ignored/cache.bin'] };
    const plain = { ...BUNDLE_PORTS, dir, settings: {} };
    const digests = [
      (await deriveBundle({ ...plain, nodeMajor: 22 })).digest,
      (await deriveBundle({ ...plain, nodeMajor: 24 })).digest,
      await say({ tool: 'sh tool.sh' }),
      await say({ other: 'sh tool.sh' }),
      await say({ tool: 'echo tool 2.0' }),
      await digestOfBundle(dir, { image: 'sha256:1' }),
      await digestOfBundle(dir, { image: 'sha256:2' }),
      await digestOfBundle(dir, data),
    ];
    writeFiles(dir, { 'ignored/cache.bin': 'another' });
    digests.push(await digestOfBundle(dir, data));
    expect(new Set(digests).size).toBe(digests.length);
    const { manifest } = await bundleOf(dir, { programs: { tool: 'sh tool.sh' } });
    expect(manifest.programs).toEqual([{ name: 'tool', command: ['sh', 'tool.sh'], version: 'tool 1.0' }]);
    expect((await bundleOf(dir, { programs: ['git'] })).manifest.programs).toEqual([
      { name: 'git', command: ['git', '--version'], version: git(dir, '--version') },
    ]);
  });

  function addFile(dir: string, path: string): void {
    writeFiles(dir, { [path]: 'new' });
    git(dir, 'add', path);
  }
  function relink(dir: string, target: string): void {
    rmSync(join(dir, 'evals/link.ts'));
    symlinkSync(target, join(dir, 'evals/link.ts'));
  }
  function asFile(dir: string): void {
    rmSync(join(dir, 'evals/link.ts'));
    writeFileSync(join(dir, 'evals/link.ts'), '../lib/add.ts');
  }
});

describe('what is not in the bundle moves nothing', () => {
  test('[BUN-1] ignored files, packages, logs, our own folder; none of it makes the tree dirty', async () => {
    const dir = project();
    const before = await digestOfBundle(dir);
    writeFiles(dir, {
      'ignored/b': 'x',
      'node_modules/a/b.js': 'x',
      'logs/a.eval': 'x',
      '.holdfast/bundle.json': '{}',
    });
    expect(await bundleOf(dir, { logDir: 'logs' })).toMatchObject({ digest: before, isDirty: false });
  });

  test('a new file that git does not know yet is left out, and said', async () => {
    const dir = project();
    const { digest } = await bundleOf(dir);
    writeFiles(dir, { 'lib/new.ts': 'x' });
    const found = {
      digest,
      isDirty: true,
      dirtyFiles: ['lib/new.ts'],
      leftOut: [{ path: 'lib/new.ts', reason: 'untracked' }],
    };
    expect(await bundleOf(dir)).toMatchObject(found);
  });
});

describe('dirty', () => {
  test('what is changed, removed or hidden from git is named', async () => {
    const dir = project();
    expect(await bundleOf(dir)).toMatchObject({
      isDirty: false,
      dirtyFiles: [],
      revision: git(dir, 'rev-parse', 'HEAD'),
    });
    writeFiles(dir, { 'evals/sums.eval.ts': 'changed' });
    rmSync(join(dir, 'evals/link.ts'));
    git(dir, 'update-index', '--assume-unchanged', 'lib/add.ts');
    const { dirtyFiles, leftOut, manifest } = await bundleOf(dir);
    expect(dirtyFiles).toEqual(['evals/link.ts', 'evals/sums.eval.ts', 'lib/add.ts']);
    expect(leftOut).toEqual([]);
    expect(manifest.files.map(({ path }) => path)).toEqual([
      '.gitignore',
      'evals/run.sh',
      'evals/sums.eval.ts',
      'lib/add.ts',
    ]);
  });

  test('data that git tracks counts when it changed, data that it does not know never', async () => {
    const dir = project({ 'data/a.txt': 'a' });
    writeFiles(dir, { 'data/b.txt': 'b' });
    for (const files of [undefined, ['evals/run.sh']])
      expect(await bundleOf(dir, { files, data: ['data'] })).toMatchObject({ isDirty: false, leftOut: [] });
    writeFiles(dir, { 'data/a.txt': 'changed' });
    for (const files of [undefined, ['evals/run.sh']])
      expect((await bundleOf(dir, { files, data: ['data'] })).dirtyFiles).toEqual(['data/a.txt']);
  });

  test('data that git was told not to look at counts as changed', async () => {
    const dir = project({ 'data/a.txt': 'a' });
    git(dir, 'update-index', '--skip-worktree', 'data/a.txt');
    expect((await bundleOf(dir, { data: ['data'] })).dirtyFiles).toEqual(['data/a.txt']);
  });

  test('of a list also what git ignores, and what a link leads to that no commit has as it is', async () => {
    const dir = project();
    const listed = async () => (await bundleOf(dir, { files: ['evals/*', 'ignored/*'] })).dirtyFiles;
    expect(await listed()).toEqual(['ignored/cache.bin']);
    rmSync(join(dir, 'ignored'), { recursive: true });
    symlinkSync('../lib', join(dir, 'evals/within'));
    writeFileSync(join(temp.path, 'beyond.ts'), '');
    symlinkSync(join(temp.path, 'beyond.ts'), join(dir, 'evals/beyond.ts'));
    commitAll(dir);
    const through = async () => (await bundleOf(dir, { files: ['evals'] })).dirtyFiles;
    expect(await through()).toEqual(['evals/beyond.ts']);
    writeFiles(dir, { 'lib/add.ts': 'changed' });
    expect(await through()).toEqual(['evals/beyond.ts', 'evals/link.ts', 'evals/within/add.ts']);
  });

  test('names of any kind are taken as they are', async () => {
    const names = ['lib/a b.ts', 'lib/ünï.ts', 'lib/"quoted".ts', 'lib/-dash', "lib/a'b"];
    const dir = project(Object.fromEntries(names.map((name) => [name, name])));
    const { manifest, dirtyFiles } = await bundleOf(dir);
    expect(manifest.files.map(({ path }) => path)).toEqual(expect.arrayContaining(names));
    expect(dirtyFiles).toEqual([]);
    for (const name of names) writeFiles(dir, { [name]: 'changed' });
    writeFiles(dir, { 'lib/é x': 'new' });
    expect((await bundleOf(dir)).dirtyFiles).toEqual([...names, 'lib/é x'].sort());
  });

  test('before the first commit everything is', async () => {
    const dir = project();
    git(dir, 'update-ref', '-d', 'HEAD');
    expect(await bundleOf(dir)).toMatchObject({ isDirty: true, revision: undefined });
  });

  test('of a list of files only those on it count', async () => {
    const dir = project();
    writeFiles(dir, { 'evals/sums.eval.ts': 'changed', 'lib/new.ts': 'x' });
    expect(await bundleOf(dir, { files: ['evals/run.sh'] })).toMatchObject({ isDirty: false });
    expect(await bundleOf(dir, { files: ['evals'] })).toMatchObject({ dirtyFiles: ['evals/sums.eval.ts'] });
    expect(await bundleOf(dir, { files: ['lib'] })).toMatchObject({
      dirtyFiles: ['lib/new.ts'],
      leftOut: [],
    });
  });
});

describe('what the settings list', () => {
  test('files take the place of what git tracks; patterns start at the folder of the settings', async () => {
    const dir = project({ ...PACKAGE_FILES });
    const { manifest } = await bundleOf(join(dir, 'evals'), {
      files: ['../lib', '*.sh', '!*.ts'],
      from: join(dir, 'evals'),
    });
    const executable = manifest.files.flatMap((file) =>
      'link' in file || !file.executable ? [] : file.path,
    );
    expect(manifest.files.map(({ path }) => path)).toEqual(
      // The lock file and its package come along.
      ['evals/run.sh', 'lib/add.ts', 'package-lock.json', 'package.json'],
    );
    expect(executable).toEqual(['evals/run.sh']);
    expect(manifest.lock).toBe('package-lock.json');
  });

  test.each([
    ['a pattern that matches nothing', { files: ['nothing/**'] }],
    ['data that is not there', { data: ['ignored/none.bin'] }],
    ['a pattern that leads out', { data: ['../*'] }],
  ])('%s is refused', async (_, settings) => {
    writeFiles(temp.path, { 'outside.txt': 'x' });
    await expect(bundleOf(project(), settings)).rejects.toMatchObject({ code: 'E_BUNDLE_PATTERN' });
  });

  test('[BUN-13] data of a linked work tree is found in the main checkout; what is here counts', async () => {
    const dir = project({ 'ignored/big.bin': 'big' });
    const linked = join(temp.path, 'linked');
    git(dir, 'worktree', 'add', '--quiet', linked);
    const settings = { data: ['ignored/*.bin'] };
    const [main, other] = [await bundleOf(dir, settings), await bundleOf(linked, settings)];
    expect(other.digest).toBe(main.digest);
    expect(other.filesFrom('ignored/big.bin')).toBe(join(dir, 'ignored/big.bin'));
    writeFiles(linked, { 'ignored/big.bin': 'mine' });
    const mine = await bundleOf(linked, settings);
    expect(mine.digest).not.toBe(main.digest);
    expect(mine.filesFrom('ignored/big.bin')).toBe(join(linked, 'ignored/big.bin'));
    expect(mine.filesFrom('ignored/cache.bin')).toBe(join(dir, 'ignored/cache.bin'));
    expect(mine.filesFrom('lib/add.ts')).toBe(join(linked, 'lib/add.ts'));
  });

  test('a program that cannot say its version is refused', async () => {
    const dir = project();
    for (const programs of [['no-such-program-here'], { a: 'ls /no-such-file' }, { a: 'true' }])
      await expect(bundleOf(dir, { programs })).rejects.toMatchObject({ code: 'E_BUNDLE_PROGRAM' });
  });
});

describe('what cannot be told is refused', () => {
  test('[BUN-5] a repository that git cannot read is not taken for none', async () => {
    const dir = project();
    rmSync(join(dir, '.git/HEAD'));
    await expect(bundleOf(dir)).rejects.toMatchObject({ code: 'E_BUNDLE_GIT' });
  });

  test('[BUN-5] a damaged index, and a git that is missing', async () => {
    const dir = project();
    const env = { PATH: temp.path };
    const missing = deriveBundle({ ...BUNDLE_PORTS, env, dir, settings: {} });
    await expect(missing).rejects.toMatchObject({ code: 'E_GIT_MISSING' });
    writeFileSync(join(dir, '.git/index'), 'garbage');
    await expect(bundleOf(dir)).rejects.toMatchObject({ code: expect.stringMatching(/^E_/) });
  });

  test('a folder that the repository around it does not track has no code', async () => {
    const dir = project();
    mkdirSync(join(dir, 'ignored/mine'));
    await expect(bundleOf(join(dir, 'ignored/mine'))).rejects.toMatchObject({ code: 'E_BUNDLE_EMPTY' });
  });

  test('[BUN-4] links that lead out, or may do so', async () => {
    const dir = project();
    for (const target of ['/etc/passwd', '../../outside', 'a/../../b', join(dir, 'lib/add.ts')]) {
      rmSync(join(dir, 'evals/link.ts'), { force: true });
      symlinkSync(target, join(dir, 'evals/link.ts'));
      const refused = { code: 'E_BUNDLE_FILE', message: expect.stringContaining('evals/link.ts') };
      await expect(bundleOf(dir)).rejects.toMatchObject(refused);
    }
  });

  test('[BUN-3] data below a link of the code', async () => {
    const dir = project();
    symlinkSync('lib', join(dir, 'short'));
    commitAll(dir);
    const found = bundleOf(dir, { data: ['short/add.ts'] });
    await expect(found).rejects.toMatchObject({
      code: 'E_BUNDLE_FILE',
      message: expect.stringContaining('"short"'),
    });
  });

  test('[BUN-3] a name that is not the same everywhere', async () => {
    const dir = project({ 'a\\b.ts': 'x' });
    await expect(bundleOf(dir)).rejects.toMatchObject({ code: 'E_BUNDLE_FILE' });
  });

  test('a submodule, unless its files are listed', async () => {
    const dir = project();
    const inner = makeProject(join(temp.path, 'inner'));
    git(dir, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', inner, 'vendor');
    commitAll(dir);
    const message = expect.stringContaining('"vendor" cannot be in a bundle: it is a submodule');
    await expect(bundleOf(dir)).rejects.toMatchObject({ code: 'E_BUNDLE_FILE', message });
    const settings = { files: ['evals/run.sh', 'vendor/lib'] };
    expect((await bundleOf(dir, settings)).isDirty).toBe(false);
    writeFiles(dir, { 'vendor/lib/add.ts': 'changed' });
    expect((await bundleOf(dir, settings)).dirtyFiles).toEqual(['vendor']);
  });

  test('a tracked file that is not checked out', async () => {
    const dir = project();
    git(dir, 'sparse-checkout', 'set', 'evals');
    await expect(bundleOf(dir)).rejects.toMatchObject({
      code: 'E_BUNDLE_FILE',
      message: expect.stringContaining('lib/add.ts'),
    });
  });

  test('a file in conflict', async () => {
    const dir = project();
    git(dir, 'checkout', '--quiet', '-b', 'other');
    for (const [branch, text] of [
      ['other', 'a'],
      ['main', 'b'],
    ] as const) {
      git(dir, 'checkout', '--quiet', branch);
      writeFiles(dir, { 'lib/add.ts': text });
      commitAll(dir);
    }
    expect(() => git(dir, '-c', 'user.name=a', '-c', 'user.email=a@b', 'merge', 'other')).toThrow(
      'merge other',
    );
    await expect(bundleOf(dir)).rejects.toMatchObject({ code: 'E_BUNDLE_FILE' });
  });

  test('packages that git tracks, where a lock file says what they are', async () => {
    const dir = project(PACKAGE_FILES);
    writeFiles(dir, { 'node_modules/a/index.js': 'x' });
    git(dir, 'add', '--force', 'node_modules');
    await expect(bundleOf(dir)).rejects.toMatchObject({ code: 'E_BUNDLE_FILE' });
    expect(await digestOfBundle(dir, { files: ['evals/**'] })).toEqual(expect.any(String));
  });

  test('what Yarn writes in the place of packages: workers install them into a folder, and Yarn removes it', async () => {
    const dir = project({ ...PACKAGE_FILES, '.pnp.cjs': 'x' });
    await expect(bundleOf(dir)).rejects.toMatchObject({
      code: 'E_BUNDLE_FILE',
      hint: expect.stringContaining('Take it out of git'),
    });
  });
});

describe('[BUN-6] secrets are refused before anything is sent', () => {
  const KEY = `-----BEGIN ${'PRIVATE'} KEY-----\nx\n`;
  test.each([
    ['.env', 'KEY=1'],
    ['evals/.env.local', 'KEY=1'],
    ['server.pem', KEY],
    ['id_ed25519', KEY],
    ['.npmrc', '//registry.npmjs.org/:_authToken=abc'],
    ['client.p12', 'x'],
  ])('%s', async (path, text) => {
    const dir = project({ [path]: text });
    const refused = { code: 'E_BUNDLE_SECRET', message: expect.stringContaining(path) };
    await expect(bundleOf(dir)).rejects.toMatchObject(refused);
    await expect(bundleOf(dir, { files: ['**'] })).rejects.toMatchObject(refused);
    await expect(bundleOf(dir, { data: ['**', '!lib'] })).rejects.toMatchObject(refused);
    // Whoever names exactly this file means it.
    expect((await bundleOf(dir, { data: [path] })).manifest.data).toMatchObject([{ path }]);
  });

  test('without git, which would ignore it, it is left out and said; a private key is refused all the same', async () => {
    const dir = join(temp.path, 'plain');
    writeFiles(dir, { 'package.json': '{}', '.env': 'KEY=1', 'a.ts': '1' });
    const found = await bundleOf(dir);
    expect(found.leftOut).toEqual([{ path: '.env', reason: 'secret' }]);
    expect(found.manifest.files.map(({ path }) => path)).toEqual(['a.ts', 'package.json']);
    const named = await bundleOf(dir, { data: ['.env'] });
    expect({ leftOut: named.leftOut, data: named.manifest.data }).toMatchObject({
      leftOut: [],
      data: [{ path: '.env' }],
    });
    writeFiles(dir, { 'a.pem': KEY });
    await expect(bundleOf(dir)).rejects.toMatchObject({ code: 'E_BUNDLE_SECRET' });
  });

  test('nothing of the environment is in a manifest', async () => {
    const env = { ...BUNDLE_PORTS.env, OPENAI_API_KEY: 'sk-very-secret', HOLDFAST_IMAGE: 'image' };
    const { manifest } = await deriveBundle({
      ...BUNDLE_PORTS,
      env,
      dir: project(),
      settings: { programs: ['git'] },
    });
    expect(JSON.stringify(manifest)).not.toMatch(/sk-very-secret|"image":"/);
  });

  test('but not what only looks like one', async () => {
    const dir = project({
      '.env.example': 'KEY=',
      'ca.pem': 'CERTIFICATE',
      '.npmrc': `_authToken=${'$'}{TOKEN}`,
    });
    expect((await bundleOf(dir)).isDirty).toBe(false);
  });
});
