import { ActionableError, definedOf, inOrder } from '../../base/index.ts';
import { CatFile, type Git, isObjectId, type ObjectId } from '../../git/index.ts';
import { readRunFromLog, type Scratch } from '../../log/index.ts';
import { rowOf } from '../../results/index.ts';
import { findNamed } from '../find-run.ts';
import {
  isWithin,
  NO_RUNS,
  type RunSource,
  type RunsOptions,
  type SourceChanges,
  type SourceRun,
} from '../run-source.ts';
import { type AgentvPlace, listPlaces, readRunFiles, unknownBranch } from './agentv-files.ts';
import { type AgentvRun, countsOf, headerOf } from './agentv-header.ts';
import { openAgentvRun } from './agentv-log.ts';
import { readRows } from './agentv-rows.ts';

export interface AgentvSourceOptions {
  readonly git: Git;
  /** The whole name of the branch: `refs/heads/agentv/results/v1`. */
  readonly ref: string;
  readonly scratch?: Scratch;
}

/** Two objects each, of one git process that is asked for the next while it answers. */
const RUNS_AT_A_TIME = 16;

/** The runs of a results branch as AgentV writes it, 4.x and 5.x. It is only read. */
export function agentvSource(options: AgentvSourceOptions): RunSource {
  return new AgentvSource(options);
}

class AgentvSource implements RunSource {
  readonly place: string;
  readonly kind = 'agentv';
  readonly #options: AgentvSourceOptions;
  readonly #objects: CatFile;

  constructor(options: AgentvSourceOptions) {
    this.#options = options;
    this.#objects = new CatFile(options.git);
    this.place = `${options.git.dir}#${options.ref.replace(/^refs\/(heads|remotes)\//, '')}`;
  }

  async *runs(options: RunsOptions = {}): AsyncGenerator<SourceRun> {
    const commit = await this.#commit(options.at);
    const places = (await this.#places(commit)).filter(({ run }) => isWithin(run, options));
    const work = (place: AgentvPlace) => this.#look(place, commit);
    for await (const run of inOrder(places, { atATime: RUNS_AT_A_TIME, work })) {
      options.signal?.throwIfAborted();
      yield run;
    }
  }

  async find(given: string): Promise<SourceRun | undefined> {
    const commit = await this.#commit(undefined);
    const place = findNamed(await this.#places(commit), given);
    return place && this.#look(place, commit);
  }

  async changes(since: string | undefined, signal?: AbortSignal): Promise<SourceChanges> {
    const commit = await this.#commit(undefined);
    if (commit === since) return { position: commit, isAll: false, runs: NO_RUNS, gone: [] };
    return { position: commit, isAll: true, runs: this.runs({ at: commit, signal }), gone: [] };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#objects[Symbol.asyncDispose]();
  }

  /** The commit that a list began with, as long as it is there. */
  async #commit(at: string | undefined): Promise<ObjectId> {
    const known = at !== undefined && isObjectId(at) ? await this.#objects.info(`${at}^{commit}`) : undefined;
    const commit = known ?? (await this.#objects.info(`${this.#options.ref}^{commit}`));
    if (!commit) throw unknownBranch(this.place);
    return commit.id;
  }

  async #places(commit: ObjectId): Promise<readonly AgentvPlace[]> {
    const places = await listPlaces(this.#objects, commit);
    // A branch that was only begun holds nothing at all; one with other things is none of AgentV's.
    if (places.length > 0 || (await this.#isEmpty(commit))) return places;
    throw unknownBranch(this.place);
  }

  async #isEmpty(commit: ObjectId): Promise<boolean> {
    const root = await this.#objects.object(`${commit}^{tree}`);
    return root?.bytes.length === 0;
  }

  async #look(place: AgentvPlace, at: ObjectId): Promise<SourceRun> {
    const openLog = async () =>
      openAgentvRun((await this.#read(place)).run, { ...this.#options, objects: this.#objects });
    const kept = {
      run: place.run,
      form: 'agentv' as const,
      place: this.place,
      name: place.name,
      at,
      open: async () => readRunFromLog(await openLog()),
      openLog,
    };
    try {
      const { run, damage } = await this.#read(place);
      if (damage !== undefined) return { ...kept, damage };
      return { ...kept, row: { ...rowOf(headerOf(run), countsOf(run.samples)), run: place.run } };
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      return { ...kept, damage: error.message };
    }
  }

  async #read(place: AgentvPlace): Promise<{ readonly run: AgentvRun; readonly damage?: string }> {
    const { about, index, version } = await readRunFiles(this.#objects, place);
    const { samples, damage } = readRows(index);
    return { run: { place, version, about, samples }, ...definedOf({ damage }) };
  }
}
