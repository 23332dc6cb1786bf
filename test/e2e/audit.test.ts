/** What an audit broke, from outside: real processes, an outside ledger for money, and files damaged by hand. */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { filesBelow, holdfast, reportOf } from './holdfast.ts';
import { heldRun, journalOf, killedRun, paidEval, RUN, SAMPLES } from './paid-eval.ts';

describe('damage to a journal is noticed', () => {
  test('[JRN-11] a write-ahead log that was deleted: what is lost is named with its price, and the run does not end with 0', async () => {
    await using dir = await paidEval({ latencyMs: 30 });
    await killedRun(dir, SAMPLES);
    rmSync(journalOf(dir.path, '-wal'), { force: true });
    const again = await holdfast(dir.path, [...RUN, '--json']);
    const report = reportOf(again);
    expect(again.code).toBe(3);
    expect(report.runs[0]).toMatchObject({ state: 'done', samples: { planned: SAMPLES, remaining: 0 } });
    expect(report.runs[0]?.answers?.lost).toBeGreaterThan(0);
    expect(report.runs[0]?.usd?.lost).toBeGreaterThan(0);
    expect(report.runs[0]?.notes?.join('\n')).toMatch(/acknowledged|lost/);
  });

  test('[JRN-9] a flipped answer is never replayed or sealed: it is bought again, and said', async () => {
    await using dir = await paidEval({ latencyMs: 30 });
    await killedRun(dir, SAMPLES);
    const path = journalOf(dir.path);
    // Everything goes into the database, so that the flip is in a row and not in a frame of the write-ahead log.
    spawnSync(process.execPath, [
      '-e',
      `const { DatabaseSync } = require('node:sqlite'); const db = new DatabaseSync(${JSON.stringify(path)}); db.exec('PRAGMA wal_checkpoint(TRUNCATE)'); db.close();`,
    ]);
    const bytes = readFileSync(path);
    let flipped = 0;
    for (let at = bytes.indexOf('heard q'); at >= 0; at = bytes.indexOf('heard q', at + 1)) {
      bytes[at + 2] = (bytes[at + 2] ?? 0) ^ 1;
      flipped++;
    }
    expect(flipped).toBeGreaterThan(0);
    writeFileSync(path, bytes);
    const again = await holdfast(dir.path, [...RUN, '--json']);
    const report = reportOf(again);
    expect(report.runs[0]).toMatchObject({ state: 'done', samples: { remaining: 0 } });
    expect(again.code).toBe(3);
    const dump = await holdfast(dir.path, ['log', 'dump', report.runs[0]?.log ?? '']);
    expect(dump.stdout).not.toContain('he`rd');
    expect(dump.stdout).toContain('heard q');
  });

  test('a finished log with a flipped sample is not reused: that sample runs again, from its answers', async () => {
    await using dir = await paidEval();
    const first = reportOf(await holdfast(dir.path, [...RUN, '--json']));
    const log = first.runs[0]?.log ?? '';
    const bytes = readFileSync(log);
    const at = bytes.indexOf('samples/s3_epoch_1.json') + 60;
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    writeFileSync(log, bytes);
    const before = dir.asked().length;
    const again = reportOf(await holdfast(dir.path, [...RUN, '--json']));
    expect(again.runs[0]).toMatchObject({ state: 'done', samples: { reused: SAMPLES - 1, replayed: 1 } });
    expect(dir.asked().length - before).toBe(0);
    expect((await holdfast(dir.path, ['log', 'verify', again.runs[0]?.log ?? ''])).code).toBe(0);
  });
});

describe('counting is a set', () => {
  test('a run that is carried over again and again keeps each sample once, and the budget counts it once', async () => {
    await using dir = await paidEval({ latencyMs: 25 });
    await killedRun(dir, SAMPLES);
    for (let round = 1; round <= 3; round++) {
      // Another plan each time: what was done is carried over, and the runs that cannot be sealed yet stay.
      await dir.write({ samples: SAMPLES + round });
      const started = await heldRun(dir, dir.asked().length + 3, ['--json']);
      started.child.kill('SIGINT');
      await started.said('Stopping');
      started.child.kill('SIGINT');
      const report = reportOf(await started.ended);
      dir.letGo();
      const samples = report.runs[0]?.samples ?? {};
      expect(samples.remaining, `round ${round}`).toBeGreaterThanOrEqual(0);
      expect((samples.kept ?? 0) + (samples.fresh ?? 0) + (samples.replayed ?? 0)).toBeLessThanOrEqual(
        SAMPLES + round,
      );
      expect(samples.lost).toBe(0);
    }
    const last = reportOf(await holdfast(dir.path, [...RUN, '--json']));
    expect(last.runs[0]).toMatchObject({ state: 'done', samples: { remaining: 0, lost: 0 } });
    const asked = dir.asked();
    // At each stop at most as many answers as samples at a time were on their way.
    expect(asked.length - new Set(asked).size).toBeLessThanOrEqual(4 * 4);
  });
});

describe('texts that look like references', () => {
  const HOSTILE = [
    'attachment://0123456789abcdef0123456789abcdef',
    'tc://7',
    'attachment://12',
    'a\u0000b\ud800c',
  ];

  test('a run with such texts everywhere is sealed, whole, and reads back the same', async () => {
    await using dir = await makeTempDir();
    const texts = JSON.stringify(HOSTILE);
    await writeFile(
      join(dir.path, 'hostile.eval.ts'),
      `import { defineEval, includes, mockModel, scorer } from 'holdfast';
const texts = ${texts};
const model = mockModel({ name: 'mock/hostile', respond: ({ turn, text }) => texts.find((t) => text.includes(t)) ?? texts[turn % texts.length] });
export default defineEval({
  name: 'hostile',
  data: texts.map((text, index) => ({ id: 'h' + index, input: text, target: text, metadata: { text, list: [text] } })),
  models: { 'mock/hostile': model },
  target: async ({ id, input }, { generate }) => { const { text } = await generate(input); if (id === 'h3') throw new Error(input); return { text, same: input }; },
  scorers: [includes(), scorer('quoting', ({ input }) => ({ value: 1, answer: input, explanation: input, metadata: { input } }))],
});`,
    );
    const run = await holdfast(dir.path, ['run', 'hostile.eval.ts', '--model', 'mock/hostile', '--json']);
    const report = reportOf(run);
    expect(report.runs[0]).toMatchObject({ state: 'done', samples: { planned: 4, errored: 1, lost: 0 } });
    const log = report.runs[0]?.log ?? '';
    expect((await holdfast(dir.path, ['log', 'verify', log])).code).toBe(0);
    const dump = JSON.parse((await holdfast(dir.path, ['log', 'dump', log])).stdout) as {
      samples: { id: string; input: string; metadata: { text: string } }[];
    };
    for (const { input, metadata } of dump.samples.slice(0, 3)) {
      expect(HOSTILE).toContain(input);
      expect(metadata.text).toBe(input);
    }
  });
});

const canMount = (() => {
  const probe = spawnSync('unshare', ['-m', 'true']);
  return process.getuid?.() === 0 && probe.status === 0;
})();

describe.skipIf(!canMount)('a full disk (needs to mount a tmpfs)', () => {
  test('a run stops at the first failed write although the target catches errors, and the account is printed', async () => {
    await using dir = await paidEval({ answerBytes: 40_000, isCatching: true });
    const logs = join(dir.path, 'logs');
    execFileSync('mkdir', [logs]);
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', logs]);
    try {
      const run = await holdfast(dir.path, [...RUN, '--json']);
      expect(run.code).toBe(4);
      const report = reportOf(run);
      expect(report.runs[0]?.error?.code).toBe('E_DISK_FULL');
      expect(report.runs[0]?.samples?.planned).toBe(SAMPLES);
      const bought = dir.asked().length;
      const counted = report.runs[0]?.answers?.bought ?? 0;
      // Only what was on its way at that moment may be thrown away: one call for each sample at a time.
      expect(bought - counted).toBeLessThanOrEqual(4);
      expect(bought).toBeLessThan(SAMPLES * 100);
    } finally {
      execFileSync('umount', [logs]);
    }
  });
});

describe('segments', () => {
  test('[SEG-9] a machine that is lost right after sealing loses nothing: the log is in the bucket, the segments are gone', async () => {
    await using dir = await paidEval();
    const run = await holdfast(dir.path, [...RUN, '--segments', 'bucket', '--json']);
    const log = reportOf(run).runs[0]?.log ?? '';
    rmSync(join(dir.path, 'logs'), { recursive: true });
    const [kept] = readdirSync(join(dir.path, 'bucket')).filter((name) => name.endsWith('.eval'));
    expect(log.endsWith(kept ?? 'none')).toBe(true);
    expect(filesBelow(join(dir.path, 'bucket')).filter((name) => name.endsWith('.zst'))).toEqual([]);
    expect((await holdfast(dir.path, ['log', 'verify', join('bucket', kept ?? '')])).code).toBe(0);
  });

  test('[SEG-2] a damaged segment in the middle: the run goes on, ships again, and is sealed', async () => {
    await using dir = await paidEval({ latencyMs: 30 });
    const started = await heldRun(dir, 24, ['--segments', 'bucket', '--concurrency', '2']);
    const bucket = join(dir.path, 'bucket');
    const shipped = () =>
      existsSync(bucket) ? filesBelow(bucket).filter((name) => name.endsWith('.zst')) : [];
    while (shipped().length < 6 && started.child.exitCode === null) await sleep(5);
    started.child.kill('SIGKILL');
    await started.ended;
    dir.letGo();
    rmSync(join(dir.path, 'logs'), { recursive: true });
    const segments = shipped();
    expect(segments.length).toBeGreaterThan(3);
    const middle = join(dir.path, 'bucket', segments[Math.floor(segments.length / 2)] ?? '');
    writeFileSync(middle, readFileSync(middle).subarray(0, 40));
    const again = await holdfast(dir.path, [...RUN, '--segments', 'bucket', '--json']);
    const report = reportOf(again);
    expect(report.runs[0]).toMatchObject({ state: 'done', samples: { planned: SAMPLES, remaining: 0 } });
    expect(report.runs[0]?.notes?.join('\n')).toMatch(/damaged/);
    expect(report.runs[0]?.samples?.kept).toBeGreaterThan(0);
  });
});

describe('at once', () => {
  test.each([3, 8])('%i simultaneous starts of one eval all finish, each its own run', async (count) => {
    await using dir = await paidEval({ samples: 4, latencyMs: 10 });
    const ended = await Promise.all(
      Array.from({ length: count }, () => holdfast(dir.path, [...RUN, '--json'])),
    );
    expect(ended.map(({ code, stderr }) => (code === 0 ? 'ok' : stderr))).toEqual(ended.map(() => 'ok'));
    for (const one of ended)
      expect(reportOf(one).runs[0]).toMatchObject({ state: 'done', samples: { lost: 0 } });
    expect(dir.runDirs()).toEqual([]);
  });

  test.each([3, 8])(
    '%i simultaneous starts after a crash: one goes on, and nothing that it has is bought twice',
    async (count) => {
      await using dir = await paidEval({ latencyMs: 25 });
      await killedRun(dir, SAMPLES);
      const before = dir.asked().length;
      const ended = await Promise.all(
        Array.from({ length: count }, () => holdfast(dir.path, [...RUN, '--json'])),
      );
      expect(ended.map(({ code, stderr }) => (code === 0 ? 'ok' : stderr))).toEqual(ended.map(() => 'ok'));
      const reports = ended.map((one) => reportOf(one).runs[0]);
      for (const report of reports)
        expect(report).toMatchObject({ state: 'done', samples: { lost: 0, remaining: 0 } });
      // Whoever went on bought only the rest; each of the others is a run of its own, or found the finished log.
      const bought = dir.asked().length - before;
      expect(bought).toBeLessThanOrEqual(2 * SAMPLES * count - before + 4);
      expect(reports.filter((report) => (report?.samples?.kept ?? 0) > 0)).toHaveLength(1);
    },
  );
});

describe('--reuse=any', () => {
  test('what it took from another definition does not stay when the run is gone on with as usual', async () => {
    await using dir = await paidEval({ latencyMs: 20 });
    await holdfast(dir.path, [...RUN, '--limit', '8']);
    await dir.write({ extra: 'version: 2,' });
    await killedRun(dir, dir.asked().length + 4, ['--reuse=any']);
    const again = reportOf(await holdfast(dir.path, [...RUN, '--json']));
    expect(again.runs[0]).toMatchObject({ state: 'done', samples: { planned: SAMPLES, reused: 0, lost: 0 } });
    expect(again.runs[0]?.samples?.rescored).toBe(0);
    // All samples were run by the new code, which asks for the same: only what was on its way is asked for again.
    expect(dir.asked().length).toBeLessThanOrEqual(2 * SAMPLES + 4);
  });
});

describe('what was paid for is used, or stays', () => {
  test('[SEG-9] the machine is lost after the run: its log comes home from the bucket, and nothing is bought again', async () => {
    await using dir = await paidEval();
    await holdfast(dir.path, [...RUN, '--segments', 'bucket']);
    const before = dir.asked().length;
    rmSync(join(dir.path, 'logs'), { recursive: true });
    const again = reportOf(await holdfast(dir.path, [...RUN, '--segments', 'bucket', '--json']));
    expect(again).toMatchObject({
      exitCode: 0,
      runs: [{ state: 'done', samples: { reused: SAMPLES, fresh: 0 } }],
    });
    expect(dir.asked()).toHaveLength(before);
  });

  test('recover does not throw away the answers of samples that were under way', async () => {
    await using dir = await paidEval({ latencyMs: 30 });
    await killedRun(dir, SAMPLES);
    const [runId = ''] = dir.runDirs();
    const recovered = await holdfast(dir.path, ['recover', runId, '--json']);
    expect(recovered.code).toBe(0);
    const acknowledged = dir.asked().length;
    const again = reportOf(await holdfast(dir.path, [...RUN, '--json']));
    expect(again.runs[0]).toMatchObject({ state: 'done', samples: { remaining: 0, lost: 0 } });
    // At the kill at most four answers were on their way; all others are kept or replayed.
    expect(dir.asked().length).toBeLessThanOrEqual(2 * SAMPLES + 4);
    expect(acknowledged).toBeGreaterThanOrEqual(SAMPLES);
    expect(dir.runDirs()).toEqual([]);
  });

  test('--fresh that is killed goes on with the same command: its own answers are kept, those from before are not used', async () => {
    await using dir = await paidEval({ latencyMs: 20 });
    await holdfast(dir.path, RUN);
    const before = dir.asked().length;
    await killedRun(dir, before + SAMPLES, ['--fresh']);
    const again = reportOf(await holdfast(dir.path, [...RUN, '--fresh', '--json']));
    expect(again.runs[0]).toMatchObject({ state: 'done', samples: { reused: 0, remaining: 0, lost: 0 } });
    expect(dir.asked().length).toBeGreaterThanOrEqual(before + 2 * SAMPLES);
    expect(dir.asked().length).toBeLessThanOrEqual(before + 2 * SAMPLES + 4);
    // Whoever asks for it once more, after it is done, gets it anew.
    await holdfast(dir.path, [...RUN, '--fresh']);
    expect(dir.asked().length).toBeGreaterThanOrEqual(before + 4 * SAMPLES);
  });

  test('recover --keep keeps the journals also from the run that goes on with them', async () => {
    await using dir = await paidEval({ latencyMs: 30 });
    await killedRun(dir, SAMPLES);
    const [runId = ''] = dir.runDirs();
    expect((await holdfast(dir.path, ['recover', runId, '--keep'])).code).toBe(0);
    const again = reportOf(await holdfast(dir.path, [...RUN, '--json']));
    expect(again.runs[0]).toMatchObject({ state: 'done', samples: { remaining: 0, lost: 0 } });
    const kept = join(dir.path, 'logs', '.holdfast', 'kept', runId);
    expect(
      readdirSync(kept, { recursive: true })
        .map(String)
        .some((name) => name.endsWith('journal.db')),
    ).toBe(true);
    expect(dir.runDirs()).toEqual([]);
    const once = await holdfast(dir.path, ['recover', kept, '-o', 'again.eval', '--keep', '--json']);
    expect(JSON.parse(once.stdout)).toMatchObject({ counts: { lost: 0 } });
  });

  test('--reuse=any over a crashed run does not cost its answers', async () => {
    await using dir = await paidEval({ latencyMs: 20, extra: 'version: 2,' });
    await holdfast(dir.path, RUN);
    const whole = dir.asked().length;
    await dir.write({ extra: 'version: 1,' });
    await killedRun(dir, whole + SAMPLES);
    await holdfast(dir.path, [...RUN, '--reuse=any']);
    const plain = reportOf(await holdfast(dir.path, [...RUN, '--json']));
    expect(plain.runs[0]).toMatchObject({ state: 'done', samples: { remaining: 0, lost: 0 } });
    expect(dir.asked().length).toBeLessThanOrEqual(whole + 2 * SAMPLES + 4);
  });

  test('run beside recover waits for it instead of buying all again', async () => {
    await using dir = await paidEval({ latencyMs: 25 });
    await killedRun(dir, SAMPLES);
    const [runId = ''] = dir.runDirs();
    const [, run] = await Promise.all([
      holdfast(dir.path, ['recover', runId]),
      sleep(150).then(() => holdfast(dir.path, [...RUN, '--json'])),
    ]);
    expect(reportOf(run).runs[0]).toMatchObject({ state: 'done', samples: { remaining: 0, lost: 0 } });
    expect(dir.asked().length).toBeLessThanOrEqual(2 * SAMPLES + 4);
  });

  test('a finished log that was cut: what is whole is not bought again, and when something is, it is said and does not end with 0', async () => {
    await using dir = await paidEval({ samples: 4 });
    const log = reportOf(await holdfast(dir.path, [...RUN, '--json'])).runs[0]?.log ?? '';
    const whole = readFileSync(log);
    const before = dir.asked().length;
    const cuts = [
      { size: whole.indexOf('samples/s3_epoch_1.json') + 60, code: 3, bought: 2 },
      { size: whole.length - 30, code: 0, bought: 0 },
    ];
    for (const { size, code, bought } of cuts) {
      for (const other of filesBelow(join(dir.path, 'logs')))
        if (other.endsWith('.eval')) rmSync(join(dir.path, 'logs', other));
      writeFileSync(log, whole.subarray(0, size));
      const sold = dir.asked().length;
      const again = await holdfast(dir.path, [...RUN, '--json']);
      expect(again.code).toBe(code);
      expect(dir.asked().length - sold).toBe(bought);
      expect(reportOf(again).runs[0]?.damage?.join('\n')).toContain('is torn');
    }
    expect(dir.asked()).toHaveLength(before + 2);
  });
});

test('[LOG-13] a sample that was under way with answers that look like references is recovered', async () => {
  await using dir = await makeTempDir();
  await writeFile(
    join(dir.path, 'odd.eval.ts'),
    `import { defineEval, includes, mockModel } from 'holdfast';
const odd = 'attachment://0123456789abcdef0123456789abcdef';
const model = mockModel({ name: 'mock/odd', respond: () => odd });
export default defineEval({
  name: 'odd', data: [{ id: 'a', input: odd, target: odd, metadata: { [odd]: odd } }], models: { 'mock/odd': model },
  target: async ({ input }, { generate }) => {
    const first = await generate({ messages: [{ role: 'system', content: odd }, { role: 'user', content: input }] });
    await generate({ messages: [...first.messages, { role: 'user', content: odd }] });
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  },
  scorers: [includes()],
});`,
  );
  expect((await holdfast(dir.path, ['run', 'odd.eval.ts', '--model', 'mock/odd'])).signal).toBe('SIGKILL');
  const [runId = ''] = readdirSync(join(dir.path, 'logs/.holdfast')).filter((name) => /^\d{8}T/.test(name));
  const recovered = await holdfast(dir.path, ['recover', runId, '--json']);
  expect(JSON.parse(recovered.stdout)).toMatchObject({ counts: { inFlight: 1, lost: 0 }, problems: [] });
});
