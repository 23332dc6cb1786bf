import type { FileProgress, OnProgress } from '../../artifacts/index.ts';
import { systemClock } from '../../base/index.ts';
import { formatBytes } from '../quantities.ts';
import type { Terminal } from '../terminal.ts';

/** Says how far long work on files has come: on a screen one line that is redrawn, elsewhere nothing. */
export function fileProgress(terminal: Terminal, verb: string): { readonly show: OnProgress; end(): void } {
  let shownAtMs: number | undefined;
  const show = ({ filesDone, filesTotal, bytes }: FileProgress) => {
    const nowMs = systemClock.monotonicMs();
    if (!terminal.isLive || (shownAtMs !== undefined && nowMs - shownAtMs < EVERY_MS)) return;
    shownAtMs = nowMs;
    terminal.stderr.write(`\r${verb} ${filesDone} of ${filesTotal} files, ${formatBytes(bytes)}\u001b[K`);
  };
  const end = () => void (shownAtMs !== undefined && terminal.stderr.write('\r\u001b[K'));
  return { show, end };
}

const EVERY_MS = 100;
