import { execFileSync, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { directoryBucket } from '../../src/bucket/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { journalPath, readJournal } from '../../src/journal/index.ts';
import { newWriter, runRecord, sampleFields, sampleStart, someAnswer } from '../sim/journal-fixture.ts';
import { makeTempDir } from '../sim/temp-dir.ts';

const CHILD = join(import.meta.dirname, 'answer-child.ts');
const RUN_CHILD = join(import.meta.dirname, 'crash-child.ts');
const IMPORT_CHILD = join(import.meta.dirname, 'import-child.ts');
const canTrace = spawnSync('strace', ['-V']).status === 0;
const canMount = process.getuid?.() === 0 && process.platform === 'linux' && mountWorks();

function mountWorks(): boolean {
  const dir = execFileSync('mktemp', ['-d'], { encoding: 'utf8' }).trim();
  const isMounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', dir]).status === 0;
  if (isMounted) spawnSync('umount', [dir]);
  return isMounted;
}

describe.skipIf(!canTrace)('as the system sees it (needs strace)', () => {
  test('[JRN-1] [JRN-6] [JRN-11] between two acknowledgements the journal is written and then synced', async () => {
    await using dir = await makeTempDir();
    const trace = join(dir.path, 'trace');
    const calls = 'trace=write,pwrite64,pwritev,fsync,fdatasync,openat';
    const run = spawnSync(
      'strace',
      ['-f', '-y', '-s', '16', '-e', calls, '-o', trace, process.execPath, CHILD, dir.path, '12'],
      {
        encoding: 'utf8',
      },
    );
    expect(run.stdout.split('\n').filter((line) => line.startsWith('ack'))).toHaveLength(12);
    let lastOnJournal = 'nothing';
    let acknowledged = 0;
    let isMarked = false;
    for (const line of readFileSync(trace, 'utf8').split('\n')) {
      if (line.includes('/acknowledged>') && /\bp?write(64|v)?\(/.test(line))
        isMarked = lastOnJournal === 'sync';
      const isJournal = line.includes('journal.db-wal>');
      if (isJournal && /\bp?write(64|v)?\(/.test(line)) lastOnJournal = 'write';
      if (isJournal && /\bf(data)?sync\(/.test(line)) lastOnJournal = 'sync';
      if (!line.includes('"ack ')) continue;
      expect(lastOnJournal, line).toBe('sync');
      expect(isMarked, `${line}: the mark comes after the sync and before the acknowledgement`).toBe(true);
      isMarked = false;
      lastOnJournal = 'nothing since the last acknowledgement';
      acknowledged++;
    }
    expect(acknowledged).toBe(12);
  });

  test('[SEG-7] a journal that is made of segments is synced, and needs no log beside it, before it has its name', async () => {
    await using dir = await makeTempDir();
    const bucket = directoryBucket(nodeDisk, join(dir.path, 'bucket'));
    const run = runRecord();
    const journal = await newWriter(join(dir.path, 'state'), run, { writer: 'w' });
    const shipper = journal.shipTo({ bucket, prefix: '', bytesMax: 2_000 });
    for (let id = 0; id < 10; id++) {
      const attempt = journal.startAttempt(sampleStart(id));
      await attempt.answer(someAnswer({ id, text: 'y'.repeat(500) }), []);
      await attempt.finish('completed', sampleFields(id));
      await shipper.ship();
    }
    await journal.end('finished');
    journal.close();
    const trace = join(dir.path, 'trace');
    const calls = 'trace=write,pwrite64,pwritev,fsync,fdatasync,openat,rename,renameat,renameat2,unlink';
    const words = [IMPORT_CHILD, join(dir.path, 'bucket'), join(dir.path, 'home'), run.runId, 'w'];
    const child = spawnSync(
      'strace',
      ['-f', '-y', '-s', '300', '-e', calls, '-o', trace, process.execPath, ...words],
      { encoding: 'utf8' },
    );
    expect(child.stderr).toBe('');
    let last = 'nothing';
    let [written, named] = [0, 0];
    for (const line of readFileSync(trace, 'utf8').split('\n')) {
      if (line.includes('journal.db>') && /\bp?write(64|v)?\(/.test(line)) {
        last = 'write';
        written++;
      }
      if (line.includes('journal.db>') && /\bf(data)?sync\(/.test(line)) last = 'sync';
      if (!/\brename(at2?)?\(/.test(line) || !line.includes(`${dir.path}/home/w"`)) continue;
      named++;
      expect(last, line).toBe('sync');
    }
    expect([written > 10, named]).toEqual([true, 1]);
    expect(readdirSync(join(dir.path, 'home/w')).filter((name) => name.endsWith('-wal'))).toEqual([]);
  });
});

describe.skipIf(!canMount)('on a disk that is really full (needs to mount a tmpfs)', () => {
  test('a full disk is said, what was acknowledged stays, and the journal stays valid', async () => {
    await using dir = await makeTempDir();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'tmpfs', dir.path]);
    try {
      const run = spawnSync(process.execPath, [CHILD, dir.path, '1000', '20000'], { encoding: 'utf8' });
      const lines = run.stdout.trim().split('\n');
      expectStopped(lines);
      const acknowledged = lines.filter((line) => line.startsWith('ack')).length;
      expect(acknowledged).toBeGreaterThan(3);
      const [runDir = ''] = readdirSync(dir.path);
      const reader = readJournal(journalPath(join(dir.path, runDir), 'w'));
      expect(reader.rows.select('PRAGMA integrity_check')).toMatchObject([{ integrity_check: 'ok' }]);
      expect(reader.damage().lost).toBeUndefined();
      const values = [...reader.answers(1)].map(({ value }) => String(value).split(' ')[0]);
      expect(values.slice(0, acknowledged)).toEqual(
        Array.from({ length: acknowledged }, (_, n) => String(n)),
      );
      reader.close();
    } finally {
      execFileSync('umount', [dir.path]);
    }
  });
});

describe.skipIf(!canMount)('on a disk with next to no space (needs to mount a tmpfs)', () => {
  test('a run says so before it buys anything', async () => {
    await using dir = await makeTempDir();
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', dir.path]);
    try {
      const child = spawnSync(process.execPath, [RUN_CHILD, dir.path, '5', '1'], { encoding: 'utf8' });
      expect(child.stderr).toContain('E_DISK_FULL');
      expect(readdirSync(dir.path)).not.toContain('ledger');
    } finally {
      execFileSync('umount', [dir.path]);
    }
  });
});

describe.skipIf(process.platform === 'win32')('on a disk that fails', () => {
  test('a write error is said, what was acknowledged stays, and the journal stays valid', async () => {
    await using dir = await makeTempDir();
    // Beyond this size every write fails with EFBIG: to SQLite an input/output error like any other.
    const script = `ulimit -f 1600; trap '' XFSZ; exec "$0" "$@"`;
    const run = spawnSync('bash', ['-c', script, process.execPath, CHILD, dir.path, '1000', '20000'], {
      encoding: 'utf8',
    });
    const lines = run.stdout.trim().split('\n');
    expectStopped(lines);
    const acknowledged = lines.filter((line) => line.startsWith('ack')).length;
    const [runDir = ''] = readdirSync(dir.path);
    const reader = readJournal(journalPath(join(dir.path, runDir), 'w'));
    expect(reader.rows.select('PRAGMA integrity_check')).toMatchObject([{ integrity_check: 'ok' }]);
    expect([...reader.answers(1)].length).toBeGreaterThanOrEqual(acknowledged);
    reader.close();
  });
});

/** At the first failed write the journal stops for good, and says so at once; nothing is acknowledged after it. */
function expectStopped(lines: readonly string[]): void {
  const first = lines.findIndex((line) => line.startsWith('stopped'));
  expect(lines[first]).toMatch(/^stopped E_DISK_(FULL|IO)$/);
  const after = lines.slice(first + 1);
  expect(after.length).toBeGreaterThan(0);
  for (const line of after) expect(line).toMatch(/^failed E_DISK_(FULL|IO)$/);
}
