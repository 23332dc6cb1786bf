import { createRequire, isBuiltin } from 'node:module';
import { dirname, extname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Program } from 'acorn';
import { type Digest, digestOf, isJsonObject, parseJson, stringifyJson } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { A_DEED, isSurelyQuiet } from './deeds.ts';
import { evalNodes } from './eval-parts.ts';
import {
  type ModuleOutline,
  type ModulePart,
  outlineOf,
  ownNames,
  parseModule,
  partOf,
  wholeOutline,
} from './module-outline.ts';
import type { ModuleWatch } from './module-watch.ts';
import { ANY_MODULE } from './names-in.ts';
import type { OutlineStore } from './outline-store.ts';

/** Where an import leads. */
export type ImportTarget =
  | { readonly kind: 'local'; readonly url: string }
  | { readonly kind: 'package'; readonly url: string }
  /** Node's own, Holdfast itself, or nothing that is there. */
  | { readonly kind: 'none' };

/** A package with its version: `zod@4.6.7`. */
export interface LoadedPackage {
  readonly name: string;
  /** False when it says itself that loading it changes nothing (`"sideEffects": false`). */
  readonly hasEffects: boolean;
}

export interface CodeGraphOptions {
  readonly disk: Disk;
  readonly watch: ModuleWatch;
  /** Outlines of texts that were parsed before. */
  readonly store: OutlineStore;
}

/** The modules of an eval, each parsed once, and only when its text is new. */
export class CodeGraph {
  readonly #options: CodeGraphOptions;
  readonly #outlines = new Map<string, Promise<ModuleOutline | undefined>>();
  readonly #packages = new Map<string, Promise<LoadedPackage>>();

  constructor(options: CodeGraphOptions) {
    this.#options = options;
  }

  /** Undefined when there is no such file. */
  outline(url: string): Promise<ModuleOutline | undefined> {
    const known = this.#outlines.get(url) ?? this.#readOutline(url);
    this.#outlines.set(url, known);
    return known;
  }

  /** The evals of a module, each in its parts; undefined when the module does not write them out. */
  async evalsIn(url: string): Promise<readonly EvalOutline[] | undefined> {
    const text = await this.#text(url);
    if (text === undefined) return undefined;
    const { store } = this.#options;
    const key = digestOf(text);
    const kept = store.evals(key);
    if (kept) return kept.isWritten ? kept.evals : undefined;
    const program = await parseModule(text, formatOf(url));
    const evals = program && outlinesOfEvals(program);
    store.keepEvals(key, evals ? { isWritten: true, evals } : { isWritten: false, evals: [] });
    return evals;
  }

  async target(parent: string, specifier: string): Promise<ImportTarget> {
    if (specifier === 'holdfast' || isBuiltin(specifier)) return { kind: 'none' };
    const url = this.#options.watch.resolve(parent, specifier) ?? resolveByHand(parent, specifier);
    if (!url?.startsWith('file:')) return { kind: 'none' };
    return { kind: packageDir(url) ? 'package' : 'local', url };
  }

  /** All that was loaded so far because of a module, and itself. */
  loadedFrom(url: string): { readonly local: readonly string[]; readonly packages: readonly string[] } {
    const files = [...this.#options.watch.reachedFrom(url)].filter((each) => each.startsWith('file:'));
    return {
      local: files.filter((each) => !packageDir(each)),
      packages: files.filter((each) => packageDir(each)),
    };
  }

  /** The packages of these modules, each once. */
  async packagesOf(urls: readonly string[]): Promise<readonly LoadedPackage[]> {
    const dirs = new Map(urls.map((url) => packageDir(url) ?? ['', '']));
    dirs.delete('');
    return await Promise.all([...dirs].map(([dir, name]) => this.#package(dir, name)));
  }

  async #readOutline(url: string): Promise<ModuleOutline | undefined> {
    const text = await this.#text(url);
    if (text === undefined) return undefined;
    const { store } = this.#options;
    const key = outlineKey(url, text);
    const outline = store.outline(key) ?? (await makeOutline(url, text));
    store.keepOutline(key, outline);
    return outline;
  }

  async #text(url: string): Promise<string | undefined> {
    const { watch, disk } = this.#options;
    const loaded = watch.textOf(url);
    if (loaded !== undefined) return loaded;
    const bytes = await disk.read(fileURLToPath(url));
    return bytes && Buffer.from(bytes).toString('utf8');
  }

  #package(dir: string, name: string): Promise<LoadedPackage> {
    const known = this.#packages.get(dir) ?? this.#readPackage(dir, name);
    this.#packages.set(dir, known);
    return known;
  }

  async #readPackage(dir: string, name: string): Promise<LoadedPackage> {
    const bytes = await this.#options.disk.read(`${dir}/package.json`);
    const json = bytes && parseJson(Buffer.from(bytes).toString('utf8'));
    const said = isJsonObject(json) ? json : {};
    return { name: `${name}@${said.version ?? 'unknown'}`, hasEffects: said.sideEffects !== false };
  }
}

/** The folder of the package that a module is in, and the package's name. */
function packageDir(url: string): readonly [dir: string, name: string] | undefined {
  const path = fileURLToPath(url).replaceAll('\\', '/');
  const found = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path);
  return found ? [found[1] ?? '', found[2] ?? ''] : undefined;
}

/** The code of one eval: plain data, as its module's outline is. */
export interface EvalOutline {
  readonly target: ModulePart;
  readonly scoring: ModulePart;
  /** What makes and chooses its rows. */
  readonly rows: ModulePart;
  /** What all evals of the file say and may do something by it when the file is loaded: then it counts for each. */
  readonly loading: readonly ModulePart[];
  /** Names of the evals as wholes. */
  readonly names: readonly string[];
}

function outlinesOfEvals(program: Program): readonly EvalOutline[] | undefined {
  const evals = evalNodes(program);
  const own = ownNames(program.body);
  const keys = evals?.flatMap((each) => each.keys.map((key) => partOf([key], own)));
  const loading = keys?.filter((part) => !isSurelyQuiet(part.loading)) ?? [];
  return evals?.map(({ target, scoring, rows, names }) => ({
    target: partOf(target, own),
    scoring: partOf(scoring, own),
    rows: partOf(rows, own),
    loading,
    names,
  }));
}

/** How a module is named in a digest: by its path from the eval, so that a project can be moved. The eval may be renamed. */
export function moduleName(evalUrl: string, url: string): string {
  if (url === evalUrl) return '.';
  return relative(dirname(fileURLToPath(evalUrl)), fileURLToPath(url)).replaceAll('\\', '/');
}

async function makeOutline(url: string, text: string): Promise<ModuleOutline> {
  const path = fileURLToPath(url);
  if (extname(path) === '.json') return wholeOutline(sameJson(text));
  if (!/\.[cm]?[jt]s$/.test(path)) return wholeOutline(text);
  const program = await parseModule(text, formatOf(url));
  // What it loads besides, nobody can tell.
  if (!program) return wholeOutline(text, [...requiredIn(text), ANY_MODULE]);
  const outline = outlineOf(program);
  const isModule = Object.keys(outline.exports).length + outline.passedOn.length + outline.loads.length > 0;
  if (isModule) return outline;
  // No word of a module in it: CommonJS, or a module that only does something. All of it counts.
  return { ...outline, parts: [{ ...partOf(program.body, ownNames(program.body)), loading: A_DEED }] };
}

function formatOf(url: string): 'typescript' | 'module' {
  return /\.[cm]?ts$/.test(fileURLToPath(url)) ? 'typescript' : 'module';
}

/** JSON that is only laid out differently says the same. */
function sameJson(text: string): string {
  try {
    return stringifyJson(parseJson(text));
  } catch {
    // Node will say what is wrong with it; here it is a text like any other.
    return text;
  }
}

function requiredIn(text: string): readonly string[] {
  return [...text.matchAll(/\brequire\(\s*(['"])([^'"]+)\1\s*\)/g)].map(([, , name = '']) => name);
}

/** The same text says another thing when it is read as another kind of file. */
function outlineKey(url: string, text: string): Digest {
  return digestOf(`${extname(fileURLToPath(url))}\n${text}`);
}

/** For imports that have not happened yet. */
function resolveByHand(parent: string, specifier: string): string | undefined {
  if (specifier.startsWith('./') || specifier.startsWith('../')) return new URL(specifier, parent).href;
  if (specifier.startsWith('/') || specifier.startsWith('file:')) return new URL(specifier, 'file:').href;
  try {
    return pathToFileURL(createRequire(parent).resolve(specifier)).href;
  } catch {
    // Nothing that is there: importing it fails, and says so.
    return undefined;
  }
}
