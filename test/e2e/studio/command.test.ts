/** `holdfast studio` as people call it: a real process, asked over its port. */
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openBucket } from '../../../src/bucket/index.ts';
import { SHARED_PREFIX } from '../../../src/cluster/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import { manualClock } from '../../sim/manual-clock.ts';
import { submitRun } from '../../sim/studio/shared-runs.ts';
import { makeStudioStore, type StudioStore } from '../../sim/studio/store.ts';
import { makeWarmCache } from '../../sim/studio/warm-cache.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { holdfast, startHoldfast } from '../holdfast.ts';

let dir: TempDir;
let store: StudioStore;
let app: string;

beforeAll(async () => {
  dir = await makeTempDir();
  // More runs than the command lists by itself.
  store = await makeStudioStore(join(dir.path, 'project'), {
    rounds: 9,
    evals: ['capitals', 'support-triage'],
    samples: 2,
  });
  app = join(dir.path, 'app');
  mkdirSync(app);
  writeFileSync(join(app, 'index.html'), '<!doctype html><p>the app</p>');
});

afterAll(async () => {
  await dir?.[Symbol.asyncDispose]();
});

async function studioIn(cwd: string, ...args: string[]) {
  const all = ['studio', ...args, '--app', app, '--port', '0', '--json'];
  const started = startHoldfast(cwd, all);
  if (!started.child.stdout) throw new Error('it has no stdout');
  const [line] = (await once(createInterface({ input: started.child.stdout }), 'line')) as [string];
  const said = JSON.parse(line) as {
    readonly url: string;
    readonly urlWithToken: string;
    readonly places: readonly string[];
  };
  return {
    ...said,
    // biome-ignore lint/suspicious/noExplicitAny: whatever it answers is compared
    ask: async (path: string): Promise<any> => (await fetch(said.url + path)).json(),
    stop: async () => {
      started.child.kill('SIGTERM');
      return started.ended;
    },
  };
}

function emptyFolder(name: string): string {
  const folder = join(dir.path, name);
  mkdirSync(folder);
  return folder;
}

/** What a shell makes of a command without quotes. */
function wordsOf(command: string): string[] {
  const [program, ...words] = command.split(' ');
  expect(program).toBe('holdfast');
  return words;
}

describe('holdfast studio', () => {
  test('in a folder without anything it sees what comes, writes nothing there, and ends when it is told to', async () => {
    const folder = emptyFolder('empty');
    const studio = await studioIn(folder);
    expect(studio.places).toContain(join(folder, 'logs'));
    expect(await studio.ask('/api/runs')).toMatchObject({ total: 0, index: { isWhole: true } });
    expect(readdirSync(folder)).toEqual([]);
    // Whoever listens is told soon.
    const listening = new AbortController();
    const stream = await fetch(`${studio.url}/api/live`, { signal: listening.signal });
    mkdirSync(join(folder, 'logs'));
    const [run = ''] = store.runs;
    copyFileSync(join(store.dir, 'logs', `${run}.eval`), join(folder, 'logs', `${run}.eval`));
    await expect
      .poll(async () => (await studio.ask('/api/runs')).total, { timeout: 120_000, interval: 200 })
      .toBe(1);
    listening.abort();
    await stream.body?.cancel().catch(() => undefined); // it was aborted
    expect(await studio.stop()).toMatchObject({ code: 0, stderr: '' });
  });

  test('from elsewhere, the commands that it shows give the same rows where it was started', async () => {
    const folder = emptyFolder('elsewhere');
    const studio = await studioIn(folder, store.dir);
    try {
      await expect
        .poll(async () => (await studio.ask('/api/runs')).index.isWhole, { timeout: 120_000 })
        .toBe(true);
      const { total, command } = await studio.ask('/api/runs?q=-is%3Adamaged');
      expect(total).toBeGreaterThan(50);
      const listed = await holdfast(folder, [...wordsOf(command.replaceAll("'", '')), '--json']);
      expect(JSON.parse(listed.stdout).runs).toHaveLength(total);
      const [published = ''] = store.runs;
      const { commands } = await studio.ask(`/api/runs/${published}`);
      for (const { what, command: one } of commands as { what: string; command: string }[]) {
        if (!['Show it', 'Compare with the run before'].includes(what)) continue;
        const shown = await holdfast(folder, wordsOf(one));
        expect([one, shown.code]).toEqual([one, 0]);
      }
    } finally {
      await studio.stop();
    }
  });

  test('a port that there is not, and one that is taken, are told in a sentence', async () => {
    const none = await holdfast(store.dir, ['studio', '--port', '99999']);
    expect([none.code, none.stderr]).toEqual([2, expect.stringContaining('from 0 to 65535')]);
    const studio = await studioIn(store.dir);
    const { port } = new URL(studio.url);
    const taken = await holdfast(store.dir, ['studio', '--app', app, '--port', port]);
    expect([taken.code, taken.stderr]).toEqual([1, expect.stringContaining('in use')]);
    await studio.stop();
  });

  test('on all addresses of the machine it prints one that can be opened', async () => {
    const studio = await studioIn(store.dir, '--host', '0.0.0.0');
    expect(new URL(studio.url).hostname).not.toBe('0.0.0.0');
    expect((await fetch(studio.url)).status).toBe(401);
    expect((await fetch(studio.urlWithToken, { redirect: 'manual' })).status).toBe(303);
    await studio.stop();
  });

  test('shows the shared runs of the bucket and the warm cache that options or settings name; a bucket that is away stops nothing', async () => {
    const folder = emptyFolder('shared');
    const bucket = join(folder, 'bucket');
    const cacheDir = join(folder, 'made');
    const { cache } = await makeWarmCache(cacheDir);
    const place = { bucket: await openBucket(bucket, { disk: nodeDisk }), prefix: SHARED_PREFIX };
    const run = await submitRun({ place, clock: manualClock() });
    const without = await studioIn(folder);
    expect((await without.ask('/api/shared')).bucket).toBeNull();
    await without.stop();
    const named = await studioIn(folder, '--bucket', bucket, '--cache', cache.dir);
    expect(await named.ask('/api/shared')).toMatchObject({
      bucket,
      runs: [{ run: run.run, state: 'queued' }],
    });
    expect(await named.ask('/api/artifacts')).toMatchObject({ cache: cache.dir, all: 6 });
    expect(
      (await fetch(`${named.url}/shared/nothing`, { headers: { accept: 'application/json' } })).status,
    ).toBe(404);
    await named.stop();
    writeFileSync(
      join(folder, 'holdfast.config.json'),
      JSON.stringify({ bucket: './bucket', artifacts: { cache: './made/cache' } }),
    );
    const set = await studioIn(folder);
    const page = await (
      await fetch(`${set.url}/shared/${run.run}`, { headers: { accept: 'application/json' } })
    ).json();
    expect(page).toMatchObject({
      row: { run: run.run },
      workers: { total: 0 },
      leases: { total: 0 },
      failures: { total: 0 },
    });
    expect((await set.ask('/api/artifacts')).all).toBe(6);
    await set.stop();
    const away = await studioIn(folder, '--bucket', 's3://nobody-has-this-bucket/x');
    expect((await fetch(`${away.url}/api/runs`)).status).toBe(200);
    const refused = await away.ask('/api/shared');
    expect(refused.error).toMatchObject({ code: expect.stringMatching(/^E_/), hint: expect.any(String) });
    await away.stop();
  });
});
