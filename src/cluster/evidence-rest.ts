import { type Clock, definedOf, isoTime, type SampleKey } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { EVIDENCE_LIMITS, EvidenceCollector } from './evidence-collector.ts';
import { partKey } from './evidence-keys.ts';
import { encodePart } from './evidence-part.ts';
import { listEvidence, readPart } from './evidence-read.ts';
import { tallyOf } from './evidence-tally.ts';
import type { Redact } from './evidence-text.ts';
import { settlesWithin } from './settles-within.ts';
import type { SharedPlace } from './shared-keys.ts';
import type { LeaseBegun, LeaseEnded } from './shared-records.ts';

export interface RestOptions {
  readonly place: SharedPlace;
  readonly disk: Disk;
  readonly clock: Clock;
  readonly redact: Redact;
  /** Where the outputs of the process lie. */
  readonly dir: string;
  readonly sample: SampleKey | undefined;
}

/** As long as the process itself would have had. */
const REST_MS = 3_000;
/** What the process had sent may arrive after it is gone. */
const TRIES = 3;

/**
 * Brings into the bucket what a process had printed when it died, from where it had got to itself: its last words say why it died more
 * often than anything else [EVI-9]. Like all evidence it fails nothing. Gives what the end of the lease says of it.
 */
export async function shipRest(lease: LeaseBegun, options: RestOptions): Promise<LeaseEnded['evidence']> {
  const rest = new Rest(lease, options);
  await settlesWithin(rest.ship(), REST_MS, options.clock);
  return await rest.finish();
}

class Rest {
  readonly #lease: LeaseBegun;
  readonly #options: RestOptions;
  readonly #over = new AbortController();
  #collector: EvidenceCollector;
  #sample: SampleKey | undefined;
  #parts = 0;
  #bytes = 0;
  #leftOut = 0;
  #unsentBytes = 0;

  constructor(lease: LeaseBegun, options: RestOptions) {
    this.#lease = lease;
    this.#options = options;
    this.#sample = options.sample;
    this.#collector = this.#follow(new Map());
  }

  /** Begins anew when a part has come meanwhile under the number of the next one: then what is left is another. */
  async ship(): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      this.#collector = this.#follow(await this.#readStored());
      if (await this.#shipAll()) return;
    }
  }

  async finish(): Promise<LeaseEnded['evidence']> {
    this.#over.abort(new Error('The end of the lease does not wait any longer'));
    const { cutBytes } = this.#collector;
    const unstoredBytes = this.#unsentBytes + (await this.#collector.countRest());
    return tallyOf({
      parts: this.#parts,
      bytes: this.#bytes,
      leftOut: this.#leftOut,
      cutBytes,
      unstoredBytes,
    });
  }

  #follow(taken: ReadonlyMap<string, number>): EvidenceCollector {
    const { disk, redact, dir } = this.#options;
    const collector = new EvidenceCollector({ disk, redact, limits: EVIDENCE_LIMITS });
    collector.follow({ dir, label: '' }, taken);
    return collector;
  }

  async #shipAll(): Promise<boolean> {
    const { place, clock } = this.#options;
    const { run, job, n, writer } = this.#lease;
    for (;;) {
      const found = await this.#collector.collect({ isLast: true });
      if (!found) return true;
      const of = { job, n, writer, part: this.#parts + 1 };
      const { pieces, leftOut } = found;
      const at = isoTime(clock.nowMs());
      const part = encodePart({
        ...{ run, ...of, at, pieces, leftOut, ...definedOf({ sample: this.#sample }) },
      });
      this.#unsentBytes = part.length;
      const isNew = await place.bucket.create(partKey(place, run, of), part, this.#over.signal);
      this.#unsentBytes = 0;
      if (!isNew) return false;
      this.#parts++;
      this.#bytes += part.length;
      this.#leftOut += leftOut.length;
    }
  }

  /** How far each text was taken. */
  async #readStored(): Promise<ReadonlyMap<string, number>> {
    const { place } = this.#options;
    const { run, job, n, writer } = this.#lease;
    const all = await listEvidence(place, run, job);
    const keys = all.find((one) => one.n === n && one.writer === writer)?.keys ?? [];
    const taken = new Map<string, number>();
    [this.#parts, this.#bytes, this.#leftOut] = [keys.length, 0, 0];
    for (const key of keys) {
      const part = await readPart(place, key);
      this.#bytes += (await place.bucket.stat(key))?.sizeBytes ?? 0;
      if (typeof part === 'string') continue;
      this.#sample ??= part.sample;
      this.#leftOut += part.leftOut.length;
      for (const { path, kind, to } of part.pieces) if (kind === 'text') taken.set(path, to);
    }
    return taken;
  }
}
