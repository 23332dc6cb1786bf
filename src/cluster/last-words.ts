import type { NodeChild } from '../process/index.ts';

/** What a process says last may tell why it ended. */
export class LastWords {
  #line = '';

  /** What Node says of itself when it ends is kept, but not where in its own code. */
  hear(line: string): void {
    const isNothing = line.trim() === '' || /^\s*\d+: 0x|^-{3,}|^<-{3}|^Node\.js v\d/.test(line);
    if (/^FATAL ERROR:/.test(line)) this.#line = line;
    else if (!isNothing && !this.#line.startsWith('FATAL ERROR:')) this.#line = line.trim();
  }

  /** `process 12 ended by SIGKILL (what it said last)` */
  of(pid: number | undefined, end: Awaited<NodeChild['ended']>): string {
    return `process ${pid ?? '?'} ${howOf(end)}${this.#line === '' ? '' : ` (${this.#line})`}`;
  }
}

function howOf({ exitCode, signal, unansweredMs }: Awaited<NodeChild['ended']>): string {
  if (unansweredMs !== undefined)
    return `did not answer for ${unansweredMs / 1_000} s, kept busy by its own code, and was ended`;
  return signal ? `ended by ${signal}` : `ended with exit code ${exitCode}`;
}
