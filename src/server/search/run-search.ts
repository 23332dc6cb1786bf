import { ActionableError, type SampleKey } from '../../base/index.ts';
import { isStoredLog, type RunReader, type StoredLogReader, sampleMemberName } from '../../log/index.ts';
import { firstIn, snippetKey, visitEvent } from '../../views/index.ts';
import type { Breath } from '../breath.ts';
import type { OpenRun } from '../studio.ts';
import { mayContain } from './byte-search.ts';
import type { Needle } from './needle.ts';
import { findInSample, type SampleHit } from './sample-hits.ts';

/** Who is told what a search finds in one run. */
export interface SearchSink {
  /** How many hits are still wanted. */
  readonly wanted: number;
  /** A sample was looked at. */
  sample(key: SampleKey, hits: readonly SampleHit[]): Promise<void>;
  /** Found in what is about the whole run. */
  run(hit: SampleHit): void;
  /** Something could not be looked at. */
  problem(error: ActionableError): void;
}

export interface SearchOptions {
  readonly needle: Needle;
  readonly breath: Breath;
}

/** Looks through every transcript of a run. Says whether the text may be in it: false when it surely is not. */
export async function searchTranscripts(
  { reader, log }: OpenRun,
  { needle, breath }: SearchOptions,
  sink: SearchSink,
): Promise<boolean> {
  const keys = log && isStoredLog(log) ? await log.samples() : await keysOf(reader);
  const bodies = log && isStoredLog(log) ? new Bodies(log) : undefined;
  let isSurelyNot = true;
  for (const key of keys) {
    if (sink.wanted <= 0) return true;
    await breath.take();
    try {
      if (bodies && !(await bodies.mayContain(key, needle, breath))) {
        await sink.sample(key, []);
        continue;
      }
      isSurelyNot = false;
      const options = { needle, breath, limit: sink.wanted };
      await sink.sample(
        key,
        bodies ? await bodies.find(key, options) : await findInEvents(reader, key, options),
      );
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      isSurelyNot = false;
      sink.problem(error);
    }
  }
  return !isSurelyNot;
}

async function keysOf(reader: RunReader): Promise<readonly SampleKey[]> {
  const keys: SampleKey[] = [];
  for await (const { value } of reader.summaries()) keys.push({ id: value.id, epoch: value.epoch });
  return keys;
}

interface FindOptions extends SearchOptions {
  readonly limit: number;
}

/** The stored documents of the samples of a log. */
class Bodies {
  readonly #log: StoredLogReader;
  #folders: ReadonlyMap<string, readonly string[]> | undefined;

  constructor(log: StoredLogReader) {
    this.#log = log;
  }

  /** The bytes as they are stored are searched before anything of them is understood. */
  async mayContain({ id, epoch }: SampleKey, needle: Needle, breath: Breath): Promise<boolean> {
    const name = sampleMemberName(id, epoch);
    const whole = this.#log.readMember(name);
    if (whole) return await mayContain(whole, needle, breath);
    const parts = this.#partsOf(name.slice(0, -'.json'.length));
    // A `.json` log has no parts to be read by themselves.
    if (parts.length === 0) return true;
    for (const part of parts) {
      const bytes = this.#log.readMember(part);
      if (bytes && (await mayContain(bytes, needle, breath))) return true;
    }
    return false;
  }

  async find({ id, epoch }: SampleKey, options: FindOptions): Promise<readonly SampleHit[]> {
    const context = await this.#log.context(id, epoch);
    return context ? await findInSample(context.document, options) : [];
  }

  #partsOf(folder: string): readonly string[] {
    this.#folders ??= Map.groupBy(this.#log.memberNames(), (name) => name.split('/').slice(0, 2).join('/'));
    return this.#folders.get(folder) ?? [];
  }
}

/** Of a run under way events are all there is. What an event repeats of those before it is told once. */
async function findInEvents(
  reader: RunReader,
  key: SampleKey,
  { needle, breath, limit }: FindOptions,
): Promise<readonly SampleHit[]> {
  const hits: SampleHit[] = [];
  const told = new Set<string>();
  let event = 0;
  for await (const { value } of reader.events(key)) {
    const where = value.event;
    visitEvent(value, (text, isOwn) => {
      const snippet = firstIn(text, needle);
      if (!snippet || (!isOwn && told.has(snippetKey(snippet)))) return;
      told.add(snippetKey(snippet));
      if (hits.at(-1)?.event !== event) hits.push({ ...snippet, where, event });
    });
    event++;
    if (hits.length >= limit) break;
    await breath.take();
  }
  return hits;
}
