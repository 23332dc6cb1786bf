/** Builders, rebuilders, merges, readers and collectors on one cache, as real processes, some of which are killed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { recipeOf } from '../../src/artifacts/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { openCache, partsOf } from '../sim/artifact-fixture.ts';
import { makeGenerationData, putGeneration } from '../sim/generation-maker.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';

const dir = useTempDir();
const FILES = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`f${n}`, 'the same']));

/** Starts one of the crowd; gives what it saw, or undefined when it was killed. */
function start(role: string, seed: number, forMs: number) {
  const script = join(import.meta.dirname, 'artifact-crowd-child.ts');
  const args = [script, join(dir.path, 'cache'), join(dir.path, 'source'), role, String(seed), String(forMs)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const ended = once(child, 'close').then(() => said.split('\n')[1] || undefined);
  const begun = async () => {
    while (!said.startsWith('begun')) await sleep(5);
  };
  return { child, ended, begun };
}

async function prepareSource() {
  for (const [at, key] of ['k0', 'k1', 'k2'].entries()) {
    for (const number of [at * 10 + 1, at * 10 + 2])
      await putGeneration(
        nodeDisk,
        join(dir.path, 'source'),
        makeGenerationData({ number, parts: partsOf(key), files: FILES }),
      );
  }
}

async function expectWhole() {
  const cache = openCache(join(dir.path, 'cache'));
  const units = await cache.units();
  for (const { generations } of units)
    for (const stored of generations) expect(await cache.problems(stored)).toEqual([]);
  for (const key of ['k0', 'k1', 'k2']) expect((await cache.use(recipeOf(partsOf(key)))).kind).toBe('usable');
  expect(existsSync(join(dir.path, 'cache/damaged'))).toBe(false);
  return units;
}

test('[ART-10] builders, merges and readers at once: nobody sees a mixture, and all that was made is whole', async () => {
  await prepareSource();
  const crowd = ['build', 'build', 'merge', 'merge', 'read', 'read'].map((role, seed) =>
    start(role, seed, 2_500),
  );
  const saw = (await Promise.all(crowd.map(({ ended }) => ended))).map((text) => JSON.parse(text ?? '{}'));
  const words = new Set(saw.flatMap((one: Record<string, number>) => Object.keys(one)));
  expect([...words].filter((word) => !EXPECTED.has(word))).toEqual([]);
  const units = await expectWhole();
  expect(units).toHaveLength(3);
});

test('[ART-11] killed at random, builders and merges leave what the others go on with', async () => {
  await prepareSource();
  const reader = start('read', 99, 4_000);
  for (let turn = 0; turn < 6; turn++) {
    const crowd = [start('build', turn, 60_000), start('merge', turn, 60_000)];
    await Promise.all(crowd.map(({ begun }) => begun()));
    await sleep(30 + turn * 40);
    for (const { child } of crowd) child.kill('SIGKILL');
    await Promise.all(crowd.map(({ ended }) => ended));
  }
  const saw = JSON.parse((await reader.ended) ?? '{}');
  expect(Object.keys(saw).filter((word) => word !== 'usable' && word !== 'absent')).toEqual([]);
  const last = start('merge', 7, 0);
  await last.ended;
  await start('merge', 8, 300).ended;
  await expectWhole();
});

test('[ART-14] a collector at work beside builders and merges removes whole generations only', async () => {
  await prepareSource();
  const crowd = ['build', 'merge', 'collect', 'read'].map((role, seed) => start(role, seed, 2_000));
  const saw = (await Promise.all(crowd.map(({ ended }) => ended))).map((text) => JSON.parse(text ?? '{}'));
  const words = new Set(saw.flatMap((one: Record<string, number>) => Object.keys(one)));
  expect([...words].filter((word) => !EXPECTED.has(word))).toEqual([]);
  await start('merge', 8, 300).ended;
  await expectWhole();
});

const EXPECTED = new Set([
  'built',
  'here',
  'peer',
  'usable',
  'absent',
  'installed',
  'already-here',
  'kept-current',
  'superseded',
  'not current',
  'old recipe',
]);
