/** Why a sample flipped, as a user finds out: real git, edits of one thing at a time, models in turn. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { git, initRepository } from '../sim/results-repo.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { type Ended, holdfast } from './holdfast.ts';

const dir = useTempDir();
const ask = (...args: string[]) => holdfast(dir.path, args);
const json = ({ stdout }: Ended) => JSON.parse(stdout);

beforeEach(async () => {
  initRepository(dir.path);
  git(dir.path, 'config', 'user.name', 'Ada');
  git(dir.path, 'config', 'user.email', 'ada@example.org');
  await ask('results', 'init');
});

/** The model says again what it is asked: the prompt decides. */
const evalText = ({ prompt = 'right', scorer = "text === 'right'", temperature = 0 }) => `
import { defineEval } from 'holdfast';
export default defineEval({
  name: 'echo',
  data: [{ id: 'a', input: 'x' }],
  target: { model: 'mock/echo', prompt: ${JSON.stringify(prompt)}, temperature: ${temperature} },
  scorers: [function exact({ text }) { return ${scorer}; }],
});
`;

async function runEdited(edit: Parameters<typeof evalText>[0]): Promise<void> {
  writeFileSync(join(dir.path, 'echo.eval.mjs'), evalText(edit));
  git(dir.path, 'add', 'echo.eval.mjs');
  git(dir.path, 'commit', '-q', '--allow-empty', '-m', 'edit');
  expect(await ask('run', 'echo.eval.mjs', '--quiet')).toMatchObject({ code: 0 });
}

const changesOf = (flip: { changes: readonly { what: string }[] } | undefined) =>
  flip?.changes.map(({ what }) => what);

test('[LOG-39] the prompt, the scorer and the settings are each called by their name', async () => {
  await runEdited({});
  await runEdited({ prompt: 'wrong' });
  await runEdited({ prompt: 'wrong', scorer: "text !== 'right'" });
  await runEdited({ prompt: 'wrong', scorer: "text !== 'right'", temperature: 1 });
  const { runs, state } = json(await ask('history', 'echo', '--sample', 'a', '--json'));
  expect(state).toBe('flipped');
  expect(runs.map(({ flip }: { flip: never }) => changesOf(flip))).toEqual([
    undefined,
    ['prompt', 'commit'],
    ['scorer', 'commit'],
    undefined,
  ]);
  const { stdout } = await ask('history', 'echo', '--sample', 'a');
  expect(stdout).toContain('Changed there: the prompt differs; code ');
  const [last] = json(await ask('compare', '@prev', '@last', '--json')).after;
  expect(changesOf(last)).toEqual(['settings', 'commit']);
});

test('an eval that was never committed, or that loads what was not, is of no commit alone', async () => {
  await runEdited({});
  writeFileSync(join(dir.path, 'notes.txt'), 'not code');
  writeFileSync(join(dir.path, 'helper.mjs'), "export const right = 'right';");
  writeFileSync(join(dir.path, 'echo.eval.mjs'), `import './helper.mjs';\n${evalText({})}`);
  git(dir.path, 'commit', '-qam', 'use a helper');
  await ask('run', 'echo.eval.mjs', '--fresh', '--quiet');
  git(dir.path, 'add', 'helper.mjs');
  git(dir.path, 'commit', '-qm', 'with the helper');
  await ask('run', 'echo.eval.mjs', '--fresh', '--quiet');
  writeFileSync(join(dir.path, 'new.eval.mjs'), evalText({}));
  await ask('run', 'new.eval.mjs', '--fresh', '--quiet');
  const { runs } = json(await ask('history', 'echo', '--json'));
  expect(runs.map(({ code }: { code: { isDirty: boolean } }) => code.isDirty)).toEqual([
    true,
    false,
    true,
    false,
  ]);
});

test('two models in turn, each of them stable, make no sample flaky', async () => {
  writeFileSync(
    join(dir.path, 'capital.eval.yaml'),
    'name: capital\ndata:\n  - { id: france, input: Capital of France?, target: Paris }\nscorers: [exact]\n',
  );
  for (const city of ['Paris', 'London', 'Paris', 'London', 'Paris', 'London'])
    expect(
      await ask('run', 'capital.eval.yaml', '--model', `mock/fixed:${city}`, '--fresh', '--quiet'),
    ).toMatchObject({ code: 0 });
  const { stdout } = await ask('history', 'capital', '--sample', 'france');
  expect(stdout).toContain('flipped, and is not flaky');
  expect(stdout).toContain('Changed there: model mock/fixed:Paris, then mock/fixed:London.');
  const found = json(await ask('history', 'capital', '--sample', 'france', '--json'));
  expect(found.runs.filter(({ flip }: { flip?: unknown }) => flip)).toHaveLength(1);
});
