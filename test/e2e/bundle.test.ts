/** `holdfast bundle` as people use it. */
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryBucket } from '../../src/bucket/index.ts';
import { uploadBundle } from '../../src/bundle/index.ts';
import { SHARED_PREFIX } from '../../src/cluster/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { bundleOf, commitAll, makeProject, PACKAGE_FILES, writeFiles } from '../sim/bundle-fixture.ts';
import { git } from '../sim/results-repo.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { holdfast } from './holdfast.ts';

const temp = useTempDir();

async function bundle(dir: string, ...args: readonly string[]) {
  const { code, stdout, stderr } = await holdfast(dir, ['bundle', ...args]);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return { stdout, stderr };
}

test('says what is inside, and why the digest changed since the last time', async () => {
  const dir = makeProject(join(temp.path, 'project'), {
    ...PACKAGE_FILES,
    'holdfast.config.yaml':
      'bundle:\n  data: [ignored/*.bin]\n  programs: { shell: "echo shell 5" }\n  image: sha256:abc\n',
  });
  const { digest } = await bundleOf(dir, {
    ...{ data: ['ignored/*.bin'], programs: { shell: 'echo shell 5' }, image: 'sha256:abc' },
  });
  const first = await bundle(dir);
  expect(first.stdout.split('\n').slice(0, 8)).toEqual([
    `bundle ${digest}`,
    expect.stringMatching(/^ {2}code {6}10 files, \d+ B, of .* \(commit [0-9a-f]{12}\)$/),
    '  lock      package-lock.json',
    `  node      ${process.versions.node.split('.')[0]}`,
    '  image     sha256:abc',
    '  program   shell: shell 5',
    '  data      1 file, 6 B',
    '',
  ]);
  // What it remembers is in nobody's way.
  expect(git(dir, 'status', '--porcelain')).toBe('');
  expect((await bundle(join(dir, 'evals'))).stderr).toContain('It is the same as before.');
  writeFiles(dir, {
    'lib/add.ts': 'changed',
    'lib/new.ts': 'not added',
    'ignored/more.bin': 'x',
    'holdfast.config.yaml': 'bundle:\n  data: [ignored/*.bin]\n  programs: { shell: "echo shell 6" }\n',
  });
  rmSync(join(dir, 'evals/link.ts'));
  const { stdout } = await bundle(dir);
  for (const line of [
    '  dirty     lib/add.ts',
    '  left out  lib/new.ts: not known to git',
    `since ${digest.slice(0, 12)}`,
    '  image     sha256:abc → none',
    '  shell     shell 5 (echo shell 5) → shell 6 (echo shell 6)',
    '  changed   lib/add.ts',
    '  changed   holdfast.config.yaml',
    '  added     ignored/more.bin',
    '  removed   evals/link.ts',
  ])
    expect(stdout).toContain(`${line}\n`);
  expect(stdout).not.toContain('dirty     lib/new.ts');
});

test('--json has every file, and the same names for what changed; work trees share what is remembered', async () => {
  const dir = makeProject(join(temp.path, 'project'));
  const first = JSON.parse((await bundle(dir, '--json')).stdout);
  expect(first.exitCode).toBe(0);
  expect(first).toMatchObject({
    dir: '',
    isDirty: false,
    dirtyFiles: [],
    since: null,
    revision: git(dir, 'rev-parse', 'HEAD'),
  });
  expect(first.manifest.files).toHaveLength(5);
  const linked = join(temp.path, 'linked');
  git(dir, 'worktree', 'add', '--quiet', linked);
  writeFiles(linked, { 'lib/add.ts': 'x' });
  const second = JSON.parse((await bundle(join(linked, 'lib'), '--json')).stdout);
  expect(second).toMatchObject({ dir: 'lib', root: linked, isDirty: true });
  const none = { added: [], removed: [], changed: [] };
  const changes = { files: { ...none, changed: ['lib/add.ts'] }, data: none, programs: {} };
  expect(second.since).toEqual({ digest: first.digest, changes });
  expect(existsSync(join(linked, '.holdfast'))).toBe(false);
});

test('--against compares with a bundle in the bucket, or with a manifest in a file', async () => {
  const dir = makeProject(join(temp.path, 'project'), { 'holdfast.config.yaml': 'bucket: ../bucket\n' });
  const before = await bundleOf(dir);
  const bucket = directoryBucket(nodeDisk, join(temp.path, 'bucket'));
  await uploadBundle({ bucket, prefix: SHARED_PREFIX }, before, { disk: nodeDisk });
  writeFiles(dir, { 'lib/add.ts': 'x' });
  commitAll(dir);
  await bundle(dir);
  const stored = join(temp.path, 'bucket', SHARED_PREFIX, 'bundles', before.digest);
  for (const word of [before.digest, stored])
    expect((await bundle(dir, '--against', word)).stdout).toContain(
      `since ${before.digest.slice(0, 12)}\n  changed   lib/add.ts\n`,
    );
  const error = async (...args: readonly string[]) => {
    const { code, stdout } = await holdfast(dir, ['bundle', '--json', ...args]);
    return { code, error: JSON.parse(stdout).error?.code };
  };
  expect(await error('--against', 'nothing')).toEqual({ code: 2, error: 'E_BUNDLE_UNKNOWN' });
  expect(await error('--against', '0'.repeat(64))).toEqual({ code: 1, error: 'E_BUNDLE_MISSING' });
  writeFileSync(join(temp.path, 'other.json'), '{}');
  expect(await error('--against', '../other.json')).toEqual({ code: 3, error: 'E_BUNDLE_DAMAGED' });
  writeFiles(dir, { 'holdfast.config.yaml': '' });
  expect(await error('--against', '0'.repeat(64))).toEqual({ code: 2, error: 'E_BUNDLE_UNKNOWN' });
});

test('a memory that cannot be read is none', async () => {
  const dir = makeProject(join(temp.path, 'project'));
  await bundle(dir);
  for (const text of ['garbage', '{}', '{"digest":"a","revision":null,"manifest":"{}"}']) {
    writeFileSync(join(dir, '.holdfast/bundle.json'), text);
    expect(JSON.parse((await bundle(dir, '--json')).stdout).since).toBeNull();
  }
});

test('what cannot be sent is refused with its code', async () => {
  const dir = makeProject(join(temp.path, 'project'), { '.env': 'KEY=1' });
  const { code, stdout } = await holdfast(dir, ['bundle', '--json']);
  expect({ code, error: JSON.parse(stdout).error.code }).toEqual({ code: 2, error: 'E_BUNDLE_SECRET' });
});
