import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Digest, digestOf, digestOfJson, toJson } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { CodeGraph, type EvalOutline, moduleName } from './code-graph.ts';
import { sliceCode } from './code-slice.ts';
import { leavesBehind, reachOf } from './left-behind.ts';
import type { ModuleOutline } from './module-outline.ts';
import type { ModuleWatch } from './module-watch.ts';
import type { OutlineStore } from './outline-store.ts';

/** The code of one eval, by what it is for. */
export interface EvalCode {
  readonly target: Digest;
  readonly scoring: Digest;
  /** Local modules that were loaded since, each with what it says: their names were only known when they were imported. */
  later(): Promise<Readonly<Record<string, Digest>>>;
  /** What a module that an earlier run loaded later says now; undefined when it is gone. */
  moduleNow(name: string): Promise<Digest | undefined>;
}

export interface EvalCodeOptions {
  readonly disk: Disk;
  readonly watch: ModuleWatch;
  readonly store: OutlineStore;
}

/** The code of each of the `count` evals that the module at `path`, which is loaded already, exports. */
export async function readEvalCode(
  path: string,
  count: number,
  options: EvalCodeOptions,
): Promise<readonly EvalCode[]> {
  const graph = new CodeGraph(options);
  const url = pathToFileURL(path).href;
  const written = await graph.evalsIn(url);
  const digests: Pick<EvalCode, 'target' | 'scoring'>[] = [];
  for (let index = 0; index < count; index++) {
    // A module that writes out another number of evals than it exports is not understood: all of it counts.
    const of = written?.length === count ? written[index] : undefined;
    digests.push(await digestsOf({ graph, url, of }));
  }
  const later = new LaterModules(url, options);
  return digests.map(({ target, scoring }) => ({
    target,
    scoring,
    later: () => later.all(),
    moduleNow: (name) => later.now(name),
  }));
}

/** What code leaves behind for other code is as good as a part of it [CODE-3]. */
export async function digestsOf(root: {
  readonly graph: CodeGraph;
  readonly url: string;
  readonly of: EvalOutline | undefined;
}): Promise<Pick<EvalCode, 'target' | 'scoring'>> {
  const { graph, url, of } = root;
  const target = await sliceCode({ ...root, part: of?.target });
  const scoring = await sliceCode({ ...root, part: of?.scoring });
  const digests = { target: target.digest, scoring: scoring.digest };
  if (!of) return digests;
  const asking = await reachOf(graph, url, of.target);
  const judging = await reachOf(graph, url, of.scoring);
  const choosing = await reachOf(graph, url, of.rows);
  const rows = choosing.changes.size > 0 ? await sliceCode({ ...root, part: of.rows }) : undefined;
  const forTarget = [
    rows && leavesBehind(choosing, asking) ? rows.digest : '',
    // Scored anew, an output comes without what its target would have left: so the target runs again.
    leavesBehind(asking, judging) ? scoring.digest : '',
  ];
  const forScoring = [rows && leavesBehind(choosing, judging) ? rows.digest : ''];
  return { target: joined(target.digest, forTarget), scoring: joined(scoring.digest, forScoring) };
}

function joined(digest: Digest, others: readonly string[]): Digest {
  return others.every((other) => other === '') ? digest : digestOf([digest, ...others].join(' '));
}

/** Modules that come while the eval runs. Each counts as a whole, for the target and the scorers alike. */
class LaterModules {
  readonly #options: EvalCodeOptions;
  readonly #url: string;
  /** What was there when its samples began. */
  readonly #first: ReadonlySet<string>;
  readonly #firstSize: number;
  readonly #digests = new Map<string, Promise<Digest | undefined>>();
  #latest: { readonly size: number; readonly urls: readonly string[] } | undefined;

  constructor(url: string, options: EvalCodeOptions) {
    this.#url = url;
    this.#options = options;
    this.#first = options.watch.reachedFrom(url);
    this.#firstSize = options.watch.size;
  }

  async all(): Promise<Readonly<Record<string, Digest>>> {
    const found: Record<string, Digest> = {};
    for (const each of this.#urls()) {
      const digest = await this.#digest(each);
      if (digest !== undefined) found[moduleName(this.#url, each)] = digest;
    }
    return found;
  }

  /** Asked for every sample: what is there is looked through again only when there is more. */
  #urls(): readonly string[] {
    const { watch } = this.#options;
    if (this.#latest?.size === watch.size) return this.#latest.urls;
    const reached = watch.reachedFrom(this.#url);
    const urls = new Set([...reached].filter((each) => !this.#first.has(each)));
    // What another eval of this command has loaded before, or what was there for a name, may be asked for as a whole now.
    for (const each of watch.askedSince(this.#firstSize, reached)) urls.add(each);
    this.#latest = { size: watch.size, urls: [...urls].filter(isLocal) };
    return this.#latest.urls;
  }

  now(name: string): Promise<Digest | undefined> {
    const path = join(dirname(fileURLToPath(this.#url)), name);
    return this.#digest(pathToFileURL(path).href);
  }

  #digest(url: string): Promise<Digest | undefined> {
    const known = this.#digests.get(url) ?? this.#readDigest(url);
    this.#digests.set(url, known);
    return known;
  }

  async #readDigest(url: string): Promise<Digest | undefined> {
    // A graph of its own: what is asked for here is one file, as it was loaded or as it is.
    const outline = await new CodeGraph(this.#options).outline(url);
    return outline && digestOfOutline(outline);
  }
}

/** All that a module says, wherever its imports stand. */
function digestOfOutline({ parts, imports, exports, passedOn, loads }: ModuleOutline): Digest {
  const digests = parts.map(({ digest }) => digest);
  return digestOfJson(toJson({ digests, imports, exports, passedOn, loads }));
}

function isLocal(url: string): boolean {
  return url.startsWith('file:') && !url.includes('/node_modules/');
}
