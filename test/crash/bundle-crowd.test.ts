/** Bundles that several real processes send and install at the same time, and those that are killed while they do it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { directoryBucket } from '../../src/bucket/index.ts';
import { readBundleManifest, uploadBundle } from '../../src/bundle/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { bundleOf, makeProject, PACKAGE_FILES } from '../sim/bundle-fixture.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';

const CHILD = join(import.meta.dirname, 'bundle-child.ts');
const temp = useTempDir();

test('[BUN-8] two processes that send one bundle both succeed, and it is whole', async () => {
  const dir = makeProject(join(temp.path, 'project'), manyFiles(60));
  const ends = await Promise.all([1, 2].map(() => ended(start('send', dir, join(temp.path, 'bucket')))));
  const reports = ends.map(
    ({ lines }) => lines.at(-1) as { readonly files: number; readonly uploaded: number },
  );
  expect(reports.map(({ files }) => files)).toEqual([64, 64]);
  const place = { bucket: directoryBucket(nodeDisk, join(temp.path, 'bucket')), prefix: '' };
  expect(reports.reduce((sum, { uploaded }) => sum + uploaded, 0)).toBe(64);
  const bundle = await bundleOf(dir);
  expect(await readBundleManifest(place, bundle.digest)).toEqual(bundle.manifest);
});

test('[BUN-11] three processes that want one bundle install it once', async () => {
  const { digest, bucket } = await sent(PACKAGE_FILES);
  const worker = join(temp.path, 'worker');
  const ends = await Promise.all([1, 2, 3].map(() => ended(start('install', digest, bucket, worker))));
  const root = join(worker, digest, 'code');
  for (const { code, lines } of ends) {
    expect(code).toBe(0);
    expect(lines.at(-1)).toMatchObject({ root });
  }
  const said = ends
    .flatMap(({ lines }) => lines)
    .filter((one) => JSON.stringify(one).includes('added 1 package'));
  expect(said).toHaveLength(1);
  expect(readFileSync(join(root, 'node_modules/sums/index.js'), 'utf8')).toBe('module.exports = 42;\n');
});

test('[BUN-12] one that is killed while it installs leaves nothing that counts, and the next one succeeds', async () => {
  const { digest, bucket } = await sent({ ...PACKAGE_FILES, ...manyFiles(200) });
  for (const pauseMs of [5, 40, 150, 400]) {
    const worker = join(temp.path, `worker-${pauseMs}`);
    const first = start('install', digest, bucket, worker);
    await new Promise((resolve) => first.child.stdout?.once('data', resolve));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    first.child.kill('SIGKILL');
    await ended(first);
    const { code, lines } = await ended(start('install', digest, bucket, worker));
    expect({ code, last: lines.at(-1) }).toMatchObject({ code: 0, last: { root: expect.any(String) } });
    expect(existsSync(join(worker, digest, 'code/node_modules/sums/index.js'))).toBe(true);
  }
});

function manyFiles(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`many/${n}.txt`, `text ${n}`]));
}

async function sent(files: Readonly<Record<string, string>>) {
  const bundle = await bundleOf(makeProject(join(temp.path, 'project'), files));
  const bucket = join(temp.path, 'bucket');
  await uploadBundle({ bucket: directoryBucket(nodeDisk, bucket), prefix: '' }, bundle, { disk: nodeDisk });
  return { digest: bundle.digest, bucket };
}

interface Started {
  readonly child: ChildProcess;
  readonly said: string[];
}

function start(...args: readonly string[]): Started {
  const child = spawn(process.execPath, [CHILD, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => said.push(text));
  return { child, said };
}

async function ended({ child, said }: Started) {
  const code = await new Promise((resolve) => child.once('close', resolve));
  const lines = said.join('').split('\n').filter(Boolean);
  return { code, lines: lines.map((line): unknown => JSON.parse(line)) };
}
