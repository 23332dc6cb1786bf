/** Results that are shared, annotated, checked and kept fast, as a user meets them: the commands, real git and real remotes. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { fixtureFields } from '../sim/log-fixture.ts';
import {
  cloneRepository,
  commitFiles,
  GIT_ENV,
  git,
  initRepository,
  runIdAt,
  runOfDay,
  writeRun,
} from '../sim/results-repo.ts';
import { useTempDir } from '../sim/use-temp-dir.ts';
import { holdfast } from './holdfast.ts';

const dir = useTempDir();
let remote: string;
beforeEach(() => {
  remote = join(dir.path, 'remote.git');
  initRepository(remote, '--bare');
});

/** A clone with results in it, as somebody. */
async function clone(name: string, ...runs: string[]): Promise<string> {
  const path = join(dir.path, name);
  cloneRepository(remote, path);
  mkdirSync(join(path, 'logs'));
  for (const run of runs) {
    const samples = [{ fields: { ...fixtureFields('s'), input: `of ${run}` }, events: [] }];
    await writeRun(join(path, 'logs'), run, { samples });
  }
  await holdfast(path, ['results', 'init']);
  if (runs.length > 0) await holdfast(path, ['results', 'publish', 'logs']);
  return path;
}

const json = async (path: string, ...words: string[]) =>
  JSON.parse((await holdfast(path, ['results', ...words, '--json'])).stdout);
const listed = async (path: string) => (await json(path, 'list')).runs.map(({ run }: { run: string }) => run);

describe('sharing', () => {
  test('two people publish, both sync, and both list the same; offline it says how many wait', async () => {
    const [a, b] = [await clone('a', runOfDay(1)), await clone('b', runOfDay(2))];
    expect((await holdfast(a, ['results', 'status'])).stdout).toContain('1 run not sent yet');
    const sent = await holdfast(a, ['results', 'sync']);
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining('Sent 1 run.') });
    expect(await json(b, 'sync')).toMatchObject({ outcome: 'pushed', sent: 1, waiting: 0 });
    expect(await json(a, 'sync', '--no-push')).toMatchObject({ fetched: true, waiting: 0 });
    expect(await listed(a)).toEqual([runOfDay(2), runOfDay(1)]);
    expect(await listed(b)).toEqual([runOfDay(2), runOfDay(1)]);

    git(a, 'remote', 'set-url', 'origin', 'http://127.0.0.1:9/none.git');
    await writeRun(join(a, 'logs'), runOfDay(3));
    await holdfast(a, ['results', 'publish', 'logs']);
    const away = await holdfast(a, ['results', 'sync']);
    expect(away).toMatchObject({ code: 4, stdout: expect.stringContaining('1 run waits to be sent.') });
    expect(away.stderr).toContain('cannot be reached');
    expect(await listed(a)).toHaveLength(3);
  });

  test('a remote that wants a password never waits for one, and says what to do', async () => {
    const server = createServer((_, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="results"' }).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const a = await clone('a', runOfDay(1));
    git(a, 'remote', 'set-url', 'origin', `http://127.0.0.1:${port}/x.git`);
    const refused = await holdfast(a, ['results', 'sync', '--verbose'], {
      DISPLAY: ':0',
      SSH_ASKPASS: '/bin/true',
    });
    server.close();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('E_REMOTE_AUTH');
    expect(refused.stderr).toContain('Log in once by hand');
  });

  test('a protected branch refuses, the words of the remote are told, and what was published stays', async () => {
    const a = await clone('a', runOfDay(1));
    mkdirSync(join(remote, 'hooks'), { recursive: true });
    writeFileSync(join(remote, 'hooks', 'pre-receive'), '#!/bin/sh\necho "protected" >&2\nexit 1\n', {
      mode: 0o755,
    });
    const refused = await holdfast(a, ['results', 'sync']);
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('pre-receive hook declined') });
    expect(await json(a, 'sync')).toMatchObject({ outcome: 'refused', error: { code: 'E_REMOTE_REFUSED' } });
    expect(await listed(a)).toEqual([runOfDay(1)]);
  });

  test('in a shallow and in a partial clone runs are listed, opened and published; a page is fetched at once', async () => {
    const a = await clone('a', runOfDay(1), runOfDay(2), runOfDay(3), runOfDay(4), runOfDay(5));
    for (const n of [1, 2, 3, 4, 5]) await holdfast(a, ['results', 'tag', runOfDay(n), '--add', 'x']);
    await holdfast(a, ['results', 'sync']);
    for (const key of ['uploadpack.allowFilter', 'uploadpack.allowAnySHA1InWant'])
      git(remote, 'config', key, 'true');
    for (const [name, flag] of [
      ['shallow', '--depth=1'],
      ['partial', '--filter=blob:none'],
    ] as const) {
      const path = join(dir.path, name);
      cloneRepository(`file://${remote}`, path, flag, '--no-checkout', '--branch=holdfast/results');
      const trace = join(dir.path, `${name}.trace`);
      const list = await holdfast(path, ['results', 'list'], { GIT_TRACE: trace });
      expect(list).toMatchObject({ code: 0, stdout: expect.stringContaining(runOfDay(1).slice(-10)) });
      // What says that it holds results, the newest row, and all others at once, with what was said of them.
      expect(fetchesIn(trace)).toBe(name === 'partial' ? 3 : 0);
      rmSync(trace, { force: true });
      expect(await holdfast(path, ['results', 'verify'], { GIT_TRACE: trace })).toMatchObject({ code: 0 });
      // What says what a run is, and then all its documents at once.
      expect(fetchesIn(trace)).toBeLessThanOrEqual(name === 'partial' ? 12 : 0);
      expect((await json(path, 'show', runOfDay(2))).run).toBe(runOfDay(2));
      mkdirSync(join(path, 'logs'));
      await writeRun(join(path, 'logs'), runIdAt('2026-04-01T00:00:00Z', name === 'partial' ? 1 : 2));
      expect((await holdfast(path, ['results', 'publish', 'logs'])).code).toBe(0);
      expect((await holdfast(path, ['results', 'sync'])).code).toBe(0);
    }
    await holdfast(a, ['results', 'sync']);
    expect(await listed(a)).toHaveLength(7);
  });

  test('a clone of another branch only gets the results when it syncs, and whoever git does not know is told', async () => {
    const a = await clone('a', runOfDay(1));
    commitFiles(remote, 'refs/heads/main', { 'README.md': 'code' });
    await holdfast(a, ['results', 'sync']);
    const path = join(dir.path, 'single');
    cloneRepository(`file://${remote}`, path, '--single-branch', '--depth=1', '--branch=main');
    expect(await holdfast(path, ['results', 'list'])).toMatchObject({ code: 2 });
    expect(await holdfast(path, ['results', 'sync'])).toMatchObject({ code: 0, stderr: '' });
    expect(await listed(path)).toEqual([runOfDay(1)]);

    git(path, 'config', 'user.useConfigOnly', 'true');
    mkdirSync(join(path, 'logs'));
    await writeRun(join(path, 'logs'), runOfDay(2));
    const publish = () =>
      holdfast(path, ['results', 'publish', 'logs', '--json'], { HOME: dir.path, GIT_AUTHOR_NAME: '' });
    expect(await publish()).toMatchObject({ code: 2, stdout: expect.stringContaining('E_NO_IDENTITY') });
    git(path, 'config', 'user.name', 'Ada');
    git(path, 'config', 'user.email', 'ada@example.test');
    expect(await publish()).toMatchObject({ code: 0 });
  });
});

async function until(isSo: () => boolean): Promise<void> {
  for (let tries = 0; tries < 600 && !isSo(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 100));
}

/** How many times git connected to a remote to fetch objects. */
function fetchesIn(trace: string): number {
  if (!existsSync(trace)) return 0;
  const lines = execFileSync('cat', [trace], { encoding: 'utf8' }).split('\n');
  return lines.filter((line) => line.includes('built-in: git upload-pack')).length;
}

describe('what people say of runs', () => {
  test('tags, notes, verdicts and removals, and all of them taken back', async () => {
    const a = await clone('a', runOfDay(1), runOfDay(2));
    const id = runOfDay(1).slice(-10);
    const words = (...given: string[]) => holdfast(a, ['results', ...given]);
    expect((await words('tag', id, '--add', 'baseline', '-a', 'x')).stdout).toContain('baseline, x');
    expect((await words('tag', id, '--remove', 'x')).stdout).toMatch(/baseline\n/);
    const tagged = (await json(a, 'list', '--tag', 'baseline')).runs;
    expect(tagged).toMatchObject([{ run: runOfDay(1), row: { tags: ['baseline'] } }]);
    await words('note', id, 'the key had expired');
    const verdict = await json(a, 'note', id, '--sample', 's', '--verdict', 'fail', 'it guessed');
    expect(verdict).toMatchObject({ kind: 'verdict', anchor: { sample: 's', epoch: 1 }, text: 'it guessed' });
    expect((await words('show', id)).stdout).toContain('the key had expired');
    expect((await json(a, 'show', id)).marks.verdicts).toMatchObject([{ id: verdict.id }]);
    await words('note', id, '--retract', verdict.id);
    expect((await json(a, 'show', id)).marks.verdicts).toEqual([]);
    expect((await words('remove', id, '--reason', 'wrong key')).stdout).toContain('is hidden');
    expect(await listed(a)).toEqual([runOfDay(2)]);
    expect((await json(a, 'list', '--removed')).runs).toHaveLength(2);
    await words('remove', id, '--restore');
    expect(await listed(a)).toEqual([runOfDay(2), runOfDay(1)]);
  });

  test('what cannot be said is refused with a next step, and nothing is written', async () => {
    const a = await clone('a', runOfDay(1), runOfDay(2));
    const before = git(a, 'rev-parse', 'holdfast/results');
    const codes: (readonly [string, ...string[]])[] = [
      ['E_TAG', 'tag', runOfDay(1)],
      ['E_TAG', 'tag', runOfDay(1), '--add', ' '],
      ['E_NOTE', 'note', runOfDay(1)],
      ['E_NOTE', 'note', runOfDay(1), '--verdict', 'fail'],
      ['E_NOTE', 'note', runOfDay(1), '--retract', 'nobody'],
      ['E_RUN_UNKNOWN', 'remove', 'nobody'],
      ['E_RUN_AMBIGUOUS', 'tag', '2026', '--add', 'x'],
      ['E_GC_RULE', 'gc'],
      ['E_RESULTS_NO_BUCKET', 'gc', '--before', '1d'],
    ];
    for (const [code, ...words] of codes)
      expect(await holdfast(a, ['results', ...words, '--verbose']), words.join(' ')).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(code),
      });
    expect(git(a, 'rev-parse', 'holdfast/results')).toBe(before);
  });
});

describe('a store that keeps itself', () => {
  test('many publications are put together in the background, and nobody has to say so', async () => {
    const a = await clone('a');
    for (let n = 0; n < 30; n++) await writeRun(join(a, 'logs'), runIdAt('2026-03-01T00:00:00Z', n));
    const packs = () =>
      readdirSync(join(a, '.git', 'objects', 'pack')).filter((name) => name.endsWith('.pack')).length;
    await holdfast(a, ['results', 'publish', 'logs']);
    const graph = join(a, '.git', 'objects', 'info', 'commit-graphs', 'commit-graph-chain');
    await until(() => packs() < 10 && existsSync(graph));
    expect(packs()).toBeLessThan(10);
    expect(await listed(a)).toHaveLength(30);
    expect(git(a, 'fsck', '--no-dangling')).not.toContain('error');
    expect(await json(a, 'upkeep')).toMatchObject({ outcome: 'not needed' });
  });

  test('everything is checked, and what is damaged is named while the rest is read', async () => {
    const a = await clone('a', runOfDay(1), runOfDay(2));
    expect(await holdfast(a, ['results', 'verify'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('all whole'),
    });
    // Loose objects, of which one is overwritten.
    const objects = join(a, '.git', 'objects');
    for (const name of readdirSync(join(objects, 'pack'))) {
      if (name.endsWith('.pack')) {
        const bytes = execFileSync('cat', [join(objects, 'pack', name)]);
        rmSync(join(objects, 'pack', name));
        rmSync(join(objects, 'pack', name.replace(/pack$/, 'idx')));
        execFileSync('git', ['-C', a, 'unpack-objects', '-q'], { input: bytes, env: GIT_ENV });
      }
    }
    const id = git(
      a,
      'rev-parse',
      `holdfast/results:runs/2026-03-01/${runOfDay(1)}/log/samples/s_epoch_1.json`,
    );
    const file = join(objects, id.slice(0, 2), id.slice(2));
    chmodSync(file, 0o644);
    writeFileSync(file, 'garbage');
    const found = await holdfast(a, ['results', 'verify']);
    expect(found).toMatchObject({ code: 3, stdout: expect.stringContaining('samples/s_epoch_1.json') });
    expect(found.stdout).toContain('1 run damaged');
    expect(await listed(a)).toEqual([runOfDay(2), runOfDay(1)]);
    expect((await json(a, 'verify', runOfDay(2))).isWhole).toBe(true);
  });

  test('a git that is too old is told by what it lacks', async () => {
    const a = await clone('a', runOfDay(1));
    const bin = join(dir.path, 'bin');
    mkdirSync(bin);
    const real = execFileSync('which', ['git'], { encoding: 'utf8' }).trim();
    const old = `#!/bin/sh\ncase "$*" in *--batch-command*) echo "error: unknown option \\\`batch-command'" >&2; exit 129;; esac\nexec ${real} "$@"\n`;
    writeFileSync(join(bin, 'git'), old, { mode: 0o755 });
    const told = await holdfast(a, ['results', 'list', '--verbose'], { PATH: `${bin}:${process.env.PATH}` });
    expect(told).toMatchObject({ code: 2, stderr: expect.stringContaining('E_GIT_VERSION') });
    expect(told.stderr).toContain('2.36');
  });
});
