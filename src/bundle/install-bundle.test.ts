import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { bundleOf, makeProject, PACKAGE_FILES, writeFiles } from '../../test/sim/bundle-fixture.ts';
import { sweepCrashes } from '../../test/sim/crash-sweep.ts';
import { FaultyDisk } from '../../test/sim/faulty-disk.ts';
import { linklessDisk } from '../../test/sim/linkless-disk.ts';
import { memoryBucket } from '../../test/sim/memory-bucket.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { digestOf } from '../base/index.ts';
import type { Bucket } from '../bucket/index.ts';
import { type Disk, nodeDisk } from '../disk/index.ts';
import { type Bundle, manifestKey, objectKey } from './bundle.ts';
import { type InstallOptions, installBundle } from './install-bundle.ts';
import { BUNDLE_FORMAT, type BundleManifest, digestOfManifest, encodeManifest } from './manifest.ts';
import { uploadBundle } from './upload-bundle.ts';

const temp = useTempDir();
const NODE = Number(process.versions.node.split('.')[0]);

test('[BUN-10] a bundle is what it was: bytes, rights, links, data, packages', async () => {
  const { place, bundle } = await sent({ ...PACKAGE_FILES }, { data: ['ignored/cache.bin'] });
  const said: string[] = [];
  const { root } = await install({ place, bundle, onLine: (line) => said.push(line) });
  expect(root).toBe(join(temp.path, 'worker', bundle.digest, 'code'));
  expect(readFileSync(join(root, 'lib/add.ts'), 'utf8')).toBe('export const add = 1;\n');
  expect(execFileSync(join(root, 'evals/run.sh'), { encoding: 'utf8' })).toBe('ran\n');
  expect(statSync(join(root, 'lib/add.ts')).mode & 0o777 & ~0o044).toBe(0o400);
  expect(readlinkSync(join(root, 'evals/link.ts'))).toBe('../lib/add.ts');
  expect(readFileSync(join(root, 'ignored/cache.bin'), 'utf8')).toBe('cached');
  const printed = execFileSync(process.execPath, ['-p', "require('sums')"], { cwd: root, encoding: 'utf8' });
  expect(printed).toBe('42\n');
  expect(said.join('\n')).toContain('added 1 package');
});

test('[BUN-11] what is installed is not installed again, and a second bundle brings only what is new', async () => {
  const { place, bundle, dir, reads } = await sent({ ...PACKAGE_FILES });
  const { root } = await install({ place, bundle });
  const marker = statSync(join(root, '../installed')).mtimeMs;
  reads.length = 0;
  const said: string[] = [];
  await install({ place, bundle, onLine: (line) => said.push(line) });
  expect(said).toEqual([]);
  expect(statSync(join(root, '../installed')).mtimeMs).toBe(marker);
  expect(reads).toEqual([manifestKey(place, bundle.digest)]);
  writeFiles(dir, { 'lib/add.ts': 'new' });
  const next = await bundleOf(dir);
  await uploadBundle(place, next, { disk: nodeDisk });
  reads.length = 0;
  await install({ place, bundle: next });
  expect(reads).toEqual([manifestKey(place, next.digest), objectKey(place, digestOf('new'))]);
});

test('[BUN-11] of many processes that want it at once one installs it', async () => {
  const { place, bundle } = await sent({ ...PACKAGE_FILES });
  const said: string[] = [];
  const many = Array.from({ length: 4 }, () => install({ place, bundle, onLine: (line) => said.push(line) }));
  const roots = (await Promise.all(many)).map(({ root }) => root);
  expect(new Set(roots).size).toBe(1);
  expect(said.filter((line) => line.includes('added 1 package'))).toHaveLength(1);
});

test('[BUN-12] packages that cannot be installed leave no marker, and the next try begins anew', async () => {
  const { place, bundle } = await sent({ ...PACKAGE_FILES });
  const npm = join(temp.path, 'npm');
  writeFileSync(npm, '#!/bin/sh\necho half > half; echo "out of luck" >&2; exit 7\n');
  chmodSync(npm, 0o755);
  const broken = install({ place, bundle, env: { PATH: `${temp.path}:${process.env.PATH}` } });
  await expect(broken).rejects.toMatchObject({
    code: 'E_BUNDLE_PACKAGES',
    message: expect.stringMatching(/"npm ci .*" ended with 7: out of luck$/),
  });
  const home = join(temp.path, 'worker', bundle.digest);
  expect(existsSync(join(home, 'installed'))).toBe(false);
  const { root } = await install({ place, bundle });
  expect(existsSync(join(root, 'half'))).toBe(false);
  expect(existsSync(join(root, 'node_modules/sums/index.js'))).toBe(true);
});

/** Says what it was started with, and makes the one package. */
function installerCalled(name: string): void {
  const says = 'echo "$*" linker=$YARN_NODE_LINKER; mkdir -p node_modules';
  writeFileSync(join(temp.path, name), `#!/bin/sh\n${says}\n`);
  chmodSync(join(temp.path, name), 0o755);
}

test.each([
  ['pnpm-lock.yaml', "lockfileVersion: '9.0'\n", 'pnpm', 'install --frozen-lockfile --prod=false linker='],
  ['yarn.lock', '# yarn lockfile v1\n', 'yarn', 'install --frozen-lockfile --production=false linker='],
  // Without a folder of packages Node finds none of them: nobody loads what Yarn writes in its place.
  ['yarn.lock', '__metadata:\n  version: 8\n', 'yarn', 'install --immutable linker=node-modules'],
])(
  '%s (%j) is installed by %s, exactly as it says; where that is missing, it is said',
  async (lock, text, name, said) => {
    const { 'package-lock.json': _, ...files } = PACKAGE_FILES;
    const { place, bundle } = await sent({ ...files, [lock]: text });
    const onPath = `${temp.path}:/usr/bin:/bin`;
    const missing = install({ place, bundle, env: { PATH: temp.path } });
    await expect(missing).rejects.toMatchObject({
      code: 'E_BUNDLE_PACKAGES',
      message: expect.stringContaining(`${lock} is of ${name}, which is not here`),
      hint: expect.stringContaining(`npm install -g ${name}`),
    });
    installerCalled(name);
    const lines: string[] = [];
    await install({ place, bundle, env: { PATH: onPath }, onLine: (line) => lines.push(line) });
    expect(lines).toEqual([said]);
  },
);

test('[BUN-12] one that is stopped leaves no marker', async () => {
  const { place, bundle } = await sent({ ...PACKAGE_FILES });
  writeFileSync(join(temp.path, 'npm'), '#!/bin/sh\necho begun; sleep 60\n');
  chmodSync(join(temp.path, 'npm'), 0o755);
  const stop = new AbortController();
  const onLine = () => stop.abort(new Error('enough'));
  const env = { PATH: `${temp.path}:${process.env.PATH}` };
  await expect(install({ place, bundle, env, onLine, signal: stop.signal })).rejects.toThrow('enough');
  expect(existsSync(join(temp.path, 'worker', bundle.digest, 'installed'))).toBe(false);
  await install({ place, bundle });
});

test('a bundle that was pinned is what it was, whatever became of the project', async () => {
  const { place, bundle, dir } = await sent();
  writeFiles(dir, { 'lib/add.ts': 'later', 'lib/new.ts': 'x' });
  await uploadBundle(place, await bundleOf(dir), { disk: nodeDisk });
  const { root } = await install({ place, bundle });
  expect(readFileSync(join(root, 'lib/add.ts'), 'utf8')).toBe('export const add = 1;\n');
});

test('[BUN-12] after a start of the machine it is made anew: nobody synced the packages', async () => {
  const { place, bundle } = await sent();
  const { root } = await install({ place, bundle });
  const marker = join(root, '../installed');
  chmodSync(marker, 0o644);
  writeFileSync(marker, JSON.stringify({ boot: 'another' }));
  writeFileSync(join(root, 'left-over'), 'x');
  await install({ place, bundle });
  expect(existsSync(join(root, 'left-over'))).toBe(false);
  expect(readFileSync(marker, 'utf8')).not.toContain('another');
});

test('[BUN-9] a machine that differs is refused, and all that differs is named with what is here and there', async () => {
  const tool = join(temp.path, 'tool');
  writeFileSync(tool, '#!/bin/sh\necho tool 1.0\n');
  chmodSync(tool, 0o755);
  const programs = { tool: `${tool} --version`, git: 'git --version' };
  const { place, bundle } = await sent({}, { programs, image: 'sha256:abc' });
  writeFileSync(tool, '#!/bin/sh\necho tool 2.0\n');
  const other = install({ place, bundle, nodeMajor: 8 });
  await expect(other).rejects.toMatchObject({
    code: 'E_BUNDLE_DIFFERS',
    message: expect.stringMatching(
      new RegExp(
        `Node is 8 here and ${NODE} there; the image is not named \\(HOLDFAST_IMAGE is not set\\) here and sha256:abc there; tool is tool 2.0 here and tool 1.0 there\\.$`,
      ),
    ),
  });
  rmSync(tool);
  const env = { PATH: process.env.PATH, HOLDFAST_IMAGE: 'sha256:abc' };
  const message = expect.stringMatching(/: tool is not to be found here and tool 1.0 there\.$/);
  await expect(install({ place, bundle, env })).rejects.toMatchObject({ code: 'E_BUNDLE_DIFFERS', message });
  expect(existsSync(join(temp.path, 'worker', bundle.digest))).toBe(false);
});

test('[BUN-10] what is damaged in the bucket is refused, and leaves nothing', async () => {
  const { place, bundle, damage } = await sent();
  const key = objectKey(place, digestOf('export const add = 1;\n'));
  damage(key, 'wrong');
  const message = expect.stringContaining(`${key} in memory://`);
  await expect(install({ place, bundle })).rejects.toMatchObject({ code: 'E_BUNDLE_DAMAGED', message });
  expect(readdirSync(join(temp.path, 'worker')).sort()).toEqual(['locks', 'objects']);
  damage(key, 'export const add = 1;\n');
  // As good a manifest as any, but not this one.
  const [, ...files] = bundle.manifest.files;
  const other = Buffer.from(encodeManifest({ ...bundle.manifest, files })).toString('utf8');
  damage(manifestKey(place, bundle.digest), other);
  await expect(install({ place, bundle })).rejects.toMatchObject({ code: 'E_BUNDLE_DAMAGED' });
});

test('[BUN-7] what is not there is said: the bundle, a file of it', async () => {
  const { place, bundle, damage } = await sent();
  for (const digest of ['0'.repeat(64), '../../etc', ''])
    await expect(install({ place, bundle: { ...bundle, digest } })).rejects.toMatchObject({
      code: 'E_BUNDLE_MISSING',
    });
  damage(objectKey(place, digestOf('export const add = 1;\n')), undefined);
  await expect(install({ place, bundle })).rejects.toMatchObject({ code: 'E_BUNDLE_MISSING' });
});

test('[BUN-10] what is damaged on this machine is fetched again; what was changed after its installation is refused', async () => {
  const { place, bundle } = await sent();
  const { root } = await install({ place, bundle });
  const digest = digestOf('export const add = 1;\n');
  const cached = join(temp.path, 'worker/objects', digest.slice(0, 2), digest);
  chmodSync(cached, 0o644);
  // The same file by another name.
  writeFileSync(cached, 'wrong');
  await expect(install({ place, bundle })).rejects.toMatchObject({
    code: 'E_BUNDLE_DAMAGED',
    hint: expect.stringContaining(join(root, '..')),
  });
  rmSync(join(root, '..'), { recursive: true });
  await install({ place, bundle });
  expect(readFileSync(join(root, 'lib/add.ts'), 'utf8')).toBe('export const add = 1;\n');
  rmSync(join(root, 'evals/link.ts'));
  await expect(install({ place, bundle })).rejects.toMatchObject({ code: 'E_BUNDLE_DAMAGED' });
});

test('[BUN-2] a manifest of a later version is refused as such, and one with paths that lead out as damaged', async () => {
  const bucket = memoryBucket();
  const place = { bucket, prefix: '' };
  const put = async (value: object) => {
    const bytes = Buffer.from(JSON.stringify(value));
    await bucket.create(manifestKey(place, digestOf(bytes)), bytes);
    return { digest: digestOf(bytes) };
  };
  const later = await put({ format: BUNDLE_FORMAT, version: 2 });
  await expect(install({ place, bundle: later })).rejects.toMatchObject({ code: 'E_BUNDLE_NEWER' });
  const none = {
    data: [],
    files: [],
    format: BUNDLE_FORMAT,
    image: null,
    lock: null,
    node: NODE,
    programs: [],
  };
  const file = { executable: false, sha256: '0'.repeat(64), size: 0 };
  for (const files of [
    [{ link: '../..', path: 'a' }],
    [{ ...file, path: '../x' }],
    [
      { link: 'b', path: 'a' },
      { ...file, path: 'a/x' },
    ],
    [
      { ...file, path: 'a' },
      { ...file, path: 'a' },
    ],
  ]) {
    const out = await put({ ...none, files, version: 1 });
    await expect(install({ place, bundle: out })).rejects.toMatchObject({ code: 'E_BUNDLE_DAMAGED' });
  }
});

test('[BUN-2] the manifest is canonical JSON, and its digest is that of the bundle', () => {
  const manifest = small();
  const text = Buffer.from(encodeManifest(manifest)).toString('utf8');
  expect(text).toBe(
    `{"data":[{"path":"d","sha256":"${digestOf('data')}","size":4}],"files":[{"executable":true,"path":"a/b","sha256":"${digestOf('code')}","size":4}],"format":"holdfast-bundle","image":null,"lock":null,"node":${NODE},"programs":[],"version":1}`,
  );
  expect(digestOfManifest(manifest)).toBe(digestOf(text));
  const { data, files, ...rest } = manifest;
  expect(digestOfManifest({ ...rest, files, data })).toBe(digestOf(text));
});

test('[BUN-12] an installation that dies at any step leaves a whole bundle or none, and the next one succeeds', async () => {
  const manifest = small();
  const digest = digestOfManifest(manifest);
  const act = async (disk: Disk) => {
    const place = { bucket: memoryBucket({ disk }), prefix: '' };
    for (const text of ['code', 'data'])
      await place.bucket.create(objectKey(place, digestOf(text)), Buffer.from(text));
    await place.bucket.create(manifestKey(place, digest), encodeManifest(manifest));
    return installBundle({ disk, place, digest, dir: '/worker', env: {} });
  };
  const tried = await sweepCrashes({
    seeds: 10,
    act,
    check: async (disk, result) => {
      const marker = await disk.read(`/worker/${digest}/installed`);
      if (result) expect(marker).toBeDefined();
      const { root } = await act(disk);
      expect(Buffer.from((await disk.read(`${root}/a/b`)) ?? [])).toEqual(Buffer.from('code'));
      expect(Buffer.from((await disk.read(`${root}/d`)) ?? [])).toEqual(Buffer.from('data'));
    },
  });
  expect(tried).toBeGreaterThan(100);
});

test('where there are no hard links, files are copied', async () => {
  const { place, bundle } = await sent();
  const { root } = await install({ place, bundle, disk: linklessDisk(nodeDisk) });
  expect(execFileSync(join(root, 'evals/run.sh'), { encoding: 'utf8' })).toBe('ran\n');
});

test('a disk that is full leaves nothing half made', async () => {
  const { place, bundle } = await sent();
  using disk = new FaultyDisk(nodeDisk, [{ on: 'write', errno: 'ENOSPC', afterBytes: 30 }]);
  await expect(install({ place, bundle, disk })).rejects.toMatchObject({ code: 'E_DISK_FULL' });
  expect(existsSync(join(temp.path, 'worker', bundle.digest))).toBe(false);
  await install({ place, bundle });
});

function small(): BundleManifest {
  const sizes = { size: 4 };
  return {
    data: [{ path: 'd', sha256: digestOf('data'), ...sizes }],
    files: [{ executable: true, path: 'a/b', sha256: digestOf('code'), ...sizes }],
    format: BUNDLE_FORMAT,
    image: null,
    lock: null,
    node: NODE,
    programs: [],
    version: 1,
  };
}

/** A project whose bundle is in a bucket. `damage` puts other bytes, or nothing, where an object is. */
async function sent(
  files: Readonly<Record<string, string>> = {},
  settings: Parameters<typeof bundleOf>[1] = {},
) {
  const dir = makeProject(join(temp.path, 'project'), files);
  const bundle = await bundleOf(dir, settings);
  const inner = memoryBucket();
  const reads: string[] = [];
  const changed = new Map<string, string | undefined>();
  const bucket: Bucket = {
    ...inner,
    async read(key, signal) {
      reads.push(key);
      if (!changed.has(key)) return inner.read(key, signal);
      const text = changed.get(key);
      return text === undefined ? undefined : Buffer.from(text);
    },
  };
  const place = { bucket, prefix: 'team/' };
  await uploadBundle(place, bundle, { disk: nodeDisk });
  const damage = (key: string, text: string | undefined) => void changed.set(key, text);
  return { place, bundle, dir, reads, damage };
}

function install({
  bundle,
  ...options
}: Partial<InstallOptions> & {
  readonly place: InstallOptions['place'];
  readonly bundle: Pick<Bundle, 'digest'> | { readonly digest: string };
}) {
  const env = { PATH: process.env.PATH, HOME: temp.path };
  return installBundle({
    disk: nodeDisk,
    digest: bundle.digest,
    dir: join(temp.path, 'worker'),
    env,
    ...options,
  });
}
