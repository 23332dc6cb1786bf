import { createHash } from 'node:crypto';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { folderSource, type MergeReport } from '../../src/artifacts/index.ts';
import { FILES_NAME, recipeFolder } from '../../src/artifacts/layout.ts';
import { encodeManifest } from '../../src/artifacts/manifest.ts';
import { inOrder } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { openCache, partsOf } from '../sim/artifact-fixture.ts';
import { type Made, makeGenerationData } from '../sim/generation-maker.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { type Bench, rounded } from './bench.ts';

const GENERATIONS = 200;
const FILES = 500;
const NOTHING_NEW_MS_MAX = 2_000;
const ALL_NEW_MAX = 1.5;
const AT_A_TIME = 8;
const TIMES = 3;
const ROUNDS = 2;

/** A warm cache takes over another one: everything is new, or nothing is. */
export const mergeArtifacts: Bench = {
  name: 'artifacts',
  about: 'a cache of 200 generations of 500 files is merged: all of it new, and nothing new',
  async run({ scale }) {
    await using dir = await makeTempDir();
    const generations = Math.max(1, Math.round(GENERATIONS * scale));
    const source = join(dir.path, 'source');
    const all = Array.from({ length: generations }, (_, number) => make(number));
    let bytes = 0;
    for (const made of all) bytes += await put(source, made);
    // One after the other, twice: what the machine does besides disturbs all three alike.
    const rounds: { readonly copiedMs: number; readonly syncedMs: number; readonly newMs: number }[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await using to = await makeTempDir();
      const copiedMs = await timed(() => copyAll(source, join(to.path, 'plain'), { isSynced: false }, all));
      const syncedMs = await timed(() => copyAll(source, join(to.path, 'synced'), { isSynced: true }, all));
      const report = () => mergeOf(source, join(to.path, 'cache'));
      const newMs = await timed(async () => expectAll(await report(), 'installed', generations));
      rounds.push({ copiedMs, syncedMs, newMs });
    }
    const best = (pick: keyof (typeof rounds)[number]) => Math.min(...rounds.map((round) => round[pick]));
    const [copiedMs, syncedMs, newMs] = [best('copiedMs'), best('syncedMs'), best('newMs')];
    const againMs: number[] = [];
    await mergeOf(source, join(dir.path, 'cache'));
    for (let n = 0; n < TIMES; n++) {
      const again = async () =>
        expectAll(await mergeOf(source, join(dir.path, 'cache')), 'already-here', generations);
      againMs.push(await timed(again));
    }
    const figures = { generations, files: FILES, bytes, rounds, againMs };
    const said = `${generations} generations of ${FILES} files, ${rounded(bytes / 1e6)} MB: all new ${rounded(newMs)} ms, copied, hashed and synced ${rounded(syncedMs)} ms, copied and hashed without a sync ${rounded(copiedMs)} ms (${rounded(newMs / copiedMs)}); nothing new ${againMs.map((ms) => rounded(ms)).join(', ')} ms`;
    return [
      {
        what: 'all new over copying, hashing and syncing',
        line: said,
        measured: newMs / syncedMs,
        atMost: ALL_NEW_MAX,
        figures,
      },
      {
        what: 'ms with nothing new',
        line: said,
        measured: Math.min(...againMs),
        atMost: NOTHING_NEW_MS_MAX,
        figures,
      },
    ];
  },
};

function make(number: number): Made {
  const files = Object.fromEntries(
    Array.from({ length: FILES }, (_, n) => [`d${n % 20}/file-${n}.md`, textOf(number, n)] as const),
  );
  return makeGenerationData({ number, parts: partsOf(`unit-${number}`), files });
}

/** From 1 to 8 KB. */
function textOf(number: number, n: number): string {
  return `${number}-${n} `.repeat(100 + ((n * 37) % 800));
}

async function mergeOf(source: string, to: string): Promise<MergeReport> {
  return (await openCache(to).merge([folderSource(nodeDisk, source)])).report;
}

/** Not synced: what is measured begins later. */
async function put(dir: string, { manifest, files }: Made): Promise<number> {
  const place = join(dir, ...recipeFolder(manifest), manifest.generation);
  let bytes = 0;
  const work = async ([path, text]: [string, string]) => {
    await mkdir(dirname(join(place, FILES_NAME, path)), { recursive: true });
    await writeFile(join(place, FILES_NAME, path), text);
    return Buffer.byteLength(text);
  };
  for await (const size of inOrder(Object.entries(files), { atATime: AT_A_TIME, work })) bytes += size;
  await writeFile(join(place, 'manifest.json'), encodeManifest(manifest));
  return bytes;
}

/** What anybody would write who copies files and wants to know their digests. */
async function copyAll(
  from: string,
  to: string,
  { isSynced }: { readonly isSynced: boolean },
  all: readonly Made[],
): Promise<void> {
  for (const { manifest, files } of all) {
    const place = join(...recipeFolder(manifest), manifest.generation, FILES_NAME);
    const work = async (path: string) => {
      const target = join(to, place, path);
      await mkdir(dirname(target), { recursive: true });
      const content = await readFile(join(from, place, path));
      createHash('sha256').update(content).digest('hex');
      const file = await open(target, 'wx');
      await file.writeFile(content);
      if (isSynced) await file.sync();
      await file.close();
    };
    for await (const _ of inOrder(Object.keys(files), { atATime: AT_A_TIME, work }));
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function expectAll({ entries }: MergeReport, state: string, count: number): void {
  const found = entries.filter((entry) => entry.state === state).length;
  if (found !== count) throw new Error(`${found} of ${count} generations are ${state}.`);
}
