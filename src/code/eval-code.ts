import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Digest, digestOf } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { CodeGraph, moduleName } from './code-graph.ts';
import { sliceCode } from './code-slice.ts';
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
  const loaded = new Set(options.watch.urls);
  const later = new LaterModules({ ...options, url, loaded });
  const codes: EvalCode[] = [];
  for (let index = 0; index < count; index++) {
    // A module that writes out another number of evals than it exports is not understood: all of it counts.
    const parts = written?.length === count ? written[index] : undefined;
    const target = await sliceCode({ graph, url, part: parts?.target });
    const scoring = await sliceCode({ graph, url, part: parts?.scoring });
    codes.push({
      target: target.digest,
      scoring: scoring.digest,
      later: () => later.all(),
      moduleNow: (name) => later.now(name),
    });
  }
  return codes;
}

/** Modules that come while the eval runs. Each counts as a whole, for the target and the scorers alike. */
class LaterModules {
  readonly #options: EvalCodeOptions & { readonly url: string; readonly loaded: ReadonlySet<string> };
  readonly #digests = new Map<string, Promise<Digest | undefined>>();

  constructor(options: EvalCodeOptions & { readonly url: string; readonly loaded: ReadonlySet<string> }) {
    this.#options = options;
  }

  async all(): Promise<Readonly<Record<string, Digest>>> {
    const { watch, loaded, url } = this.#options;
    const found: Record<string, Digest> = {};
    for (const each of watch.urls) {
      if (loaded.has(each) || !isLocal(each)) continue;
      const digest = await this.#digest(each);
      if (digest !== undefined) found[moduleName(url, each)] = digest;
    }
    return found;
  }

  now(name: string): Promise<Digest | undefined> {
    const path = join(dirname(fileURLToPath(this.#options.url)), name);
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
    return outline && digestOf(outline.parts.map(({ digest }) => digest).join('\n'));
  }
}

function isLocal(url: string): boolean {
  return url.startsWith('file:') && !url.includes('/node_modules/');
}
