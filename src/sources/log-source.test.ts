import { cpSync, mkdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { fillFixtureLog, fixtureFields, fixtureSpec, writeFixtureLog } from '../../test/sim/log-fixture.ts';
import { manualClock } from '../../test/sim/manual-clock.ts';
import { runIdAt, writeRun } from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import type { RunId } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { createLogFile, directoryLogStore, type LogStore } from '../log/index.ts';
import { logSource } from './log-source.ts';
import { openRowMemory } from './row-memory.ts';
import type { SourceRun } from './run-source.ts';

const dir = useTempDir();
let logs: string;
let opened: string[];
beforeEach(() => {
  logs = join(dir.path, 'logs');
  mkdirSync(join(logs, '.holdfast'), { recursive: true });
  opened = [];
});

const MEMORY = '.holdfast/run-rows-2.db';
const NOW_MS = Date.parse('2027-01-01T00:00:00Z');
const ids = [1, 2, 3].map((n) => runIdAt(`2026-03-0${n}T00:00:00Z`, n));

/** Summaries keep short values of metadata, so a long list needs many. */
const manyKeys = () => Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`key-${n}`, n]));

describe('rows of logs', () => {
  test('tell what passed and how sure a score is, from a list of samples that is short', async () => {
    const results = {
      total_samples: 40,
      completed_samples: 40,
      scores: [
        {
          name: 'exact',
          scorer: 'exact',
          params: {},
          metrics: { accuracy: { name: 'accuracy', value: 0.75, params: {} } },
        },
      ],
    };
    const samples = Array.from({ length: 40 }, (_, id) => ({
      fields: fixtureFields(id, { scores: { exact: { value: id % 4 === 0 ? 'I' : 'C' } } }),
      events: [],
    }));
    await writeRun(logs, ids[0] ?? '', { header: { results }, samples });
    expect(await look()).toMatchObject([
      {
        row: {
          samples: { total: 40, completed: 40, passed: 30 },
          scores: [{ metric: 'accuracy', value: 0.75, low: expect.any(Number), high: expect.any(Number) }],
        },
      },
    ]);
  });

  test('come from the header alone where the list of samples is long', async () => {
    await writeRun(logs, ids[0] ?? '', {
      header: {
        eval: fixtureSpec({ run_id: ids[0] ?? '', metadata: { experiment: 'e1' } }),
        results: {
          total_samples: 3,
          completed_samples: 1,
          scores: [
            {
              name: 'exact',
              scorer: 'exact',
              params: {},
              metrics: { accuracy: { name: 'accuracy', value: 0.5, params: {} } },
            },
          ],
        },
      },
      samples: [1, 2].map((id) => ({
        fields: fixtureFields(id, { metadata: manyKeys() }),
        events: [],
      })),
    });
    // What lies in the list of samples is damaged, and nobody notices.
    const path = join(logs, `${ids[0]}.eval`);
    const bytes = readFileSync(path);
    const at = bytes.indexOf('summaries.json') + 'summaries.json'.length + 40;
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(path, bytes);
    expect(await look()).toMatchObject([
      {
        row: {
          run: ids[0],
          experiment: 'e1',
          samples: { total: 3, completed: 1, errored: 1 },
          scores: [{ metric: 'accuracy', value: 0.5 }],
          log: { name: `${ids[0]}.eval`, documents: 6 },
        },
      },
    ]);
  });

  test('[RES-2] of tasks that one command of Inspect ran are several runs, although they share a run id', async () => {
    for (const evalId of ['x', 'y'])
      await writeFixtureLog(nodeDisk, join(logs, `${evalId}.eval`), {
        spec: { run_id: 'shared', eval_id: evalId, task: `task-${evalId}` },
      });
    const found = await look();
    expect(found.map(({ row }) => row?.eval).sort()).toEqual(['task-x', 'task-y']);
  });

  test('of several logs of one run: the one that ended last is shown', async () => {
    for (const [name, end] of [
      ['a', '2026-03-01T02:00:00Z'],
      ['b', '2026-03-01T03:00:00Z'],
      ['c', '2026-03-01T01:00:00Z'],
    ] as const) {
      const stats = {
        started_at: '2026-03-01T00:00:00Z',
        completed_at: end,
        model_usage: {},
        role_usage: {},
        connection_limit_history: [],
      };
      await writeRun(logs, ids[0] ?? '', {
        header: { eval: fixtureSpec({ run_id: ids[0] ?? '' }), tags: [name], stats },
      });
    }
    expect(await look()).toMatchObject([{ run: ids[0], row: { tags: ['b'] } }]);
  });

  test('a log whose header is gone stands where its name puts it, and a torn one is known by its start', async () => {
    await write();
    writeFileSync(join(logs, '2026-03-02T12-00-00+02-00_x_y.eval'), 'no log at all');
    const torn = join(logs, `${ids[2]}.eval`);
    writeFileSync(torn, readFileSync(torn).subarray(0, -40));
    expect(await look()).toMatchObject([
      { run: ids[2], damage: expect.stringContaining('cut off') },
      { run: expect.stringMatching(/^20260302T100000000-/), damage: expect.any(String) },
      { run: ids[1] },
      { run: ids[0] },
    ]);
  });
});

describe('the memory of rows', () => {
  test('the second look opens nothing, also by another process', async () => {
    await write();
    const first = plain(await look());
    expect(opened).toHaveLength(3);
    opened = [];
    expect(plain(await look())).toEqual(first);
    expect(opened).toEqual([]);
  });

  test('a log that changed is read again: by its size, by its time, and when it was young also if both are equal', async () => {
    await write();
    await look();
    const path = join(logs, `${ids[1]}.eval`);
    const { mtime } = statSync(path);
    const size = await replace(path, 'm2');
    utimesSync(path, mtime, mtime);
    expect((await look())[1]?.row?.target).toBe('m2');
    // Of the same size: only its time, and then its content, tell.
    expect(await replace(path, 'm3')).toBe(size);
    utimesSync(path, mtime, new Date(mtime.getTime() + 10));
    expect((await look())[1]?.row?.target).toBe('m3');
    // Looked at while it was young, and changed in the same moment.
    const young = new Date(NOW_MS - 500);
    utimesSync(path, young, young);
    await look();
    expect(await replace(path, 'm4')).toBe(size);
    utimesSync(path, young, young);
    expect((await look())[1]?.row?.target).toBe('m4');
  });

  test('a log that only got another time is not read any further, and then known again', async () => {
    await write();
    await look();
    const path = join(logs, `${ids[1]}.eval`);
    utimesSync(path, new Date(1_000), new Date(1_000));
    opened = [];
    await look();
    expect(opened).toEqual([basename(path)]);
    opened = [];
    await look();
    expect(opened).toEqual([]);
  });

  test('what was removed is forgotten; what cannot be read is looked at each time', async () => {
    await write();
    writeFileSync(join(logs, 'bad.eval'), 'no log');
    await look();
    rmSync(join(logs, `${ids[0]}.eval`));
    opened = [];
    expect(await look()).toHaveLength(3);
    expect(opened).toEqual(['bad.eval']);
    rmSync(join(logs, 'bad.eval'));
    expect(await look()).toHaveLength(2);
  });

  test('one that is damaged is made anew, and one that lies is not believed', async () => {
    await write();
    const first = plain(await look());
    writeFileSync(join(logs, MEMORY), 'no database');
    expect(plain(await look())).toEqual(first);
    opened = [];
    expect(plain(await look())).toEqual(first);
    expect(opened).toEqual([]);
    const bytes = readFileSync(join(logs, MEMORY));
    const at = bytes.indexOf('"target":"mock/m"');
    expect(at).toBeGreaterThan(0);
    bytes.write('"target":"mock/x"', at);
    writeFileSync(join(logs, MEMORY), bytes);
    expect(plain(await look())).toEqual(first);
  });

  test('many processes at once see the same', async () => {
    await write();
    const all = await Promise.all(Array.from({ length: 6 }, async () => plain(await look())));
    for (const one of all) expect(one).toEqual(all[0]);
    expect(all[0]).toHaveLength(3);
  });

  test('nothing is left in a folder of other people, nor where nothing can be written', async () => {
    const theirs = join(dir.path, 'theirs');
    await write();
    cpSync(logs, theirs, { recursive: true });
    rmSync(join(theirs, '.holdfast'), { recursive: true });
    const cacheDir = join(dir.path, 'cache');
    const first = plain(await look({ dir: theirs, cacheDir }));
    expect(await nodeDisk.list(theirs)).toHaveLength(3);
    opened = [];
    expect(plain(await look({ dir: theirs, cacheDir }))).toEqual(first);
    expect(opened).toEqual([]);
    // A file stands where the folder should be.
    writeFileSync(join(dir.path, 'file'), '');
    expect(plain(await look({ dir: theirs, cacheDir: join(dir.path, 'file/cache') }))).toEqual(first);
    expect(opened).toHaveLength(3);
  });
});

async function write(): Promise<void> {
  for (const run of ids) {
    const path = await writeRun(logs, run);
    const old = new Date(NOW_MS - 3_600_000);
    utimesSync(path, old, old);
  }
}

/** Another log of the same run. It is not compressed: with a name as long it has the same size. */
async function replace(path: string, model: string): Promise<number> {
  const run = basename(path, '.eval');
  rmSync(path);
  const file = await createLogFile(nodeDisk, path, { method: 'stored' });
  await fillFixtureLog(file, { spec: { run_id: run, model } });
  await file.finish();
  return statSync(path).size;
}

/** As a process does that begins, looks and ends. */
/** Tells which logs were opened. */
function countingStore(at = logs): LogStore {
  const store = directoryLogStore(nodeDisk, at);
  return {
    place: store.place,
    list: (signal) => store.list(signal),
    stat: (name) => store.stat(name),
    open(name) {
      opened.push(name);
      return store.open(name);
    },
    openTorn: (name) => store.openTorn(name),
    verify: (name) => store.verify(name),
    create: (name, options) => store.create(name, options),
    placeOf: (name) => store.placeOf(name),
  };
}

async function look(
  places: { readonly dir?: string; readonly cacheDir?: string } = {},
): Promise<readonly SourceRun[]> {
  const { dir: at = logs, cacheDir } = places;
  const watched = countingStore(at);
  const memory = await openRowMemory({ disk: nodeDisk, place: at, beside: join(at, MEMORY), cacheDir });
  await using source = logSource(watched, { clock: manualClock(NOW_MS), memory });
  return await Array.fromAsync(source.runs());
}

function plain(runs: readonly SourceRun[]): readonly { readonly run: RunId; readonly row: unknown }[] {
  return runs.map(({ run, row }) => ({ run, row: JSON.parse(JSON.stringify(row)) }));
}

describe('[SRC-7] changes of logs', () => {
  const followed = async () => {
    const memory = await openRowMemory({ disk: nodeDisk, place: logs, beside: join(logs, MEMORY) });
    const clock = manualClock(NOW_MS);
    const source = logSource(countingStore(), { clock, memory });
    const changes = async (since: string | undefined) => {
      const { runs, ...rest } = (await source.changes?.(since)) ?? {
        runs: [],
        position: '',
        isAll: false,
        gone: [],
      };
      return { ...rest, runs: await Array.fromAsync(runs) };
    };
    return { source, changes };
  };

  test('nothing is opened again when nothing happened, and only what is new when something did', async () => {
    for (const id of ids.slice(0, 2)) await writeRun(logs, id);
    const { source, changes } = await followed();
    const first = await changes(undefined);
    expect(first.runs).toHaveLength(2);
    opened.length = 0;
    expect(await changes(first.position)).toMatchObject({ isAll: false, position: first.position, runs: [] });
    expect(opened).toEqual([]);
    await writeRun(logs, ids[2] ?? '');
    const second = await changes(first.position);
    expect(second.runs.map(({ run }) => run)).toEqual([ids[2]]);
    expect(opened).toEqual([`${ids[2]}.eval`]);
    await source[Symbol.asyncDispose]();
  });

  test('a log that is removed, and one that is another run now, are told; another copy shows the run again', async () => {
    for (const id of ids) await writeRun(logs, id);
    cpSync(join(logs, `${ids[0]}.eval`), join(logs, 'copy.eval'));
    const { source, changes } = await followed();
    const first = await changes(undefined);
    expect(first.runs.map(({ copies }) => copies?.length ?? 0)).toEqual([0, 0, 1]);
    rmSync(join(logs, `${ids[1]}.eval`));
    rmSync(join(logs, 'copy.eval'));
    const second = await changes(first.position);
    expect(second.gone).toEqual([ids[1]]);
    expect(second.runs).toMatchObject([{ run: ids[0] }]);
    expect(second.runs[0]?.copies).toBeUndefined();
    writeFileSync(join(logs, `${ids[2]}.eval`), readFileSync(join(logs, `${ids[0]}.eval`)));
    const third = await changes(second.position);
    expect(third.gone).toEqual([ids[2]]);
    expect(third.runs).toMatchObject([{ run: ids[0], copies: [{}] }]);
    await source[Symbol.asyncDispose]();
  });

  test('a log that stays damaged is told once, and again when it is whole or gone', async () => {
    const whole = await writeRun(logs, ids[0] ?? '');
    const bytes = readFileSync(whole);
    writeFileSync(whole, bytes.subarray(0, 60));
    const { source, changes } = await followed();
    const first = await changes(undefined);
    expect(first.runs).toMatchObject([{ damage: expect.any(String) }]);
    expect((await changes(first.position)).runs).toEqual([]);
    writeFileSync(whole, bytes);
    const second = await changes(first.position);
    expect(second.runs).toMatchObject([{ run: ids[0], row: { run: ids[0] } }]);
    expect(second.gone).toEqual([first.runs[0]?.run].filter((run) => run !== ids[0]));
    await source[Symbol.asyncDispose]();
  });
});

test('[SRC-5] whoever takes what was known a moment ago does not have all logs listed for each run; all others do', async () => {
  for (const id of ids.slice(0, 2)) await writeRun(logs, id);
  const store = directoryLogStore(nodeDisk, logs);
  let lists = 0;
  const counting: LogStore = {
    ...countingStore(logs),
    list: (signal) => {
      lists++;
      return store.list(signal);
    },
  };
  const memory = await openRowMemory({ disk: nodeDisk, place: logs, beside: join(logs, MEMORY) });
  const clock = manualClock(NOW_MS);
  await using source = logSource(counting, { clock, memory });
  const within = { maxAgeMs: 1_000 };
  for (const id of ids.slice(0, 2)) expect((await source.find(id, within))?.run).toBe(id);
  expect(lists).toBe(1);
  await writeRun(logs, ids[2] ?? '');
  expect(await source.find(ids[2] ?? '', within)).toBeUndefined();
  expect((await source.find(ids[2] ?? ''))?.run).toBe(ids[2]);
  await clock.advance(1_000);
  expect((await source.find(ids[0] ?? '', within))?.run).toBe(ids[0]);
  expect(lists).toBe(3);
});
