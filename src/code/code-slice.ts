import { type Digest, digestOf } from '../base/index.ts';
import { type CodeGraph, type EvalOutline, moduleName } from './code-graph.ts';
import { isSurelyQuiet } from './deeds.ts';
import { Harm } from './harm.ts';
import { DEFAULT, type ImportedName, type ModuleOutline, type ModulePart } from './module-outline.ts';
import { ANY_MODULE } from './names-in.ts';

/** The code that something depends on: what it says itself, and all that it uses, over modules. */
export interface CodeSlice {
  readonly digest: Digest;
  /** Local modules that belong to it, as `moduleName` names them. */
  readonly modules: readonly string[];
  /** True when modules are loaded in a way that the syntax does not tell: then all of those that are there count, whole. */
  readonly isOpen: boolean;
}

export interface SliceRoot {
  readonly graph: CodeGraph;
  /** The eval's own module. */
  readonly url: string;
  /** Where to start; undefined for the whole module. */
  readonly part: ModulePart | undefined;
  /** The eval that it is a part of. */
  readonly of?: Pick<EvalOutline, 'loading' | 'names'> | undefined;
}

/**
 * Follows names from the root to everything that is reached: declarations, what assigns to them, imports; and adds what all
 * modules of the eval do when they are loaded, since that may change what any code sees. It may take too much, never too
 * little [CODE-2]: too much costs a run of code, too little a wrong result.
 */
export async function sliceCode(root: SliceRoot): Promise<CodeSlice> {
  const slice = new Slice(root);
  await slice.grow();
  return slice.result();
}

class Slice {
  readonly #root: SliceRoot;
  readonly #harm: Harm;
  readonly #modules = new Map<string, SlicedModule>();
  readonly #packages = new Set<string>();
  /** Each with those of its exports whose names are not those of what they stand for. */
  readonly #wholeModules = new Map<SlicedModule, readonly string[]>();
  readonly #waiting: (() => Promise<void>)[] = [];
  /** Where the names of the root lead, and what else the eval does when it is loaded. */
  readonly #rootLines: string[] = [];
  #isOpen = false;

  constructor(root: SliceRoot) {
    this.#root = root;
    this.#harm = new Harm(root.graph);
  }

  async grow(): Promise<void> {
    const { url, part, of } = this.#root;
    const module = await this.#module(url);
    if (!module) return;
    if (part) {
      this.#rootLines.push(`root ${part.digest} ${(await this.#follow(module, part)).join(' ')}`);
      for (const key of of?.loading ?? []) await this.#loadKey(module, key);
    } else {
      this.#rootLines.push('all');
      await this.#exportAll(module);
    }
    do {
      for (let next = this.#waiting.pop(); next; next = this.#waiting.pop()) await next();
      await this.#takeLoaded();
    } while (this.#waiting.length > 0);
  }

  result(): CodeSlice {
    const { url } = this.#root;
    const lines = [...this.#rootLines];
    const names = [...this.#modules.values()]
      .map((module) => ({ ...module, name: moduleName(url, module.url) }))
      .filter(({ taken, name }) => taken.size > 0 || name === '.');
    for (const { name, outline, taken } of names.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      lines.push(`module ${name}`);
      // In the order of the source: what a module does when it is loaded, it does in that order.
      for (const each of outline.parts) {
        const links = taken.get(each);
        if (links) lines.push(`${each.digest} ${links.join(' ')}`);
      }
    }
    lines.push(...this.#wholeExports());
    const order = this.#loadOrder();
    if (order.length > 1) lines.push(`order ${order.join(' ')}`);
    for (const name of [...this.#packages].sort()) lines.push(`package ${name}`);
    return {
      digest: digestOf(lines.join('\n')),
      modules: names.map(({ name }) => name),
      isOpen: this.#isOpen,
    };
  }

  #wholeExports(): readonly string[] {
    const told = [...this.#wholeModules].filter(([, ways]) => ways.length > 0);
    return told
      .map(([{ url }, ways]) => `exports ${moduleName(this.#root.url, url)} ${ways.join(' ')}`)
      .sort();
  }

  /** Modules that do something when they are loaded, in the order in which that happens. */
  #loadOrder(): readonly string[] {
    const done = new Set<SlicedModule>();
    const order: string[] = [];
    const visit = (module: SlicedModule | undefined) => {
      if (!module || done.has(module)) return;
      done.add(module);
      for (const url of module.loaded) visit(this.#modules.get(url));
      if (module.deeds.size > 0) order.push(moduleName(this.#root.url, module.url));
    };
    for (const module of this.#modules.values()) visit(module);
    return order;
  }

  async #module(url: string): Promise<SlicedModule | undefined> {
    const known = this.#modules.get(url);
    if (known) return known;
    const outline = await this.#root.graph.outline(url);
    if (!outline) return undefined;
    const module: SlicedModule = { url, outline, taken: new Map(), deeds: new Set(), loaded: [] };
    this.#modules.set(url, module);
    this.#isOpen ||= opens(outline);
    for (const part of outline.parts)
      if (!isSurelyQuiet(part.loading) && !this.#isEval(module, part))
        this.#waiting.push(() => this.#loadPart(module, part));
    this.#waiting.push(async () => {
      for (const from of outline.loads) await this.#load(module, from);
    });
    return module;
  }

  /** The eval itself is told by its keys. */
  #isEval({ url }: SlicedModule, { declares }: ModulePart): boolean {
    const { of, part, url: rootUrl } = this.#root;
    return part !== undefined && url === rootUrl && declares.some((name) => of?.names.includes(name));
  }

  async #loadKey(module: SlicedModule, key: ModulePart): Promise<void> {
    if (!(await this.#harm.isDone(module.url, key.loading))) return;
    this.#rootLines.push(`loads ${key.digest} ${(await this.#follow(module, key)).join(' ')}`);
  }

  async #loadPart(module: SlicedModule, part: ModulePart): Promise<void> {
    if (!(await this.#harm.isDone(module.url, part.loading))) return;
    module.deeds.add(part);
    this.#take(module, part);
  }

  /** For what it does when it is loaded. */
  async #load(module: SlicedModule, specifier: string): Promise<void> {
    const target = await this.#root.graph.target(module.url, specifier);
    if (target.kind === 'package') await this.#addPackages(target.url, ({ hasEffects }) => hasEffects);
    if (target.kind !== 'local') return;
    module.loaded.push(target.url);
    await this.#module(target.url);
  }

  /** With all packages that it loaded itself. */
  async #addPackages(
    url: string,
    isWanted: (about: { readonly hasEffects: boolean }) => boolean,
  ): Promise<void> {
    const { graph } = this.#root;
    const found = await graph.packagesOf([url, ...graph.loadedFrom(url).packages]);
    for (const each of found) if (isWanted(each)) this.#packages.add(each.name);
  }

  /** What is there although no syntax tells why; and all of it, when there may be more ways to what is there. */
  async #takeLoaded(): Promise<void> {
    const { graph, url } = this.#root;
    const { local, packages } = graph.loadedFrom(url);
    for (const { name, hasEffects } of await graph.packagesOf(packages))
      if (hasEffects || this.#isOpen) this.#packages.add(name);
    const untold = local.filter((each) => !this.#modules.has(each));
    for (const each of this.#isOpen ? [...local, ...this.#modules.keys()] : untold) {
      const module = await this.#module(each);
      if (module) await this.#exportAll(module);
    }
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

  /** Says where a name leads in the end: what passes it on may let it lead elsewhere, without any other change. */
  async #import(parent: string, { from, name }: ImportedName, asked = new Set<string>()): Promise<string> {
    const { graph, url } = this.#root;
    const target = await graph.target(parent, from);
    if (target.kind === 'none') return `${from}#${name}`;
    if (target.kind === 'package') {
      await this.#addPackages(target.url, () => true);
      const [found] = await graph.packagesOf([target.url]);
      return `${found?.name}#${name}`;
    }
    const module = await this.#module(target.url);
    const way = module ? await this.#export(module, name, asked) : '';
    return `${moduleName(url, target.url)}#${name}${way}`;
  }

  /** Gives the way on from the exported name; nothing when it is the module's own name for it. */
  async #export(module: SlicedModule, name: string, asked: Set<string>): Promise<string> {
    const { outline, url } = module;
    const place = `${url}#${name}`;
    if (asked.has(place)) return '';
    asked.add(place);
    if (name === '*') {
      await this.#exportAll(module);
      return '';
    }
    const found = Object.hasOwn(outline.exports, name) ? outline.exports[name] : undefined;
    if (found && 'from' in found) return `>${await this.#import(url, found, asked)}`;
    if (found) return await this.#exportLocal(module, { name, local: found.local }, asked);
    const ways: string[] = [];
    for (const from of outline.passedOn) ways.push(await this.#passOn(module, { from, name }, asked));
    return ways.join('');
  }

  /** A name that is exported may itself have been imported. */
  async #exportLocal(
    module: SlicedModule,
    { name, local }: { readonly name: string; readonly local: string },
    asked: Set<string>,
  ): Promise<string> {
    const { outline, url } = module;
    this.#takeLocal(module, local);
    const imported = Object.hasOwn(outline.imports, local) ? outline.imports[local] : undefined;
    if (imported) return `>${await this.#import(url, imported, asked)}`;
    return local === name || local === DEFAULT ? '' : `>${local}`;
  }

  async #passOn(module: SlicedModule, { from, name }: ImportedName, asked: Set<string>): Promise<string> {
    const target = await this.#root.graph.target(module.url, from);
    if (target.kind === 'package') await this.#addPackages(target.url, () => true);
    const next = target.kind === 'local' ? await this.#module(target.url) : undefined;
    if (!next) return '';
    const way = await this.#export(next, name, asked);
    return way !== '' || Object.hasOwn(next.outline.exports, name)
      ? `>${moduleName(this.#root.url, next.url)}#${name}${way}`
      : '';
  }

  async #exportAll(module: SlicedModule): Promise<void> {
    if (this.#wholeModules.has(module)) return; // Modules may pass each other on.
    this.#wholeModules.set(module, []);
    const { outline, url } = module;
    for (const part of outline.parts) this.#take(module, part);
    const ways: string[] = [];
    for (const name of Object.keys(outline.exports).sort()) {
      const way = await this.#export(module, name, new Set());
      if (way !== '') ways.push(`${name}${way}`);
    }
    for (const from of outline.passedOn) ways.push(`*>${await this.#import(url, { from, name: '*' })}`);
    this.#wholeModules.set(module, ways.sort());
  }
}

interface SlicedModule {
  readonly url: string;
  readonly outline: ModuleOutline;
  /** Each part with where its names lead. */
  readonly taken: Map<ModulePart, readonly string[]>;
  /** Parts that do something when it is loaded. */
  readonly deeds: Set<ModulePart>;
  /** Local modules that are loaded before it, in order. */
  readonly loaded: string[];
}

/** `node:module` is there to load by other means. */
function opens({ parts, loads }: ModuleOutline): boolean {
  return (
    loads.some((from) => /^(node:)?(module|vm)$/.test(from)) ||
    parts.some(({ later }) => later.includes(ANY_MODULE))
  );
}

function declaresAny({ parts, imports }: ModuleOutline, name: string): boolean {
  return (
    name !== DEFAULT &&
    (Object.hasOwn(imports, name) || parts.some(({ declares }) => declares.includes(name)))
  );
}
