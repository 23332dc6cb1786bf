import { expect, test } from 'vitest';
import { defineEval } from '../define-eval.ts';
import { defineArtifact } from './define-artifact.ts';

const build = () => undefined;

test('a definition that is wrong is refused at once, with the place and what would be right', () => {
  const wrong: readonly [unknown, RegExp][] = [
    [{ kind: 'A b', key: 'x', version: 1, build }, /"kind" must be a word of small letters/],
    [{ kind: 'a', version: 1, build }, /"key" is missing/],
    [
      { kind: 'a', key: 'x', version: '', build },
      /In the artifact "a\/x", "version" must be a text or a number/,
    ],
    [{ kind: 'a', key: 'x', version: 1 }, /"build" is missing/],
    [
      { kind: 'a', key: 'x', version: 1, build, input: {} },
      /"input" is not a word of an artifact; did you mean "inputs"\?/,
    ],
    [{ kind: 'a', key: 'x', version: 1, build, inputs: { db: 'x.db' } }, /"inputs.db" must be \{ file: … \}/],
    [
      { kind: 'a', key: 'x', version: 1, build, inputs: { db: { file: 'a', path: 'b' } } },
      /"inputs.db.path"/,
    ],
    ...[() => 1, /a/, new Date(0), Number.NaN, new Map(), undefined, { a: { b: undefined } }].map(
      (value): [unknown, RegExp] => [
        { kind: 'a', key: 'x', version: 1, build, inputs: { v: { value } } },
        /"inputs.v.value" (?:must be|is missing; it must be) plain data/,
      ],
    ),
    [
      Object.assign(JSON.parse('{"kind":"a","key":"x","version":1,"inputs":{"__proto__":{"value":1}}}'), {
        build,
      }),
      /inputs/,
    ],
  ];
  for (const [definition, message] of wrong)
    expect(() => defineArtifact(definition as never)).toThrow(
      expect.objectContaining({ code: 'E_ARTIFACT_INVALID', message: expect.stringMatching(message) }),
    );
});

test('what a build gets has the types of what it declares', () => {
  const first = defineArtifact({ kind: 'first', key: 'x', version: 1, build });
  const artifact = defineArtifact({
    kind: 'second',
    key: 'x',
    version: 'v2',
    inputs: { first, database: { file: 'x.db' }, style: { value: { words: 10 } } },
    build: ({ inputs }) => {
      const paths: string[] = [inputs.first, inputs.database];
      const words: number = inputs.style.words;
      return `${paths.join()} ${words}`;
    },
  });
  expect(artifact).toMatchObject({ artifact: 1, kind: 'second', key: 'x', version: 'v2' });
  expect(Object.isFrozen(artifact)).toBe(true);
});

test('requires takes artifacts, needs, lists of them and functions; anything else is refused', () => {
  const artifact = defineArtifact({ kind: 'a', key: 'x', version: 1, build });
  const evalWith = (requires: unknown) =>
    defineEval({
      name: 'e',
      data: [{ input: 'x' }],
      target: 'mock/echo',
      scorers: [],
      requires: requires as never,
    });
  for (const fine of [artifact, [artifact], { artifact, build: false, seed: 'seeds' }, () => artifact, []])
    expect(() => evalWith(fine)).not.toThrow();
  for (const wrong of ['a/x', { artifact: 'a/x' }, { artifact, builds: true }, [{}]])
    expect(() => evalWith(wrong)).toThrow(expect.objectContaining({ code: 'E_EVAL_INVALID' }));
});
