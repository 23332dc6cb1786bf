import type { RunId } from '../base/index.ts';
import { absentDocuments, type WhyAbsent } from './absent-documents.ts';
import { readNotes } from './notes.ts';
import type { FoundResult, ResultsStore } from './results-store.ts';
import type { ResultsTree } from './results-tree.ts';
import { foldNotes } from './run-marks.ts';

/** What runs may take from published ones, as the store was when it was first asked. */
export class Lenders {
  readonly #store: ResultsStore;
  #tree: Promise<ResultsTree> | undefined;

  constructor(store: ResultsStore) {
    this.#store = store;
  }

  /** Whoever removed a run wants nothing more of it: it lends nothing, in whatever form [RES-9]. */
  async isRemoved(run: RunId): Promise<boolean> {
    this.#tree ??= this.#store.tree();
    const { objects } = await this.#store.readPorts();
    const { notes } = await readNotes(await this.#tree, objects, run);
    return foldNotes(notes, { tags: [] }).removals.length > 0;
  }

  async absent({ revision }: Pick<FoundResult, 'revision'>): Promise<ReadonlyMap<string, WhyAbsent>> {
    return absentDocuments(revision, await this.#store.readPorts());
  }
}
