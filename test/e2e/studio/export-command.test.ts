/** `holdfast studio export` as people call it: real processes, real results. */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeDisk } from '../../../src/disk/index.ts';
import { damageMember } from '../../sim/damage-member.ts';
import { makeStudioStore, type StudioStore } from '../../sim/studio/store.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { holdfast, startHoldfast } from '../holdfast.ts';
import { openExport } from './exported.ts';

let dir: TempDir;
let store: StudioStore;
let app: string;
let count = 0;

beforeAll(async () => {
  dir = await makeTempDir();
  store = await makeStudioStore(join(dir.path, 'project'), {
    rounds: 2,
    evals: ['capitals', 'support-triage'],
    samples: 4,
  });
  app = join(dir.path, 'app');
  await nodeDisk.makeDir(app);
  writeFileSync(join(app, 'index.html'), '<!doctype html><p>the app</p>');
});

afterAll(async () => {
  await dir?.[Symbol.asyncDispose]();
});

const newOut = () => join(dir.path, `out-${count++}`);

async function exporting(out: string, ...args: string[]) {
  const ended = await holdfast(store.dir, ['studio', 'export', '--app', app, '--out', out, ...args]);
  return {
    ...ended,
    account: args.includes('--json') && ended.code !== 2 ? JSON.parse(ended.stdout) : undefined,
  };
}

async function runsIn(out: string): Promise<readonly string[]> {
  const { runs } = await (await openExport(out)).ask('runs', {
    params: {},
    query: { q: 'is:removed or -is:removed' },
  });
  return runs.map(({ run }) => run).sort();
}

/** Names of what is in the folder that exports are written into, but for what was there before. */
const left = () => readdirSync(dir.path).filter((name) => name.startsWith('.'));

describe('holdfast studio export', () => {
  test('takes runs by ids, beginnings, tags, @last, names of logs, filters and all of them; and says what it wrote', async () => {
    const [first = '', second = ''] = store.runs;
    const out = newOut();
    const { code, account, stderr } = await exporting(out, first, second.slice(0, 16), '--json');
    expect([code, stderr]).toEqual([0, '']);
    expect(account).toMatchObject({ out, runs: 2, samples: 8, damage: [] });
    expect(await runsIn(out)).toEqual([first, second].sort());
    const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).map((name) => join(out, name));
    const sizes = files.map((path) => statSync(path)).filter((stat) => stat.isFile());
    expect(account).toMatchObject({
      files: sizes.length,
      bytes: sizes.reduce((sum, { size }) => sum + size, 0),
    });
    expect(readFileSync(join(out, 'index.html'), 'utf8')).toContain('the app');

    const named = newOut();
    expect((await exporting(named, 'tag:baseline', '@last', `logs/${first}.eval`)).code).toBe(0);
    expect((await runsIn(named)).length).toBe(3);
    const filtered = newOut();
    const { stdout } = await exporting(filtered, '--where', 'eval:support-triage', '--limit', '2');
    expect(stdout).toContain('2 runs, 8 samples');
    expect(stdout).toContain('It holds the full transcripts, but no notes: look before you share it.');
    expect(await runsIn(filtered)).toEqual(store.runs.slice(-2));
    const all = newOut();
    // One log of the store is cut off: it is a row that says so.
    expect(await exporting(all, '--all')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('is torn'),
    });
    expect((await runsIn(all)).length).toBe(store.runs.length + 1);
    expect(left()).toEqual([]);
  });

  test.each([
    [['nobody'], 'E_RUN_REFERENCE'],
    [['@nobody'], 'E_RUN_REFERENCE'],
    [[], 'E_STUDIO_EXPORT_RUNS'],
    [['--all', '@last'], 'E_STUDIO_EXPORT_RUNS'],
    [['--where', 'eval:nothing'], 'E_STUDIO_EXPORT_RUNS'],
    [['--where', 'score>>'], 'E_FILTER'],
  ])('refuses %j with %s, and writes nothing', async (args, expected) => {
    const out = newOut();
    const { code, stderr } = await exporting(out, ...args, '--verbose');
    expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
    expect(readdirSync(dir.path)).not.toContain(out.split('/').at(-1));
    expect(left()).toEqual([]);
  });

  test('never takes away what is no export: only an empty folder, or with --force an export, is written to', async () => {
    const [run = ''] = store.runs;
    const mine = newOut();
    await nodeDisk.makeDir(mine);
    expect((await exporting(mine, run)).code).toBe(0);
    const again = await exporting(mine, run, '--verbose');
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('E_STUDIO_EXPORT_OUT')]);
    writeFileSync(join(mine, 'stale.txt'), 'of before');
    expect((await exporting(mine, store.runs[1] ?? '', '--force')).code).toBe(0);
    expect(await runsIn(mine)).toEqual([store.runs[1]]);
    expect(readdirSync(mine)).not.toContain('stale.txt');

    const precious = newOut();
    await nodeDisk.makeDir(precious);
    writeFileSync(join(precious, 'thesis.tex'), 'years of work');
    for (const out of [precious, join(precious, 'thesis.tex'), join(precious, 'thesis.tex', 'deeper')]) {
      const { code, stderr } = await exporting(out, run, '--force', '--verbose');
      expect([code, stderr]).toEqual([2, expect.stringContaining('E_STUDIO_EXPORT_OUT')]);
    }
    expect(readFileSync(join(precious, 'thesis.tex'), 'utf8')).toBe('years of work');
    expect(left()).toEqual([]);
  });

  test('a place that cannot be written to is told as such', async () => {
    const isRoot = process.getuid?.() === 0;
    const locked = isRoot ? '/sys/kernel/holdfast' : join(dir.path, 'locked', 'x');
    if (!isRoot)
      await import('node:fs').then(({ mkdirSync }) => mkdirSync(join(dir.path, 'locked'), { mode: 0o555 }));
    const { code, stderr } = await exporting(locked, store.runs[0] ?? '', '--verbose');
    expect([code, stderr]).toEqual([1, expect.stringContaining('E_DISK_DENIED')]);
  });

  test('without the app it says how to get it', async () => {
    const ended = await holdfast(store.dir, [
      'studio',
      'export',
      '--out',
      newOut(),
      '--all',
      '--app',
      '/nowhere',
      '--verbose',
    ]);
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('E_STUDIO_NOT_BUILT')]);
  });

  test('[EXP-15] a damaged sample is named, the rest is written, and it ends with 3', async () => {
    const logs = join(dir.path, 'damaged');
    await nodeDisk.makeDir(logs);
    const run = store.runs.find((one) => /T06/.test(one)) ?? store.runs.at(-1) ?? '';
    writeFileSync(join(logs, 'x.eval'), readFileSync(join(store.dir, 'logs', `${run}.eval`)));
    const [member = ''] =
      /samples\/[^"\0]*?_epoch_1\.json/.exec(readFileSync(join(logs, 'x.eval'), 'latin1')) ?? [];
    await damageMember(join(logs, 'x.eval'), member);
    const out = newOut();
    const args = ['studio', 'export', '--app', app, '--out', out, '--all', '--log-dir', logs, '--json'];
    const { code, stdout } = await holdfast(logs, args);
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      runs: 1,
      samples: 4,
      damage: [{ run, epoch: 1, code: expect.stringMatching(/^E_/) }],
    });
    const { runs } = await (await openExport(out)).ask('runs', { params: {}, query: {} });
    expect(runs).toHaveLength(1);
  });

  test('[EXP-12] two exports of the same store are the same, byte for byte', async () => {
    const [a, b] = [newOut(), newOut()];
    for (const out of [a, b]) await exporting(out, '--where', 'eval:support-triage');
    expect(bytesOf(a) === bytesOf(b)).toBe(true);
  });

  test('[EXP-13] what is killed leaves nothing at its place, and the next one cleans up after it', async () => {
    const out = newOut();
    const args = ['studio', 'export', '--app', app, '--out', out, '--all'];
    const killed = startHoldfast(store.dir, args);
    while (left().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    killed.child.kill('SIGKILL');
    await killed.ended;
    expect(readdirSync(dir.path)).not.toContain(out.split('/').at(-1));
    expect(left()).toHaveLength(1);
    const stopped = startHoldfast(store.dir, args);
    const [orphan] = left();
    while (left().includes(orphan ?? '') || left().length === 0)
      await new Promise((resolve) => setTimeout(resolve, 5));
    stopped.child.kill('SIGINT');
    expect(await stopped.ended).toMatchObject({
      code: 4,
      stderr: expect.stringContaining('nothing was written'),
    });
    expect(left()).toEqual([]);
    expect((await exporting(out, '--all')).code).toBe(3);
    expect(left()).toEqual([]);
  });
});

function bytesOf(out: string): string {
  return readdirSync(out, { recursive: true, encoding: 'utf8' })
    .sort()
    .filter((name) => statSync(join(out, name)).isFile())
    .map((name) => `${name}\n${readFileSync(join(out, name), 'latin1')}`)
    .join('\n');
}
