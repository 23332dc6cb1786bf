import type { AnswerOf, Problem, SearchHit } from '../../../src/server/api.ts';
import type { Asked, StudioData } from '../data/studio-data.ts';

export interface SearchState {
  readonly is: 'searching' | 'done' | 'stopped' | 'failed';
  readonly hits: readonly SearchHit[];
  readonly runsSearched: number;
  readonly runsOf: number;
  readonly samplesSearched: number;
  /** False when it ended because there were too many hits. */
  readonly isAll: boolean;
  readonly problems: readonly Problem[];
  readonly error: unknown;
}

const BEGUN: SearchState = {
  is: 'searching',
  hits: [],
  runsSearched: 0,
  runsOf: 0,
  samplesSearched: 0,
  isAll: true,
  problems: [],
  error: undefined,
};

/** One search, from its first line to its last. It may be stopped; what was found stays. */
export class SearchSession {
  readonly #stop = new AbortController();
  readonly #watchers = new Set<() => void>();
  #state = BEGUN;

  constructor(data: StudioData, query: Asked<'search'>['query']) {
    void this.#read(data, query);
  }

  get state(): SearchState {
    return this.#state;
  }

  get isWatched(): boolean {
    return this.#watchers.size > 0;
  }

  readonly watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  readonly stop = (): void => {
    if (this.#state.is !== 'searching') return;
    this.#stop.abort();
    this.#tell({ ...this.#state, is: 'stopped' });
  };

  async #read(data: StudioData, query: Asked<'search'>['query']): Promise<void> {
    try {
      for await (const line of data.lines('search', { params: {}, query }, this.#stop.signal)) {
        if (this.#stop.signal.aborted) return;
        this.#tell(withLine(this.#state, line));
      }
      if (this.#state.is === 'searching') this.#tell({ ...this.#state, is: 'done' });
    } catch (error) {
      if (!this.#stop.signal.aborted) this.#tell({ ...this.#state, is: 'failed', error });
    }
  }

  #tell(state: SearchState): void {
    this.#state = state;
    for (const watcher of this.#watchers) watcher();
  }
}

export function withLine(state: SearchState, line: AnswerOf<'search'>): SearchState {
  return {
    ...state,
    is: line.isDone ? 'done' : 'searching',
    hits: line.hits.length === 0 ? state.hits : [...state.hits, ...line.hits],
    runsSearched: line.runsSearched,
    runsOf: line.runsOf,
    samplesSearched: line.samplesSearched,
    isAll: line.isAll,
    problems: joined(state.problems, line.problems),
  };
}

/** Each line may tell again what was told before. */
function joined(before: readonly Problem[], after: readonly Problem[]): readonly Problem[] {
  const isKnown = ({ code, message }: Problem) =>
    before.some((one) => one.code === code && one.message === message);
  const more = after.filter((problem) => !isKnown(problem));
  return more.length === 0 ? before : [...before, ...more];
}
