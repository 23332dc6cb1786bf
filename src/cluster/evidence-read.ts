import { type EvidenceOf, evidenceFolder, parsePartKey } from './evidence-keys.ts';
import { decodePart, type EvidencePart } from './evidence-part.ts';
import type { JobId, SharedPlace } from './shared-keys.ts';

/** The evidence of one attempt, as the bucket lists it. */
export interface StoredEvidence extends EvidenceOf {
  /** In their order. */
  readonly keys: readonly string[];
}

/** All evidence of a run, or of one job of it: by job, lease and writer. */
export async function listEvidence(
  place: SharedPlace,
  run: string,
  job?: JobId,
): Promise<readonly StoredEvidence[]> {
  const found = new Map<string, EvidenceOf & { readonly keys: string[] }>();
  for await (const { key } of place.bucket.list(evidenceFolder(place, run, job))) {
    const of = parsePartKey(key);
    if (!of) continue;
    const name = folderNameOf(of);
    const { job: ofJob, n, writer } = of;
    const known = found.get(name) ?? { job: ofJob, n, writer, keys: [] };
    known.keys.push(key);
    found.set(name, known);
  }
  return [...found.values()];
}

/** `s12.1.<writer>`: what the folder of an attempt is called at home. */
export function folderNameOf({ job, n, writer }: EvidenceOf): string {
  return `${job}.${n}.${writer}`;
}

/** The part at a key; a sentence when it cannot be used. */
export async function readPart(place: SharedPlace, key: string): Promise<EvidencePart | string> {
  const bytes = await place.bucket.read(key);
  return bytes ? decodePart(bytes, key) : `${key} was listed, and is not there any more.`;
}

/** The files of an attempt, put together of its parts. */
export class EvidenceFiles {
  readonly #files = new Map<string, { readonly pieces: Uint8Array[]; to: number }>();

  /** Gives what of each text is new, with a line that says what is not there. */
  add({
    pieces,
  }: Pick<EvidencePart, 'pieces'>): readonly { readonly path: string; readonly text: Uint8Array }[] {
    return pieces.flatMap(({ path, kind, from, to, bytes }) => {
      const known = this.#files.get(path);
      if (kind === 'file' || !known || from < known.to) {
        this.#files.set(path, { pieces: [bytes], to });
        return kind === 'text' ? [{ path, text: bytes }] : [];
      }
      const gap = from > known.to ? [gapLine(from - known.to)] : [];
      known.pieces.push(...gap, bytes);
      known.to = to;
      return [{ path, text: Buffer.concat([...gap, bytes]) }];
    });
  }

  *[Symbol.iterator](): Iterator<{ readonly path: string; readonly bytes: Uint8Array }> {
    for (const [path, { pieces }] of this.#files) yield { path, bytes: Buffer.concat(pieces) };
  }
}

function gapLine(bytes: number): Uint8Array {
  return Buffer.from(`[… ${bytes} bytes left out …]\n`);
}
