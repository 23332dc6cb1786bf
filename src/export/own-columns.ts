import { type Column, type Kind, KindFinder, type Raw } from './column.ts';

/**
 * Columns whose names and values are users' own: one for each scorer, and for each part of a score that has parts. Their kinds are
 * known when every value was seen.
 */
export class OwnColumns {
  readonly #finders = new Map<string, { readonly name: string; readonly finder: KindFinder }>();
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string>) {
    this.#taken = new Set(taken);
  }

  /** `path`: what tells it from all others; joined by underscores it is the name, unless another column has that. */
  see(path: readonly string[], value: Raw): void {
    const key = JSON.stringify(path);
    const known = this.#finders.get(key) ?? { name: this.#nameFor(path), finder: new KindFinder() };
    this.#finders.set(key, known);
    known.finder.add(value);
  }

  columns(): readonly Column[] {
    return Array.from(this.#finders.values(), ({ name, finder }) => ({ name, kind: finder.kind }));
  }

  /** The values in the order of the columns. */
  cells(values: Iterable<readonly [path: readonly string[], value: Raw]>): Raw[] {
    const given = new Map(Array.from(values, ([path, value]) => [JSON.stringify(path), value]));
    return Array.from(this.#finders.keys(), (key) => given.get(key));
  }

  #nameFor(path: readonly string[]): string {
    const wanted = path.join('_').toWellFormed();
    let name = wanted;
    for (let n = 2; this.#taken.has(name); n++) name = `${wanted}_${n}`;
    this.#taken.add(name);
    return name;
  }
}

/** A column that every table of its kind has. */
export interface FixedColumn<T> extends Column {
  readonly of: (item: T) => Raw;
}

export function column<T>(name: string, kind: Kind, of: (item: T) => Raw): FixedColumn<T> {
  return { name, kind, of };
}
