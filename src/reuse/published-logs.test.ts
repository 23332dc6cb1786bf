import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fixtureFields, writeFixtureLog } from '../../test/sim/log-fixture.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { ActionableError, digestOf } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { directoryLogStore } from '../log/index.ts';
import type { EarlierLog, EarlierLogs } from './earlier-logs.ts';
import { indexNameOf } from './earlier-logs.ts';
import { PublishedLogs } from './published-logs.ts';
import { readyIndex } from './refresh-index.ts';

const dir = useTempDir();
const NAME = '2026-01-01T00-00-00+00-00_e_a.eval';
const KEY = digestOf('key');

/** Logs of a folder as published runs: says what is asked of it. */
class Shelf implements EarlierLogs {
  readonly logs: EarlierLog[] = [];
  readonly asked: (string | undefined)[] = [];
  readonly opened: string[] = [];
  problems: string[] = [];

  async put(name: string, evalName = 'e'): Promise<EarlierLog> {
    const log = {
      place: `runs/${name}`,
      run: `run of ${name}`,
      eval: evalName,
      name,
      digest: digestOf(name),
      sizeBytes: 1,
      by: 'ada',
    };
    await write(join(dir.path, 'shelf'), log);
    this.logs.push(log);
    return log;
  }

  async changesSince(position: string | undefined) {
    this.asked.push(position);
    const known = Number(position ?? 0);
    return {
      position: String(this.logs.length),
      isSince: position !== undefined,
      added: this.logs.slice(known),
      removed: [],
      problems: this.problems,
    };
  }

  async open({ name }: EarlierLog) {
    this.opened.push(name);
    return await directoryLogStore(nodeDisk, join(dir.path, 'shelf')).open(name);
  }

  absent() {
    return Promise.resolve(new Map<string, never>());
  }

  isRemoved() {
    return Promise.resolve(false);
  }

  async bringHome(): Promise<string> {
    throw new Error('nobody asks for it here');
  }
}

async function write(
  folder: string,
  { run, eval: task, name }: Pick<EarlierLog, 'run' | 'eval' | 'name'>,
): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const metadata = { holdfast: { key: KEY, content: digestOf('content') } };
  const spec = { run_id: run, task, metadata: { holdfast: {} } };
  await writeFixtureLog(nodeDisk, join(folder, name), {
    spec,
    samples: [{ fields: fixtureFields('s', { metadata }), events: [] }],
  });
}

/** What a run of an eval finds, as a new process would. */
async function look(shelf: EarlierLogs | undefined, evalName = 'e', isLooking = false) {
  const [indexPath, logIndex] = [join(dir.path, 'published.db'), join(dir.path, 'index.db')];
  using published = shelf && (await PublishedLogs.open(shelf, { disk: nodeDisk, indexPath, isLooking }));
  const logs = directoryLogStore(nodeDisk, join(dir.path, 'logs'));
  const { index, unreadable } = await readyIndex(nodeDisk, logIndex, {
    logs,
    published,
    evalName,
    isLooking,
  });
  using _closed = index;
  return { found: Array.from(index.byKey(KEY), ({ log }) => log), unreadable, problems: published?.problems };
}

test('a published run of the eval is read once, and never again; those of other evals not at all', async () => {
  const shelf = new Shelf();
  const log = await shelf.put(NAME);
  await shelf.put('other.eval', 'other');
  for (let n = 0; n < 3; n++) expect((await look(shelf)).found).toEqual([indexNameOf(log)]);
  expect(shelf.opened).toEqual([NAME]);
  expect(shelf.asked).toEqual([undefined, '2', '2']);
  await look(shelf, 'other');
  await look(shelf);
  expect(shelf.opened).toEqual([NAME, 'other.eval']);
});

test('one whose log is in the directory is not read, and another log of that name does not hide it', async () => {
  const shelf = new Shelf();
  const log = await shelf.put(NAME);
  await write(join(dir.path, 'logs'), { ...log, run: 'another run' });
  expect((await look(shelf)).found.sort()).toEqual([NAME, indexNameOf(log)]);
  const there = new Shelf();
  const same = await there.put('2026-01-02T00-00-00+00-00_e_b.eval');
  await write(join(dir.path, 'logs'), same);
  expect((await look(there)).found).toContain(same.name);
  expect(there.opened).toEqual([]);
});

test('what is not published any more, or nowhere, is forgotten', async () => {
  const shelf = new Shelf();
  await shelf.put(NAME);
  expect((await look(shelf)).found).toHaveLength(1);
  expect((await look(undefined)).found).toEqual([]);
});

test('one that cannot be read is told each time, until it can', async () => {
  const shelf = new Shelf();
  const log = await shelf.put(NAME);
  writeFileSync(join(dir.path, 'shelf', NAME), 'nothing of the kind');
  for (let n = 0; n < 2; n++)
    expect((await look(shelf)).unreadable).toMatchObject([{ name: indexNameOf(log) }]);
  rmSync(join(dir.path, 'shelf', NAME));
  await write(join(dir.path, 'shelf'), log);
  expect(await look(shelf)).toMatchObject({ found: [indexNameOf(log)], unreadable: [] });
});

test('rows that cannot be read are asked for again, and a store that fails hinders nobody', async () => {
  const shelf = new Shelf();
  await shelf.put(NAME);
  shelf.problems = ['a row is damaged'];
  expect(await look(shelf)).toMatchObject({ found: [expect.any(String)], problems: ['a row is damaged'] });
  await look(shelf);
  expect(shelf.asked).toEqual([undefined, undefined]);
  const broken = Object.assign(new Shelf(), {
    changesSince: () =>
      Promise.reject(new ActionableError({ code: 'E_GIT', message: 'git failed', hint: 'mend it' })),
  });
  expect(await look(broken)).toMatchObject({ problems: ['git failed'] });
});

test('whoever only looks writes nothing, and uses what others wrote; a file that is damaged is made again', async () => {
  const shelf = new Shelf();
  const log = await shelf.put(NAME);
  expect((await look(shelf, 'e', true)).found).toEqual([indexNameOf(log)]);
  expect(existsSync(join(dir.path, 'published.db'))).toBe(false);
  await look(shelf);
  await look(shelf, 'e', true);
  expect(shelf.asked).toEqual([undefined, undefined, '1']);
  writeFileSync(join(dir.path, 'published.db'), 'no database, but as long as one is'.repeat(50));
  for (let n = 0; n < 3; n++) expect((await look(shelf)).found).toEqual([indexNameOf(log)]);
  expect(shelf.asked.slice(-3)).toEqual([undefined, undefined, '1']);
});
