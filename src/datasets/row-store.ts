/**
 * RowStore: rows that can be read again by number, without holding them all in memory.
 * - `rows()` gives every row once, in order, as it was written (not yet checked). It is called once, before `read`.
 * - `read(i)` gives row `i` again; several reads may be under way at once.
 * - `place(i)` says where row `i` stands, as people look it up.
 */
export interface RowStore {
  rows(): AsyncIterable<unknown>;
  read(index: number): Promise<unknown>;
  place(index: number): string;
  close(): Promise<void>;
}

/** An array is its own store: rows stay exactly as the user gave them. */
export function arrayStore(rows: readonly unknown[]): RowStore {
  return {
    async *rows() {
      yield* rows;
    },
    read: async (index) => rows[index],
    place: rowNumber,
    close: async () => undefined,
  };
}

/** Several stores, one after the other. */
export function joinedStore(stores: readonly RowStore[]): RowStore {
  const starts: number[] = [];
  const locate = (index: number): { readonly store: RowStore; readonly local: number } => {
    let section = starts.findLastIndex((start) => start <= index);
    if (section < 0) section = 0;
    const store = stores[section] as RowStore;
    return { store, local: index - (starts[section] ?? 0) };
  };
  return {
    async *rows() {
      let count = 0;
      for (const store of stores) {
        starts.push(count);
        for await (const row of store.rows()) {
          count++;
          yield row;
        }
      }
    },
    read: (index) => {
      const { store, local } = locate(index);
      return store.read(local);
    },
    place: (index) => {
      const { store, local } = locate(index);
      return store.place(local);
    },
    close: async () => {
      await Promise.all(stores.map((store) => store.close()));
    },
  };
}

export function rowNumber(index: number): string {
  return `row ${index + 1}`;
}
