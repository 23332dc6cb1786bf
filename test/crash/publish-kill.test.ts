/** A run that is killed between sealing its log and having it published: nothing is lost, nothing is doubled. */
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeEach, describe, expect, test } from 'vitest';
import { seededRandom } from '../../src/base/index.ts';
import { holdfast, startHoldfast } from '../e2e/holdfast.ts';
import { git, gitInput, initRepository, withLog } from '../sim/results-repo.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { wrapGit } from '../sim/wrapped-git.ts';

const KILLS = Math.ceil(Number(process.env.HOLDFAST_KILLS ?? 50) / 5);
const SEED = Number(process.env.HOLDFAST_SEED ?? 1);
const BRANCH = 'holdfast/results';
const EVAL = `name: x
target: mock/echo
data: [{ id: a, input: a, target: a }, { id: b, input: b, target: c }]
scorers: [includes]
`;

const dir = useTempDir();
let project: string;
beforeEach(async () => {
  project = join(dir.path, 'project');
  initRepository(project);
  gitInput(project, 'commit refs/heads/main\ncommitter x <x@y> 1 +0000\ndata 1\nx\n\n');
  writeFileSync(join(project, 'x.eval.yaml'), EVAL);
  expect(await holdfast(project, ['results', 'init'])).toMatchObject({ code: 0 });
});

const RUN = ['run', 'x.eval.yaml', '--quiet'];
const logs = () => {
  const place = join(project, 'logs');
  return existsSync(place) ? readdirSync(place).filter((name) => name.endsWith('.eval')) : [];
};

/**
 * The branch is whole at this very moment, whatever was killed. A git that goes on alone may be moving it while fsck looks, which takes that
 * for damage; damage stays.
 */
async function checkWhole(): Promise<void> {
  for (let tries = 4; ; tries--) {
    try {
      expect(git(project, 'fsck', '--full', '--no-dangling', '--no-progress')).toBe('');
      break;
    } catch (error) {
      if (tries === 0) throw error;
      await sleep(500);
    }
  }
  expect(git(project, 'ls-tree', '--name-only', BRANCH)).toContain('format.json');
}

/** After a run that may finish: every finished log is there once, in a commit of its own, and nothing else is. */
async function checkAll(): Promise<void> {
  expect(await holdfast(project, RUN)).toMatchObject({ code: 0, stderr: '' });
  const finished = await Promise.all(
    logs().map((name) =>
      withLog(join(project, 'logs', name), async (log) => (await log.header()).eval.run_id),
    ),
  );
  const { stdout } = await holdfast(project, ['results', 'list', '--limit', '1000', '--json']);
  const { runs } = JSON.parse(stdout) as {
    runs: readonly { run: string; forms: readonly string[]; row: { revision: number } }[];
  };
  expect(runs.map(({ run }) => run).sort()).toEqual(finished.sort());
  expect(runs.every(({ row, forms }) => row.revision === 1 && forms.includes('published'))).toBe(true);
  expect(Number(git(project, 'rev-list', '--count', BRANCH))).toBe(finished.length + 1);
  await checkWhole();
}

/** Shell in the place of git: what it does when it is asked for something, once there is a log. */
const AT = (what: string, does: string) =>
  `ls "$PROJECT"/logs/*.eval > /dev/null 2>&1 && case "$*" in *${what}*) ${does};; esac`;
const POINTS: Readonly<Record<string, string>> = {
  'before git is asked for anything': AT('rev-parse', 'kill -9 $PPID; exit 1'),
  'before objects are read': AT('cat-file', 'kill -9 $PPID; exit 1'),
  'before git says who publishes': AT('config', 'kill -9 $PPID; exit 1'),
  'before anything is imported': AT('fast-import', 'kill -9 $PPID; exit 1'),
  'when git has read a part': AT('fast-import', 'head -c 3000 | "$REAL" "$@"; kill -9 $PPID; exit 1'),
  'with git, at the same moment': AT('fast-import', 'kill -9 $PPID; kill -9 $$'),
  'while git goes on alone': AT('fast-import', '(sleep 0.2; kill -9 $PPID) & exec "$REAL" "$@"'),
  'when all is imported, before that is known': AT(
    'fast-import',
    '"$REAL" "$@" > /dev/null; kill -9 $PPID; exit 0',
  ),
};

describe.skipIf(process.platform === 'win32')('a run is killed', () => {
  test.each(Object.entries(POINTS))('%s', async (_, script) => {
    const { env } = wrapGit(join(dir.path, 'bin'), script);
    const ended = await holdfast(project, RUN, { ...env, PROJECT: project });
    if (!script.includes('sleep')) expect(ended.signal).toBe('SIGKILL');
    expect(logs()).toHaveLength(1);
    await checkWhole();
    await checkAll();
  });

  test(`${KILLS} times at random around its end (seed ${SEED})`, {
    timeout: 240_000 + KILLS * 40_000,
  }, async () => {
    const random = seededRandom(SEED);
    let kills = 0;
    while (kills < KILLS) {
      const before = logs().length;
      const { child, ended } = startHoldfast(project, [...RUN, '--fresh']);
      while (logs().length === before && child.exitCode === null) await sleep(2);
      await sleep(random.next() * 400);
      child.kill('SIGKILL');
      if ((await ended).signal === 'SIGKILL') kills++;
      await checkWhole();
    }
    await checkAll();
    // What is remembered of logs only saves time.
    for (const name of readdirSync(join(project, 'logs/.holdfast')).filter((one) =>
      one.startsWith('published-logs-'),
    ))
      rmSync(join(project, 'logs/.holdfast', name));
    await checkAll();
  });

  test('two runs that find the same logs at once publish each of them once', async () => {
    for (let n = 0; n < 4; n++) await holdfast(project, [...RUN, '--fresh', '--no-publish']);
    const both = await Promise.all([holdfast(project, RUN), holdfast(project, RUN)]);
    expect(both).toMatchObject([{ code: 0 }, { code: 0 }]);
    await checkAll();
  });
});
