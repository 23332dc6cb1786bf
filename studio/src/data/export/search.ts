import {
  type Note,
  type Problem,
  type QueryOf,
  type RunItem,
  type SampleId,
  type SearchHit,
  type SearchLine,
  type WrittenSample,
  writtenFilters,
  writtenSample,
} from '../../../../src/server/api.ts';
import {
  compileRunQuery,
  firstIn,
  mayHave,
  type SampleField,
  type Snippet,
  sampleFields,
  snippetKey,
} from '../../../../src/views/index.ts';
import { ProblemError } from '../problem-error.ts';
import { allRuns, samplesOf } from './lists.ts';
import { Needle, SampleScan, Turns } from './scan.ts';
import type { Written } from './written.ts';

const TELL_MS = 100;
const PROBLEMS_MAX = 20;

/** Where a text is in all runs that a filter leaves: newest first. What cannot have it by its filter is not looked at [EXP-11]. */
export async function* searchLines(
  written: Written,
  query: QueryOf<'search'>,
  signal: AbortSignal,
): AsyncGenerator<SearchLine> {
  const { matches } = compileRunQuery(query.q, { nowMs: Date.now() });
  const runs = (await allRuns(written)).filter(matches);
  const search = new Search(written, query, signal);
  const lines = new Lines(runs.length, query.limit);
  yield lines.line(false);
  for (const item of runs) {
    try {
      for await (const found of search.inRun(item)) {
        lines.add(found);
        if (lines.isFull) break;
        if (lines.isLate) yield lines.line(false);
      }
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      lines.problem(error, item);
    }
    if (lines.isFull) break;
    lines.runsSearched += 1;
  }
  yield lines.line(true);
}

interface Found {
  readonly hits: readonly SearchHit[];
  readonly isSample: boolean;
}

class Lines {
  runsSearched = 0;
  readonly #runsOf: number;
  readonly #limit: number;
  #samples = 0;
  #hits: SearchHit[] = [];
  #told = 0;
  #toldMs = 0;
  #isAll = true;
  readonly #problems: Problem[] = [];

  constructor(runsOf: number, limit: number) {
    this.#runsOf = runsOf;
    this.#limit = limit;
  }

  get isFull(): boolean {
    return !this.#isAll;
  }

  get isLate(): boolean {
    return this.#hits.length > 0 || performance.now() - this.#toldMs >= TELL_MS;
  }

  add({ hits, isSample }: Found): void {
    if (isSample) this.#samples += 1;
    const left = this.#limit - this.#told - this.#hits.length;
    this.#hits.push(...hits.slice(0, left));
    if (hits.length > left) this.#isAll = false;
  }

  problem({ code, message, hint }: ProblemError, { run }: RunItem): void {
    if (this.#problems.length < PROBLEMS_MAX) this.#problems.push({ code, message, hint, place: run });
  }

  line(isDone: boolean): SearchLine {
    const hits = this.#hits;
    this.#told += hits.length;
    this.#hits = [];
    this.#toldMs = performance.now();
    return {
      hits,
      runsSearched: this.runsSearched,
      runsOf: this.#runsOf,
      samplesSearched: this.#samples,
      isDone,
      isAll: this.#isAll,
      problems: [...this.#problems],
    };
  }
}

interface SampleAt {
  readonly id: SampleId;
  readonly epoch: number;
  readonly sample: WrittenSample;
}

type Hit = Snippet & Pick<SearchHit, 'where' | 'event'>;

class Search {
  readonly #written: Written;
  readonly #query: QueryOf<'search'>;
  readonly #needle: Needle;
  readonly #turns: Turns;

  constructor(written: Written, query: QueryOf<'search'>, signal: AbortSignal) {
    this.#written = written;
    this.#query = query;
    this.#needle = new Needle(query.text);
    this.#turns = new Turns(signal);
  }

  async *inRun(item: RunItem): AsyncGenerator<Found> {
    const about = { run: item.run, eval: item.facts?.eval ?? '', target: item.facts?.target ?? '' };
    if (this.#query.in === 'notes') {
      const hits = (await this.#inNotes(item)).map((hit) => ({ ...about, ...hit }));
      yield { hits, isSample: false };
      return;
    }
    const run = await this.#written.run(item);
    const outcomes = await this.#outcomesOf(item);
    let index = 0;
    for (const place of run.filters) {
      for (const [power, bits] of await this.#written.documents.read(place, writtenFilters)) {
        const epoch = run.epochs[index];
        index += 1;
        if (!epoch || !mayHave({ power, bits }, this.#query.text)) {
          yield { hits: [], isSample: true };
          continue;
        }
        const sample = await this.#written.documents.read(epoch[2], writtenSample);
        const [id, number] = epoch;
        const outcome = outcomes.get(`${id} ${number}`);
        const hits = (await this.#inSample({ id, epoch: number, sample })).map((hit) => ({
          ...about,
          sample: id,
          epoch: number,
          ...(outcome && { outcome }),
          ...hit,
        }));
        yield { hits, isSample: true };
      }
    }
  }

  async #outcomesOf(item: RunItem) {
    const { items } = await samplesOf(this.#written, await this.#written.run(item), undefined);
    return new Map(
      items.flatMap(({ id, epochs }) =>
        epochs.map(({ epoch, outcome }) => [`${id} ${epoch}`, outcome] as const),
      ),
    );
  }

  /** In the order of reading: what was asked, the transcript, the rest. What only repeats something is told once. */
  async #inSample({ sample }: SampleAt): Promise<readonly Hit[]> {
    const scan = new SampleScan(this.#written, this.#needle, this.#turns);
    await scan.lookAtTexts(sample);
    const view = await this.#written.find('sample', { among: sample.answers, params: [], query: {} });
    const told = new Set<string>();
    const isNew = (hit: Hit) => told.size < told.add(snippetKey(hit)).size;
    const hits: Hit[] = [];
    const look = (fields: readonly SampleField[] = []) => {
      for (const [where, value] of fields)
        scan.inValue(value, ({ before, hit, after }) => {
          const found = { before, hit, after, where };
          if (isNew(found)) hits.push(found);
        });
    };
    const fields = view && sampleFields(view);
    look(fields?.before);
    if (this.#query.in === 'transcripts') {
      const { own, copied } = await this.#inTranscript(sample, scan);
      for (const hit of own) told.add(snippetKey(hit));
      hits.push(...[...own, ...copied.filter(isNew)].sort((a, b) => a.event - b.event));
      look(fields?.after);
    }
    look(fields?.told);
    return hits;
  }

  async #inTranscript({ transcript }: WrittenSample, scan: SampleScan) {
    const own = new Map<number, Hit & { readonly event: number }>();
    const copied: (Hit & { readonly event: number })[] = [];
    for (const [from, place] of transcript.events)
      await scan.inPage(place, from, ({ isOwn, ...hit }) => {
        // One line for an event: whoever opens it sees the rest.
        if (!isOwn) copied.push(hit);
        else if (!own.has(hit.event)) own.set(hit.event, hit);
      });
    for (const [event, snippets] of await scan.enteredOf(transcript))
      copied.push(...snippets.map((snippet) => ({ ...snippet, event, where: 'model' })));
    return { own: [...own.values()], copied };
  }

  async #inNotes(item: RunItem): Promise<readonly Omit<SearchHit, 'run' | 'eval' | 'target'>[]> {
    const { answers: among } = await this.#written.run(item);
    const view = await this.#written.find('run', { among, params: [], query: {} });
    return (view?.notes ?? []).flatMap((note: Note) => {
      const snippet = note.text === undefined ? undefined : firstIn(note.text, this.#needle);
      if (!snippet) return [];
      const { sample, epoch, kind } = note;
      return [
        {
          ...snippet,
          where: kind,
          ...(sample !== undefined && { sample }),
          ...(epoch !== undefined && { epoch }),
        },
      ];
    });
  }
}
