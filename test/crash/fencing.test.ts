import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { nodeDisk } from '../../src/disk/index.ts';
import { fenceWriter, openRunJournals } from '../../src/journal/index.ts';
import { makeTempDir } from '../sim/temp-dir.ts';

const CHILD = join(import.meta.dirname, 'answer-child.ts');

interface Writing extends AsyncDisposable {
  readonly child: ChildProcess;
  readonly lines: string[];
  readonly ended: Promise<unknown>;
  /** Resolves when a line begins so. */
  until(start: string): Promise<void>;
}

/** A process that writes an answer every `pauseMs`. */
function startWriting(dir: string, count: number, pauseMs: number): Writing {
  const child = spawn(process.execPath, [CHILD, dir, String(count), '100', String(pauseMs)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  let rest = '';
  child.stdout.on('data', (chunk) => {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop() ?? '';
    lines.push(...parts);
  });
  const ended = once(child, 'close');
  return {
    child,
    lines,
    ended,
    async until(start) {
      while (!lines.some((line) => line.startsWith(start))) {
        if (child.exitCode !== null) throw new Error(`ended before "${start}": ${lines.join(', ')}`);
        await sleep(2);
      }
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

/** What takes a second may take many where much else runs; it is far from the next write, which would notice as well. */
const BUSY_MS = 30_000;

const dirOf = ({ lines }: Writing) => lines.find((line) => line.startsWith('dir '))?.slice(4) ?? '';
const acknowledged = ({ lines }: Writing) => lines.filter((line) => line.startsWith('ack ')).length;

describe.skipIf(process.platform === 'win32')('with real processes', () => {
  test('[JRN-13] a writer that was stopped, fenced and woken up acknowledges nothing more, and all it had acknowledged is there', async () => {
    await using dir = await makeTempDir();
    await using writing = startWriting(dir.path, 10_000, 1);
    await writing.until('ack 20');
    writing.child.kill('SIGSTOP');
    await sleep(100);
    const runDir = dirname(dirOf(writing));
    await fenceWriter(nodeDisk, runDir, basename(dirOf(writing)));
    const before = acknowledged(writing);
    const journals = await openRunJournals({ disk: nodeDisk, runDir });
    const found = [...(journals.readers[0]?.answers(1) ?? [])].length;
    expect(journals.liveness()).toBe('dead');
    journals.close();
    expect(found).toBeGreaterThanOrEqual(before);
    writing.child.kill('SIGCONT');
    await writing.ended;
    // What was on its way through the pipe when the process was stopped had been acknowledged before.
    expect(acknowledged(writing)).toBeLessThanOrEqual(found);
    expect(writing.lines).toContain('stopped E_WRITER_FENCED');
    expect(writing.lines.at(-1)).toBe('failed E_WRITER_FENCED');
  });

  test('[JRN-13] a fence stops also a writer that is idle, within a second', async () => {
    await using dir = await makeTempDir();
    await using writing = startWriting(dir.path, 2, 60_000);
    await writing.until('ack 0');
    await fenceWriter(nodeDisk, dirname(dirOf(writing)), 'w');
    const startedAt = performance.now();
    await writing.until('stopped E_WRITER_FENCED');
    expect(performance.now() - startedAt).toBeLessThan(BUSY_MS);
    expect(acknowledged(writing)).toBe(1);
  });

  for (const [what, harm] of [
    ['removed', (path: string) => rmSync(path, { recursive: true })],
    ['renamed', (path: string) => renameSync(path, `${path}.released`)],
    ['renamed with its run', (path: string) => renameSync(dirname(path), `${dirname(path)}.released`)],
  ] as const) {
    test(`[JRN-13] a journal directory that is ${what} is noticed before the next acknowledgement, and within a second when idle`, async () => {
      await using dir = await makeTempDir();
      await using busy = startWriting(dir.path, 10_000, 1);
      await busy.until('ack 10');
      harm(dirOf(busy));
      await busy.until('failed');
      expect(busy.lines).toContain('stopped E_JOURNAL_VANISHED');
      const after = busy.lines.slice(busy.lines.findIndex((line) => line.startsWith('stopped')) + 1);
      expect(after.filter((line) => line.startsWith('ack'))).toEqual([]);

      await using idle = startWriting(join(dir.path, 'idle'), 2, 60_000);
      await idle.until('ack 0');
      harm(dirOf(idle));
      const startedAt = performance.now();
      await idle.until('stopped E_JOURNAL_VANISHED');
      expect(performance.now() - startedAt).toBeLessThan(BUSY_MS);
    });
  }
});
