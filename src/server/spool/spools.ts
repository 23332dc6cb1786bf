import { tmpdir } from 'node:os';
import {
  type Clock,
  DamageError,
  isJsonObject,
  parseJson,
  type SampleKey,
  sampleKeyText,
} from '../../base/index.ts';
import { nodeDisk, sweepTemps } from '../../disk/index.ts';
import { CONDENSED_PLACES, isStoredLog, migrateFields, type SampleContext } from '../../log/index.ts';
import { noSample } from '../server-errors.ts';
import type { OpenRun, Studio } from '../studio.ts';
import { fillFromLog, fillFromRetry, ReaderFill } from './fill.ts';
import { utf8 } from './literal.ts';
import { makeRows } from './make-rows.ts';
import { type SampleForm, Spool } from './spool.ts';

export interface WantedSample extends SampleKey {
  readonly run: string;
  /** An earlier attempt, from 1; the last when absent. */
  readonly attempt?: number | undefined;
}

/** A spool while somebody reads it: until it is given back it stays. */
export interface SpoolLease extends Disposable {
  readonly spool: Spool;
  /** Of the run; undefined while it is under way. */
  readonly version: string | undefined;
  /** Somebody works on the run, as far as can be seen. */
  readonly isLive: boolean;
}

const PLACE = { disk: nodeDisk, dir: tmpdir() };
const SPOOLS_MAX = 4;
const DISK_BYTES_MAX = 2 * 2 ** 30;
const MEMORY_BYTES_MAX = 96 * 2 ** 20;
/** How often a sample under way is looked at, however often it is asked for. */
const LOOK_MS = 200;

/**
 * The samples that were opened last, each read once. Few are kept: each is a file as large as its sample, and some memory. A sample
 * of a run under way goes on being read each time that it is asked for.
 */
class Spools implements AsyncDisposable {
  readonly #studio: Studio;
  /** In order of use. */
  readonly #kept = new Map<string, Kept>();
  readonly #finding = new Map<string, Promise<Kept>>();
  #swept: Promise<unknown> | undefined;

  constructor(studio: Studio) {
    this.#studio = studio;
  }

  async lease(wanted: WantedSample): Promise<SpoolLease> {
    await using open = await this.#studio.open(wanted.run);
    const kept = await this.#find(wanted, open);
    const lease = kept.lease();
    await this.#makeRoom();
    const { form } = open.found.item;
    return {
      spool: kept.spool,
      version: open.version,
      isLive: form === 'running' || form === 'unknown',
      [Symbol.dispose]: () => lease[Symbol.dispose](),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#kept.keys()].map((key) => this.#drop(key)));
  }

  /** Those who ask at the same time get the same. */
  #find(wanted: WantedSample, open: OpenRun): Promise<Kept> {
    const key = keyOf(wanted, open);
    const finding = this.#finding.get(key) ?? this.#findOnce(key, wanted, open);
    this.#finding.set(key, finding);
    return finding.finally(() => this.#finding.delete(key));
  }

  async #findOnce(key: string, wanted: WantedSample, open: OpenRun): Promise<Kept> {
    const known = this.#kept.get(key);
    if (known && !known.spool.hasFailed && !(await known.isOutdated(open))) {
      // Moved to the end: the map is in order of use.
      this.#kept.delete(key);
      this.#kept.set(key, known);
      return known;
    }
    if (known) void this.#drop(key);
    await this.#sweep();
    const begun = await this.#begin(wanted, open);
    this.#kept.set(key, begun);
    return begun;
  }

  async #begin(wanted: WantedSample, open: OpenRun): Promise<Kept> {
    const { clock } = this.#studio;
    const { attempt, ...sample } = wanted;
    const again = () => this.#studio.open(wanted.run);
    if (attempt !== undefined) {
      const parent = await this.#find(sample, open);
      const spool = new Spool({ clock, place: PLACE, form: parent.spool.form, parent: parent.spool });
      return new Kept({ spool, clock, again, source: { attempt, of: parent, place: open.reader.place } });
    }
    const context = await contextOf(sample, open);
    const spool = new Spool({ clock, place: PLACE, form: context ? storedForm(context) : CONDENSED });
    spool.skeleton.isRecovered = await isAllRecovered(open);
    const source = context ? { sample } : { sample, fill: new ReaderFill(sample) };
    return new Kept({ spool, clock, again, source });
  }

  /** What dead processes left, once. */
  #sweep(): Promise<unknown> {
    this.#swept ??= sweepTemps(PLACE.disk, PLACE.dir);
    return this.#swept;
  }

  /** The oldest go, unless somebody reads them. */
  async #makeRoom(): Promise<void> {
    for (const [key, kept] of [...this.#kept].slice(0, -1)) {
      const all = [...this.#kept.values()].map(({ spool }) => spool);
      const diskBytes = all.reduce((sum, spool) => sum + spool.diskBytes, 0);
      const memoryBytes = all.reduce((sum, spool) => sum + spool.memoryBytes, 0);
      const isMuch = diskBytes > DISK_BYTES_MAX || memoryBytes > MEMORY_BYTES_MAX;
      if (all.length <= SPOOLS_MAX && !isMuch) return;
      if (!kept.isLeased) await this.#drop(key);
    }
  }

  async #drop(key: string): Promise<void> {
    const kept = this.#kept.get(key);
    this.#kept.delete(key);
    await kept?.[Symbol.asyncDispose]();
  }
}

type Source =
  | { readonly sample: SampleKey; readonly fill?: ReaderFill; readonly of?: undefined }
  | { readonly attempt: number; readonly of: Kept; readonly place: string };

interface KeptOptions {
  readonly spool: Spool;
  readonly clock: Clock;
  readonly again: () => Promise<OpenRun>;
  readonly source: Source;
}

/** A spool with what fills it. */
class Kept implements AsyncDisposable {
  readonly spool: Spool;
  readonly #options: KeptOptions;
  readonly #stop = new AbortController();
  readonly #parent: Disposable | undefined;
  #leases = 0;
  #filling: Promise<void>;
  #lookedMs: number;

  constructor(options: KeptOptions) {
    this.#options = options;
    this.spool = options.spool;
    this.#lookedMs = options.clock.monotonicMs();
    // An earlier attempt reads texts of its sample as long as it is there.
    this.#parent = options.source.of?.lease();
    this.#filling = this.#fill();
  }

  get isLeased(): boolean {
    return this.#leases > 0;
  }

  lease(): Disposable {
    let isOver = false;
    this.#leases++;
    return {
      [Symbol.dispose]: () => {
        if (!isOver) this.#leases--;
        isOver = true;
      },
    };
  }

  /** True when another attempt was begun since: then nothing of this one is shown. Else it goes on with what is new. */
  async isOutdated(open: OpenRun): Promise<boolean> {
    const { source, clock } = this.#options;
    if (source.of || !source.fill || open.version !== undefined || !this.spool.isWhole) return false;
    if (clock.monotonicMs() - this.#lookedMs < LOOK_MS) return false;
    this.#lookedMs = clock.monotonicMs();
    const fields = await open.reader.fields(source.sample);
    if (fields?.uuid !== source.fill.uuid) return true;
    if (!this.spool.isWhole) return false;
    this.spool.goOn();
    this.#filling = this.#fill();
    // What there is now is there at once: whoever asks is told what is new.
    await this.#filling;
    return false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error('the sample is closed'));
    await this.#filling;
    this.#parent?.[Symbol.dispose]();
    await this.spool[Symbol.asyncDispose]();
  }

  async #fill(): Promise<void> {
    try {
      await this.#fillOnce();
      await this.#noteRecovered();
      this.spool.piecesRead();
      const { clock } = this.#options;
      await makeRows(this.spool, { clock, signal: this.#stop.signal });
      this.spool.end();
    } catch (error) {
      this.spool.fail(error);
    }
  }

  async #fillOnce(): Promise<void> {
    const { source, spool, clock, again } = this.#options;
    const ports = { clock, signal: this.#stop.signal };
    if (source.of) return fillFromRetry(spool, { ...source, parent: source.of.spool }, ports);
    await using open = await again();
    if (source.fill) {
      if (!(await source.fill.fill(spool, open.reader, ports)))
        throw noSample(open.reader.place, source.sample);
      return;
    }
    const context = await contextOf(source.sample, open);
    if (!context) throw noSample(open.reader.place, source.sample);
    await fillFromLog(spool, context, ports);
  }

  /** What was under way in a run that crashed says so in the words of Inspect, whoever brought it back. */
  async #noteRecovered(): Promise<void> {
    const error = await this.spool.smallField('error');
    const traceback = isJsonObject(error) ? error.traceback : undefined;
    if (typeof traceback === 'string' && /recovered from (?:crashed eval|the journal)/.test(traceback))
      this.spool.skeleton.isRecovered = true;
  }
}

async function contextOf({ id, epoch }: SampleKey, { log }: OpenRun): Promise<SampleContext | undefined> {
  if (!log || !isStoredLog(log)) return undefined;
  const context = await log.context(id, epoch);
  if (!context) throw noSample(log.path, { id, epoch });
  return context;
}

function storedForm({ document, scorerName }: SampleContext): SampleForm {
  return {
    places: document.places,
    parse: (bytes) => document.parse(bytes),
    fields: (stored) => migrateFields(stored, scorerName),
  };
}

const CONDENSED: SampleForm = {
  places: CONDENSED_PLACES,
  parse: (bytes) => parseJson(utf8(bytes)),
  fields: (stored) => stored,
};

function keyOf({ id, epoch, attempt }: WantedSample, { found, version }: OpenRun): string {
  return JSON.stringify([found.run, version ?? null, sampleKeyText(id, epoch), attempt ?? 0]);
}

/** Whether everything in a log was brought back from a crash. One whose header is damaged does not say; its samples are there. */
async function isAllRecovered({ reader }: OpenRun): Promise<boolean> {
  try {
    const { metadata } = await reader.header();
    const mark = metadata.holdfast_recovery;
    return isJsonObject(mark) && mark.kept === 0;
  } catch (error) {
    if (error instanceof DamageError) return false;
    throw error;
  }
}

/** One for each Studio. */
const spools = new WeakMap<Studio, Spools>();

export function spoolsOf(studio: Studio): Spools {
  const known = spools.get(studio) ?? new Spools(studio);
  spools.set(studio, known);
  return known;
}

/** When the Studio is closed: no file of any sample stays. */
export async function closeSpools(studio: Studio): Promise<void> {
  await spools.get(studio)?.[Symbol.asyncDispose]();
  spools.delete(studio);
}
