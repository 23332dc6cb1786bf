import type { Value } from '../row-inserter.ts';
import { rowSum } from '../row-sum.ts';
import { type Column, columnsOf, type JournalVersion, tablesOf } from '../schema.ts';
import type { Cell } from './cells.ts';

/** A row that was found on some page, and is whole as far as that can be told. */
export interface FoundRow {
  readonly table: string;
  readonly n: number;
  /** The columns of the table, and in version 2 the checksum. */
  readonly values: readonly Value[];
}

interface Shape {
  readonly table: string;
  readonly columns: readonly Column[];
}

const SUM: Column = { name: 'sum', type: 'integer' };

/** Tells of which table a record is. In version 2 its checksum tells, and that it is whole; before, only its shape does. */
export class RowShapes {
  readonly version: JournalVersion;
  readonly #shapes: readonly Shape[];

  constructor(version: JournalVersion) {
    this.version = version;
    this.#shapes = tablesOf(version).map((table) => {
      const columns = columnsOf(version, table) ?? [];
      return { table, columns: version === 1 ? columns : [...columns, SUM] };
    });
  }

  /** `owner` is the table whose page it is on, where that is known. */
  recognise(cell: Cell, owner?: string): FoundRow | undefined {
    const fitting = this.#shapes.filter(({ columns }) => fits(cell.types, columns));
    if (fitting.length === 0) return undefined;
    const [, ...values] = cell.values() ?? [];
    if (values.length === 0) return undefined;
    const shape =
      this.version === 1
        ? ownerOrGuess(fitting, values, owner)
        : fitting.find(({ table }) => values.at(-1) === rowSum(table, values.slice(0, -1)));
    return shape && { table: shape.table, n: cell.rowId, values };
  }
}

function fits(types: readonly number[], columns: readonly Column[]): boolean {
  if (types.length !== columns.length + 1 || types[0] !== 0) return false;
  return columns.every(({ type, isNullable }, index) => {
    const serial = types[index + 1] ?? 0;
    if (serial === 0) return isNullable === true;
    if (type === 'integer') return serial <= 6 || serial === 8 || serial === 9;
    return serial >= 12 && serial % 2 === (type === 'text' ? 1 : 0);
  });
}

/** Where a page's table is not known, what is in a row tells tables of one shape apart. */
function ownerOrGuess(
  fitting: readonly Shape[],
  values: readonly Value[],
  owner: string | undefined,
): Shape | undefined {
  if (owner !== undefined) return fitting.find(({ table }) => table === owner);
  if (fitting.length === 1) return fitting[0];
  const [first, second] = values.map(String);
  const guess = GUESSES.find(({ says }) => says(first ?? '', second ?? ''))?.table;
  return fitting.find(({ table }) => table === guess);
}

const GUESSES: readonly {
  readonly table: string;
  readonly says: (first: string, second: string) => boolean;
}[] = [
  { table: 'contents', says: (first) => /^[0-9a-f]{32}$/.test(first) },
  { table: 'meta', says: (first) => first === 'run' },
  { table: 'endings', says: (_, second) => second.startsWith('{"endedAt":') },
  { table: 'outputs', says: (_, second) => second.startsWith('{"output":') },
  { table: 'events', says: (_, second) => second.includes('"event":') },
];
