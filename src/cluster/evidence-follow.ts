import type { EvidenceOf } from './evidence-keys.ts';
import { EvidenceFiles, folderNameOf, listEvidence, readPart } from './evidence-read.ts';
import type { JobId, SharedPlace } from './shared-keys.ts';

/** Something that a process or a target of an attempt wrote. */
export interface OutputPiece extends EvidenceOf {
  readonly path: string;
  readonly at: string;
  readonly text: string;
}

/** Reads what attempts at a job have written, again and again: each time what is new. */
export class OutputReader {
  readonly #place: SharedPlace;
  readonly #run: string;
  readonly #job: JobId;
  readonly #read = new Set<string>();
  readonly #files = new Map<string, EvidenceFiles>();
  /** What was read by a look that failed later: the next one gives it. */
  #ungiven: OutputPiece[] = [];

  constructor(place: SharedPlace, of: { readonly run: string; readonly job: JobId }) {
    this.#place = place;
    this.#run = of.run;
    this.#job = of.job;
  }

  async next(): Promise<readonly OutputPiece[]> {
    const pieces = this.#ungiven;
    for (const { job, n, writer, keys } of await listEvidence(this.#place, this.#run, this.#job)) {
      const name = folderNameOf({ job, n, writer });
      const files = this.#files.get(name) ?? new EvidenceFiles();
      this.#files.set(name, files);
      for (const key of keys) {
        if (this.#read.has(key)) continue;
        const part = await readPart(this.#place, key);
        this.#read.add(key);
        if (typeof part === 'string')
          pieces.push({ job, n, writer, path: 'evidence', at: '', text: `${part}\n` });
        else
          for (const { path, text } of files.add(part))
            if (isOutput(path))
              pieces.push({ job, n, writer, path, at: part.at, text: Buffer.from(text).toString('utf8') });
      }
    }
    this.#ungiven = [];
    return pieces;
  }
}

/** What processes wrote to their outputs and what targets printed; an agent's own logs come home with the rest. */
function isOutput(path: string): boolean {
  return /^[^/]+(\/[^/]+)?\.(stdout|stderr)$/.test(path);
}
