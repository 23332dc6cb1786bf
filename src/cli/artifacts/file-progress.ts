import type { FileProgress, OnProgress } from '../../artifacts/index.ts';
import { systemClock } from '../../base/index.ts';
import { formatBytes } from '../quantities.ts';
import type { Terminal } from '../terminal.ts';

/** Says how far long work on files has come: on a screen one line that is redrawn, elsewhere nothing. */
export function fileProgress(terminal: Terminal, verb: string, unitsTotal: number) {
  let unitsDone = 0;
  let shownAtMs = 0;
  const within =
    (unit: string): OnProgress =>
    (progress) => {
      if (progress.filesDone === progress.filesTotal) unitsDone++;
      if (!terminal.isLive || systemClock.monotonicMs() - shownAtMs < EVERY_MS) return;
      shownAtMs = systemClock.monotonicMs();
      terminal.stderr.write(`\r${lineOf(unit, progress)}\u001b[K`);
    };
  const lineOf = (unit: string, { filesDone, filesTotal, bytes }: FileProgress) =>
    `${verb} ${unitsDone} of ${unitsTotal} · ${unit}: ${filesDone} of ${filesTotal} files, ${formatBytes(bytes)}`;
  return {
    within,
    end: () => void (terminal.isLive && shownAtMs > 0 && terminal.stderr.write('\r\u001b[K')),
  };
}

const EVERY_MS = 100;
