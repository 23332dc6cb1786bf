/** A bucket that goes away while a run is under way, from outside: real processes and a ledger of what was sold. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { filesBelow, holdfast, reportOf } from './holdfast.ts';
import { heldRun, paidEval, RUN, SAMPLES } from './paid-eval.ts';

/** What is at the path of a bucket that is away: nothing, the folder that a share is mounted on, or something else. */
const WAYS = ['nothing', 'a folder', 'a file'] as const;
type Way = (typeof WAYS)[number];

/** Starts a run and takes its bucket away in the middle, until the run has ended; nothing is made in its place. */
async function losesBucket(dir: Awaited<ReturnType<typeof paidEval>>, args: readonly string[], way: Way) {
  const bucket = join(dir.path, 'bucket');
  const started = await heldRun(dir, SAMPLES, args);
  // By then the run has seen it.
  while (!existsSync(join(bucket, '.holdfast-bucket.id'))) await sleep(5);
  renameSync(bucket, `${bucket}.away`);
  if (way === 'a folder') mkdirSync(bucket);
  if (way === 'a file') writeFileSync(bucket, 'x');
  dir.letGo();
  const ended = await started.ended;
  expect(existsSync(bucket)).toBe(way !== 'nothing');
  if (way === 'a folder') expect(readdirSync(bucket)).toEqual([]);
  rmSync(bucket, { recursive: true, force: true });
  renameSync(`${bucket}.away`, bucket);
  return ended;
}

test.each(WAYS)(
  '[SEG-9] [SEG-6] [BUCKET-11] with %s in its place: a log that did not reach the bucket is said, ends with 4, and is shipped by the next run; then the machine may be lost',
  async (way) => {
    await using dir = await paidEval({ latencyMs: 20 });
    const bucket = join(dir.path, 'bucket');
    const away = await losesBucket(dir, ['--segments', 'bucket'], way);
    expect(away.code).toBe(4);
    expect(away.stdout).toContain('done, but not in the bucket');
    expect(away.stdout).toMatch(/\.eval is not in the bucket: /);
    expect(away.stdout).toContain('To put what is missing into the bucket');
    const bought = dir.asked().length;
    expect(dir.runDirs()).toHaveLength(1);

    const again = await holdfast(dir.path, [...RUN, '--segments', 'bucket', '--json']);
    expect(reportOf(again)).toMatchObject({ exitCode: 0, runs: [{ state: 'done' }] });
    const [log] = readdirSync(join(dir.path, 'logs')).filter((name) => name.endsWith('.eval'));
    expect(filesBelow(bucket).filter((name) => /\.(eval|zst)$/.test(name))).toEqual([log]);
    expect(dir.runDirs()).toEqual([]);

    rmSync(join(dir.path, 'logs'), { recursive: true });
    const home = await holdfast(dir.path, [...RUN, '--segments', 'bucket', '--force-dead', '--json']);
    expect(reportOf(home)).toMatchObject({ exitCode: 0, runs: [{ samples: { reused: SAMPLES, fresh: 0 } }] });
    expect(dir.asked()).toHaveLength(bought);
  },
);

test.each(WAYS)(
  'a log directory in a bucket that goes away, with %s in its place: the account is printed, and the same command seals it',
  async (way) => {
    await using dir = await paidEval({ latencyMs: 20 });
    const url = `file://${join(dir.path, 'bucket')}`;
    const away = await losesBucket(dir, ['--log-dir', url, '--json'], way);
    expect(reportOf(away)).toMatchObject({
      exitCode: 4,
      runs: [
        {
          state: 'failed',
          error: { code: way === 'a file' ? 'E_LOG_DIR_GONE' : 'E_BUCKET_AWAY' },
          samples: { fresh: SAMPLES, remaining: 0 },
        },
      ],
    });
    const bought = dir.asked().length;
    const again = await holdfast(dir.path, [...RUN, '--log-dir', url, '--json']);
    expect(reportOf(again)).toMatchObject({
      exitCode: 0,
      runs: [{ state: 'done', samples: { kept: SAMPLES } }],
    });
    expect(dir.asked()).toHaveLength(bought);
  },
);

test('--quiet: what is damaged is in the account', async () => {
  await using dir = await paidEval({ samples: 4 });
  const log = reportOf(await holdfast(dir.path, [...RUN, '--json'])).runs[0]?.log ?? '';
  writeFileSync(log, 'no log any more');
  const again = await holdfast(dir.path, [...RUN, '--quiet']);
  expect(again.code).toBe(3);
  expect(again.stdout).toContain(log);
  expect(again.stdout).toContain('could not be read');
});

test('[JRN-13] a journal that is gone and a writer that was declared dead end with 4, and are called what they are', async () => {
  await using dir = await paidEval({ latencyMs: 60 });
  const state = join(dir.path, 'logs/.holdfast');
  const writerDirs = () =>
    (existsSync(state) ? dir.runDirs() : []).flatMap((run) =>
      readdirSync(join(state, run), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => join(state, run, name)),
    );
  const started = await heldRun(dir, 6, ['--segments', 'bucket']);
  for (const writer of writerDirs()) writeFileSync(join(writer, 'fenced'), '');
  dir.letGo();
  const fenced = await started.ended;
  expect(fenced.code).toBe(4);
  expect(fenced.stdout).toContain('it was declared dead');
  expect(fenced.stdout).not.toContain('too many errors');
  expect(fenced.stderr).not.toContain('will be asked again');

  const second = await heldRun(dir, dir.asked().length + 6);
  for (const run of dir.runDirs()) renameSync(join(state, run), join(dir.path, `gone-${run}`));
  dir.letGo();
  const vanished = await second.ended;
  expect(vanished.code).toBe(4);
  expect(vanished.stdout).toContain('its journal is gone');
});
