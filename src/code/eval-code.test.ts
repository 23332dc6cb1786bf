import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { makeTempDir } from '../../test/sim/temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { readEvalCode } from './eval-code.ts';
import { ModuleWatch } from './module-watch.ts';
import { openOutlineFile } from './outline-file.ts';
import { memoryOutlines } from './outline-store.ts';

const EVAL = `import { f } from './f.ts';
export default [
  { name: 'a', target: () => f(), scorers: [] },
  { name: 'b', target: () => 2, scorers: [] },
];`;

test('each eval of a file has its own code', async () => {
  await using dir = await makeTempDir();
  const codes = async (f: string) => {
    await writeFile(join(dir.path, 'x.eval.ts'), EVAL);
    await writeFile(join(dir.path, 'f.ts'), f);
    return await readEvalCode(join(dir.path, 'x.eval.ts'), 2, {
      disk: nodeDisk,
      watch: new ModuleWatch(),
      store: memoryOutlines(),
    });
  };
  const before = await codes('export const f = () => 1;');
  const after = await codes('export const f = () => 2;');
  expect(before[0]?.target).not.toBe(after[0]?.target);
  expect(before[1]?.target).toBe(after[1]?.target);
});

test('a file that did not change is not parsed again, also by the next process', async () => {
  await using dir = await makeTempDir();
  await writeFile(join(dir.path, 'x.eval.ts'), EVAL);
  await writeFile(join(dir.path, 'f.ts'), 'export const f = () => 1;');
  const read = async () => {
    const store = await openOutlineFile(nodeDisk, join(dir.path, 'outlines.json'));
    const asked: string[] = [];
    const counting = {
      ...store,
      keepOutline: (...args: Parameters<typeof store.keepOutline>) => {
        if (!store.outline(args[0])) asked.push('outline');
        store.keepOutline(...args);
      },
      keepEvals: (...args: Parameters<typeof store.keepEvals>) => {
        asked.push('evals');
        store.keepEvals(...args);
      },
    };
    const [code] = await readEvalCode(join(dir.path, 'x.eval.ts'), 2, {
      disk: nodeDisk,
      watch: new ModuleWatch(),
      store: counting,
    });
    await store.save();
    return { target: code?.target, made: asked };
  };
  const first = await read();
  expect(first.made).toEqual(['evals', 'outline', 'outline']);
  const second = await read();
  expect(second).toEqual({ target: first.target, made: [] });
  await writeFile(join(dir.path, 'f.ts'), 'export const f = () => 2;');
  const third = await read();
  expect(third.made).toEqual(['outline']);
  expect(third.target).not.toBe(first.target);
  // A cache that is damaged costs time, and nothing else.
  const file = join(dir.path, 'outlines.json');
  await writeFile(file, (await readFile(file, 'utf8')).replaceAll('"uses":[', '"uses":[7,'));
  expect((await read()).target).toBe(third.target);
  await writeFile(file, 'not JSON');
  expect((await read()).target).toBe(third.target);
});

test('code counts as it was loaded: a file that is changed while samples run is no other code', async () => {
  await using dir = await makeTempDir();
  const watch = new ModuleWatch();
  const write = async (name: string, text: string) => {
    await writeFile(join(dir.path, name), text);
    return pathToFileURL(join(dir.path, name)).href;
  };
  const read = async (loader: ModuleWatch) => {
    const options = { disk: nodeDisk, watch: loader, store: memoryOutlines() };
    return (await readEvalCode(join(dir.path, 'x.eval.ts'), 2, options))[0]?.target;
  };
  watch.noteLoaded(await write('x.eval.ts', EVAL), EVAL);
  const loaded = 'export const f = () => 1;';
  watch.noteLoaded(await write('f.ts', loaded), loaded);
  const before = await read(watch);
  await write('f.ts', 'export const f = () => 2;');
  expect(await read(watch)).toBe(before);
  expect(await read(new ModuleWatch())).not.toBe(before);
});

test('a module whose name is known only when it is imported counts when it comes', async () => {
  await using dir = await makeTempDir();
  const watch = new ModuleWatch();
  const hooks = registerHooks({
    resolve: (specifier, context, next) => {
      const resolved = next(specifier, context);
      watch.noteResolved(context.parentURL, specifier, resolved.url);
      return resolved;
    },
    load: (url, context, next) => {
      const loaded = next(url, context);
      watch.noteLoaded(url, loaded.source);
      return loaded;
    },
  });
  try {
    await mkdir(join(dir.path, 'lib'));
    await writeFile(
      join(dir.path, 'x.eval.mjs'),
      'export default { target: (x) => import(x), scorers: [] };',
    );
    const later = join(dir.path, 'lib/later.cjs');
    await writeFile(later, 'exports.x = 1; // one');
    const options = { disk: nodeDisk, watch, store: memoryOutlines() };
    const [code] = await readEvalCode(join(dir.path, 'x.eval.mjs'), 1, options);
    expect(await code?.later()).toEqual({});
    createRequire(import.meta.url)(later);
    const recorded = (await code?.later()) ?? {};
    expect(Object.keys(recorded)).toEqual(['lib/later.cjs']);
    const now = async () => {
      const fresh = { ...options, watch: new ModuleWatch() };
      const [again] = await readEvalCode(join(dir.path, 'x.eval.mjs'), 1, fresh);
      return await again?.moduleNow('lib/later.cjs');
    };
    await writeFile(later, 'exports.x = 1;');
    expect(await now()).toBe(recorded['lib/later.cjs']);
    await writeFile(later, 'exports.x = 2;');
    expect(await now()).not.toBe(recorded['lib/later.cjs']);
  } finally {
    hooks.deregister();
  }
});
