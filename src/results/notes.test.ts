import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  git,
  gitInput,
  initRepository,
  openResults,
  type ResultsRepo,
  runIdAt,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { notesSteps, RESULTS_REF } from './layout.ts';
import { listedSince } from './listed-since.ts';
import { type Note, type NoteSaying, readNote } from './note.ts';
import { foldNotes } from './run-marks.ts';
import { removeRun, restoreRun, tagRun, untagRun } from './say.ts';

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

const tagsOf = async ({ store }: ResultsRepo) => (await store.find(RUN)).marks.tags;

describe('notes', () => {
  test('[RES-8] each is a small file of its own, with its author and its time, and the run stays as it was', async () => {
    await using results = await openResults(repo);
    await results.publish(await writeRun(logs, RUN));
    const before = git(repo, 'rev-parse', `${RESULTS_REF}:runs`);
    const saying: NoteSaying = {
      kind: 'note',
      text: 'odd',
      anchor: { sample: 's1', epoch: 2, event: 'uuid' },
    };
    const [made] = await results.store.say([RUN], () => [saying]);
    expect(made).toMatchObject({ ...saying, run: RUN, by: { name: 'Ada' } });
    const path = `${notesSteps(RUN).join('/')}/${made?.id}.json`;
    expect(JSON.parse(git(repo, 'cat-file', 'blob', `${RESULTS_REF}:${path}`))).toEqual(made);
    expect(git(repo, 'rev-parse', `${RESULTS_REF}:runs`)).toBe(before);
    expect((await results.store.find(RUN)).marks.notes).toEqual([made]);
  });

  test('[RES-9] tags come and go; those of the log itself can be taken away, too, and come back', async () => {
    await using results = await openResults(repo);
    await results.publish(await writeRun(logs, RUN, { header: { tags: ['own'] } }));
    await tagRun(results.store, [RUN], ['good', 'good', 'own']);
    expect(await tagsOf(results)).toEqual(['own', 'good']);
    expect(await tagRun(results.store, [RUN], ['good'])).toEqual([]);
    await untagRun(results.store, [RUN], ['good', 'own', 'never']);
    expect(await tagsOf(results)).toEqual([]);
    expect((await results.store.list({ limit: 1, tag: 'good' })).runs).toEqual([]);
    await tagRun(results.store, [RUN], ['own']);
    expect(await tagsOf(results)).toEqual(['own']);
    expect((await results.store.list({ limit: 1, tag: 'own' })).runs).toMatchObject([
      { row: { tags: ['own'] } },
    ]);
  });

  test('[RES-9] a removed run is hidden from lists and comes back; nothing of it is gone meanwhile', async () => {
    await using results = await openResults(repo);
    await results.publish(await writeRun(logs, RUN));
    await removeRun(results.store, [RUN], 'wrong key');
    expect((await results.store.list({ limit: 9 })).runs).toEqual([]);
    expect((await results.store.list({ limit: 9, withRemoved: true })).runs).toMatchObject([{ run: RUN }]);
    const found = await results.store.find(RUN);
    expect(found.marks.removals).toMatchObject([{ reason: 'wrong key', by: { name: 'Ada' } }]);
    await (await results.store.open(found)).close();
    await restoreRun(results.store, [RUN]);
    expect((await results.store.list({ limit: 9 })).runs).toMatchObject([{ run: RUN }]);
  });

  test('a note that cannot be read is named and hinders nothing', async () => {
    await using results = await openResults(repo);
    await results.publish(await writeRun(logs, RUN));
    await tagRun(results.store, [RUN], ['fine']);
    const path = `${notesSteps(RUN).join('/')}/x.json`;
    gitInput(
      repo,
      `commit ${RESULTS_REF}\ncommitter x <x@y> 1 +0000\ndata 1\nx\nfrom ${RESULTS_REF}^0\nM 100644 inline ${path}\ndata 2\n{]\n`,
    );
    const { marks } = await results.store.find(RUN);
    expect(marks.tags).toEqual(['fine']);
    expect(marks.damage).toEqual([expect.stringContaining(path)]);
    expect(() => readNote(Buffer.from('{"kind":"dance"}'), path)).toThrow(
      expect.objectContaining({ code: 'E_RESULT_NOTE' }),
    );
  });
});

const common = {
  version: 1 as const,
  run: RUN,
  by: { name: 'x', email: 'x@y' },
  time: '2026-03-04T05:06:07+00:00',
};

const noteOf = (id: string, count: number) =>
  fc.oneof(
    fc.constantFrom('a', 'b').map((tag): Note => ({ ...common, id, kind: 'tag', tag })),
    fc.constantFrom('a', 'own').map((tag): Note => ({ ...common, id, kind: 'untag', tag })),
    fc.constant<Note>({ ...common, id, kind: 'removal' }),
    fc
      .array(
        fc.nat(Math.max(0, count - 1)).map((n) => `n${n}`),
        { maxLength: 3 },
      )
      .map((of): Note => ({ ...common, id, kind: 'retraction', of })),
  );

test('[RES-9] what notes say together is a function of the set of them', () => {
  const some = fc
    .integer({ min: 0, max: 8 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, n) => noteOf(`n${n}`, count))));
  fc.assert(
    fc.property(some, fc.infiniteStream(fc.nat()), (notes, numbers) => {
      const shuffled = notes
        .map((note) => ({ note, at: numbers.next().value as number }))
        .sort((a, b) => a.at - b.at)
        .map(({ note }) => note);
      const tags = ['own'];
      expect(foldNotes([...shuffled, ...shuffled], { tags })).toEqual(foldNotes(notes, { tags }));
    }),
  );
});

test('[RES-9] a retraction undoes what it names and nothing that came apart from it', () => {
  const tag = (id: string): Note => ({ ...common, id, kind: 'tag', tag: 'a' });
  const retraction = (id: string, ...of: string[]): Note => ({ ...common, id, kind: 'retraction', of });
  const tags = (...notes: Note[]) => foldNotes(notes, { tags: [] }).tags;
  expect(tags(tag('1'), retraction('2', '1'))).toEqual([]);
  // Somebody else said the same without knowing of the retraction.
  expect(tags(tag('1'), retraction('2', '1'), tag('3'))).toEqual(['a']);
  expect(tags(tag('1'), retraction('2', '1'), retraction('3', '2'))).toEqual(['a']);
});

describe('what the list says otherwise since', () => {
  test('names runs with new rows and notes, reads only those, and all of them when the moment is not known', async () => {
    await using results = await openResults(repo);
    const others = [1, 2, 3].map((n) => runIdAt(`2026-03-0${n}T00:00:00Z`, n));
    for (const run of [RUN, ...others]) await results.publish(await writeRun(logs, run));
    const since = async (position: string | undefined) => {
      const { runs, ...rest } = await listedSince(results.store, position);
      return { ...rest, runs: await Array.fromAsync(runs) };
    };
    const all = await since(undefined);
    expect(all.isAll).toBe(true);
    expect(all.runs.map(({ run }) => run)).toEqual([RUN, ...others.toReversed()]);
    expect(await since(all.position)).toEqual({ position: all.position, isAll: false, runs: [], gone: [] });

    await tagRun(results.store, [others[1] as typeof RUN], ['good']);
    await removeRun(results.store, [others[0] as typeof RUN], 'wrong');
    const said = await since(all.position);
    expect(said).toMatchObject({ isAll: false, gone: [] });
    expect(said.runs).toMatchObject([
      { run: others[1], row: { tags: ['good'] } },
      { run: others[0], marks: { removals: [{ reason: 'wrong' }] } },
    ]);

    // What somebody took away with git itself is gone, and what was put there instead is there.
    git(repo, 'update-ref', RESULTS_REF, `${RESULTS_REF}~6`);
    const back = await since(said.position);
    expect(back.isAll).toBe(false);
    expect([...back.gone].sort()).toEqual([...others, RUN].sort());
    expect((await since('0123456789012345678901234567890123456789')).isAll).toBe(true);
  });
});
