import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { fixtureFields } from '../../test/sim/log-fixture.ts';
import {
  git,
  gitInput,
  initRepository,
  openResults,
  runIdAt,
  withLog,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { nodeDisk } from '../disk/index.ts';
import { convertLog, openLog } from '../log/index.ts';
import { digestDocuments } from './documents.ts';
import { DAY_RUNS_MAX, RESULTS_REF } from './layout.ts';
import { listRuns } from './list-runs.ts';
import { openPublished } from './published-log.ts';
import { ResultsTree } from './results-tree.ts';
import { withDocuments } from './with-documents.ts';

const dir = useTempDir();
let repo: string;
let logs: string;
beforeEach(() => {
  repo = join(dir.path, 'repo');
  logs = join(dir.path, 'logs');
  mkdirSync(logs);
  initRepository(repo);
});

const RUN = runIdAt('2026-03-04T05:06:07Z');

describe('publishing', () => {
  test('[RES-1] [RES-2] one commit on an orphan branch, and nothing else of the repository is touched', async () => {
    writeFileSync(join(repo, 'mine.txt'), 'mine');
    git(repo, 'add', 'mine.txt');
    mkdirSync(join(repo, '.git', 'hooks'), { recursive: true });
    writeFileSync(join(repo, '.git', 'hooks', 'reference-transaction'), '#!/bin/sh\nexit 1\n', {
      mode: 0o755,
    });
    const before = git(repo, 'status', '--porcelain', '--branch');
    await using results = await openResults(repo);
    const done = await results.publish(await writeRun(logs, RUN));
    expect(done).toMatchObject({ run: RUN, outcome: 'published', row: { revision: 1, eval: 'capitals' } });
    expect(git(repo, 'status', '--porcelain', '--branch')).toBe(before);
    expect(git(repo, 'rev-list', '--count', RESULTS_REF)).toBe('2');
    expect(
      git(repo, 'log', '-1', '--format=%an %ae|%(trailers:key=Holdfast-Run,valueonly)', RESULTS_REF),
    ).toBe(`Ada ada@example.test|${RUN}`);
    const paths = git(repo, 'ls-tree', '-r', '--name-only', RESULTS_REF).split('\n');
    const folder = `runs/2026-03-04/${RUN}`;
    expect(paths).toEqual([
      'format.json',
      ...[
        '_journal/start.json',
        'header.json',
        'reductions.json',
        'samples/1_epoch_1.json',
        'summaries.json',
      ].map((name) => `${folder}/log/${name}`),
      `${folder}/run.json`,
    ]);
    expect(git(repo, 'fsck', '--strict', '--no-dangling')).not.toContain('error');
  });

  test('[RES-5] [RES-7] the same log twice is one publication; another of the same run is a revision that names the first', async () => {
    await using results = await openResults(repo);
    const path = await writeRun(logs, RUN);
    const first = await results.publish(path);
    expect((await results.publish(path)).outcome).toBe('there');
    expect(git(repo, 'rev-list', '--count', RESULTS_REF)).toBe('2');
    const second = await results.publish(await writeRun(logs, RUN, { header: { tags: ['again'] } }));
    expect(second).toMatchObject({
      outcome: 'revised',
      row: { revision: 2, previous: first.row.log.digest, tags: ['again'] },
    });
    const page = await listRuns(results.ports, results.ports.refs, { limit: 10 });
    expect(page?.runs).toMatchObject([{ run: RUN, row: { revision: 2 } }]);
    const tree = await ResultsTree.read(results.ports, [RESULTS_REF]);
    const digests = (await tree?.find(RUN))?.map(({ row }) => row.log.digest);
    expect(digests).toEqual([second.row.log.digest, first.row.log.digest]);
  });

  test('six at once in one clone all land', async () => {
    const runs = Array.from({ length: 6 }, (_, n) => runIdAt('2026-03-04T00:00:00Z', n));
    await Promise.all(
      runs.map(async (run) => {
        await using results = await openResults(repo);
        await results.publish(await writeRun(logs, run));
      }),
    );
    await using results = await openResults(repo);
    const page = await listRuns(results.ports, results.ports.refs, { limit: 10 });
    expect(page?.runs.map(({ run }) => run)).toEqual(runs.toReversed());
    expect(git(repo, 'rev-list', '--count', RESULTS_REF)).toBe('7');
  });

  test('[RES-4] names of samples may be anything, and the log comes back as it was', async () => {
    const ids = ['a/b', '..', '.git', 'é ~"\\%2f', 'x'.repeat(500), 'Tab\there', 'line\nfeed'];
    const samples = ids.map((id) => ({ fields: fixtureFields(id), events: [] }));
    await using results = await openResults(repo);
    const path = await writeRun(logs, RUN, { samples });
    await results.publish(path);
    const tree = await ResultsTree.read(results.ports, [RESULTS_REF]);
    const [revision] = (await tree?.find(RUN)) ?? [];
    if (!revision) throw new Error('it was published');
    const log = await openPublished(revision, results.ports);
    expect((await log.samples()).map(({ id }) => id).sort()).toEqual(ids.toSorted());
    expect((await log.sample('a/b', 1))?.input).toBe('question');
    expect(await digestDocuments(log)).toEqual(await withLog(path, digestDocuments));
  });

  test('an unfinished log is refused', async () => {
    await using results = await openResults(repo);
    const path = await writeRun(logs, RUN, { header: { status: 'started' } });
    await expect(results.publish(path)).rejects.toMatchObject({ code: 'E_RESULT_UNFINISHED' });
  });

  test('a log in one JSON is published as documents, and read again as it was', async () => {
    await using results = await openResults(repo);
    const from = await writeRun(logs, RUN);
    const to = join(logs, 'one.json');
    await convertLog(nodeDisk, { from, to });
    expect(await results.publish(to)).toMatchObject({
      run: RUN,
      outcome: 'published',
      row: { log: { name: 'one.json' } },
    });
    const log = await results.store.open(await results.store.find(RUN));
    expect(log.members().length).toBeGreaterThan(3);
    expect(await log.sample('1', 1)).toEqual(await withLog(from, (whole) => whole.sample('1', 1)));
    await log.close();
    const real = await openLog(nodeDisk, to);
    const away = { ...real, path: '/nowhere/one.json', members: () => [] };
    await expect(withDocuments(nodeDisk, away, async () => 0)).rejects.toMatchObject({
      code: 'E_RESULT_FORM',
    });
    await real.close();
  });

  test('a repository of SHA-256 works', async () => {
    const other = join(dir.path, 'other');
    initRepository(other, '--object-format=sha256', '--bare');
    await using results = await openResults(other);
    await results.publish(await writeRun(logs, RUN));
    const page = await listRuns(results.ports, results.ports.refs, { limit: 1 });
    expect(page?.runs).toMatchObject([{ run: RUN }]);
    expect(page?.commits[0]).toHaveLength(64);
  });
});

describe('listing', () => {
  test('newest first, in pages that stay what they are while others publish', async () => {
    await using results = await openResults(repo);
    const runs = ['2026-03-01', '2026-03-02', '2026-03-02', '2026-03-05'].map((day, n) =>
      runIdAt(`${day}T00:00:00Z`, n),
    );
    for (const run of runs) await results.publish(await writeRun(logs, run));
    const first = await listRuns(results.ports, results.ports.refs, { limit: 2 });
    expect(first?.runs.map(({ run }) => run)).toEqual([runs[3], runs[2]]);
    for (const time of ['2026-03-01T12:00:00Z', '2026-03-02T00:00:01Z'])
      await results.publish(await writeRun(logs, runIdAt(time, 9)));
    const second = await listRuns(results.ports, results.ports.refs, {
      limit: 2,
      cursor: first?.cursor ?? '',
    });
    expect(second?.runs.map(({ run }) => run)).toEqual([runs[1], runs[0]]);
    expect(second?.cursor).toBeUndefined();
  });

  test('a cursor whose commit is gone goes on from its run in what is there now; what is none is refused', async () => {
    await using results = await openResults(repo);
    const runs = [1, 2].map((n) => runIdAt(`2026-03-0${n}T00:00:00Z`, n));
    for (const run of runs) await results.publish(await writeRun(logs, run));
    const gone = Buffer.from(JSON.stringify({ commits: ['0'.repeat(40)], run: runs[1] })).toString(
      'base64url',
    );
    const page = await listRuns(results.ports, results.ports.refs, { limit: 5, cursor: gone });
    expect(page?.runs.map(({ run }) => run)).toEqual([runs[0]]);
    await expect(
      listRuns(results.ports, results.ports.refs, { limit: 5, cursor: 'x' }),
    ).rejects.toMatchObject({
      code: 'E_CURSOR',
    });
  });

  test('by eval, target, tag, status and time', async () => {
    await using results = await openResults(repo);
    const early = runIdAt('2026-03-01T00:00:00Z', 1);
    const late = runIdAt('2026-03-02T10:00:00Z', 2);
    await results.publish(await writeRun(logs, early, { header: { tags: ['x'] } }));
    await results.publish(await writeRun(logs, late, { spec: { task: 'other', model: 'mock/n' } }));
    const list = async (filter: object) =>
      (await listRuns(results.ports, results.ports.refs, { limit: 9, ...filter }))?.runs.map(
        ({ run }) => run,
      );
    expect(await list({ eval: 'other' })).toEqual([late]);
    expect(await list({ target: 'mock/m' })).toEqual([early]);
    expect(await list({ tag: 'x' })).toEqual([early]);
    expect(await list({ status: 'error' })).toEqual([]);
    expect(await list({ sinceMs: Date.parse('2026-03-02T09:00:00Z') })).toEqual([late]);
    expect(await list({ sinceMs: Date.parse('2026-03-02T11:00:00Z') })).toEqual([]);
  });

  test('[RES-3] a busy day is spread over folders, and listed as one', async () => {
    await using results = await openResults(repo);
    const runs = Array.from({ length: DAY_RUNS_MAX + 4 }, (_, n) => runIdAt('2026-03-01T00:00:00Z', n));
    importRuns(runs.slice(0, DAY_RUNS_MAX));
    for (const run of runs.slice(DAY_RUNS_MAX)) await results.publish(await writeRun(logs, run));
    const page = await listRuns(results.ports, results.ports.refs, { limit: 1_000 });
    expect(page?.runs.map(({ run }) => run)).toEqual(runs.toReversed());
    const beside = git(repo, 'ls-tree', '--name-only', RESULTS_REF, 'runs/2026-03-01/').split('\n');
    expect(beside.filter((name) => /\/[0-9a-f]{2}$/.test(name)).length).toBeGreaterThan(0);
    expect(beside.length).toBeLessThanOrEqual(DAY_RUNS_MAX + 4);
    const last = runs.at(-1);
    const tree = await ResultsTree.read(results.ports, [RESULTS_REF]);
    expect(last && (await tree?.find(last))).toHaveLength(1);
  });

  test('a row that cannot be read is a row that says so, and hinders no other', async () => {
    await using results = await openResults(repo);
    const whole = runIdAt('2026-03-02T00:00:00Z', 1);
    importRuns([runIdAt('2026-03-01T00:00:00Z', 7)], '{"broken":');
    await results.publish(await writeRun(logs, whole));
    const page = await listRuns(results.ports, results.ports.refs, { limit: 5 });
    expect(page?.runs).toMatchObject([
      { run: whole, row: {} },
      { damage: expect.stringContaining('cannot be read') },
    ]);
  });

  test('[RES-1] a branch of somebody else’s tool, and one of a newer version, are refused by name', async () => {
    git(repo, '-c', 'user.name=x', '-c', 'user.email=x@y', 'commit', '--allow-empty', '-qm', 'mine');
    git(repo, 'branch', 'holdfast/results');
    await using results = await openResults(repo, { isBegun: false });
    await expect(listRuns(results.ports, results.ports.refs, { limit: 1 })).rejects.toMatchObject({
      code: 'E_RESULTS_REF',
    });
    await expect(results.publish(await writeRun(logs, RUN))).rejects.toMatchObject({ code: 'E_RESULTS_REF' });
    git(repo, 'branch', '-D', 'holdfast/results');
    expect(await listRuns(results.ports, results.ports.refs, { limit: 1 })).toBeUndefined();
  });

  test('outside of any repository it says so', async () => {
    await expect(openResults(logs)).rejects.toMatchObject({ code: 'E_NO_REPOSITORY' });
  });

  /** Many at once, with rows only. */
  function importRuns(runs: readonly string[], row?: string): void {
    const files = runs.map((run) => {
      const text = row ?? rowOf(run);
      return `M 100644 inline runs/2026-03-01/${run}/run.json\ndata ${Buffer.byteLength(text)}\n${text}\n`;
    });
    const commit = `commit ${RESULTS_REF}\ncommitter x <x@y> 1 +0000\ndata 1\nx\nfrom ${RESULTS_REF}^0\n${files.join('')}\n`;
    gitInput(repo, commit);
  }
});

function rowOf(run: string): string {
  return JSON.stringify({
    version: 1,
    run,
    revision: 1,
    eval: 'capitals',
    target: 'mock/m',
    tags: [],
    status: 'success',
    samples: { total: 1, completed: 1, errored: 0 },
    scores: [],
    tokens: { input: 0, output: 0, total: 0 },
    usd: null,
    start: '2026-03-01T00:00:00Z',
    end: '2026-03-01T00:00:00Z',
    durationMs: 0,
    by: { user: 'x', host: 'y' },
    log: { name: 'x.eval', digest: '0', sizeBytes: 0, documents: 0, isFanned: false },
  });
}
