/** Evals that require artifacts, from outside: killed builds, builds in two processes, rebuilds, work trees. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { overwrite } from '../sim/overwrite.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { holdfast, reportOf, startHoldfast } from './holdfast.ts';

const dir = useTempDir();
const LIBRARY = join(import.meta.dirname, '../../src/index.ts');

/** Every request is written down outside; a build waits between its two where it is told to. */
const EVAL = `
import { defineArtifact, defineEval, mockModel, scorer } from ${JSON.stringify(LIBRARY)};
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
const { ASKED = '', GATE = '' } = process.env;
const writer = mockModel({ name: 'mock/writer', respond: ({ text }) => { appendFileSync(ASKED, text + '\\n'); return 'known: ' + text; } });
const schema = (db) => defineArtifact({ kind: 'schema', key: db, version: 1, inputs: { database: { file: db + '.txt' } },
  build: ({ dir, inputs }) => writeFileSync(dir + '/schema.txt', readFileSync(inputs.database, 'utf8').trim().toUpperCase()) });
const knowledge = (db) => defineArtifact({ kind: 'knowledge', key: db, version: 1, model: 'mock/writer', inputs: { schema: schema(db) },
  build: async ({ dir, inputs, generate, signal }) => {
    const first = await generate('first of ' + readFileSync(inputs.schema + '/schema.txt', 'utf8'));
    appendFileSync(ASKED + '.heard', db + '\\n');
    while (GATE !== '' && !existsSync(GATE)) { if (signal.aborted) throw signal.reason; await new Promise((next) => setTimeout(next, 20)); }
    const second = await generate('second of ' + db);
    writeFileSync(dir + '/knowledge.md', first.text + '; ' + second.text);
  } });
export default defineEval({
  name: 'sql', models: { 'mock/writer': writer }, data: ['shop', 'school', 'shop'].map((input, at) => ({ id: at + 1, input })),
  requires: ({ input }) => ({ artifact: knowledge(input), build: process.env.MUST === undefined }),
  target: async ({ input }, { artifact }) => {
    if (process.env.STAY) { writeFileSync(process.env.STAY, ''); await new Promise(() => undefined); }
    return readFileSync(artifact(knowledge(input)) + '/knowledge.md', 'utf8');
  },
  scorers: [scorer('known', ({ text, input }) => text.includes('known: second of ' + input))],
});
`;

function project(path: string): string {
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, 'sql.eval.ts'), EVAL);
  for (const db of ['shop', 'school']) writeFileSync(join(path, `${db}.txt`), `table ${db}\n`);
  return path;
}

let home: string;
beforeEach(() => {
  home = project(join(dir.path, 'project'));
});

const env = (more: Readonly<Record<string, string>> = {}) => ({
  ASKED: join(dir.path, 'asked.txt'),
  ...more,
});
const asked = () =>
  existsSync(env().ASKED) ? readFileSync(env().ASKED, 'utf8').split('\n').filter(Boolean).sort() : [];
/** How many builds have an answer in their hands: what they have is theirs, whoever kills them. */
const heard = () => {
  const file = `${env().ASKED}.heard`;
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
};
const ALL = ['first of TABLE SCHOOL', 'first of TABLE SHOP', 'second of school', 'second of shop'];

async function until(is: () => boolean): Promise<void> {
  while (!is()) await sleep(20);
}

describe('evals that require artifacts', () => {
  test('a build that is killed goes on without asking again for what it has, and the run after it builds nothing', async () => {
    const gate = join(dir.path, 'gate');
    const first = startHoldfast(home, ['run', 'sql.eval.ts'], env({ GATE: gate }));
    await until(() => heard() === 2);
    first.child.kill('SIGKILL');
    await first.ended;
    expect(asked()).toEqual(ALL.slice(0, 2));
    writeFileSync(gate, '');
    const second = await holdfast(home, ['run', 'sql.eval.ts', '--json'], env({ GATE: gate }));
    expect([second.code, asked()]).toEqual([0, ALL]);
    const { artifacts } = reportOf(second).runs[0] ?? {};
    expect(artifacts).toMatchObject({ reused: 2, unavailable: [] });
    expect(artifacts?.built.map(({ unit }) => unit).sort()).toEqual(['knowledge/school', 'knowledge/shop']);
    rmSync(join(home, 'logs'), { recursive: true });
    const third = await holdfast(home, ['run', 'sql.eval.ts'], env());
    expect(third.stdout).toMatch(/artifacts +2 from the cache, \$\S+ saved/);
    expect(asked()).toEqual(ALL);
    const shown = await holdfast(home, ['artifacts', 'show', 'knowledge/shop']);
    expect(shown.stdout).toMatch(/ {4}built {5}\S+ \S+ with Holdfast \S+, in run \S+\n/);
  });

  test('two processes at once: one builds, the other waits, says for what, and takes it', async () => {
    const gate = join(dir.path, 'gate');
    const logs = ['a', 'b'].map((name) => ['run', 'sql.eval.ts', '--log-dir', join(dir.path, name)]);
    const both = logs.map((words) => startHoldfast(home, words, env({ GATE: gate })));
    await Promise.race(both.map(({ said }) => said('Waiting for knowledge/')));
    writeFileSync(gate, '');
    const ended = await Promise.all(both.map(({ ended }) => ended));
    expect(ended.map(({ code }) => code)).toEqual([0, 0]);
    expect(asked()).toEqual(ALL);
  });

  test('what was spent is told for samples and builds, apart and together', async () => {
    const run = await holdfast(home, ['run', 'sql.eval.ts', '--json'], env());
    const { total, runs } = JSON.parse(run.stdout);
    const builds = runs[0].artifacts.spentUsd;
    expect(builds).toBeGreaterThan(0);
    expect([total.usdOf.samples.spent, total.usdOf.builds.spent, total.usd.spent]).toEqual([
      0,
      builds,
      builds,
    ]);
    expect(total.tokens.spent).toBe(runs[0].tokens.spent + runs[0].artifacts.spentTokens);
    expect(runs[0].artifacts.spentTokens).toBeGreaterThan(0);
    rmSync(join(home, 'logs'), { recursive: true });
    const { stdout } = await holdfast(home, ['run', 'sql.eval.ts'], env());
    expect(stdout).toMatch(/samples +\$0 +\$0 +\$0\nbuilds +\$0 +\$\S+ +\$0\nmoney +\$0 +\$\S+ +\$0\n/);
  });

  test('a builder that dies frees what others wait for', async () => {
    const gate = join(dir.path, 'gate');
    const first = startHoldfast(home, ['artifacts', 'build', 'sql.eval.ts'], env({ GATE: gate }));
    await until(() => heard() === 2);
    const second = startHoldfast(home, ['artifacts', 'build', 'sql.eval.ts'], env({ GATE: gate }));
    await second.said('Waiting for knowledge/');
    first.child.kill('SIGKILL');
    writeFileSync(gate, '');
    expect((await second.ended).code).toBe(0);
    expect(asked()).toEqual(ALL);
  });

  test.each([
    ['a run', ['run', 'sql.eval.ts', '--log-dir', 'other-logs']],
    ['artifacts build', ['artifacts', 'build', 'sql.eval.ts']],
  ])(
    'Ctrl-C once while %s only waits for what another process builds: it stops at once, and the other goes on',
    async (_, words) => {
      const gate = join(dir.path, 'gate');
      const builder = startHoldfast(home, ['artifacts', 'build', 'sql.eval.ts'], env({ GATE: gate }));
      await until(() => heard() === 2);
      const waiting = startHoldfast(home, words, env({ GATE: gate }));
      await waiting.said('Waiting for knowledge/');
      waiting.child.kill('SIGINT');
      // The gate is shut: what it waits for does not come.
      expect((await waiting.ended).code).toBe(4);
      writeFileSync(gate, '');
      expect((await builder.ended).code).toBe(0);
      const after = await holdfast(home, words, env());
      expect([after.code, asked()]).toEqual([0, ALL]);
    },
  );

  test('Ctrl-C while one is built: the same command goes on, and nothing is bought twice', async () => {
    const gate = join(dir.path, 'gate');
    const first = startHoldfast(home, ['run', 'sql.eval.ts', '--grace', '1s'], env({ GATE: gate }));
    await until(() => heard() === 2);
    first.child.kill('SIGINT');
    expect(await first.ended).toMatchObject({ code: 4 });
    writeFileSync(gate, '');
    expect((await holdfast(home, ['run', 'sql.eval.ts'], env({ GATE: gate }))).code).toBe(0);
    expect(asked()).toEqual(ALL);
  });

  test('Ctrl-C once: builds under way are waited for, as builds; what they made is kept, and their logs are whole', async () => {
    const gate = join(dir.path, 'gate');
    const first = startHoldfast(home, ['run', 'sql.eval.ts'], env({ GATE: gate }));
    await until(() => heard() === 2);
    first.child.kill('SIGINT');
    await first.said('Stopping');
    writeFileSync(gate, '');
    const ended = await first.ended;
    expect(ended.code).toBe(4);
    expect(ended.stderr).toMatch(/Stopping \(SIGINT\): 2 running builds may finish within 30 s/);
    for (const db of ['shop', 'school']) {
      const place = join(home, '.holdfast/artifacts/builds/knowledge', db);
      expect(readdirSync(place).filter((name) => name.endsWith('.eval'))).toHaveLength(1);
      const unfinished = await holdfast(home, ['recover', '--list', place]);
      expect(unfinished.stdout).toContain('Nothing here needs to be recovered');
    }
    const second = await holdfast(home, ['run', 'sql.eval.ts', '--json'], env({ GATE: gate }));
    expect([second.code, asked()]).toEqual([0, ALL]);
  });

  test('Ctrl-C once while everything that is left is built: artifacts build ends as if nothing had been', async () => {
    const gate = join(dir.path, 'gate');
    const first = startHoldfast(home, ['artifacts', 'build', 'sql.eval.ts'], env({ GATE: gate }));
    await until(() => heard() === 2);
    first.child.kill('SIGINT');
    await first.said('Stopping');
    writeFileSync(gate, '');
    expect((await first.ended).code).toBe(0);
  });

  test('what must be there is refused with the command that builds it; that command builds it, and anew only when it is told', async () => {
    const refused = await holdfast(home, ['run', 'sql.eval.ts'], env({ MUST: 'yes' }));
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('knowledge/shop, knowledge/school');
    expect(refused.stderr).toContain('holdfast artifacts build');
    expect(asked()).toEqual([]);
    const built = await holdfast(home, ['artifacts', 'build', 'sql.eval.ts', '--json'], env({ MUST: 'yes' }));
    expect(built.code).toBe(0);
    expect(JSON.parse(built.stdout).evals[0].artifacts.built).toHaveLength(4);
    expect(asked()).toEqual(ALL);
    expect((await holdfast(home, ['run', 'sql.eval.ts'], env({ MUST: 'yes' }))).code).toBe(0);
    await holdfast(home, ['artifacts', 'build', 'sql.eval.ts'], env());
    expect(asked()).toEqual(ALL);
    const anew = await holdfast(
      home,
      ['artifacts', 'build', 'sql.eval.ts', '--rebuild', 'knowledge/shop'],
      env(),
    );
    expect(anew.stdout).toContain('1 built');
    expect(asked()).toHaveLength(6);
    // What others are only made of can be named as well; what is made of it stays, and that is said.
    const input = await holdfast(
      home,
      ['artifacts', 'build', 'sql.eval.ts', '--rebuild', 'schema/shop'],
      env(),
    );
    expect([input.code, input.stdout]).toEqual([0, expect.stringMatching(/^schema\/shop .*\n1 built/)]);
    expect(input.stderr).toContain(
      'knowledge/shop was made of an earlier generation of schema/shop, and stays',
    );
    expect(asked()).toHaveLength(6);
    const wrong = await holdfast(
      home,
      ['artifacts', 'build', 'sql.eval.ts', '--rebuild', 'knowledge/x'],
      env(),
    );
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('knowledge/x')]);
  });

  test('a log is scored again with the very generations that its samples used', async () => {
    await holdfast(home, ['run', 'sql.eval.ts'], env());
    const scorers =
      "scorers: [scorer('asks', ({ artifact, input }) => readFileSync(artifact(knowledge(input)) + '/knowledge.md', 'utf8').includes('first of')";
    writeFileSync(join(home, 'other.eval.ts'), EVAL.replace(/scorers: \[scorer.*/, `${scorers})],`));
    const [log = ''] = readdirSync(join(home, 'logs')).filter((name) => name.endsWith('.eval'));
    const score = (output: string) =>
      holdfast(
        home,
        ['score', `logs/${log}`, '--eval', 'other.eval.ts', '--output', output, '--json'],
        env(),
      );
    const scored = await score('one.eval');
    expect([scored.code, scored.stderr]).toEqual([0, '']);
    expect(scored.stdout).toMatch(/"asks"/);
    rmSync(join(home, '.holdfast/artifacts/units/knowledge/shop'), { recursive: true });
    const missing = await score('two.eval');
    expect([missing.code, missing.stdout]).toEqual([1, expect.stringContaining('which is not in the cache')]);
    expect(asked()).toEqual(ALL);
  });

  test('gc leaves what an unfinished run has pinned', async () => {
    const stop = join(dir.path, 'stop');
    await holdfast(home, ['artifacts', 'build', 'sql.eval.ts'], env());
    const run = startHoldfast(home, ['run', 'sql.eval.ts'], env({ STAY: stop }));
    await until(() => existsSync(stop));
    run.child.kill('SIGKILL');
    await run.ended;
    await holdfast(home, ['artifacts', 'build', 'sql.eval.ts', '--rebuild', 'knowledge/shop'], env());
    const gc = (...words: readonly string[]) =>
      holdfast(home, ['artifacts', 'gc', '--older-than', '0d', '--dry-run', ...words], env());
    expect((await gc()).stdout).toContain('Would remove 0 generations');
    expect((await gc('--log-dir', 'elsewhere')).stdout).toContain('Would remove 1 generation');
  });

  test('linked work trees share one cache, which git does not see', async () => {
    const git = (...words: readonly string[]) => execFileSync('git', words, { cwd: home, stdio: 'pipe' });
    git('init', '-q');
    writeFileSync(join(home, '.gitignore'), 'logs\n');
    git('add', '.');
    git('-c', 'user.name=a', '-c', 'user.email=a@b.example', 'commit', '-qm', 'one');
    const other = join(dir.path, 'other');
    git('worktree', 'add', '-q', other);
    await holdfast(other, ['run', 'sql.eval.ts'], env());
    expect(asked()).toEqual(ALL);
    await holdfast(home, ['run', 'sql.eval.ts'], env());
    expect(asked()).toEqual(ALL);
    expect(String(git('status', '--porcelain'))).toBe('');
    expect(readdirSync(join(home, '.holdfast/artifacts'))).toContain('units');
  });

  test('a damaged artifact: its samples fail, the others run, the run ends with damage, and it is not built over', async () => {
    await holdfast(home, ['artifacts', 'build', 'sql.eval.ts'], env());
    const unit = join(home, '.holdfast/artifacts/units/knowledge/shop');
    const [recipe = ''] = readdirSync(unit);
    const [generation = ''] = readdirSync(join(unit, recipe));
    overwrite(join(unit, recipe, generation, 'files/knowledge.md'), 'changed');
    const run = await holdfast(home, ['run', 'sql.eval.ts', '--json'], env());
    expect(run.code).toBe(3);
    expect(reportOf(run).runs[0]).toMatchObject({ samples: { errored: 2, fresh: 3 } });
    expect(reportOf(run).runs[0]?.damage?.join()).toContain(generation);
    expect(asked()).toEqual(ALL);
    const again = await holdfast(home, ['artifacts', 'build', 'sql.eval.ts'], env());
    expect([again.code, asked()]).toEqual([3, ALL]);
    // What to do about it is said, and what does not help is not.
    const cure = '"holdfast artifacts build <eval files> --rebuild knowledge/shop"';
    expect(again.stdout.replace(/\s+/g, ' ')).toContain(cure);
    const told = await holdfast(home, ['run', 'sql.eval.ts'], env());
    expect(told.stdout.replace(/\s+/g, ' ')).toContain(cure);
    expect(told.stdout + told.stderr).toMatch(
      /To run what failed again, once knowledge\/shop is whole again \(see above\): holdfast run sql\.eval\.ts/,
    );
    expect(told.stdout + told.stderr).toMatch(/1 kept, 2 that cannot run/);
    expect(told.stdout + told.stderr).not.toContain('to buy,');
  });

  test('the value of --rebuild is one unit: files behind it are files, and a file is not taken for a unit', async () => {
    const build = (...words: readonly string[]) => holdfast(home, ['artifacts', 'build', ...words], env());
    expect((await build('sql.eval.ts')).code).toBe(0);
    const both = ['--rebuild', 'knowledge/shop', '--rebuild', 'knowledge/school'];
    const rebuilt = await build(...both, 'sql.eval.ts');
    expect([rebuilt.code, asked().length]).toEqual([0, 2 * ALL.length]);
    const swallowed = await build('--rebuild', 'sql.eval.ts');
    expect([swallowed.code, swallowed.stderr]).toEqual([2, expect.stringContaining('sql.eval.ts is a file')]);
    expect((await build('sql.eval.ts', '--rebuild')).code).toBe(0);
    expect(asked()).toHaveLength(3 * ALL.length);
  });

  test('what a finished log names as used can be expected of a merge, to the very generation', async () => {
    expect((await holdfast(home, ['run', 'sql.eval.ts'], env())).code).toBe(0);
    const [log = ''] = readdirSync(join(home, 'logs')).filter((name) => name.endsWith('.eval'));
    const away = join(dir.path, 'away');
    mkdirSync(away);
    const merge = [
      'artifacts',
      'merge',
      '../project/logs',
      '--expect-from',
      `../project/logs/${log}`,
      '--json',
    ];
    const merged = await holdfast(away, merge);
    expect(merged.code).toBe(0);
    expect(JSON.parse(merged.stdout).entries).toHaveLength(4);
    rmSync(join(home, '.holdfast/artifacts/units/knowledge/shop'), { recursive: true });
    const missed = await holdfast(away, [...merge, '--cache', 'another']);
    expect(missed.code).toBe(1);
    const { entries } = JSON.parse(missed.stdout);
    expect(entries.filter(({ state }: { state: string }) => state !== 'installed')).toMatchObject([
      { unit: 'knowledge/shop', state: 'never-seen', generation: expect.stringMatching(/^\d{8}T/) },
    ]);
    expect(readdirSync(join(home, 'logs')).filter((name) => name.startsWith('artifacts-'))).toHaveLength(2);
    expect((await holdfast(home, ['log', 'list'])).code).toBe(0);
  });

  test('a forecast does not go back to what a damaged rebuild superseded: it says what the run would refuse', async () => {
    await holdfast(home, ['artifacts', 'build', 'sql.eval.ts'], env());
    await holdfast(home, ['artifacts', 'build', 'sql.eval.ts', '--rebuild', 'knowledge/shop'], env());
    const unit = join(home, '.holdfast/artifacts/units/knowledge/shop');
    const [recipe = ''] = readdirSync(unit);
    const newest = readdirSync(join(unit, recipe)).sort().at(-1) ?? '';
    rmSync(join(unit, recipe, newest, 'files/knowledge.md'));
    expect((await holdfast(home, ['run', 'sql.eval.ts', '--json'], env())).code).toBe(3);
    const dry = await holdfast(home, ['run', 'sql.eval.ts', '--dry-run'], env());
    expect(dry.stdout + dry.stderr).toContain(`Generation ${newest} of knowledge/shop is damaged`);
    expect(dry.stdout + dry.stderr).not.toContain('to build first');
  });
});
