import { ActionableError, definedOf, type SampleKey } from '../../base/index.ts';
import { epochOutcome, toldFigure } from '../../compare/index.ts';
import type { Outcome, Problem, RunItem, SearchHit } from '../api.ts';
import { Breath } from '../breath.ts';
import { problemOf } from '../error-answer.ts';
import { tablesOf } from '../run-tables.ts';
import type { Studio } from '../studio.ts';
import { absencesOf } from './absences.ts';
import type { Needle } from './needle.ts';
import { type SearchSink, searchTranscripts } from './run-search.ts';
import type { SampleHit } from './sample-hits.ts';
import { searchInputs, searchNotes } from './text-search.ts';

export type SearchPlace = 'transcripts' | 'inputs' | 'notes';

export interface SearchJob {
  readonly studio: Studio;
  readonly needle: Needle;
  readonly place: SearchPlace;
  /** Newest first. */
  readonly items: readonly RunItem[];
  /** Not more than so many hits, of all runs together. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

/** So many runs at a time: while one waits for a disk, the other is looked through. */
const RUNS_AT_A_TIME = 2;
const AHEAD_MAX = 16;
const PROBLEMS_MAX = 20;

interface Slot {
  readonly hits: SearchHit[];
  found: number;
  isDone: boolean;
}

/** A search over many runs while it goes on. What it found is taken run by run, in the order of the runs, however they are looked through. */
export class RunsSearch {
  readonly problems: Problem[] = [];
  runsSearched = 0;
  samplesSearched = 0;
  readonly #job: SearchJob;
  readonly #slots: Slot[] = [];
  /** The first slot from which not everything was taken. */
  #head = 0;
  /** The first slot that is not done, and what those before it found. */
  #settled = 0;
  #settledFound = 0;
  #next = 0;
  #isOver = false;
  #failure: unknown;
  #changed = Promise.withResolvers<void>();
  #moved = Promise.withResolvers<void>();

  constructor(job: SearchJob) {
    this.#job = job;
  }

  /** Resolves when all runs were looked through, or enough was found. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: RUNS_AT_A_TIME }, () => this.#workOrFail()));
    this.#isOver = true;
    this.#tell();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Resolves when there is something to take, or it is over. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** What was found since the last time, as far as no run before it may still find something. */
  take(): readonly SearchHit[] {
    if (this.#failure !== undefined) throw this.#failure;
    this.#changed = Promise.withResolvers();
    const taken: SearchHit[] = [];
    for (let slot = this.#slots[this.#head]; slot; slot = this.#slots[++this.#head]) {
      taken.push(...slot.hits.splice(0));
      if (!slot.isDone) break;
    }
    return taken;
  }

  #tell(): void {
    this.#changed.resolve();
  }

  /** When one fails, the others begin nothing more. */
  async #workOrFail(): Promise<void> {
    try {
      await this.#work();
    } catch (error) {
      this.#failure ??= error;
      this.#moved.resolve();
    }
  }

  async #work(): Promise<void> {
    const { items, signal } = this.#job;
    while (true) {
      // Whoever is far ahead of a run that takes long waits for it: what it finds is held until then.
      while (this.#failure === undefined && this.#next - this.#settled > AHEAD_MAX) await this.#moved.promise;
      if (this.#failure !== undefined) return;
      signal.throwIfAborted();
      const index = this.#next++;
      const item = items[index];
      if (!item) return;
      const slot: Slot = { hits: [], found: 0, isDone: false };
      this.#slots[index] = slot;
      if (this.#wanted(index) > 0) {
        await this.#searchRun(item, slot, index);
        this.runsSearched++;
      }
      this.#finish(slot);
    }
  }

  #finish(slot: Slot): void {
    slot.isDone = true;
    for (let first = this.#slots[this.#settled]; first?.isDone; first = this.#slots[++this.#settled])
      this.#settledFound += first.found;
    this.#moved.resolve();
    this.#moved = Promise.withResolvers();
    this.#tell();
  }

  /** Hits of runs before it come first, and are not found again. */
  #wanted(index: number): number {
    let found = this.#settledFound;
    for (let at = this.#settled; at <= index; at++) found += this.#slots[at]?.found ?? 0;
    return this.#job.limit - found;
  }

  async #searchRun(item: RunItem, slot: Slot, index: number): Promise<void> {
    const sink = this.#sinkFor(item, slot, index);
    try {
      if (this.#job.place === 'notes') await this.#searchNotes(item, sink);
      else await this.#searchOpen(item, sink);
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      sink.problem(error);
    }
  }

  async #searchOpen({ run }: RunItem, sink: SearchSink): Promise<void> {
    const { studio, needle, place, signal } = this.#job;
    const absences = absencesOf(studio);
    await using open = await studio.open(run);
    const key = open.version === undefined ? undefined : `${place} ${run} ${open.version}`;
    if (key !== undefined && absences.has(key, needle)) return;
    const breath = new Breath(studio.clock, signal);
    const isMaybeThere = await searchIn(place)(open, { needle, breath }, sink);
    if (key !== undefined && !isMaybeThere) absences.add(key, needle);
  }

  async #searchNotes({ run }: RunItem, sink: SearchSink): Promise<void> {
    const { studio, needle } = this.#job;
    const { inForms } = await studio.index.find(run);
    if (!inForms.marks) return;
    for (const { key, hit } of searchNotes(inForms.marks, needle))
      if (key) await sink.sample(key, [hit]);
      else sink.run(hit);
  }

  #sinkFor(item: RunItem, slot: Slot, index: number): SearchSink {
    const outcomes = new Outcomes(this.#job.studio, item.run);
    const add = (hit: SampleHit, more: Partial<SearchHit>) => {
      if (this.#wanted(index) <= 0) return;
      slot.hits.push({
        run: item.run,
        eval: item.facts?.eval ?? '',
        target: item.facts?.target ?? '',
        ...more,
        ...hit,
      });
      slot.found++;
    };
    const wanted = () => this.#wanted(index);
    return {
      get wanted() {
        return wanted();
      },
      run: (hit) => add(hit, {}),
      sample: async (key, hits) => {
        this.samplesSearched++;
        if (hits.length === 0) return;
        const outcome = await outcomes.of(key);
        for (const hit of hits) add(hit, { sample: key.id, epoch: key.epoch, ...definedOf({ outcome }) });
        this.#tell();
      },
      problem: (error) => {
        if (this.problems.length < PROBLEMS_MAX) this.problems.push({ ...problemOf(error), place: item.run });
      },
    };
  }
}

function searchIn(place: SearchPlace): typeof searchTranscripts {
  return place === 'inputs' ? searchInputs : searchTranscripts;
}

/** What became of samples; the list of a run is read when the first hit is in it. */
class Outcomes {
  readonly #read: () => Promise<(key: SampleKey) => Outcome | undefined>;
  #known: Promise<(key: SampleKey) => Outcome | undefined> | undefined;

  constructor(studio: Studio, run: string) {
    this.#read = async () => {
      const { table } = await tablesOf(studio).readOne(run);
      if (!table) return () => undefined;
      const told = toldFigure([table], undefined);
      const places = new Map(table.ids.map((id, place) => [`${id} ${table.epochs[place]}`, place]));
      return ({ id, epoch }) => {
        const place = places.get(`${id} ${epoch}`);
        return place === undefined ? undefined : epochOutcome(table, told, place);
      };
    };
  }

  async of(key: SampleKey): Promise<Outcome | undefined> {
    this.#known ??= this.#read();
    return (await this.#known)(key);
  }
}
