/**
 * The tables of a journal database, as data (docs/format/journal.md): what makes the tables, the checksums, the segments
 * and the salvage of damaged databases agree. All but `lease` and `shipped` are only ever added to [JRN-2].
 */
export const JOURNAL_VERSION = 2;
export type JournalVersion = 1 | 2;
/** `PRAGMA application_id`: tells our databases from those of other programs. */
export const APPLICATION_ID = 0x484f4c44; // "HOLD"

export interface Column {
  readonly name: string;
  readonly type: 'integer' | 'text' | 'bytes';
  readonly isNullable?: boolean;
}

const integer = (name: string): Column => ({ name, type: 'integer' });
const text = (name: string): Column => ({ name, type: 'text' });
const textOrNull = (name: string): Column => ({ name, type: 'text', isNullable: true });

/** In an order in which everything that is referred to comes first. Every table has `n` before and `sum` after these. */
const TABLES_2 = {
  meta: [text('key'), text('value')],
  contents: [text('hash'), { name: 'text', type: 'bytes' }],
  attempts: [text('sample_id'), integer('epoch'), text('key'), text('origin'), text('data')],
  links: [integer('attempt'), text('kind'), integer('position'), textOrNull('hash'), textOrNull('text')],
  events: [integer('attempt'), text('json')],
  answers: [integer('attempt'), text('kind'), text('digest'), integer('occurrence'), text('data')],
  outputs: [integer('attempt'), text('data')],
  results: [
    integer('attempt'),
    text('status'),
    textOrNull('summary'),
    text('data'),
    integer('events'),
    integer('links'),
    integer('answers'),
  ],
  reused: [text('sample_id'), integer('epoch'), text('log'), text('run'), text('mode'), text('summary')],
  endings: [text('data')],
} as const satisfies Record<string, readonly Column[]>;

/** Version 1 had neither sums nor origins nor counts. */
const TABLES_1: Readonly<Record<string, readonly Column[]>> = {
  meta: [text('key'), text('value')],
  sessions: [text('data')],
  contents: [text('hash'), text('text')],
  attempts: [text('sample_id'), integer('epoch'), text('key'), text('data')],
  links: [integer('attempt'), text('kind'), integer('position'), textOrNull('hash'), textOrNull('text')],
  events: [integer('attempt'), text('json')],
  answers: [integer('attempt'), text('kind'), text('digest'), integer('occurrence'), text('data')],
  outputs: [integer('attempt'), text('data')],
  results: [integer('attempt'), text('status'), textOrNull('summary'), text('data')],
  reused: [text('sample_id'), integer('epoch'), text('log'), text('run'), text('summary')],
  endings: [integer('session'), text('data')],
};

export type Table = keyof typeof TABLES_2;
export const TABLES = Object.keys(TABLES_2) as readonly Table[];

/** Something for each table, under its name. */
export function forAllTables<T>(make: (table: Table) => T): Readonly<Record<Table, T>> {
  return {
    meta: make('meta'),
    contents: make('contents'),
    attempts: make('attempts'),
    links: make('links'),
    events: make('events'),
    answers: make('answers'),
    outputs: make('outputs'),
    results: make('results'),
    reused: make('reused'),
    endings: make('endings'),
  };
}

/** The columns of a table besides `n` and `sum`; undefined for a table that the version does not have. */
export function columnsOf(version: JournalVersion, table: string): readonly Column[] | undefined {
  const tables: Readonly<Record<string, readonly Column[]>> = version === 1 ? TABLES_1 : TABLES_2;
  return Object.hasOwn(tables, table) ? tables[table] : undefined;
}

export function tablesOf(version: JournalVersion): readonly string[] {
  return Object.keys(version === 1 ? TABLES_1 : TABLES_2);
}

/** `n`, the columns, and in version 2 `sum`: what a stored or shipped row is made of, in this order. */
export function storedColumns(version: JournalVersion, table: string): readonly string[] {
  const names = (columnsOf(version, table) ?? []).map(({ name }) => name);
  return version === 1 ? ['n', ...names] : ['n', ...names, 'sum'];
}

/** What keeps a row from being there twice: the same row from two segments is one row. */
const UNIQUE: Readonly<Record<string, readonly string[]>> = {
  meta: ['key'],
  contents: ['hash'],
  links: ['attempt', 'kind', 'position'],
  answers: ['attempt', 'kind', 'digest', 'occurrence'],
  outputs: ['attempt'],
  results: ['attempt'],
};

const INDEXES = `
CREATE INDEX attempts_by_sample ON attempts (sample_id, epoch);
CREATE INDEX events_by_attempt ON events (attempt);
CREATE INDEX reused_by_sample ON reused (sample_id, epoch);
`;

const UNCHECKED_TABLES = `
CREATE TABLE shipped (n INTEGER PRIMARY KEY, chain TEXT NOT NULL, seq INTEGER NOT NULL, data TEXT NOT NULL) STRICT;
CREATE TABLE lease (one INTEGER PRIMARY KEY CHECK (one = 1), beat_ms INTEGER NOT NULL) STRICT;
`;

const SQL_TYPES = { integer: 'INTEGER', text: 'TEXT', bytes: 'BLOB' } as const;

/** What makes an empty database a journal of that version; `PRAGMA`s included. */
export function createTables(version: JournalVersion): string {
  const tables = tablesOf(version).map((table) => {
    const columns = (columnsOf(version, table) ?? []).map(
      ({ name, type, isNullable }) => `${name} ${SQL_TYPES[type]}${isNullable ? '' : ' NOT NULL'}`,
    );
    if (version !== 1) columns.push('sum INTEGER NOT NULL');
    const unique = UNIQUE[table];
    if (unique) columns.push(`UNIQUE (${unique.join(', ')})`);
    return `CREATE TABLE ${table} (n INTEGER PRIMARY KEY, ${columns.join(', ')}) STRICT;`;
  });
  return `PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${version};
${tables.join('\n')}${INDEXES}${UNCHECKED_TABLES}`;
}

const MISSING_IN_1: Readonly<Record<string, string>> = { mode: "'same'" };

/**
 * Views over a journal of version 1 that show it as one of version 2 without checksums, so that one reader reads both. Names
 * in `temp` come before those of the database itself. Contents come as bytes: a text would be cut at a NUL.
 */
export const SHOW_VERSION_1 = TABLES.map((table) => {
  const old = columnsOf(1, table) ?? [];
  const columns = TABLES_2[table].map(({ name, type }) => {
    if (!old.some((column) => column.name === name)) return `${MISSING_IN_1[name] ?? 'NULL'} AS ${name}`;
    return type === 'bytes' ? `CAST(${name} AS BLOB) AS ${name}` : name;
  });
  return `CREATE TEMP VIEW ${table} AS SELECT n, ${columns.join(', ')}, NULL AS sum FROM main.${table};`;
}).join('\n');
