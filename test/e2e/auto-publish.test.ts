/** Runs that publish themselves: real commands, real git, and a project that is left as it was. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { git, initRepository } from '../sim/results-repo.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { wrapGit } from '../sim/wrapped-git.ts';
import { filesBelow, holdfast, startHoldfast } from './holdfast.ts';

const EVAL = `name: capitals
target: mock/echo
data:
  - { id: a, input: Paris?, target: Paris }
  - { id: b, input: Rome?, target: Oslo }
scorers: [includes]
`;
const BRANCH = 'holdfast/results';

const dir = useTempDir();
let project: string;
beforeEach(() => {
  project = join(dir.path, 'project');
  initRepository(project);
  writeFileSync(join(project, '.gitignore'), 'logs\n.holdfast\n');
  writeFileSync(join(project, 'x.eval.yaml'), EVAL);
});

interface Published {
  readonly exitCode: number;
  readonly results?: {
    readonly repository?: string;
    readonly branch: string;
    readonly runs: readonly { run: string; outcome: string; commit: string; log: string }[];
    readonly waiting: number;
    readonly error?: { code: string; message: string };
    readonly push?: { outcome: string; reason?: string };
  };
  readonly error?: { readonly code: string };
}

const run = async (flags: readonly string[] = [], env: Record<string, string> = {}, cwd = project) => {
  const ended = await holdfast(
    cwd,
    ['run', join(project, 'x.eval.yaml'), '--json', '--quiet', ...flags],
    env,
  );
  return { ...ended, report: JSON.parse(ended.stdout) as Published };
};
const init = (...flags: string[]) => holdfast(project, ['results', 'init', ...flags]);
const count = (place = project, ref = BRANCH) => Number(git(place, 'rev-list', '--count', ref)) - 1;

describe('in the repository of the project', () => {
  test('nothing happens before init; then each run is published and said in one line, and nothing of the user is touched', async () => {
    const before = await run();
    expect(before.report).not.toHaveProperty('results');
    expect((await init()).code).toBe(0);
    const status = git(project, 'status', '--porcelain');
    // The log that was there already is published by the next run, which has nothing else to do.
    const first = await run();
    expect(first.report.results).toMatchObject({
      branch: BRANCH,
      waiting: 0,
      runs: [{ outcome: 'published' }],
    });
    expect(first.report.results?.runs[0]?.commit).toBe(git(project, 'rev-parse', BRANCH));
    expect((await run()).report.results).toMatchObject({ runs: [], waiting: 0 });
    const said = await holdfast(project, ['run', 'x.eval.yaml', '--fresh']);
    expect(said.stdout).toContain(
      `published 1 run in ${BRANCH}, commit ${git(project, 'rev-parse', BRANCH).slice(0, 12)}`,
    );
    expect(said.stdout.match(/publish/g)).toHaveLength(1);
    expect(said.stderr).not.toContain('ublish');
    const quiet = await holdfast(project, ['run', 'x.eval.yaml']);
    expect(quiet.stdout + quiet.stderr).not.toContain('ublish');
    expect(count()).toBe(2);
    expect(git(project, 'status', '--porcelain')).toBe(status);
    expect(git(project, 'symbolic-ref', 'HEAD')).toBe('refs/heads/main');
  });

  test('--no-publish and results.publish: manual leave runs unpublished, --publish wins over the latter, and the next run catches up', async () => {
    await init();
    expect((await run(['--no-publish'])).report).not.toHaveProperty('results');
    writeFileSync(join(project, 'holdfast.config.yaml'), 'results: { publish: manual }\n');
    expect((await run(['--fresh'])).report).not.toHaveProperty('results');
    expect(count()).toBe(0);
    const manual = await holdfast(project, ['results', 'sync', '--json']);
    expect(JSON.parse(manual.stdout)).toMatchObject({ published: 0 });
    expect((await run(['--publish'])).report.results?.runs).toHaveLength(2);
    expect(count()).toBe(2);
    writeFileSync(join(project, 'holdfast.config.yaml'), '');
    await run(['--fresh', '--no-publish']);
    expect((await holdfast(project, ['results', 'sync'])).stdout).toContain('Published 1 run.');
    expect(count()).toBe(3);
  });

  test('from a folder below, from a linked work tree, and with a log directory that is a bucket', async () => {
    await init();
    mkdirSync(join(project, 'deep'));
    expect((await run([], {}, join(project, 'deep'))).report.results?.runs).toHaveLength(1);
    git(project, 'add', '.');
    git(project, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '-m', 'x');
    git(project, 'worktree', 'add', '--quiet', join(dir.path, 'linked'));
    const linked = await run(
      ['--fresh', '--log-dir', `file://${dir.path}/bucket`],
      {},
      join(dir.path, 'linked'),
    );
    expect(linked.report.results).toMatchObject({ waiting: 0, runs: [{ outcome: 'published' }] });
    expect(readdirSync(join(dir.path, 'bucket')).filter((name) => name.endsWith('.eval'))).toHaveLength(1);
    expect(count()).toBe(2);
  });

  test('what was stopped is not published; score, retry and recover publish what they make', async () => {
    await init();
    writeFileSync(
      join(project, 'x.eval.ts'),
      `import { defineEval, includes } from 'holdfast';
       import { existsSync } from 'node:fs';
       const target = ({ id, input }) => {
         if (id === 'b' && !existsSync('calm')) throw new Error('not yet');
         return input;
       };
       const data = [{ id: 'a', input: 'a', target: 'a' }, { id: 'b', input: 'b', target: 'b' }];
       export default defineEval({ name: 'y', data, target, scorers: [includes()] });\n`,
    );
    const stopped = await holdfast(project, ['run', 'x.eval.ts', '--fail-on-error', '--json']);
    expect(JSON.parse(stopped.stdout)).toMatchObject({
      runs: [{ state: 'failed' }],
      results: { runs: [], waiting: 0 },
    });
    const { runId } = JSON.parse(stopped.stdout).runs[0];
    const recovered = JSON.parse((await holdfast(project, ['recover', runId, '--json'])).stdout);
    expect(recovered.results.runs).toMatchObject([{ run: runId, outcome: 'published' }]);
    writeFileSync(join(project, 'calm'), '');
    const retried = JSON.parse((await holdfast(project, ['retry', recovered.output, '--json'])).stdout);
    expect(retried.results.runs).toMatchObject([{ outcome: 'published' }]);
    const scored = await holdfast(project, ['score', retried.runs[0].log, '--eval', 'x.eval.ts']);
    expect(scored.stdout).toContain('published 1 run');
    const rows = JSON.parse((await holdfast(project, ['results', 'list', '--json'])).stdout).runs;
    expect(rows.map(({ row }: { row: { revision: number } }) => row.revision).sort()).toEqual([1, 2]);
    const kept = await holdfast(project, [
      'score',
      retried.runs[0].log,
      '--eval',
      'x.eval.ts',
      '-o',
      'logs/z.eval',
      '--no-publish',
    ]);
    expect(kept.stdout).not.toContain('publish');
  });
});

describe('what it costs', () => {
  test('no git is started where there is no repository, or one without results; else a handful', async () => {
    const wrapped = wrapGit(join(dir.path, 'bin'));
    const alone = join(dir.path, 'alone');
    mkdirSync(alone);
    expect((await run([], wrapped.env, alone)).code).toBe(0);
    expect((await run([], wrapped.env)).code).toBe(0);
    // Which commit the code is of is asked all the same.
    const calls = () => wrapped.calls().filter((words) => !words.includes(' status '));
    expect(calls()).toEqual([]);
    await init();
    await run([], wrapped.env);
    const publishing = calls().length;
    expect(publishing).toBeLessThanOrEqual(8);
    await run([], wrapped.env);
    expect(calls().length - publishing).toBeLessThanOrEqual(8);
  });
});

describe('when publishing fails', () => {
  const failing = (script: string) => wrapGit(join(dir.path, 'bin'), script).env;

  test.each([
    [
      'the disk is full',
      `case "$*" in *fast-import*) echo 'fatal: write error: No space left on device' >&2; exit 128;; esac`,
      'E_DISK_FULL',
    ],
    ['git is gone', 'exit 127', 'E_GIT'],
    [
      'the repository is locked',
      `case "$*" in *fast-import*) echo "fatal: Unable to create 'x.lock': File exists." >&2; exit 128;; esac`,
      'E_REPOSITORY_LOCKED',
    ],
  ])(
    '%s: the run is what it is, one line says what to do, and the next run makes up for it',
    async (_, script, code) => {
      await init();
      const failed = await run([], failing(script));
      expect(failed.code).toBe(0);
      expect(failed.report.results).toMatchObject({ runs: [], error: { code } });
      const said = await holdfast(project, ['run', 'x.eval.yaml', '--quiet'], failing(script));
      expect(said.code).toBe(0);
      expect(said.stderr).toMatch(/^Not published: .* Later: holdfast results publish .*logs\n$/);
      expect((await run()).report.results).toMatchObject({ waiting: 0, runs: [{ outcome: 'published' }] });
      expect(count()).toBe(1);
    },
  );

  test('a damaged log is told and keeps no other from being published', async () => {
    await run();
    const [name = ''] = readdirSync(join(project, 'logs')).filter((one) => one.endsWith('.eval'));
    await run(['--fresh']);
    const path = join(project, 'logs', name);
    const bytes = readFileSync(path);
    bytes.fill(0xff, 60, 160);
    writeFileSync(path, bytes);
    // The oldest is published first.
    utimesSync(path, 1_000_000, 1_000_000);
    await init();
    const { code, report } = await run();
    expect(code).toBe(0);
    expect(report.results).toMatchObject({
      waiting: 1,
      runs: [{ outcome: 'published' }],
      error: { code: expect.stringMatching(/^E_LOG/) },
    });
  });
});

describe('with a remote', () => {
  const bare = () => join(dir.path, 'remote.git');
  const pushed = () => git(bare(), 'rev-parse', BRANCH);

  beforeEach(() => {
    initRepository(bare(), '--bare');
    git(project, 'remote', 'add', 'up', bare());
  });

  test('--require-push is refused before anything runs where it cannot be met', async () => {
    for (const flags of [['--require-push'], ['--require-push', '--no-publish']])
      expect(await run(flags)).toMatchObject({ code: 2 });
    expect((await run(['--require-push'])).report.error).toMatchObject({ code: 'E_RESULTS_NOT_BEGUN' });
    expect(existsSync(join(project, 'logs'))).toBe(false);
    git(project, 'remote', 'remove', 'up');
    await init();
    expect((await run(['--require-push'])).report.error).toMatchObject({ code: 'E_REMOTE_UNKNOWN' });
    expect(existsSync(join(project, 'logs'))).toBe(false);
    const unknown = await init('--remote', 'nobody', '--json');
    expect(JSON.parse(unknown.stdout).error).toMatchObject({ code: 'E_REMOTE_UNKNOWN' });
  });

  test('--require-push fails unless the remote has the run; nothing is pushed unless somebody wants it', async () => {
    await init('--remote', 'up');
    expect((await run()).report.results).not.toHaveProperty('push');
    writeFileSync(join(project, 'holdfast.config.yaml'), 'results: { remote: up }\n');
    expect(await run(['--require-push'])).toMatchObject({
      code: 0,
      report: { results: { push: { outcome: 'pushed' } } },
    });
    expect(pushed()).toBe(git(project, 'rev-parse', BRANCH));
    expect(await run(['--require-push'])).toMatchObject({
      code: 0,
      report: { results: { push: { outcome: 'current' } } },
    });
    // A remote that takes nothing.
    writeFileSync(join(bare(), 'hooks/pre-receive'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const refused = await run(['--require-push', '--fresh']);
    expect(refused).toMatchObject({
      code: 4,
      report: { results: { waiting: 0, push: { outcome: 'refused' } } },
    });
    expect(refused.stderr).toBe('');
  });

  test('Ctrl-C when the run is over, while it is pushed, does not keep it from its report', async () => {
    await init();
    const [begun, held] = [join(dir.path, 'begun'), join(dir.path, 'held')];
    writeFileSync(held, '');
    const script = `case " $* " in *" push "*) touch '${begun}'; while [ -e '${held}' ]; do sleep 0.05; done;; esac`;
    const { env } = wrapGit(join(dir.path, 'bin'), script);
    const started = startHoldfast(project, ['run', 'x.eval.yaml', '--json', '--require-push'], env);
    await expect.poll(() => existsSync(begun)).toBe(true);
    started.child.kill('SIGINT');
    await started.said('what came of it is said next');
    rmSync(held);
    const { code, stdout } = await started.ended;
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      report: { exitCode: 0, runs: [{ state: 'done' }], results: { push: { outcome: 'pushed' } } },
    });
  });

  test('results.push: auto pushes by itself, and a push that fails changes no exit code', async () => {
    await init();
    writeFileSync(join(project, 'holdfast.config.yaml'), 'results: { remote: up, push: auto }\n');
    const said = await holdfast(project, ['run', 'x.eval.yaml']);
    expect(said.stdout).toMatch(/published 1 run in holdfast\/results, commit [0-9a-f]{12}, pushed/);
    expect(pushed()).toBe(git(project, 'rev-parse', BRANCH));
    git(project, 'remote', 'set-url', 'up', join(dir.path, 'gone.git'));
    const failed = await holdfast(project, ['run', 'x.eval.yaml', '--fresh', '--quiet']);
    expect(failed).toMatchObject({ code: 0, stderr: expect.stringMatching(/^Not pushed \(/) });
  });
});

describe('in a repository elsewhere', () => {
  test('a URL is cloned where nobody sees it, and used from then on; another machine makes its own clone', async () => {
    const bare = join(dir.path, 'team.git');
    initRepository(bare, '--bare');
    const env = { XDG_DATA_HOME: join(dir.path, 'data') };
    const begun = await holdfast(
      project,
      ['results', 'init', '--repo', `file://${bare}`, '--save', '--json'],
      env,
    );
    const { repository } = JSON.parse(begun.stdout) as { repository: string };
    expect(repository).toMatch(/\/data\/holdfast\/results\/[0-9a-f]{24}\.git$/);
    expect(await holdfast(project, ['results', 'init'], env)).toMatchObject({ code: 0 });
    expect(filesBelow(project).filter((name) => !/^\.git($|\/)/.test(name))).toEqual([
      '.gitignore',
      'holdfast.config.yaml',
      'x.eval.yaml',
    ]);
    expect((await run([], env)).report.results).toMatchObject({
      repository,
      runs: [{ outcome: 'published' }],
    });
    expect(git(project, 'for-each-ref')).toBe('');
    expect((await run(['--require-push'], env)).report.results?.push).toMatchObject({ outcome: 'pushed' });
    expect(count(bare)).toBe(1);
    const other = { XDG_DATA_HOME: join(dir.path, 'other') };
    expect((await run(['--fresh', '--require-push'], other)).report.results?.push).toMatchObject({
      outcome: 'pushed',
    });
    expect(count(bare)).toBe(2);
    const listed = JSON.parse((await holdfast(project, ['results', 'list', '--json'], other)).stdout);
    expect(listed.runs).toHaveLength(2);
  });

  test('a path that is no repository, or keeps no results, is told and not passed over', async () => {
    const none = await init('--repo', '../nowhere', '--json');
    expect(JSON.parse(none.stdout)).toMatchObject({ exitCode: 2, error: { code: 'E_NO_REPOSITORY' } });
    initRepository(join(dir.path, 'other'), '--bare');
    writeFileSync(join(project, 'holdfast.config.yaml'), 'results: { repo: ../other }\n');
    expect(await run()).toMatchObject({
      code: 0,
      report: { results: { error: { code: 'E_RESULTS_NOT_BEGUN' } } },
    });
    await init();
    expect((await run()).report.results?.runs).toHaveLength(1);
    expect(count(join(dir.path, 'other'))).toBe(1);
  });
});
