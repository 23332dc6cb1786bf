import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { GIT_ENV, git, initRepository } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { CatFile } from './cat-file.ts';
import { findRepository } from './git.ts';
import type { ObjectId } from './object-id.ts';
import { streamBlob } from './stream-blob.ts';

const dir = useTempDir();
let repo: string;
beforeEach(() => {
  repo = join(dir.path, 'repo');
  initRepository(repo);
});

const PORTS = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };

/** Blobs of their own, as loose objects. */
function writeBlobs(texts: readonly string[]): string[] {
  mkdirSync(join(repo, 'files'), { recursive: true });
  return texts.map((text, n) => {
    writeFileSync(join(repo, 'files', `${n}`), text);
    return git(repo, 'hash-object', '-w', `files/${n}`);
  });
}

test('a damaged object costs the question that asked for it; all others are answered, those after it as well', async () => {
  const long = Array.from({ length: 5_000 }, (_, n) => `${n * 7_919}`).join(' ');
  const ids = writeBlobs(['one', long, 'three', 'four']);
  const bad = String(ids[1]);
  const file = join(repo, '.git', 'objects', bad.slice(0, 2), bad.slice(2));
  chmodSync(file, 0o644);
  // Its beginning is whole: git finds out only when it has begun to answer.
  const bytes = readFileSync(file);
  bytes.fill(0, bytes.length / 2);
  writeFileSync(file, bytes);
  await using objects = new CatFile(await findRepository(repo, PORTS));
  const asked = await Promise.allSettled(ids.map((id) => objects.object(id)));
  expect(asked.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
  expect(asked[1]).toMatchObject({ reason: { code: 'E_GIT_OBJECT' } });
  expect((await objects.object(String(ids[3])))?.bytes.toString()).toBe('four');
  const repository = await findRepository(repo, PORTS);
  const read = async (id: string) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of streamBlob(repository, id as ObjectId)) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  };
  expect(await read(String(ids[2]))).toBe('three');
  await expect(read(bad)).rejects.toThrow();
  await expect(objects.object(bad)).rejects.toMatchObject({ code: 'E_GIT_OBJECT' });
  expect(await objects.object('0'.repeat(40))).toBeUndefined();
});

test('an object that was replaced by another whole one is told, also where it is read in chunks', async () => {
  const [one = '', other = ''] = writeBlobs(['what was published', 'what is there now!']);
  const fileOf = (id: string) => join(repo, '.git', 'objects', id.slice(0, 2), id.slice(2));
  chmodSync(fileOf(one), 0o644);
  writeFileSync(fileOf(one), readFileSync(fileOf(other)));
  const repository = await findRepository(repo, PORTS);
  const read = async (id: string) => await Array.fromAsync(streamBlob(repository, id as ObjectId));
  await expect(read(one)).rejects.toMatchObject({ code: 'E_GIT_OBJECT' });
  expect(Buffer.concat(await read(other)).toString()).toBe('what is there now!');
});

test('a program that ends before it is asked anything is told, and nobody waits for it', async () => {
  await using objects = new CatFile(
    await findRepository(repo, { ...PORTS, env: { ...GIT_ENV, GIT_TRACE: '0' } }),
  );
  const gone = join(dir.path, 'nowhere');
  const { Git } = await import('./git.ts');
  await using lost = new CatFile(new Git(join(gone, '.git'), PORTS));
  await expect(lost.object('HEAD')).rejects.toMatchObject({ code: expect.stringMatching(/^E_/) });
  expect(await objects.object('HEAD')).toBeUndefined();
});
