import { type Digest, digestOf } from '../base/index.ts';
import { type CodeGraph, moduleName } from './code-graph.ts';
import { DEFAULT, type ImportedName, type ModuleOutline, type ModulePart } from './module-outline.ts';
import { ANY_MODULE } from './names-in.ts';

/** The code that something depends on: what it says itself, and all that it uses, over modules. */
export interface CodeSlice {
  readonly digest: Digest;
  /** Local modules that belong to it, as `moduleName` names them. */
  readonly modules: readonly string[];
  /** True when it imports modules whose names are only known when it runs. */
  readonly isOpen: boolean;
}

export interface SliceRoot {
  readonly graph: CodeGraph;
  /** The eval's own module. */
  readonly url: string;
  /** Where to start; undefined for the whole module. */
  readonly part: ModulePart | undefined;
}

/**
 * Follows names from the root to everything that is reached: declarations, what assigns to them, imports, and what modules do
 * when they are loaded. It may take too much, never too little [CODE-2]: too much costs a run of code, too little a wrong
 * result.
 */
export async function sliceCode(root: SliceRoot): Promise<CodeSlice> {
  const slice = new Slice(root);
  await slice.grow();
  return slice.result();
}

class Slice {
  readonly #root: SliceRoot;
  readonly #modules = new Map<string, SlicedModule>();
  readonly #packages = new Set<string>();
  readonly #wholeModules = new Set<SlicedModule>();
  readonly #waiting: (() => Promise<void>)[] = [];
  #isOpen = false;
  #rootLinks: readonly string[] = [];

  constructor(root: SliceRoot) {
    this.#root = root;
  }

  async grow(): Promise<void> {
    const { url, part } = this.#root;
    const module = await this.#module(url);
    if (module && part) this.#rootLinks = await this.#follow(module, part);
    else if (module) for (const all of module.outline.parts) this.#take(module, all);
    for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) await next();
  }

  result(): CodeSlice {
    const { url, part } = this.#root;
    const lines = [part ? `root ${part.digest} ${this.#rootLinks.join(' ')}` : 'all'];
    const names = [...this.#modules].map(([key, module]) => [moduleName(url, key), module] as const);
    for (const [name, { outline, taken }] of names.sort(([a], [b]) => (a < b ? -1 : 1))) {
      lines.push(`module ${name}`);
      // In the order of the source: what a module does when it is loaded, it does in that order.
      for (const each of outline.parts) {
        const links = taken.get(each);
        if (links) lines.push(`${each.digest} ${links.join(' ')}`);
      }
    }
    for (const name of [...this.#packages].sort()) lines.push(`package ${name}`);
    return {
      digest: digestOf(lines.join('\n')),
      modules: names.map(([name]) => name),
      isOpen: this.#isOpen,
    };
  }

  async #module(url: string): Promise<SlicedModule | undefined> {
    const known = this.#modules.get(url);
    if (known) return known;
    const outline = await this.#root.graph.outline(url);
    if (!outline) return undefined;
    const module = { url, outline, taken: new Map<ModulePart, readonly string[]>() };
    this.#modules.set(url, module);
    for (const part of outline.parts) if (part.isEffect) this.#take(module, part);
    for (const from of outline.effects) this.#waiting.push(() => this.#load(url, from));
    return module;
  }

  /** For what it does when it is loaded. */
  async #load(parent: string, specifier: string): Promise<void> {
    const target = await this.#root.graph.target(parent, specifier);
    if (target.kind === 'package') this.#packages.add(target.name);
    if (target.kind === 'local') await this.#module(target.url);
  }

  #take(module: SlicedModule, part: ModulePart): void {
    if (module.taken.has(part)) return;
    module.taken.set(part, []);
    this.#waiting.push(async () => {
      module.taken.set(part, await this.#follow(module, part));
    });
  }

  /** Takes all that a part uses, and says which names lead where. */
  async #follow(module: SlicedModule, part: ModulePart): Promise<readonly string[]> {
    const { outline, url } = module;
    const links: string[] = [];
    for (const name of part.uses) {
      this.#takeLocal(module, name);
      const imported = Object.hasOwn(outline.imports, name) ? outline.imports[name] : undefined;
      if (imported) links.push(`${name}=${await this.#import(url, imported)}`);
    }
    for (const specifier of part.later) {
      if (specifier === ANY_MODULE) this.#isOpen = true;
      else links.push(`later=${await this.#import(url, { from: specifier, name: '*' })}`);
    }
    return links;
  }

  /** What declares a name, and what changes it. */
  #takeLocal(module: SlicedModule, name: string): void {
    for (const part of module.outline.parts)
      if (part.declares.includes(name) || (part.assigns.includes(name) && declaresAny(module.outline, name)))
        this.#take(module, part);
  }

  async #import(parent: string, { from, name }: ImportedName): Promise<string> {
    const target = await this.#root.graph.target(parent, from);
    if (target.kind === 'none') return `${from}#${name}`;
    if (target.kind === 'package') {
      this.#packages.add(target.name);
      return `${target.name}#${name}`;
    }
    const module = await this.#module(target.url);
    if (module) await this.#export(module, name, new Set());
    return `${moduleName(this.#root.url, target.url)}#${name}`;
  }

  async #export(module: SlicedModule, name: string, asked: Set<SlicedModule>): Promise<void> {
    if (asked.has(module)) return;
    asked.add(module);
    const { outline, url } = module;
    if (name === '*') return await this.#exportAll(module);
    const found = Object.hasOwn(outline.exports, name) ? outline.exports[name] : undefined;
    if (found && 'from' in found) await this.#import(url, found);
    else if (found) await this.#exportLocal(module, found.local);
    else for (const from of outline.passedOn) await this.#passOn(module, { from, name }, asked);
  }

  /** A name that is exported may itself have been imported. */
  async #exportLocal(module: SlicedModule, local: string): Promise<void> {
    const { outline, url } = module;
    this.#takeLocal(module, local);
    const imported = Object.hasOwn(outline.imports, local) ? outline.imports[local] : undefined;
    if (imported) await this.#import(url, imported);
  }

  async #passOn(module: SlicedModule, { from, name }: ImportedName, asked: Set<SlicedModule>): Promise<void> {
    const target = await this.#root.graph.target(module.url, from);
    if (target.kind === 'package') this.#packages.add(target.name);
    const next = target.kind === 'local' ? await this.#module(target.url) : undefined;
    if (next) await this.#export(next, name, asked);
  }

  async #exportAll(module: SlicedModule): Promise<void> {
    if (this.#wholeModules.has(module)) return; // Modules may pass each other on.
    this.#wholeModules.add(module);
    const { outline, url } = module;
    for (const part of outline.parts) this.#take(module, part);
    for (const found of Object.values(outline.exports))
      if ('from' in found) await this.#import(url, found);
      else await this.#exportLocal(module, found.local);
    for (const from of outline.passedOn) await this.#import(url, { from, name: '*' });
  }
}

interface SlicedModule {
  readonly url: string;
  readonly outline: ModuleOutline;
  /** Each part with where its names lead. */
  readonly taken: Map<ModulePart, readonly string[]>;
}

function declaresAny({ parts, imports }: ModuleOutline, name: string): boolean {
  return (
    name !== DEFAULT &&
    (Object.hasOwn(imports, name) || parts.some(({ declares }) => declares.includes(name)))
  );
}
