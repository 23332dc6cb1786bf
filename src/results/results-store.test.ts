import { chmodSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import {
  GIT_ENV,
  git,
  gitInput,
  initRepository,
  runIdAt,
  withLog,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { openResults, type ResultsStore } from './index.ts';
import { RESULTS_REF } from './layout.ts';

const dir = useTempDir();
let repo: string;
let logs: string;
beforeEach(() => {
  repo = join(dir.path, 'repo');
  logs = join(dir.path, 'logs');
  mkdirSync(logs);
  initRepository(repo);
});

const open = (more: { env?: typeof GIT_ENV; repo?: string } = {}) =>
  openResults({ disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV, repo, ...more });

const publish = (results: ResultsStore, path: string) =>
  withLog(path, (log) => results.publish(log, path.split('/').at(-1) ?? ''));

test('[RES-1] every beginning is the same commit, so clones that begin apart belong together', async () => {
  const other = join(dir.path, 'other');
  initRepository(other, '--bare');
  for (const place of [repo, other]) {
    await using results = await open({ repo: place });
    expect(await results.init()).toBe(true);
    expect(await results.init()).toBe(false);
  }
  expect(git(repo, 'rev-parse', RESULTS_REF)).toBe(git(other, 'rev-parse', RESULTS_REF));
});

test('before it is begun nothing is published or listed, and the next step is named', async () => {
  await using results = await open();
  const refused = { code: 'E_RESULTS_NOT_BEGUN', hint: expect.stringContaining('results init') };
  await expect(publish(results, await writeRun(logs, runIdAt('2026-01-01T00:00:00Z')))).rejects.toMatchObject(
    refused,
  );
  await expect(results.list({ limit: 1 })).rejects.toMatchObject(refused);
  await expect(results.find('2026')).rejects.toMatchObject(refused);
});

test('a run is found by its id, by its beginning and by its part after the dash; else the candidates are named', async () => {
  await using results = await open();
  await results.init();
  const [one, two] = [runIdAt('2026-01-01T00:00:00Z', 1), runIdAt('2026-01-01T00:00:00Z', 2)];
  const first = await publish(results, await writeRun(logs, one));
  await publish(results, await writeRun(logs, two));
  const found = await results.find(one);
  expect(found).toMatchObject({ revision: { run: one }, revisions: 1 });
  expect(await results.commitOf(found.revision)).toBe(first.commit);
  expect((await results.find('0000000002')).revision.run).toBe(two);
  await expect(results.find('20260101')).rejects.toMatchObject({
    code: 'E_RUN_AMBIGUOUS',
    message: expect.stringContaining(`${two}, ${one}`),
  });
  await expect(results.find('20270101')).rejects.toMatchObject({ code: 'E_RUN_UNKNOWN' });
  for (const bad of ['a b', '', '../x', 'refs/heads/main'])
    await expect(results.find(bad)).rejects.toMatchObject({ code: 'E_RUN_ID' });
});

test('without an identity of git a run is published by whoever runs it; with one, by that', async () => {
  await using results = await open();
  await results.init();
  await publish(results, await writeRun(logs, runIdAt('2026-01-01T00:00:00Z', 1)));
  expect(git(repo, 'log', '-1', '--format=%ae', RESULTS_REF)).toMatch(/.+@.+/);
  git(repo, 'config', 'user.name', 'Ada Lovelace');
  git(repo, 'config', 'user.email', 'ada@example.test');
  await using later = await open();
  await publish(later, await writeRun(logs, runIdAt('2026-01-01T00:00:00Z', 2)));
  expect(git(repo, 'log', '-1', '--format=%an <%ae>', RESULTS_REF)).toBe('Ada Lovelace <ada@example.test>');
});

test('results of a newer version are refused; the branch is left as it is', async () => {
  gitInput(
    repo,
    `commit ${RESULTS_REF}\ncommitter x <x@y> 1 +0000\ndata 1\nx\nM 100644 inline format.json\ndata 41\n{"format":"holdfast-results","version":2}\n\n`,
  );
  await using results = await open();
  await expect(results.init()).rejects.toMatchObject({ code: 'E_RESULTS_VERSION' });
});

test('a row that is damaged is named when the run is asked for', async () => {
  const run = runIdAt('2026-01-01T00:00:00Z');
  gitInput(
    repo,
    `commit ${RESULTS_REF}\ncommitter x <x@y> 1 +0000\ndata 1\nx\nM 100644 inline format.json\ndata 41\n{"format":"holdfast-results","version":1}\nM 100644 inline runs/2026-01-01/${run}/run.json\ndata 2\n{}\n\n`,
  );
  await using results = await open();
  await expect(results.find(run)).rejects.toMatchObject({ code: 'E_RESULT_ROW' });
});

test('an object that is gone is named as damage, and the rest is still listed', async () => {
  await using results = await open();
  await results.init();
  const before = packs();
  await publish(results, await writeRun(logs, runIdAt('2026-01-01T00:00:00Z', 1)));
  const gone = packs().filter((name) => !before.includes(name));
  await publish(results, await writeRun(logs, runIdAt('2026-01-02T00:00:00Z', 2)));
  for (const name of gone) rmSync(join(repo, '.git/objects/pack', name), { force: true });
  await using again = await open();
  const page = await again.list({ limit: 5 }).catch((error: unknown) => error);
  expect(page).toMatchObject({ code: 'E_GIT_OBJECT' });
});

test('without git it says what to install; where nothing can be written, that', async () => {
  await expect(open({ env: { ...GIT_ENV, PATH: '/nonexistent' } })).rejects.toMatchObject({
    code: 'E_GIT_MISSING',
  });
});

test.skipIf(process.getuid?.() === 0)('a repository that cannot be written is named', async () => {
  await using results = await open();
  await results.init();
  chmodSync(join(repo, '.git/objects'), 0o500);
  const path = await writeRun(logs, runIdAt('2026-01-01T00:00:00Z'));
  await expect(publish(results, path)).rejects.toMatchObject({ code: 'E_REPOSITORY_READ_ONLY' });
  chmodSync(join(repo, '.git/objects'), 0o700);
});

test('a ref that another git holds locked is waited for', async () => {
  await using results = await open();
  await results.init();
  const lock = join(repo, '.git/refs/heads/holdfast/results.lock');
  writeFileSync(lock, '');
  const publishing = publish(results, await writeRun(logs, runIdAt('2026-01-01T00:00:00Z')));
  setTimeout(() => rmSync(lock), 700);
  expect((await publishing).outcome).toBe('published');
});

function packs(): string[] {
  return readdirSync(join(repo, '.git/objects/pack'));
}

test('a lock that a killed git left is named after a while, and nothing is lost', async () => {
  await using results = await open();
  await results.init();
  const path = await writeRun(logs, runIdAt('2026-01-01T00:00:00Z'));
  const lock = join(repo, '.git', `${RESULTS_REF}.lock`);
  writeFileSync(lock, '');
  await expect(publish(results, path)).rejects.toMatchObject({
    code: 'E_REPOSITORY_LOCKED',
    hint: expect.stringContaining(lock),
  });
  rmSync(lock);
  expect(await publish(results, path)).toMatchObject({ outcome: 'published' });
});
