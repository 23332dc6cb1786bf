import { describe, expect, test } from 'vitest';
import type { RunId } from '../../src/base/index.ts';
import type { RunForm, RunSource, SourceRun } from '../../src/sources/run-source.ts';

export interface SourceUnderTest extends AsyncDisposable {
  readonly source: RunSource;
  /** Adds a run that began then; gives its id. */
  add(time: string): Promise<RunId>;
  /** Makes a run unreadable. */
  damage(run: RunId): Promise<void>;
}

export interface SourceTraits {
  readonly form: RunForm;
  /** What is added later, with an earlier time, does not come between: the source has states that it goes on in. */
  readonly isPinned: boolean;
  /** Each run can also be read as a log. */
  readonly isLog: boolean;
}

const TIMES = [
  '2026-03-02T10:00:00.000Z',
  '2026-03-04T10:00:00.000Z',
  '2026-03-01T10:00:00.000Z',
  '2026-03-04T11:00:00.000Z',
  '2026-03-03T10:00:00.000Z',
];

/** What every RunSource promises. `make` gives an empty one. */
export function runSourceContract(
  name: string,
  make: () => Promise<SourceUnderTest>,
  { form, isPinned, isLog }: SourceTraits,
): void {
  /** Newest first. */
  const filled = async () => {
    const under = await make();
    const ids: RunId[] = [];
    for (const time of TIMES) ids.push(await under.add(time));
    return { under, ids: ids.sort().reverse() };
  };

  describe(`${name} is a RunSource`, () => {
    test('[SRC-1] every run once, newest first, however they came; and none of an empty one', async () => {
      await using empty = await make();
      expect(await idsOf(empty.source)).toEqual([]);
      expect(await empty.source.find('2026')).toBeUndefined();
      const { under, ids } = await filled();
      await using _ = under;
      const runs = await Array.fromAsync(under.source.runs());
      expect(runs.map(({ run }) => run)).toEqual(ids);
      expect(new Set(runs.map((run) => run.form))).toEqual(new Set([form]));
      for (const { run, row, place } of runs)
        expect({ run, row, place }).toMatchObject({
          row: { run, eval: expect.any(String) },
          place: under.source.place,
        });
    });

    test('[SRC-1] whoever stops early may begin again', async () => {
      const { under, ids } = await filled();
      await using _ = under;
      for await (const { run } of under.source.runs()) {
        expect(run).toBe(ids[0]);
        break;
      }
      expect(await idsOf(under.source)).toEqual(ids);
    });

    test('[SRC-2] `before` begins after a run, also after one that is not there; `sinceMs` ends at a time', async () => {
      const { under, ids } = await filled();
      await using _ = under;
      expect(await idsOf(under.source, { before: ids[1] })).toEqual(ids.slice(2));
      const gone = `${ids[1]?.slice(0, -1)}!` as RunId;
      expect(await idsOf(under.source, { before: gone })).toEqual(ids.slice(gone > (ids[1] ?? '') ? 1 : 2));
      const sinceMs = Date.parse('2026-03-03T10:00:00.000Z');
      expect(await idsOf(under.source, { sinceMs })).toEqual(ids.slice(0, 3));
      expect(await idsOf(under.source, { sinceMs: sinceMs + 1 })).toEqual(ids.slice(0, 2));
    });

    test('[SRC-3] what is added meanwhile neither moves nor repeats a run', async () => {
      const { under, ids } = await filled();
      await using _ = under;
      for (const taken of [1, 3]) {
        const runs = (await Array.fromAsync(under.source.runs({ before: ids[0] }))).slice(0, taken);
        const last = runs.at(-1);
        await under.add(`2026-03-05T10:00:0${taken}.000Z`);
        if (isPinned) await under.add(`2026-02-05T10:00:0${taken}.000Z`);
        const rest = await idsOf(under.source, { before: last?.run, at: last?.at });
        expect(rest.filter((run) => isPinned || ids.includes(run))).toEqual([
          ...ids.slice(1 + taken),
          ...(isPinned ? added(rest, ids) : []),
        ]);
        if (isPinned) expect(rest.some((run) => run.startsWith(`20260205T10000${taken}`))).toBe(false);
      }
    });

    test('[SRC-3] a state that is gone, or that nobody gave, is no reason to fail', async () => {
      const { under, ids } = await filled();
      await using _ = under;
      const [first] = await Array.fromAsync(under.source.runs());
      if (first?.at === undefined) expect(isPinned).toBe(false);
      else expect(await idsOf(under.source, { before: ids[2], at: first.at })).toEqual(ids.slice(3));
    });

    test('[SRC-4] what cannot be read is told, and hinders no other', async () => {
      const { under, ids } = await filled();
      await using _ = under;
      await under.damage(ids[2] as RunId);
      const runs = await Array.fromAsync(under.source.runs());
      expect(runs).toHaveLength(ids.length);
      const broken = runs.filter(({ damage }) => damage !== undefined);
      expect(broken).toMatchObject([{ damage: expect.stringMatching(/\w{3}/) }]);
      expect(runs.filter(({ row }) => row).map(({ run }) => run)).toEqual(ids.toSpliced(2, 1));
    });

    test('[SRC-5] a run is found by its id, a beginning of it, its part after the dash, and its own name', async () => {
      const { under, ids } = await filled();
      await using _ = under;
      const [id = ''] = ids.slice(-1);
      const own = (await Array.fromAsync(under.source.runs())).at(-1)?.name ?? '';
      for (const given of [id, id.slice(0, 12), id.slice(id.indexOf('-') + 1), own])
        expect(await under.source.find(given), given).toMatchObject({ run: id, form, row: { run: id } });
      expect(await under.source.find('nobody-has-this')).toBeUndefined();
      await expect(under.source.find('202603')).rejects.toMatchObject({ code: 'E_RUN_AMBIGUOUS' });
    });

    test('[SRC-6] a run is opened as what it is, and as a log where it is one', async () => {
      const { under, ids } = await filled();
      await using _ = under;
      const found = (await under.source.find(ids[1] ?? '')) as SourceRun;
      const reader = await found.open();
      expect((await reader.header()).eval.task).toBe(found.row?.eval);
      const summaries = await Array.fromAsync(reader.summaries());
      expect(summaries.length).toBeGreaterThan(0);
      for (const { value } of summaries) expect(await reader.fields(value)).toMatchObject({ id: value.id });
      await reader.close();
      expect(found.openLog !== undefined).toBe(isLog);
      const log = await found.openLog?.();
      if (log) expect((await log.samples()).length).toBe(summaries.length);
      await log?.close();
    });

    test('[SRC-7] changes gives all runs first, then only what came or is another, and nothing when nothing happened', async () => {
      const { under, ids } = await filled();
      await using _ = under;
      const { source } = under;
      if (!source.changes) return;
      const first = await changesOf(source, undefined);
      expect(first).toMatchObject({ isAll: true, ids, gone: [] });
      expect(await changesOf(source, first.position)).toEqual({ ...first, isAll: false, ids: [], runs: [] });
      const added = await under.add('2026-03-06T10:00:00.000Z');
      const second = await changesOf(source, first.position);
      expect(second.ids).toEqual(second.isAll ? [added, ...ids] : [added]);
      await under.damage(ids[2] as RunId);
      const third = await changesOf(source, second.position);
      expect(third.runs.filter(({ damage }) => damage !== undefined)).toHaveLength(1);
      expect(third.ids.length).toBe(third.isAll ? ids.length + 1 : third.ids.length);
      expect(await changesOf(source, third.position)).toMatchObject({ isAll: false, ids: [] });
      // A position of before, or that nobody gave, is answered with all.
      const all = await changesOf(source, 'nobody gave this');
      expect(all.isAll).toBe(true);
      expect(all.ids).toHaveLength(ids.length + 1);
    });
  });
}

async function changesOf(source: RunSource, since: string | undefined) {
  const changes = await source.changes?.(since);
  if (!changes) throw new Error('it tells no changes');
  const runs = await Array.fromAsync(changes.runs);
  const { position, isAll, gone } = changes;
  return { position, isAll, gone, runs, ids: runs.map(({ run }) => run) };
}

async function idsOf(source: RunSource, options: Parameters<RunSource['runs']>[0] = {}): Promise<RunId[]> {
  return (await Array.fromAsync(source.runs(options))).map(({ run }) => run);
}

/** What an earlier turn of the same test has added and is now part of the state. */
function added(rest: readonly RunId[], ids: readonly RunId[]): readonly RunId[] {
  return rest.filter((run) => !ids.includes(run));
}
