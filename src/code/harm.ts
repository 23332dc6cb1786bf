import { isBuiltin } from 'node:module';
import type { CodeGraph } from './code-graph.ts';
import type { Deeds } from './deeds.ts';
import type { ModuleOutline, ModulePart } from './module-outline.ts';
import { isPlainGlobal, isPureOfNode } from './pure-globals.ts';

/** What a name stands for. */
type Meaning =
  | { readonly kind: 'part'; readonly url: string; readonly part: ModulePart }
  /** Of Holdfast itself, whose functions do nothing before a run calls them. */
  | { readonly kind: 'ours' }
  | { readonly kind: 'node'; readonly module: string; readonly name: string };

/** Tells over modules whether code that is evaluated, or called, does anything besides giving a value. */
export class Harm {
  readonly #graph: CodeGraph;
  readonly #known = new Map<Deeds, Promise<boolean>>();

  constructor(graph: CodeGraph) {
    this.#graph = graph;
  }

  /** `url`: the module that it stands in. */
  async isDone(url: string, deeds: Deeds): Promise<boolean> {
    return !(await this.#isQuiet(url, deeds, new Set()));
  }

  #isQuiet(url: string, deeds: Deeds, asked: Set<Deeds>): Promise<boolean> {
    if (deeds.isDeed) return Promise.resolve(false);
    // Functions that call each other do nothing if none of them does anything else.
    if (asked.has(deeds)) return Promise.resolve(true);
    if (asked.size > 0) return this.#ask(url, deeds, asked);
    const known = this.#known.get(deeds) ?? this.#ask(url, deeds, asked);
    this.#known.set(deeds, known);
    return known;
  }

  async #ask(url: string, deeds: Deeds, asked: Set<Deeds>): Promise<boolean> {
    asked.add(deeds);
    for (const name of deeds.calls) if (!(await this.#isQuietCall(url, name, asked))) return false;
    for (const name of deeds.reads) if (!(await this.#isPlain(url, name, asked))) return false;
    return true;
  }

  async #isQuietCall(url: string, called: string, asked: Set<Deeds>): Promise<boolean> {
    const [name = '', member] = called.split('.');
    const meaning = await this.#meaning(url, name, new Set());
    if (meaning?.kind === 'ours') return true;
    if (meaning?.kind === 'node')
      return isPureOfNode(meaning.module, member === undefined ? meaning.name : `${meaning.name}.${member}`);
    if (!meaning || member !== undefined) return false;
    return await this.#isQuiet(meaning.url, meaning.part.calling, asked);
  }

  async #isPlain(url: string, name: string, asked: Set<Deeds>): Promise<boolean> {
    const meaning = await this.#meaning(url, name, new Set());
    if (!meaning) return isPlainGlobal(name) && !(await this.#isOwn(url, name));
    return meaning.kind !== 'part' || (await this.#isQuiet(meaning.url, meaning.part.reading, asked));
  }

  async #isOwn(url: string, name: string): Promise<boolean> {
    const outline = await this.#graph.outline(url);
    return (
      outline === undefined || Object.hasOwn(outline.imports, name) || declaring(outline, name).length > 0
    );
  }

  /** Undefined when it cannot be told, or when it may become something else. */
  async #meaning(url: string, name: string, asked: Set<string>): Promise<Meaning | undefined> {
    const place = `${url} ${name}`;
    if (asked.has(place)) return undefined;
    asked.add(place);
    const outline = await this.#graph.outline(url);
    if (!outline) return undefined;
    const imported = Object.hasOwn(outline.imports, name) ? outline.imports[name] : undefined;
    if (imported) return await this.#imported(url, imported, asked);
    const [part, ...others] = declaring(outline, name);
    const isFixed =
      part && others.length === 0 && !outline.parts.some(({ assigns }) => assigns.includes(name));
    return isFixed ? { kind: 'part', url, part } : undefined;
  }

  async #imported(
    parent: string,
    { from, name }: { readonly from: string; readonly name: string },
    asked: Set<string>,
  ): Promise<Meaning | undefined> {
    if (from === 'holdfast') return { kind: 'ours' };
    if (isBuiltin(from)) return { kind: 'node', module: from, name };
    const target = await this.#graph.target(parent, from);
    return target.kind === 'local' && name !== '*'
      ? await this.#exported(target.url, name, asked)
      : undefined;
  }

  async #exported(url: string, name: string, asked: Set<string>): Promise<Meaning | undefined> {
    const outline = await this.#graph.outline(url);
    const found = outline && Object.hasOwn(outline.exports, name) ? outline.exports[name] : undefined;
    if (found && 'from' in found) return await this.#imported(url, found, asked);
    return found && (await this.#meaning(url, found.local, asked));
  }
}

function declaring({ parts }: ModuleOutline, name: string): readonly ModulePart[] {
  return parts.filter(({ declares }) => declares.includes(name));
}
