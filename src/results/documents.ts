import { createHash } from 'node:crypto';
import type { Digest } from '../base/index.ts';
import type { LogReader } from '../log/index.ts';

/** What a log is made of, by name, and the digest that it is known by. */
export interface Documents {
  readonly names: readonly string[];
  readonly digest: Digest;
  readonly sizeBytes: number;
  /** The SHA-256 of each. */
  readonly digests: ReadonlyMap<string, string>;
}

/**
 * [RES-7] SHA-256 over the lines `<name as JSON> <SHA-256 of its bytes>\n` of all documents in the order of their names, by code
 * unit. How a log is compressed, and in which order its documents lie, does not matter.
 */
export async function digestDocuments(log: LogReader): Promise<Documents> {
  const names = log
    .members()
    .map(({ name }) => name)
    .toSorted(byCodeUnit);
  const whole = createHash('sha256');
  const digests = new Map<string, string>();
  let sizeBytes = 0;
  for (const name of names) {
    const one = createHash('sha256');
    for await (const chunk of log.readMember(name) ?? []) {
      one.update(chunk);
      sizeBytes += chunk.length;
    }
    const sha256 = one.digest('hex');
    digests.set(name, sha256);
    whole.update(digestLine(name, sha256));
  }
  return { names, digest: whole.digest('hex') as Digest, sizeBytes, digests };
}

export function digestLine(name: string, sha256: string): string {
  return `${JSON.stringify(name)} ${sha256}\n`;
}

export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
