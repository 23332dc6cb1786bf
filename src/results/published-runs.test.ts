import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtureFields } from '../../test/sim/log-fixture.ts';
import {
  dropObject,
  GIT_ENV,
  git,
  gitInput,
  initRepository,
  runIdAt,
  withLog,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { type Digest, systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { directoryLogStore } from '../log/index.ts';
import { digestDocuments } from './documents.ts';
import { openResults, type ResultsStore, rebuildLog } from './index.ts';
import { RESULTS_REF } from './layout.ts';

const temp = useTempDir();
const [FIRST, SECOND, THIRD] = [1, 2, 3].map((n) => runIdAt(`2026-11-1${n}T10:00:00Z`, n));

async function store(...flags: string[]): Promise<ResultsStore> {
  initRepository(join(temp.path, 'repo'), ...flags);
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
  const results = await openResults({ ...ports, repo: join(temp.path, 'repo') });
  await results.init();
  return results;
}

async function publish(results: ResultsStore, run: string | undefined, more = {}): Promise<string> {
  const path = await writeRun(temp.path, run ?? '', more);
  await withLog(path, (log) => results.publish(log, path.split('/').at(-1) ?? ''));
  return path;
}

const digestOf = (path: string) => withLog(path, async (log) => (await digestDocuments(log)).digest);
const back = () => directoryLogStore(nodeDisk, join(temp.path, 'back'));

test.each(['sha1', 'sha256'])(
  '[RES-7] a log that is rebuilt from git has the digest that it was published with (%s)',
  async (format) => {
    await using results = await store(`--object-format=${format}`);
    const ids = [
      '../up',
      'a/b',
      'a"b',
      '.hidden',
      'ü 🎉',
      'x'.repeat(120),
      ...Array.from({ length: 300 }, String),
    ];
    const samples = ids.map((id) => ({ fields: fixtureFields(id), events: [] }));
    const path = await publish(results, FIRST, { samples });
    const made = await results.rebuild(await results.find(String(FIRST)), back(), { replace: false });
    expect(made.place).toBe(join(temp.path, 'back', `${FIRST}.eval`));
    expect(await digestOf(made.place)).toBe(await digestOf(path));
  },
);

test('documents that do not come to their digest never become a log', async () => {
  await using results = await store();
  await publish(results, FIRST);
  const log = await results.open(await results.find(String(FIRST)));
  const options = { name: 'x.eval', digest: 'f'.repeat(64) as Digest, replace: false };
  await expect(rebuildLog(log, back(), options)).rejects.toMatchObject({ code: 'E_RESULT_DIGEST' });
  expect(readdirSync(join(temp.path, 'back'))).toEqual([]);
});

test('a log that comes home goes beside one that has its name, and is not made twice', async () => {
  await using results = await store();
  const path = await publish(results, FIRST);
  const found = await results.find(String(FIRST));
  const here = directoryLogStore(nodeDisk, temp.path);
  const name = await results.bringHome(found, here);
  expect(name).toMatch(/^\d{8}T.*-[0-9a-f]{16}\.eval$/);
  expect(await digestOf(join(temp.path, name))).toBe(await digestOf(path));
  const before = readFileSync(path);
  expect(await results.bringHome(found, here)).toBe(name);
  expect(readFileSync(path)).toEqual(before);
  expect(readdirSync(temp.path).filter((one) => one.endsWith('.eval'))).toHaveLength(2);
});

test('rows since: only what came, with revisions; all of them when the moment is not known', async () => {
  await using results = await store();
  expect(await results.rowsSince(undefined)).toMatchObject({ isSince: false, added: [] });
  await publish(results, FIRST);
  const first = await results.rowsSince(undefined);
  expect(first).toMatchObject({
    isSince: false,
    added: [{ run: FIRST, eval: 'capitals', revision: 1 }],
    removed: [],
  });
  expect(await results.rowsSince(first?.position)).toMatchObject({ isSince: true, added: [] });
  await publish(results, SECOND);
  await publish(results, FIRST, { header: { tags: ['scored'] } });
  const later = await results.rowsSince(first?.position);
  expect(later?.isSince).toBe(true);
  expect(later?.added.map(({ run, revision }) => [run, revision])).toEqual([
    [FIRST, 2],
    [SECOND, 1],
  ]);
  const lost = await results.rowsSince('0'.repeat(40));
  expect(lost).toMatchObject({ isSince: false });
  expect(lost?.added).toHaveLength(3);
  const at = await results.at(later?.added[0]?.path ?? '');
  expect(at?.revision.row).toMatchObject({ run: FIRST, revision: 2 });
  expect(await results.at('runs/2026-11-11/nothing')).toBeUndefined();
});

test('rows since: one that cannot be read is named and hinders no other, and what is gone is told', async () => {
  await using results = await store();
  await publish(results, FIRST);
  const before = await results.rowsSince(undefined);
  await publish(results, SECOND);
  const path = before?.added[0]?.path;
  gitInput(
    join(temp.path, 'repo'),
    `commit ${RESULTS_REF}\ncommitter A <a@b> 0 +0000\ndata 0\nfrom ${RESULTS_REF}^0\nD ${path}\nM 644 inline runs/2026-11-13/${THIRD}/run.json\ndata 3\n{x}\n`,
  );
  expect(await results.rowsSince(before?.position)).toMatchObject({
    added: [{ run: SECOND }],
    removed: [path],
    unreadable: [{ reason: expect.stringContaining(String(THIRD)) }],
  });
});

test('each run that a filter leaves, in its newest revision; one that cannot be read says so', async () => {
  await using results = await store();
  await publish(results, FIRST);
  await publish(results, FIRST, { header: { tags: ['scored'] } });
  await publish(results, SECOND, { spec: { task: 'other' } });
  const found = [];
  for await (const one of results.each({ eval: 'capitals' })) found.push(one);
  expect(found).toMatchObject([{ run: FIRST, revision: { row: { revision: 2 } } }]);
});

test('a published log is checked against its digest', async () => {
  await using results = await store();
  await publish(results, FIRST);
  const found = await results.find(String(FIRST));
  expect(await results.check(found)).toMatchObject({ isWhole: true });
  const { row } = found.revision;
  const other = { revision: { ...found.revision, row: { ...row, log: { ...row.log, digest: 'f' } } } };
  expect(await results.check(other)).toMatchObject({ isWhole: false, problems: [{ code: 'digest' }] });
});

test('documents of one length are told apart by what stands for their checksum, and equal ones are not', async () => {
  await using results = await store();
  const scored = (value: string) => ({
    samples: [
      { fields: fixtureFields(1, { scores: { exact: { value } } }), events: [] },
      { fields: fixtureFields(2), events: [] },
    ],
  });
  const crcs: (readonly (number | undefined)[])[] = [];
  for (const [run, value] of [
    [FIRST, 'C'],
    [SECOND, 'I'],
  ]) {
    await publish(results, run, scored(value ?? ''));
    const members = (await results.open(await results.find(run ?? ''))).members();
    crcs.push([1, 2].map((id) => members.find(({ name }) => name === `samples/${id}_epoch_1.json`)?.crc));
  }
  expect(crcs[0]?.[0]).not.toBe(crcs[1]?.[0]);
  expect(crcs[0]?.[1]).toBe(crcs[1]?.[1]);
});

test('a document that is missing in the repository is there, and whoever reads it is told', async () => {
  await using results = await store();
  await publish(results, FIRST);
  const repo = join(temp.path, 'repo');
  const found = await results.find(String(FIRST));
  const id = git(repo, 'rev-parse', `${RESULTS_REF}:${found.revision.path}/log/summaries.json`);
  git(repo, 'repack', '-a', '-d', '-q');
  dropObject(repo, id);
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
  await using damaged = await openResults({ ...ports, repo });
  const log = await damaged.open(await damaged.find(String(FIRST)));
  expect(log.members().map(({ name }) => name)).toContain('summaries.json');
  const report = await damaged.check(await damaged.find(String(FIRST)));
  expect(report.problems).toMatchObject([{ member: 'summaries.json', code: 'E_GIT_OBJECT' }]);
});
