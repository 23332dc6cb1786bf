/** Asking the store as a user does: real git, logs that the program made, and the questions of a working day. */
import { execFileSync } from 'node:child_process';
import { readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gitInput } from '../sim/results-repo.ts';
import { makeTempDir, type TempDir } from '../sim/temp-dir.ts';
import { type Ended, holdfast } from './holdfast.ts';

let dir: TempDir;
const git = (...args: string[]) =>
  execFileSync('git', ['-C', dir.path, '-c', 'user.name=Ada', '-c', 'user.email=a@b', ...args], {
    encoding: 'utf8',
  }).trim();

interface Version {
  readonly log: string;
  readonly failing: readonly string[];
  readonly ids?: readonly string[];
  readonly tag?: string;
  readonly branch?: string;
}

const ALL = Array.from({ length: 20 }, (_, index) => `q${String(index).padStart(2, '0')}`);
const FEW = ALL.slice(0, 4);
const MANY = ALL.slice(2, 14);

const evalText = ({ failing, ids = ALL, tag }: Version) => `
import { defineEval } from 'holdfast';
const failing = new Set(${JSON.stringify(failing)});
export default defineEval({
  name: 'quiz',
  tags: ${JSON.stringify(tag === undefined ? [] : [tag])},
  data: ${JSON.stringify(ids.map((id) => ({ id, input: id, target: 'right' })))},
  target: ({ input }) => (failing.has(input) ? 'wrong' : 'right'),
  scorers: [function exact({ text }) { return text === 'right' ? 'C' : 'I'; }],
});
`;

/** Edits the eval, commits it, runs it; its log is in a folder of its own. */
async function runVersion(version: Version): Promise<void> {
  git('checkout', '-q', '-B', version.branch ?? 'main');
  writeFileSync(join(dir.path, 'quiz.eval.mjs'), evalText(version));
  git('add', '-A', 'quiz.eval.mjs');
  git('commit', '-q', '--allow-empty', '-m', version.log);
  const ended = await holdfast(dir.path, ['run', 'quiz.eval.mjs', '--log-dir', version.log, '--quiet']);
  expect(ended).toMatchObject({ code: 0 });
  await holdfast(dir.path, ['results', 'publish', version.log]);
}

const logOf = (name: string) =>
  `${name}/${readdirSync(join(dir.path, name)).find((file) => file.endsWith('.eval'))}`;
const ask = (...args: string[]) => holdfast(dir.path, args);
const oneLine = (text: string) => text.replace(/\s+/g, ' ');
const json = ({ stdout }: Ended) => JSON.parse(stdout);

beforeAll(async () => {
  dir = await makeTempDir();
  git('init', '--quiet', '--initial-branch=main');
  await holdfast(dir.path, ['results', 'init']);
  await runVersion({ log: 'one', failing: FEW, tag: 'good' });
  await runVersion({ log: 'two', failing: ['q00'], ids: [...ALL.slice(0, 19), 'new'] });
  await runVersion({ log: 'three', failing: MANY, branch: 'experiment' });
});

afterAll(() => dir[Symbol.asyncDispose]());

test('a run beside itself: no sample differed, and it cannot tell', async () => {
  const { stdout, code } = await ask('compare', logOf('one'), logOf('one'), '--gate');
  expect(code).toBe(0);
  expect(stdout).toContain('Cannot tell');
  expect(oneLine(stdout)).toContain(
    'No sample differed; 6 of these 20 samples going the same way (a difference of 0.300) would have shown.',
  );
  expect(stdout).toMatch(/Warning: this is the run \S+ compared with itself\./);
});

describe('holdfast compare', () => {
  test('the verdict first, then which samples flipped from what to what, then figures', async () => {
    const { stdout, code } = await ask('compare', '@main', '@last');
    expect(code).toBe(0);
    const lines = stdout.split('\n');
    expect(lines[0]).toBe('B is worse than A.');
    expect(lines[1]).toMatch(/exact 0\.947 → 0\.368, −0\.579 \(95 %: −0\.\d+ to −0\.\d+, p 0\.003\)/);
    expect(stdout).toMatch(/− C → I +q02, q03, q04/);
    expect(stdout).toMatch(/\+ I → C +q00/);
    expect(stdout).toMatch(/exact +0\.947 +0\.368 +−0\.579 .* worse/);
    expect(stdout).toContain('Spent on a sample (lower is better)');
    expect(stdout).toContain('Only in A: 1 sample: new');
    expect(stdout).toContain('Only in B: 1 sample: q19');
    expect(stdout).toContain('Warning: the code of the target differs.');
    expect(stdout).toMatch(/Also different: code [0-9a-f]{8}, then [0-9a-f]{8}/);
    expect(stdout.indexOf('Flips')).toBeLessThan(stdout.indexOf('Scores'));
  });

  test('swapped it is better; the gate ends with 1 on worse alone', async () => {
    expect(await ask('compare', '@last', '@main', '--gate')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('B is better than A.'),
    });
    expect((await ask('compare', '@main', '@last', '--gate')).code).toBe(1);
    const undecided = await ask('compare', 'tag:good', logOf('two'), '--gate');
    expect(undecided).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Cannot tell whether B is better or worse than A.'),
    });
    expect(undecided.stdout).toMatch(
      /at least \d+ more epochs? of both \(\d+ samples, for nothing\) or \d+ samples in all\s+would decide/,
    );
  });

  test('runs are named by id, its beginning, tag, log and @prev alike', async () => {
    const listed = json(await ask('results', 'list', '--json')).runs.map(({ run }: { run: string }) => run);
    const [last, prev, first] = listed as [string, string, string];
    for (const [named, run] of [
      [first, first],
      [first.slice(-10), first],
      ['tag:good', first],
      ['good', first],
      [logOf('one'), first],
      ['@prev', prev],
      ['@main', prev],
    ] as const) {
      const found = json(await ask('compare', named, '@last', '--json'));
      expect([named, found.before.run, found.after[0].run.run]).toEqual([named, run, last]);
    }
    // Not the newest, which is of another branch, and not the run that is named beside it.
    const main = json(await ask('compare', '@main', 'good', '--json'));
    expect([main.before.run, main.after[0].run.run]).toEqual([prev, first]);
    const other = json(await ask('compare', '@main', prev, '--json'));
    expect(other.before.run).toBe(first);
  });

  test('as JSON with everything, and as Markdown for a pull request', async () => {
    const found = json(await ask('compare', logOf('one'), '@last', '--json'));
    expect(found.after[0]).toMatchObject({
      verdict: 'worse',
      aligned: 20,
      scores: [{ figure: 'exact', kind: 'pass/fail', test: 'mcnemar-exact', flips: expect.any(Array) }],
      onlyBefore: [],
      warnings: expect.any(Array),
    });
    expect(found.after[0].scores[0].flips).toHaveLength(12);
    const { stdout } = await ask('compare', 'good', '@last', '--md');
    expect(stdout).toContain('### quiz: B is worse than A');
    expect(stdout).toMatch(/\| exact \| 0\.800 \| 0\.400 \| −0\.400 \|.*\| \*\*worse\*\* \|/);
    expect(stdout).toContain('| q04 | C | I | worse |');
  });

  test('what names no run is refused, with what could have been meant', async () => {
    for (const [args, said] of [
      [['nobody', '@last'], 'No published run has the id or the tag nobody.'],
      [['tag:none', '@last'], 'No published run has the tag none.'],
      [['@first', '@last'], '@first names no run.'],
      [['@last', '@prev', '--eval', 'other'], 'No run of other is published.'],
    ] as const) {
      const ended = await ask('compare', ...args, '--json');
      expect(ended.code).toBe(2);
      expect(json(ended).error).toMatchObject({ code: 'E_RUN_REFERENCE', message: said });
    }
    expect(json(await ask('compare', '@last', '--json')).error.code).toBe('E_COMPARE_COUNT');
    expect(json(await ask('compare', '@last', '@prev', '--scorer', 'x', '--json')).error).toMatchObject({
      code: 'E_COMPARE_SCORER',
      hint: 'There are exact.',
    });
  });

  test('logs alone need no repository', async () => {
    await using elsewhere = await makeTempDir();
    const logs = ['one', 'three'].map((name) => join(dir.path, logOf(name)));
    const ended = await holdfast(elsewhere.path, ['compare', ...logs]);
    expect(ended).toMatchObject({ code: 0, stdout: expect.stringContaining('B is worse than A.') });
  });

  test('outside of a repository, with a wrong one and without git it says so, and is no bug', async () => {
    await using elsewhere = await makeTempDir();
    const node = join(elsewhere.path, 'node');
    symlinkSync(process.execPath, node);
    for (const [where, args, env, code] of [
      [elsewhere.path, [], {}, 'E_NO_REPOSITORY'],
      [dir.path, ['--repo', join(elsewhere.path, 'nowhere')], {}, 'E_NO_REPOSITORY'],
      [dir.path, [], { PATH: elsewhere.path }, 'E_GIT_MISSING'],
    ] as const) {
      const ended = await holdfast(where, ['compare', '@prev', '@last', ...args, '--json'], env);
      expect(ended.code).not.toBe(70);
      expect(json(ended).error).toMatchObject({ code, hint: expect.any(String) });
    }
  });
});

describe('holdfast history', () => {
  test('score over time with commits, newest first, and where it went', async () => {
    const { stdout } = await ask('history', 'quiz');
    const commit = git('rev-parse', '--short=8', 'experiment');
    expect(stdout).toMatch(/none\/none +▇█▄ +exact accuracy 0\.800 → 0\.400 over 3 runs/);
    const rows = stdout.split('\n').filter((line) => line.includes('none/none ') && !line.includes('over'));
    expect(rows[0]).toMatch(new RegExp(`${commit} +experiment +0\\.400 .*−0\\.550`));
    expect(rows[2]).toMatch(/main +0\.800/);
    const found = json(await ask('history', 'quiz', '--limit', '2', '--json'));
    expect(found).toMatchObject({
      score: { name: 'exact', metric: 'accuracy' },
      runs: [{ value: 0.4, code: { branch: 'experiment', isDirty: false } }, { value: 0.95 }],
    });
  });

  test('the first run where a sample flipped, and what changed there', async () => {
    const found = json(await ask('history', 'quiz', '--sample', 'q05', '--json'));
    expect(found).toMatchObject({ state: 'flipped', figure: 'exact' });
    expect(found.runs.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['pass', 'pass', 'fail']);
    expect(found.runs[2].flip).toMatchObject({ from: 'pass', isExplained: true });
    const { stdout } = await ask('history', 'quiz', '--sample', 'q05');
    expect(stdout).toContain('q05 (exact) flipped, and is not flaky.');
    expect(stdout).toMatch(/First flip: pass → fail in run \S+/);
    expect(oneLine(stdout)).toMatch(/Changed there: the code of the target differs; code [0-9a-f]{8}, then/);
    expect((await ask('history', 'quiz', '--sample', 'q19')).stdout).toContain('never flipped in 2 runs');
  });

  test('an eval, a scorer or a sample that nobody has is refused by name', async () => {
    for (const args of [
      ['other'],
      ['quiz', '--scorer', 'x'],
      ['quiz', '--sample', 'x'],
      ['quiz', '--target', 'x'],
    ]) {
      const ended = await ask('history', ...args, '--json');
      expect(ended.code).toBe(2);
      expect(json(ended).error.code).toBe('E_HISTORY_NONE');
    }
  });

  test('a run without its log is damage, which is said, and hinders no other', async () => {
    const { runs } = json(await ask('results', 'list', '--json'));
    const run = '20200101T000000000-0000000001';
    publishRow(JSON.stringify({ ...runs[0].row, run, start: '2020-01-01T00:00:00Z' }), run);
    const ended = await ask('history', 'quiz', '--sample', 'q05', '--json');
    expect(ended).toMatchObject({ code: 3, stderr: expect.stringContaining(run) });
    expect(json(ended)).toMatchObject({ state: 'flipped', damage: [expect.stringContaining(run)] });
  });
});

/** A row whose log is nowhere. */
function publishRow(row: string, run: string): void {
  const ref = 'refs/heads/holdfast/results';
  const path = `runs/2020-01-01/${run}/run.json`;
  const head = `commit ${ref}\ncommitter x <x@y> 1 +0000\ndata 1\nx\nfrom ${ref}^0\n`;
  gitInput(dir.path, `${head}M 100644 inline ${path}\ndata ${Buffer.byteLength(row)}\n${row}\n`);
}
