import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { sweepCrashes } from '../../../test/sim/crash-sweep.ts';
import { damageMember } from '../../../test/sim/damage-member.ts';
import { fixtureFields, fixtureSpec, writeFixtureLog } from '../../../test/sim/log-fixture.ts';
import { GIT_ENV, initRepository, openResults, runIdAt } from '../../../test/sim/results-repo.ts';
import { textOfChunk } from '../../../test/sim/studio/export-chunk.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { systemClock, systemRandom } from '../../base/index.ts';
import { type Disk, nodeDisk } from '../../disk/index.ts';
import { openFolder, openSource, type RunSource } from '../../sources/index.ts';
import { type ExportOptions, exportStudio } from './export-studio.ts';

const dir = useTempDir();

async function folderSources(path: string): Promise<readonly RunSource[]> {
  const context = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV, cwd: '/' };
  return openFolder(path, context);
}

function runAt(minute: number) {
  return runIdAt(`2026-06-01T10:${String(minute).padStart(2, '0')}:00.000Z`, minute);
}

interface SmallLog {
  readonly minute: number;
  readonly ids?: readonly (string | number)[];
  readonly text?: string;
}

async function writeLog(logs: string, { minute, ids = ['one', 'two'], text = 'It is Paris.' }: SmallLog) {
  const run = runAt(minute);
  const path = join(logs, `log-${minute}.eval`);
  await nodeDisk.makeDir(logs);
  await writeFixtureLog(nodeDisk, path, {
    spec: fixtureSpec({
      run_id: run,
      eval_id: run,
      created: `2026-06-01T10:${String(minute).padStart(2, '0')}:00+00:00`,
    }),
    samples: ids.map((id) => ({
      fields: fixtureFields(id, { messages: [{ role: 'user', content: text }] }),
      events: [
        { event: 'info', uuid: `e-${id}`, timestamp: '2026-06-01T10:00:00+00:00', data: text },
        { event: 'info', uuid: `f-${id}`, timestamp: '2026-06-01T10:00:01+00:00', data: 'and that is all' },
      ],
    })),
  });
  return run;
}

async function exportTo(out: string, more: Partial<ExportOptions> & Pick<ExportOptions, 'sources' | 'runs'>) {
  const app = join(dir.path, 'app');
  const disk: Disk = more.disk ?? nodeDisk;
  await disk.makeDir(app);
  if (!(await disk.stat(join(app, 'index.html')))) {
    await using file = await disk.open(join(app, 'index.html'), 'create');
    await file.write(Buffer.from('<!doctype html>'), 0);
  }
  return exportStudio({
    disk,
    clock: systemClock,
    random: systemRandom,
    named: [],
    withNotes: false,
    about: { version: '0.0.0', places: ['here'] },
    appDir: app,
    out,
    signal: new AbortController().signal,
    onProgress: () => undefined,
    ...more,
  });
}

/** The whole text of all chunks, and the manifest. */
function readBack(out: string): { readonly manifest: Record<string, unknown>; readonly text: string } {
  const texts = new Map<string, string>();
  for (const name of readdirSync(join(out, 'data'))) {
    const script = readFileSync(join(out, 'data', name), 'utf8');
    const key = name.replace(/\.js$/, '');
    expect(script).toContain(`holdfastChunk("${key}",`);
    texts.set(key, textOfChunk(script));
  }
  const { manifest, chunks } = {
    manifest: JSON.parse(texts.get('manifest') ?? '{}'),
    chunks: texts.size - 1,
  };
  const text = Array.from({ length: chunks }, (_, n) => texts.get(String(n)) ?? '').join('');
  return { manifest, text };
}

function allBytes(out: string): string {
  const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).sort();
  return files
    .filter((file) => statSync(join(out, file)).isFile())
    .map((file) => `${file}\n${readFileSync(join(out, file), 'latin1')}`)
    .join('\n');
}

describe('an export', () => {
  let logs: string;
  let out: string;
  beforeEach(() => {
    logs = join(dir.path, 'logs');
    out = join(dir.path, 'out');
  });

  test('[EXP-1] [EXP-5] has the app, a manifest of a version and numbered chunks, and no name of a run or a sample is a name of a file', async () => {
    const run = await writeLog(logs, { minute: 1, ids: ['../../etc/passwd', '__proto__', 7] });
    const account = await exportTo(out, { sources: await folderSources(logs), runs: [run] });
    expect(account).toMatchObject({ runs: 1, samples: 3, events: 6, damage: [] });
    const { manifest } = readBack(out);
    expect(manifest).toMatchObject({
      format: 'holdfast-export',
      version: 1,
      about: { isExport: true, canWrite: false },
    });
    const files = readdirSync(out, { recursive: true, encoding: 'utf8' }).sort();
    const chunks = Array.from({ length: Number(manifest.chunks) }, (_, n) => `data/${n}.js`);
    expect(files).toEqual(['data', 'index.html', 'data/manifest.js', ...chunks].sort());
    expect(account.files).toBe(files.length - 1);
    expect(readdirSync(dir.path).sort()).toEqual(['app', 'logs', 'out']);
  });

  test('[EXP-12] the same runs give the same bytes, whenever they are written', async () => {
    const runs = [
      await writeLog(logs, { minute: 1 }),
      await writeLog(logs, { minute: 2, text: 'It is Lyon.' }),
    ];
    for (const name of ['a', 'b'])
      await exportTo(join(dir.path, name), { sources: await folderSources(logs), runs });
    expect(allBytes(join(dir.path, 'a')) === allBytes(join(dir.path, 'b'))).toBe(true);
  });

  test('[EXP-14] only what was chosen is in it: no other run, and no note unless they are asked for', async () => {
    const repo = join(dir.path, 'repo');
    initRepository(repo);
    const wanted = await writeLog(logs, { minute: 2 });
    const other = await writeLog(logs, { minute: 1, text: 'THE OTHER RUN' });
    {
      await using results = await openResults(repo);
      for (const minute of [1, 2]) await results.publish(join(logs, `log-${minute}.eval`));
      await results.store.say([wanted], () => [{ kind: 'note', text: 'A SECRET NOTE' }]);
    }
    const context = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV, cwd: '/' };
    const sources = await openSource(repo, context);
    await exportTo(out, { sources, runs: [wanted] });
    const { text } = readBack(out);
    expect(text).toContain(wanted);
    expect(text).toContain('It is Paris.');
    for (const secret of ['A SECRET NOTE', 'THE OTHER RUN', other]) expect(text.includes(secret)).toBe(false);
    await exportTo(join(dir.path, 'noted'), { sources, runs: [wanted], withNotes: true });
    expect(readBack(join(dir.path, 'noted')).text).toContain('A SECRET NOTE');
  });

  test('[EXP-15] a sample that cannot be read is in it as its error, and hinders no other', async () => {
    const run = await writeLog(logs, { minute: 1 });
    await damageMember(join(logs, 'log-1.eval'), 'samples/one_epoch_1.json');
    const account = await exportTo(out, { sources: await folderSources(logs), runs: [run] });
    expect(account).toMatchObject({ runs: 1, samples: 2, events: 2 });
    expect(account.damage).toMatchObject([{ run, sample: 'one', epoch: 1 }]);
    const { text } = readBack(out);
    expect(text).toContain(`"error":{"code":"${account.damage[0]?.code}"`);
    expect(text).toContain('and that is all');
  });

  test('[EXP-13] whenever it dies, the export is whole, or what was there is', async () => {
    const run = await writeLog(logs, { minute: 1, ids: ['one'] });
    const sources = await folderSources(logs);
    await exportTo(out, { sources, runs: [run] });
    const whole = await listed(nodeDisk, out);
    const tried = await sweepCrashes({
      seeds: 1,
      prepare: async (disk) => {
        await disk.makeDir(out);
        await using file = await disk.open(join(out, 'old.txt'), 'create');
        await file.write(Buffer.from('old'), 0);
        await file.sync();
        await disk.syncDir(out);
      },
      act: (disk) => exportTo(out, { disk, sources, runs: [run] }),
      check: async (disk, result) => {
        const found = await listed(disk, out);
        const isNew = JSON.stringify(found) === JSON.stringify(whole);
        if (result) expect(found).toEqual(whole);
        // Between the two renames neither has the name; both are there whole.
        else if (found !== undefined) expect(isNew || 'old.txt' in found).toBe(true);
      },
    });
    expect(tried).toBeGreaterThan(40);
  }, 300_000);

  test('what is stopped leaves nothing behind', async () => {
    const run = await writeLog(logs, { minute: 1 });
    const stop = new AbortController();
    const sources = await folderSources(logs);
    const onProgress = () => stop.abort(new Error('enough'));
    await expect(exportTo(out, { sources, runs: [run], signal: stop.signal, onProgress })).rejects.toThrow(
      'enough',
    );
    expect(readdirSync(dir.path).sort()).toEqual(['app', 'logs']);
  });
});

/** Names and contents below a folder; undefined when it is not there. */
async function listed(disk: Disk, path: string): Promise<Record<string, string> | undefined> {
  const entries = await disk.list(path);
  if (!entries) return undefined;
  const found: Record<string, string> = {};
  for (const { name, kind } of entries) {
    if (kind === 'directory')
      for (const [inner, text] of Object.entries((await listed(disk, join(path, name))) ?? {}))
        found[`${name}/${inner}`] = text;
    else found[name] = Buffer.from((await disk.read(join(path, name))) ?? '').toString('utf8');
  }
  return found;
}
