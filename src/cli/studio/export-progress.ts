import { systemClock } from '../../base/index.ts';
import type { ExportProgress } from '../../server/index.ts';
import { counted } from '../quantities.ts';
import type { Terminal } from '../terminal.ts';

/** How often it is told how far it is: on a screen the same line again, elsewhere a line each time. */
const LIVE_MS = 100;
const PLAIN_MS = 5_000;

export interface ShownProgress extends Disposable {
  readonly show: (progress: ExportProgress) => void;
  /** Nothing more is shown. */
  readonly end: () => void;
}

/** Tells on stderr how far an export is. */
export function showProgress({ isLive, stderr, note }: Terminal): ShownProgress {
  let shownMs = systemClock.monotonicMs();
  let isLine = false;
  const end = () => {
    if (isLine) stderr.write('\r\u001b[K');
    isLine = false;
  };
  const show = ({ runs, runsOf, samples }: ExportProgress) => {
    const nowMs = systemClock.monotonicMs();
    if (nowMs - shownMs < (isLive ? LIVE_MS : PLAIN_MS)) return;
    shownMs = nowMs;
    const text = `Run ${runs + 1} of ${runsOf}, ${counted(samples, 'sample')} written`;
    if (!isLive) return note(text);
    isLine = true;
    stderr.write(`\r\u001b[K${text}`);
  };
  return { show, end, [Symbol.dispose]: end };
}
