/** The rules of the Studio's app, as data. It runs in browsers, so it takes nothing of `src` but what runs there, too. */
import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { functionsIn } from './functions.ts';
import { importsOf, read } from './source-files.ts';

const ROOT = `${import.meta.dirname}/../..`;
const files = globSync('studio/src/**/*.{ts,tsx}', { cwd: ROOT }).sort();
const code = files.filter((path) => !path.endsWith('.test.ts'));

/** What the app may take of `src`: the schemas that it shares with the server, and pure functions over them. */
const SHARED: readonly string[] = ['src/server/api.ts', 'src/views/index.ts'];
const FEATURES: readonly string[] = [
  'app',
  'artifacts',
  'compare',
  'data',
  'evals',
  'review',
  'run',
  'runs',
  'sample',
  'search',
  'shared',
  'store',
  'styles',
  'ui',
];
const FILE_LINES_MAX = 400;
const COMPONENT_LINES_MAX = 150;
const FUNCTION_LINES_MAX = 70;

test('the app has one folder for each feature', () => {
  const folders = new Set(
    files.map((path) => path.split('/')[2] ?? '').filter((name) => !name.includes('.')),
  );
  expect([...folders].filter((name) => !FEATURES.includes(name))).toEqual([]);
});

test('the app takes only the schemas and the views of src', () => {
  const foreign = code.flatMap((path) =>
    importsOf(path)
      .filter((target) => !target.path.startsWith('studio/') && !SHARED.includes(target.path))
      .map((target) => `${path} imports ${target.path}`),
  );
  expect(foreign).toEqual([]);
});

test('the schemas and the views take nothing that a browser lacks', () => {
  const shared = [...globSync('src/{views,server/api}/**/*.ts', { cwd: ROOT }), 'src/server/api.ts'].filter(
    (path) => !path.endsWith('.test.ts'),
  );
  const foreign = shared.flatMap((path) => [
    ...importsOf(path)
      .filter((target) => !target.isOfTypes && !/^src\/(views|server\/api)[/.]/.test(target.path))
      .map((target) => `${path} imports ${target.path}`),
    ...(/from 'node:/.test(read(path)) ? [`${path} imports a part of Node`] : []),
  ]);
  expect(foreign).toEqual([]);
});

test('only the door to data asks the server', () => {
  const asking = code.filter(
    (path) =>
      !path.startsWith('studio/src/data/') && /\bfetch\(|\bEventSource\b|XMLHttpRequest/.test(read(path)),
  );
  expect(asking).toEqual([]);
});

test('nothing that a model wrote becomes markup, and no answer is cast', () => {
  const found = code.filter((path) =>
    /dangerouslySetInnerHTML|\.innerHTML\b|as\s+unknown\s+as|: any\b|as any\b/.test(read(path)),
  );
  expect(found).toEqual([]);
});

test('files, components and functions are small', () => {
  const large = code.flatMap((path) => {
    const lines = read(path).split('\n').length;
    const most = path.endsWith('.tsx') ? COMPONENT_LINES_MAX : FUNCTION_LINES_MAX;
    return [
      ...(lines > FILE_LINES_MAX ? [`${path}: ${lines} lines`] : []),
      ...functionsIn(read(path))
        .filter((one) => one.lines > most)
        .map((one) => `${path}: ${one.name} has ${one.lines} lines`),
    ];
  });
  expect(large).toEqual([]);
});
