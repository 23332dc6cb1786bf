import { createRequire, isBuiltin } from 'node:module';
import { dirname, extname, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type Digest, digestOf, isJsonObject, parseJson, stringifyJson } from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import { type EvalNodes, evalNodes } from './eval-parts.ts';
import { type ModuleOutline, outlineOf, parseModule, partOf, wholeOutline } from './module-outline.ts';
import type { ModuleWatch } from './module-watch.ts';
import type { OutlineStore } from './outline-store.ts';

/** Where an import leads. */
export type ImportTarget =
  | { readonly kind: 'local'; readonly url: string }
  /** With its version: `zod@4.6.7`. */
  | { readonly kind: 'package'; readonly name: string }
  /** Node's own, Holdfast itself, or nothing that is there. */
  | { readonly kind: 'none' };

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
  readonly #packages = new Map<string, Promise<string>>();

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
    const evals = program && evalNodes(program)?.map(outlineOfEval);
    store.keepEvals(key, evals ? { isWritten: true, evals } : { isWritten: false, evals: [] });
    return evals;
  }

  async target(parent: string, specifier: string): Promise<ImportTarget> {
    if (specifier === 'holdfast' || isBuiltin(specifier)) return { kind: 'none' };
    const url = this.#options.watch.resolve(parent, specifier) ?? resolveByHand(parent, specifier);
    if (!url?.startsWith('file:')) return { kind: 'none' };
    const path = fileURLToPath(url);
    const inPackage = /^(.*\/node_modules\/((?:@[^/]+\/)?[^/]+))\//.exec(path.replaceAll('\\', '/'));
    if (!inPackage) return { kind: 'local', url };
    return { kind: 'package', name: await this.#package(inPackage[1] ?? '', inPackage[2] ?? '') };
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

  #package(dir: string, name: string): Promise<string> {
    const known = this.#packages.get(dir) ?? this.#readPackage(dir, name);
    this.#packages.set(dir, known);
    return known;
  }

  async #readPackage(dir: string, name: string): Promise<string> {
    const bytes = await this.#options.disk.read(`${dir}/package.json`);
    const json = bytes && parseJson(Buffer.from(bytes).toString('utf8'));
    return `${name}@${isJsonObject(json) ? String(json.version) : 'unknown'}`;
  }
}

/** The code of one eval: plain data, as its module's outline is. */
export interface EvalOutline {
  readonly target: ReturnType<typeof partOf>;
  readonly scoring: ReturnType<typeof partOf>;
}

function outlineOfEval({ target, scoring }: EvalNodes): EvalOutline {
  return { target: partOf(target), scoring: partOf(scoring) };
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
  if (!program) return wholeOutline(text, requiredIn(text));
  const outline = outlineOf(program);
  const isModule =
    Object.keys(outline.exports).length + Object.keys(outline.imports).length + outline.passedOn.length > 0;
  if (isModule) return outline;
  // No word of a module in it: CommonJS, or a module that only does something. All of it counts.
  return { ...outline, parts: [{ ...partOf(program.body), isEffect: true }] };
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
