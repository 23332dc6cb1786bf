/** `run --dry-run` of evals that require artifacts: what would be pulled, built and refused, and nothing is touched. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { holdfast } from './holdfast.ts';

const dir = useTempDir();
const LIBRARY = join(import.meta.dirname, '../../src/index.ts');

const EVAL = `
import { defineArtifact, defineEval } from ${JSON.stringify(LIBRARY)};
import { readFileSync, writeFileSync } from 'node:fs';
const schema = (db) => defineArtifact({ kind: 'schema', key: db, version: 1,
  build: ({ dir }) => writeFileSync(dir + '/schema.txt', 'schema of ' + db) });
const knowledge = (db) => defineArtifact({ kind: 'knowledge', key: db, version: 1, inputs: { schema: schema(db) },
  build: ({ dir, inputs }) => writeFileSync(dir + '/knowledge.md', readFileSync(inputs.schema + '/schema.txt')) });
export default defineEval({
  name: 'sql', data: ['shop', 'school', 'shop'].map((input, at) => ({ id: at + 1, input })),
  requires: ({ input }) => ({ artifact: knowledge(input), build: process.env.MUST === undefined, seed: process.env.SEED ? [process.env.SEED] : [] }),
  target: ({ input }, { artifact }) => readFileSync(artifact(knowledge(input)) + '/knowledge.md', 'utf8'),
  scorers: [],
});
`;

let home: string;
beforeEach(() => {
  home = join(dir.path, 'project');
  mkdirSync(home, { recursive: true });
  mkdirSync(join(dir.path, 'store'));
  writeFileSync(join(home, 'sql.eval.ts'), EVAL);
});

const STORE = () => ['--store', join(dir.path, 'store')];
const dry = (words: readonly string[] = [], env: Readonly<Record<string, string>> = {}) =>
  holdfast(home, ['run', 'sql.eval.ts', '--dry-run', ...words], env);
const built = (words: readonly string[] = []) =>
  holdfast(home, ['artifacts', 'build', 'sql.eval.ts', ...words]);
const cache = (...names: readonly string[]) => join(home, '.holdfast/artifacts', ...names);

/** Changes a byte of the knowledge of the shop. */
function damage(): string {
  const unit = cache('units/knowledge/shop');
  const [recipe = ''] = readdirSync(unit);
  const [generation = ''] = readdirSync(join(unit, recipe));
  const file = join(unit, recipe, generation, 'files/knowledge.md');
  writeFileSync(file, 'changed');
  return file;
}

describe('what a run would do about its artifacts', () => {
  test('builds, with what they are made of; and nothing is made', async () => {
    const { code, stdout } = await dry();
    expect([code, existsSync(cache())]).toEqual([0, false]);
    expect(stdout).toContain(
      '4 artifacts to build first: knowledge/shop, schema/shop, knowledge/school, schema/school',
    );
    await built();
    expect((await dry()).stdout).not.toContain('artifact');
  });

  test('takes from the store what it has, and builds the rest', async () => {
    await built(STORE());
    rmSync(cache(), { recursive: true });
    rmSync(join(dir.path, 'store/units/knowledge/school'), { recursive: true });
    const { code, stdout } = await dry(STORE());
    expect([code, existsSync(cache())]).toEqual([0, false]);
    expect(stdout).toMatch(/1 artifact to build first: knowledge\/school\n/);
    expect(stdout).toMatch(/2 artifacts to take from elsewhere: knowledge\/shop, schema\/school\n/);
    // What the run makes then is what was said.
    const run = await holdfast(home, ['run', 'sql.eval.ts', ...STORE()]);
    expect(run.stdout).toMatch(/1 built .* 2 from the store/);
    const seeded = await dry(['--cache', join(dir.path, 'none')], { SEED: cache() });
    expect(seeded.stdout).toMatch(/2 artifacts to take from elsewhere: knowledge\/shop, knowledge\/school\n/);
  });

  test('takes a rebuild that another machine sent, and knows results by it', async () => {
    await holdfast(home, ['run', 'sql.eval.ts', ...STORE()]);
    const other = ['--cache', join(dir.path, 'other')];
    expect((await dry(STORE())).stdout).toContain('3 kept, nothing to buy');
    await built([...STORE(), ...other, '--rebuild', 'knowledge/shop']);
    const { stdout } = await dry(STORE());
    expect(stdout).toContain('1 artifact to take from elsewhere: knowledge/shop');
    expect(stdout).toMatch(/1 kept, 2 to buy/);
  });

  test('what must be there and is nowhere is refused as the run refuses it', async () => {
    const refused = await dry([], { MUST: 'yes' });
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('may not be built by a run');
    expect(refused.stderr).toContain('knowledge/shop, knowledge/school');
    await built(STORE());
    rmSync(cache(), { recursive: true });
    expect((await dry(STORE(), { MUST: 'yes' })).code).toBe(0);
  });

  test('damage is told with its cure, ends as the run would end, and is left where it is', async () => {
    await built(STORE());
    const file = damage();
    const { code, stdout } = await dry();
    expect(code).toBe(3);
    expect(stdout).toMatch(/2 that cannot run, 1 to buy/);
    expect(stdout).toMatch(/knowledge\/shop is damaged: .*knowledge\.md/);
    expect(stdout).toContain('holdfast artifacts build <eval files> --rebuild knowledge/shop');
    expect(readFileSync(file, 'utf8')).toBe('changed');
    expect(existsSync(cache('damaged'))).toBe(false);
    const json = JSON.parse((await dry(['--json'])).stdout);
    expect([json.exitCode, json.forecasts[0].refused]).toEqual([3, 2]);
    expect(json.forecasts[0].artifacts.unavailable).toMatchObject([
      { unit: 'knowledge/shop', code: 'E_ARTIFACT_DAMAGED' },
    ]);
    // The store has a whole copy.
    const healed = await dry(STORE());
    expect([healed.code, healed.stdout]).toEqual([
      0,
      expect.stringContaining('take from elsewhere: knowledge/shop'),
    ]);
    // What was set aside is remembered, and told in the same way.
    expect((await holdfast(home, ['run', 'sql.eval.ts'])).code).toBe(3);
    expect((await dry()).code).toBe(3);
  });

  test('a store that cannot be read is no empty one', async () => {
    mkdirSync(join(dir.path, 'store/units'));
    symlinkSync('knowledge', join(dir.path, 'store/units/knowledge'));
    const { code, stdout } = await dry(STORE());
    expect([code, stdout]).toEqual([1, expect.stringMatching(/3 that cannot run/)]);
    expect(stdout).toContain('--no-store');
    expect((await dry([...STORE(), '--no-store'])).code).toBe(0);
  });
});
