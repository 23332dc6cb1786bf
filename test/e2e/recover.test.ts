/** What a crash left, recovered, listed, gone on with and merged as people do it: through real processes. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { cp, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../../src/disk/index.ts';
import { createLogFile, openLog } from '../../src/log/index.ts';
import { makeBigCrash } from '../bench/big-crash.ts';
import { type Placed, type PlaceOptions, placeGoldenCase } from '../golden/inspect/golden-case.ts';
import { makeTempDir, type TempDir } from '../sim/temp-dir.ts';
import { type Ended, filesBelow, holdfast, startHoldfast } from './holdfast.ts';

const NEWEST = '0.3.285';

/** The keys of `holdfast recover --json` that tests look at. */
interface RecoverJson {
  readonly exitCode: number;
  readonly output: string;
  readonly status: string;
  readonly counts: Readonly<Record<string, number>>;
  readonly samples: readonly {
    readonly id: string | number;
    readonly state: string;
    readonly from: readonly string[];
    readonly events?: number;
    readonly missing: readonly string[];
  }[];
  readonly sources: readonly { readonly kind: string }[];
  readonly problems: readonly { readonly code: string; readonly message: string }[];
  readonly deleted: readonly string[];
  readonly next: readonly { readonly command: string }[];
  readonly error?: { readonly code: string; readonly message: string };
}

interface Crash extends Placed, AsyncDisposable {
  readonly dir: string;
  run(...args: string[]): Promise<Ended>;
  recover(...args: string[]): Promise<RecoverJson>;
}

/** A golden crash in a folder of its own, and the command line in that folder. */
async function crashed(name: string, parts: PlaceOptions = {}, version = NEWEST): Promise<Crash> {
  const dir = await makeTempDir();
  const placed = await placeGoldenCase({ version, name }, dir.path, parts);
  return withCommands(dir, placed);
}

function withCommands(dir: TempDir, placed: Placed): Crash {
  const run = (...args: string[]) => holdfast(dir.path, args, { XDG_DATA_HOME: placed.dataDir });
  return {
    ...placed,
    dir: dir.path,
    run,
    recover: async (...args) => JSON.parse((await run('recover', ...args, '--json')).stdout),
    [Symbol.asyncDispose]: () => dir[Symbol.asyncDispose](),
  };
}

const recoveredOf = (log: string) => log.replace(/\.eval$/, '-recovered.eval');

/** The database of a placed crash. */
function databaseOf({ dataDir }: Placed): string {
  const found = filesBelow(dataDir).find((path) => path.endsWith('.db'));
  return join(dataDir, found ?? 'none');
}

describe('a crashed run of Inspect', () => {
  test('becomes a finished log beside it; the account says where each sample came from and how to go on', async () => {
    await using crash = await crashed('mixed');
    const { code, stdout } = await crash.run('recover', crash.log);
    expect(code).toBe(0);
    expect(stdout).toMatch(/expected +kept +recovered +in flight +not run +lost\n +9 +4 +1 +3 +1 +0\n/);
    expect(stdout).toMatch(/^5 +1 +recovered +database +21$/m);
    expect(stdout).toMatch(/^6 +1 +in flight +database/m);
    const log = recoveredOf(basename(crash.log));
    expect(stdout).toContain(`inspect eval-retry logs/${log}`);
    expect((await crash.run('log', 'verify', `logs/${log}`)).code).toBe(0);
    // Its sources went after the log was checked; the crashed log itself stays.
    expect(existsSync(crash.log)).toBe(true);
    expect(filesBelow(crash.dataDir).filter((path) => path.endsWith('.db'))).toEqual([]);
  });

  test('is listed with its counts, its sources and whether its writer is dead; afterwards it is not', async () => {
    await using crash = await crashed('mixed');
    await placeGoldenCase({ version: NEWEST, name: 'finished' }, crash.dir);
    const { code, stdout } = await crash.run('recover', '--list');
    expect(code).toBe(0);
    expect(stdout).toMatch(/task +expected +flushed +completed +in flight +from +writer +path/);
    expect(stdout).toMatch(/mixed +9 +4 +1 +3 +database, log +dead +logs\/\S+\.eval/);
    expect(stdout).not.toContain('finished');
    const list = JSON.parse((await crash.run('recover', '--list', 'logs', '--json')).stdout);
    expect(list.recoverable).toMatchObject([
      { task: 'mixed', expected: 9, flushed: 4, completed: 1, inFlight: 3, liveness: 'dead' },
    ]);
    await crash.recover(crash.log);
    expect((await crash.run('recover', '--list')).stdout).toContain('Nothing here needs to be recovered.');
  });

  test('is listed as "log only" where there is no buffer, and by its buffer where there is no log', async () => {
    await using crash = await crashed('mixed', { database: false });
    expect((await crash.run('recover', '--list')).stdout).toMatch(/mixed +9 +4 +0 +0 +log only +unknown/);
    await using orphan = await crashed('mixed', { log: false });
    const { stdout } = await orphan.run('recover', '--list');
    expect(stdout).toMatch(/mixed +\? +0 +\d+ +\d+ +database +dead/);
  });

  test('--keep leaves what it was recovered from; the same again overwrites nothing', async () => {
    await using crash = await crashed('mixed');
    const before = filesBelow(crash.dir);
    const report = await crash.recover(crash.log, '--keep');
    expect(report).toMatchObject({ exitCode: 0, deleted: [] });
    expect(filesBelow(crash.dir).filter((path) => !before.includes(path) && !path.includes('.db-'))).toEqual([
      `logs/${recoveredOf(basename(crash.log))}`,
    ]);
    expect((await crash.recover(crash.log, '--keep')).error?.code).toBe('E_RECOVER_EXISTS');
    // Without --keep there is only one thing left to do: what the log was made from can go.
    const { code, stdout } = await crash.run('recover', crash.log);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringContaining('An earlier recovery had made'),
    });
    expect(existsSync(databaseOf(crash))).toBe(false);
  });

  test('--overwrite puts it in the place of the crashed one', async () => {
    await using crash = await crashed('mixed');
    const report = await crash.recover(crash.log, '--overwrite');
    expect(report).toMatchObject({ exitCode: 0, output: crash.log, counts: { kept: 4, recovered: 1 } });
    expect(readdirSync(crash.logDir)).toEqual([basename(crash.log)]);
    expect((await crash.run('log', 'verify', crash.log)).code).toBe(0);
    expect((await crash.recover(crash.log)).error?.code).toBe('E_RECOVER_FINISHED');
  });

  test('--output names another place, also in a folder that does not exist yet', async () => {
    await using crash = await crashed('mixed');
    const report = await crash.recover(crash.log, '--output', 'new/all.eval', '--keep');
    expect(report.output).toBe(join(crash.dir, 'new/all.eval'));
    expect((await crash.run('log', 'verify', 'new/all.eval')).code).toBe(0);
    const both = await crash.recover(crash.log, '--output', 'x.eval', '--overwrite');
    expect(both).toMatchObject({ exitCode: 2, error: { code: 'E_RECOVER_OPTIONS' } });
  });

  test('--no-events leaves the transcripts out, and keeps messages and scores', async () => {
    await using crash = await crashed('epochs');
    const whole = await crash.recover(crash.log, '--keep', '--output', 'whole.eval');
    const small = await crash.recover(crash.log, '--keep', '--no-events', '--output', 'small.eval');
    expect((await stat(small.output)).size).toBeLessThan((await stat(whole.output)).size);
    const log = await openLog(nodeDisk, small.output);
    const fields = await log.sampleFields('a/b c', 1);
    expect(fields?.messages.length).toBeGreaterThan(3);
    expect(fields?.scores?.graded?.value).toBe(1);
    await log.close();
  });

  test('--incomplete=error ends what was running; a limit keeps it from ending too much', async () => {
    await using crash = await crashed('before-flush');
    const kept = await crash.recover(
      crash.log,
      '--keep',
      '--incomplete=error',
      '--incomplete-max',
      '1',
      '-o',
      'a.eval',
    );
    expect(kept).toMatchObject({ status: 'error', counts: { inFlight: 2 } });
    const ended = await crash.recover(crash.log, '--keep', '--incomplete=error', '-o', 'b.eval');
    expect(ended).toMatchObject({ status: 'success', counts: { inFlight: 2 } });
    const bad = await crash.run('recover', crash.log, '--incomplete-max', '-1');
    expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('a count (3) or a share below 1') });
  });

  test('is recovered from segments alone, from flushed samples alone, and without its log', async () => {
    await using shared = await crashed('shared', { database: false });
    const fromSegments = await shared.recover(shared.log, '--force-dead');
    expect(fromSegments.counts).toMatchObject({ kept: 2, recovered: 1, inFlight: 2 });
    expect(existsSync(join(shared.logDir, '.buffer'))).toBe(false);
    await using flushed = await crashed('mixed', { database: false });
    expect((await flushed.recover(flushed.log, '--force-dead')).counts).toMatchObject({
      kept: 4,
      recovered: 0,
    });
    await using orphan = await crashed('mixed', { log: false });
    const rebuilt = await orphan.recover(orphan.log);
    expect(rebuilt).toMatchObject({ exitCode: 3, problems: [{ code: 'E_RECOVER_NO_HEADER' }] });
  });

  test('can be named by its address, its database or its .buffer folder', async () => {
    await using crash = await crashed('shared');
    const outputs = ['a.eval', 'b.eval', 'c.eval'];
    const folder = join(crash.logDir, '.buffer', basename(crash.log, '.eval'));
    const names = [`file://${crash.log}`, databaseOf(crash), folder];
    for (const [index, name] of names.entries()) {
      const report = await crash.recover(name, '--keep', '-o', outputs[index] ?? '', '--force-dead');
      expect(report.counts, name).toMatchObject({ recovered: 1, inFlight: 2 });
    }
  });
});

describe('a writer that lives', () => {
  test('is never touched, with or without --force-dead', async () => {
    await using crash = await crashed('mixed');
    const sleeper = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 60_000)'], { stdio: 'ignore' });
    try {
      for (const path of filesBelow(crash.dataDir).filter((name) => name.includes('.999999999.db')))
        await rename(
          join(crash.dataDir, path),
          join(crash.dataDir, path.replace('.999999999.', `.${sleeper.pid}.`)),
        );
      const before = filesBelow(crash.dir);
      const refused = await crash.recover(crash.log);
      expect(refused).toMatchObject({ exitCode: 1, error: { code: 'E_RECOVER_ALIVE' } });
      expect((await crash.recover(crash.log, '--force-dead')).error?.code).toBe('E_RECOVER_ALIVE');
      expect((await crash.run('recover', '--list')).stdout).toMatch(/mixed .* alive/);
      // Whoever reads such a database makes an index of its WAL, unless its writer has.
      expect(filesBelow(crash.dir).filter((path) => !path.endsWith('-shm'))).toEqual(before);
    } finally {
      sleeper.kill('SIGKILL');
    }
  });

  test('may be alive where nobody can tell: refused, unless a person vouches for it', async () => {
    await using crash = await crashed('mixed', { database: false });
    const before = filesBelow(crash.dir);
    const refused = await crash.run('recover', crash.log);
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('--force-dead');
    expect(filesBelow(crash.dir)).toEqual(before);
    expect((await crash.recover(crash.log, '--force-dead')).exitCode).toBe(0);
  });
});

/** All but the first two samples wait for as long as a file is there: what an eval is does not change with it. */
const SLOW = `
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { defineEval, includes } from 'holdfast';
export default defineEval({
  name: 'slow',
  data: Array.from({ length: 6 }, (_, index) => ({ id: index + 1, input: 'q' + index, target: 'q' + index })),
  target: async ({ input }, { generate, signal }) => {
    const { text } = await generate(input);
    if (existsSync('hold') && !['q0', 'q1'].includes(input)) await sleep(600_000, undefined, { signal });
    return text;
  },
  scorers: [includes()],
});
`;

/** A run of ours with two samples done and four under way. */
async function startSlowRun(dir: string, ...args: string[]) {
  await writeFile(join(dir, 'slow.eval.ts'), SLOW);
  await writeFile(join(dir, 'hold'), '');
  const started = startHoldfast(dir, ['run', 'slow.eval.ts', '--model', 'mock/echo', ...args]);
  for (let done = 0; done < 2; await sleep(50)) {
    if (started.child.exitCode !== null) throw new Error((await started.ended).stderr);
    const { stdout } = await holdfast(dir, ['recover', '--list', '--json', ...args]);
    done = stdout.startsWith('{"dir"') ? (JSON.parse(stdout).recoverable[0]?.completed ?? 0) : 0;
  }
  return started;
}

const runIdIn = (dir: string) =>
  readdirSync(join(dir, 'logs/.holdfast')).find((name) => /^\d{8}T/.test(name)) ?? '';

describe('a run of ours', () => {
  test('is refused while it lives, and recovered by its id when it is dead; retry completes it', async () => {
    await using dir = await makeTempDir();
    const started = await startSlowRun(dir.path);
    const runId = runIdIn(dir.path);
    const refused = await holdfast(dir.path, ['recover', runId, '--json']);
    expect(JSON.parse(refused.stdout)).toMatchObject({ exitCode: 1, error: { code: 'E_RECOVER_ALIVE' } });
    expect((await holdfast(dir.path, ['recover', '--list'])).stdout).toMatch(
      /slow +6 +0 +2 +4 +journal +alive/,
    );
    started.child.kill('SIGKILL');
    await started.ended;

    expect((await holdfast(dir.path, ['recover', '--list'])).stdout).toMatch(
      /slow +6 +0 +2 +4 +journal +dead/,
    );
    const ended = await holdfast(dir.path, ['recover', runId, '--json']);
    const report: RecoverJson = JSON.parse(ended.stdout);
    expect(report).toMatchObject({
      exitCode: 0,
      status: 'error',
      counts: { expected: 6, recovered: 2, inFlight: 4 },
    });
    // The answers of those four are in the log: the next run replays them from there.
    expect(report.deleted).toHaveLength(1);
    expect(existsSync(join(dir.path, 'logs/.holdfast', runId))).toBe(false);
    expect(report.next[0]?.command).toBe(`holdfast retry logs/${basename(report.output)}`);

    await rm(join(dir.path, 'hold'));
    const retried = await holdfast(dir.path, ['retry', report.output, '--json']);
    expect(JSON.parse(retried.stdout)).toMatchObject({
      exitCode: 0,
      runs: [
        { target: 'mock/echo', state: 'done', samples: { planned: 6, remaining: 0, errored: 0, lost: 0 } },
      ],
    });
    expect(existsSync(join(dir.path, 'logs/.holdfast', runId))).toBe(false);
  });

  test('is recovered from its journal’s own folder, beside the logs that it belongs to', async () => {
    await using dir = await makeTempDir();
    const started = await startSlowRun(dir.path);
    started.child.kill('SIGKILL');
    await started.ended;
    await rename(join(dir.path, 'logs'), join(dir.path, 'moved'));
    const journal = join('moved/.holdfast', readdirSync(join(dir.path, 'moved/.holdfast'))[0] ?? '');
    const report: RecoverJson = JSON.parse(
      (await holdfast(dir.path, ['recover', journal, '--keep', '--json'])).stdout,
    );
    expect(dirname(report.output)).toBe(join(dir.path, 'moved'));
    expect(filesBelow(join(dir.path, journal)).some((name) => name.endsWith('journal.db'))).toBe(true);
  });
});

describe('a run of ours whose machine is gone', () => {
  test('is recovered from the segments in its bucket', async () => {
    await using dir = await makeTempDir();
    const bucket = `file://${join(dir.path, 'bucket')}`;
    const started = await startSlowRun(dir.path, '--log-dir', bucket);
    // Segments are shipped every few seconds.
    while (!filesBelow(join(dir.path, 'bucket')).some((path) => path.includes('.holdfast/')))
      await sleep(100);
    started.child.kill('SIGKILL');
    await started.ended;
    await rm(join(dir.path, '.holdfast'), { recursive: true });
    const list = await holdfast(dir.path, ['recover', '--list', bucket]);
    expect(list.stdout).toContain('segments');
    const [, command = ''] = /dead: (holdfast recover .*)$/m.exec(list.stdout) ?? [];
    const ended = await holdfast(dir.path, [...command.split(' ').slice(1), '--json']);
    const report: RecoverJson = JSON.parse(ended.stdout);
    expect(report).toMatchObject({ status: 'error', counts: { expected: 6, lost: 0 } });
    expect(report.sources.map(({ kind }) => kind)).toEqual(['segments']);
    expect(report.counts.recovered).toBe(2);
    expect(dirname(report.output)).toBe(join(dir.path, 'bucket'));
  });
});

const FLAKY = (expected: string) => `
import { existsSync } from 'node:fs';
import { defineEval, exact } from 'holdfast';
export default [
  defineEval({ name: 'other', data: [{ input: 'never run' }], target: () => { throw new Error('not asked for'); }, scorers: [] }),
  defineEval({
    name: 'flaky',
    data: Array.from({ length: 5 }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: ${expected} })),
    target: ({ input }) => {
      if (input === 'q1' && !existsSync('mended')) throw new Error('it broke');
      return input;
    },
    scorers: [exact()],
  }),
];
`;

describe('retry', () => {
  /** Samples 0 to 2 of 5, of which one failed. */
  async function failedRun() {
    const dir = await makeTempDir();
    await mkdir(join(dir.path, 'evals'));
    await writeFile(join(dir.path, 'evals/flaky.eval.mjs'), FLAKY(`'q' + index`));
    const ended = await holdfast(dir.path, [
      'run',
      'evals/flaky.eval.mjs',
      '--limit',
      '3',
      '--epochs',
      '2',
      '--json',
    ]);
    const log: string = JSON.parse(ended.stdout).runs.find(
      (run: { eval: string }) => run.eval === 'flaky',
    ).log;
    return Object.assign(dir, {
      log,
      retry: (...args: string[]) => holdfast(dir.path, ['retry', log, ...args, '--json']),
    });
  }

  test('runs only what failed, with the samples and epochs that the log was made with', async () => {
    await using dir = await failedRun();
    const again = JSON.parse((await dir.retry()).stdout);
    expect(again).toMatchObject({
      exitCode: 1,
      runs: [{ eval: 'flaky', samples: { planned: 6, reused: 4, errored: 2 } }],
    });
    expect(again.next[0]).toEqual({
      what: 'To run what failed again',
      command: `holdfast retry ${dir.log} --json`,
    });
    await writeFile(join(dir.path, 'mended'), '');
    const mended = JSON.parse((await dir.retry()).stdout);
    expect(mended).toMatchObject({
      exitCode: 0,
      runs: [{ samples: { planned: 6, reused: 4, errored: 0, lost: 0 } }],
    });
    expect(mended.runs[0].log).not.toBe(dir.log);
    // Nothing is missing any more: the log that holds all of it is named, and nothing is run.
    const done = JSON.parse((await dir.retry()).stdout);
    expect(done.runs[0]).toMatchObject({ log: mended.runs[0].log, samples: { reused: 6, fresh: 0 } });
  });

  test('refuses when the eval file is gone, and takes another that is named', async () => {
    await using dir = await failedRun();
    await rename(join(dir.path, 'evals/flaky.eval.mjs'), join(dir.path, 'moved.eval.mjs'));
    const gone = await dir.retry();
    expect(JSON.parse(gone.stdout)).toMatchObject({ exitCode: 2, error: { code: 'E_RETRY_FILE' } });
    expect(gone.stderr).toContain('evals/flaky.eval.mjs');
    expect(JSON.parse((await dir.retry('--eval', 'moved.eval.mjs')).stdout)).toMatchObject({
      runs: [{ samples: { planned: 6, reused: 4 } }],
    });
  });

  test('treats what has changed in the eval as any edit, and refuses when the file holds another', async () => {
    await using dir = await failedRun();
    const path = join(dir.path, 'evals/flaky.eval.mjs');
    await writeFile(path, FLAKY(`'q' + index`).replace('exact()', 'exact({ name: "stricter" })'));
    const changed = await dir.retry();
    expect(JSON.parse(changed.stdout).runs[0].samples).toMatchObject({ planned: 6, rescored: 4 });
    await writeFile(path, FLAKY(`'q' + index`).replace("'flaky'", "'renamed'"));
    expect(JSON.parse((await dir.retry()).stdout)).toMatchObject({ error: { code: 'E_EVAL_CHOICE' } });
  });

  test('of an Inspect log says the command to go on with; an unfinished one is recovered first', async () => {
    await using crash = await crashed('mixed');
    const first = await crash.run('retry', crash.log);
    const log = `logs/${recoveredOf(basename(crash.log))}`;
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(`inspect eval-retry ${log}`) });
    expect(existsSync(databaseOf(crash))).toBe(true);
    expect((await crash.run('retry', crash.log)).stdout).toContain(`inspect eval-retry ${log}`);
    const failed = await placeGoldenCase({ version: NEWEST, name: 'finished' }, crash.dir);
    expect((await crash.run('retry', failed.log)).stdout).toContain('nothing is missing');
  });
});

describe('merge', () => {
  test('takes the best of each sample from several logs, whatever their order, and lists conflicts', async () => {
    await using dir = await makeTempDir();
    const flaky = join(dir.path, 'flaky.eval.mjs');
    await writeFile(flaky, FLAKY(`'q' + index`).replace(/\n {2}defineEval\(\{ name: 'other'.*/, ''));
    const run = async (...args: string[]): Promise<string> => {
      const ended = await holdfast(dir.path, ['run', 'flaky.eval.mjs', '--fresh', '--json', ...args]);
      return JSON.parse(ended.stdout).runs[0].log;
    };
    const first = await run('--id', 's0', 's1');
    await writeFile(join(dir.path, 'mended'), '');
    const second = await run('--id', 's1', 's2');
    const third = await run('--id', 's0');
    const merge = (output: string, ...logs: string[]) =>
      holdfast(dir.path, ['log', 'merge', ...logs, '-o', output, '--json']);
    const one = JSON.parse((await merge('one.eval', first, second)).stdout);
    expect(one).toMatchObject({
      samples: 3,
      completed: 3,
      errored: 0,
      conflicts: [],
      from: { [first]: 1, [second]: 2 },
    });
    const all = JSON.parse((await merge('all.eval', first, second, third)).stdout);
    const back = JSON.parse((await merge('back.eval', third, second, first)).stdout);
    expect(all.conflicts).toMatchObject([{ id: 's0', epoch: 1 }]);
    expect(back).toMatchObject({ conflicts: all.conflicts, from: all.from });
    const shown = await holdfast(dir.path, ['log', 'merge', first, third, '-o', 'shown.eval']);
    expect(shown.stdout).toMatch(
      /1 sample is complete in several logs, but not alike:\n {2}s0, epoch 1: taken from/,
    );
    expect((await holdfast(dir.path, ['log', 'verify', 'one.eval', 'all.eval', 'back.eval'])).code).toBe(0);
    const again = await merge('one.eval', first, second);
    expect(JSON.parse(again.stdout)).toMatchObject({ exitCode: 1, error: { code: 'E_RECOVER_EXISTS' } });
    // What it was merged from is in the log itself.
    const log = await openLog(nodeDisk, join(dir.path, 'one.eval'));
    expect(JSON.stringify((await log.header()).metadata)).toContain('holdfast_merge');
    await log.close();
  });

  test('logs of different evals are not merged', async () => {
    await using crash = await crashed('finished');
    const other = await placeGoldenCase({ version: NEWEST, name: 'finished-with-errors' }, crash.dir);
    const ended = await crash.run('log', 'merge', crash.log, other.log, '-o', 'x.eval', '--json');
    expect(JSON.parse(ended.stdout)).toMatchObject({ exitCode: 1, error: { code: 'E_MERGE_DIFFERENT' } });
    expect(existsSync(join(crash.dir, 'x.eval'))).toBe(false);
  });
});

describe('an interrupted recovery', () => {
  test('leaves nothing that looks like a log, and the next one starts clean', async () => {
    await using dir = await makeTempDir();
    const { log, logDir, dataDir } = await makeBigCrash(dir.path, { samples: 20, events: 900, running: 1 });
    const env = { XDG_DATA_HOME: dataDir };
    const started = startHoldfast(dir.path, ['recover', log], env);
    while (readdirSync(logDir).length < 2 && started.child.exitCode === null) await sleep(2);
    started.child.kill('SIGKILL');
    expect((await started.ended).signal).toBe('SIGKILL');
    expect(readdirSync(logDir).filter((name) => /\.(eval|json)$/.test(name))).toEqual([basename(log)]);
    expect(readdirSync(logDir)).toHaveLength(2);
    const listed = JSON.parse((await holdfast(dir.path, ['log', 'list', '--json'], env)).stdout);
    expect(listed.logs.map(({ path }: { path: string }) => path)).toEqual([log]);
    const again = JSON.parse((await holdfast(dir.path, ['recover', log, '--json'], env)).stdout);
    expect(again).toMatchObject({ exitCode: 0, counts: { recovered: 19, inFlight: 1, lost: 0 } });
    expect((await holdfast(dir.path, ['log', 'verify', again.output])).code).toBe(0);
  });
});

describe('bad input', () => {
  /** Each in a directory of its own; nothing may be left there that was not there before. */
  async function refused(name: string, make: (path: string) => Promise<void>, ...args: string[]) {
    await using dir = await makeTempDir();
    await make(join(dir.path, name));
    const before = filesBelow(dir.path);
    const ended = await holdfast(dir.path, ['recover', name, '--force-dead', ...args, '--json'], {
      XDG_DATA_HOME: join(dir.path, 'data'),
    });
    expect(filesBelow(dir.path)).toEqual(before);
    const { exitCode, error } = JSON.parse(ended.stdout) as RecoverJson;
    expect(error?.message).toContain(name === '.' ? dir.path : name);
    return { exitCode, code: error?.code };
  }

  const zip = (member: string, chunks: Iterable<Uint8Array>) => async (path: string) => {
    const file = await createLogFile(nodeDisk, path);
    await file.writeMember(member, chunks);
    await file.finish();
  };

  test('a missing file, a run that does not exist, and nothing at all', async () => {
    const nothing = () => Promise.resolve();
    expect(await refused('none.eval', nothing)).toEqual({ exitCode: 2, code: 'E_RECOVER_NOTHING' });
    expect(await refused('01KNOSUCHRUN', nothing)).toEqual({ exitCode: 2, code: 'E_RECOVER_NOTHING' });
    await using dir = await makeTempDir();
    const unnamed = await holdfast(dir.path, ['recover']);
    expect(unnamed).toMatchObject({ code: 2, stderr: expect.stringContaining('holdfast recover --list') });
    const list = await holdfast(dir.path, ['recover', '--list', 'nowhere']);
    expect(list).toMatchObject({ code: 2, stderr: expect.stringContaining('There is no directory nowhere') });
  });

  test('an empty file, a text, a zip that is no log, a directory', async () => {
    expect(await refused('x.eval', (path) => writeFile(path, ''))).toMatchObject({ exitCode: 3 });
    const foreign = { exitCode: 2, code: 'E_LOG_FOREIGN' };
    expect(await refused('x.eval', (path) => writeFile(path, 'hello'))).toEqual(foreign);
    expect(await refused('x.eval', zip('hello.txt', [Buffer.from('hello')]))).toEqual(foreign);
    const directory = (path: string) => mkdir(path, { recursive: true }).then(() => undefined);
    expect(await refused('.', directory)).toEqual({ exitCode: 2, code: 'E_RECOVER_DIRECTORY' });
    expect(await refused('x.eval', directory)).toEqual({ exitCode: 2, code: 'E_RECOVER_DIRECTORY' });
  });

  test('a finished log did not crash', async () => {
    await using crash = await crashed('finished');
    const ended = await crash.recover(crash.log);
    expect(ended).toMatchObject({ exitCode: 1, error: { code: 'E_RECOVER_FINISHED' } });
  });

  test('a zip bomb in the place of the start, and in the place of a sample', async () => {
    const zeros = Buffer.alloc(2 ** 20);
    function* bomb() {
      for (let n = 0; n < 2_100; n++) yield zeros;
    }
    expect(await refused('x.eval', zip('_journal/start.json', bomb()))).toMatchObject({
      code: 'E_LOG_TOO_LARGE',
    });
    await using crash = await crashed('mixed', { database: false });
    const start = await openLog(nodeDisk, crash.log);
    const path = join(crash.logDir, 'bomb.eval');
    const file = await createLogFile(nodeDisk, path);
    await file.copyMember(start, '_journal/start.json');
    await file.copyMember(start, 'samples/1_epoch_1.json');
    await file.writeMember('samples/2_epoch_1.json', bomb());
    await file.finish();
    await start.close();
    const report = await crash.recover(path, '--force-dead');
    expect(report).toMatchObject({ exitCode: 3, counts: { kept: 1, lost: 1 } });
    expect(report.problems.map(({ code }) => code)).toContain('E_LOG_TOO_LARGE');
  });

  test('a database of another program is named, and the rest is recovered', async () => {
    await using crash = await crashed('mixed');
    const path = databaseOf(crash);
    for (const ending of ['', '-wal', '-shm']) await rm(path + ending, { force: true });
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE bookmarks (url TEXT)');
    db.close();
    const report = await crash.recover(crash.log);
    expect(report).toMatchObject({
      exitCode: 3,
      counts: { kept: 4 },
      problems: [{ code: 'E_BUFFER_FOREIGN' }],
    });
    expect(existsSync(path), 'what is not ours is not deleted').toBe(true);
  });

  test('a torn log, a manifest that is no JSON, a segment that is no zip: each is said, the rest is recovered', async () => {
    await using torn = await crashed('mixed');
    const bytes = await readFile(torn.log);
    await writeFile(torn.log, bytes.subarray(0, Math.floor(bytes.length * 0.6)));
    const fromTorn = await torn.recover(torn.log);
    expect(fromTorn.exitCode).toBe(3);
    expect(fromTorn.sources.map(({ kind }) => kind)).toEqual(['torn log', 'database']);
    expect(fromTorn.counts.kept).toBeGreaterThan(0);

    await using shared = await crashed('shared', { database: false });
    const buffer = join(shared.logDir, '.buffer', basename(shared.log, '.eval'));
    await cp(join(shared.logDir, '.buffer'), join(shared.dir, 'copy'), { recursive: true });
    await writeFile(join(buffer, 'manifest.json'), '{"samples": [');
    const noManifest = await shared.recover(shared.log, '--force-dead', '--keep', '-o', 'a.eval');
    expect(noManifest).toMatchObject({ exitCode: 3, counts: { kept: 2, lost: 0 } });
    expect(noManifest.samples).toHaveLength(5);

    await cp(join(shared.dir, 'copy'), join(shared.logDir, '.buffer'), { recursive: true });
    await writeFile(join(buffer, 'segment.2.zip'), 'no zip');
    const noSegment = await shared.recover(shared.log, '--force-dead', '--keep', '-o', 'b.eval');
    expect(noSegment.exitCode).toBe(3);
    expect(noSegment.samples.some(({ missing }) => missing.some((text) => text.includes('segment 2')))).toBe(
      true,
    );
  });

  test('an id such as ../etc/passwd names a sample, and never a file', async () => {
    await using crash = await crashed('before-flush');
    const db = new DatabaseSync(databaseOf(crash));
    for (const [table, column] of [
      ['samples', 'id'],
      ...['events', 'attachments', 'message_pool', 'call_pool'].map((name) => [name, 'sample_id']),
    ])
      db.exec(`UPDATE ${table} SET ${column} = '../../etc/passwd' WHERE ${column} = '1'`);
    db.exec(`UPDATE samples SET data = json_set(data, '$.id', '../../etc/passwd') WHERE id LIKE '..%'`);
    db.close();
    const report = await crash.recover(crash.log);
    expect(report.samples.map(({ id }) => id)).toContain('../../etc/passwd');
    expect(filesBelow(crash.dir).filter((path) => path.includes('passwd'))).toEqual([]);
    expect((await crash.run('log', 'show', report.output, '--sample', '../../etc/passwd')).code).toBe(0);
  });

  test('a directory that cannot be written is said, and nothing is lost', async ({ skip }) => {
    skip(process.platform !== 'linux', 'needs a place that not even the superuser can write');
    await using crash = await crashed('mixed');
    const before = filesBelow(crash.dir);
    const report = await crash.recover(crash.log, '--output', '/sys/holdfast/x.eval');
    expect(report).toMatchObject({ exitCode: 1, error: { code: 'E_DISK_DENIED' } });
    expect(filesBelow(crash.dir)).toEqual(before);
  });
});
