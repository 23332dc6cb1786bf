import { readFileSync } from 'node:fs';

/** What an eval of a benchmark noted about its own process. */
export interface MemoryNote {
  readonly at: number | 'start' | 'end';
  readonly ms: number;
  readonly rssBytes: number;
  /** The most it ever held; null where the system does not tell. */
  readonly peakBytes: number | null;
}

/**
 * JavaScript for the head of an eval file: `note(at)` appends a line to `notes.jsonl` beside it. It is written into the eval
 * because that is the only code of ours in a process that is otherwise exactly what users run.
 */
export const NOTE_MEMORY = `
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
const notes = new URL('notes.jsonl', import.meta.url);
function note(at) {
  const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
  const peakKb = /^VmHWM:\\s+(\\d+) kB/m.exec(status)?.[1];
  const peakBytes = peakKb === undefined ? null : Number(peakKb) * 1024;
  const line = { at, ms: performance.now(), rssBytes: process.memoryUsage.rss(), peakBytes };
  appendFileSync(notes, JSON.stringify(line) + '\\n');
}
note('start');
process.on('exit', () => note('end'));
`;

export function readNotes(dir: string): readonly MemoryNote[] {
  const lines = readFileSync(`${dir}/notes.jsonl`, 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as MemoryNote);
}
