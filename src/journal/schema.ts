/** The tables of a journal database, version 1 (docs/format/journal.md). All but `lease` are only ever added to [JRN-2]. */
export const JOURNAL_FORMAT = 'holdfast-journal';
export const JOURNAL_VERSION = 1;
/** `PRAGMA application_id`: tells our databases from those of other programs. */
export const APPLICATION_ID = 0x484f4c44; // "HOLD"

export const CREATE_TABLES = `
CREATE TABLE meta (n INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, value TEXT NOT NULL) STRICT;
CREATE TABLE sessions (n INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT;
CREATE TABLE endings (n INTEGER PRIMARY KEY, session INTEGER NOT NULL UNIQUE, data TEXT NOT NULL) STRICT;
CREATE TABLE contents (n INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, text TEXT NOT NULL) STRICT;
CREATE TABLE attempts (
  n INTEGER PRIMARY KEY, sample_id TEXT NOT NULL, epoch INTEGER NOT NULL, key TEXT NOT NULL, data TEXT NOT NULL
) STRICT;
CREATE INDEX attempts_by_sample ON attempts (sample_id, epoch);
CREATE TABLE events (n INTEGER PRIMARY KEY, attempt INTEGER NOT NULL, json TEXT NOT NULL) STRICT;
CREATE INDEX events_by_attempt ON events (attempt);
CREATE TABLE links (
  n INTEGER PRIMARY KEY, attempt INTEGER NOT NULL, kind TEXT NOT NULL, position INTEGER NOT NULL, hash TEXT, text TEXT,
  UNIQUE (attempt, kind, position)
) STRICT;
CREATE TABLE answers (
  n INTEGER PRIMARY KEY, attempt INTEGER NOT NULL, kind TEXT NOT NULL, digest TEXT NOT NULL,
  occurrence INTEGER NOT NULL, data TEXT NOT NULL, UNIQUE (attempt, kind, digest, occurrence)
) STRICT;
CREATE TABLE outputs (n INTEGER PRIMARY KEY, attempt INTEGER NOT NULL UNIQUE, data TEXT NOT NULL) STRICT;
CREATE TABLE results (
  n INTEGER PRIMARY KEY, attempt INTEGER NOT NULL UNIQUE, status TEXT NOT NULL, summary TEXT, data TEXT NOT NULL
) STRICT;
CREATE TABLE reused (
  n INTEGER PRIMARY KEY, sample_id TEXT NOT NULL, epoch INTEGER NOT NULL, log TEXT NOT NULL, run TEXT NOT NULL,
  summary TEXT NOT NULL, UNIQUE (sample_id, epoch)
) STRICT;
CREATE TABLE shipped (seq INTEGER PRIMARY KEY, data TEXT NOT NULL) STRICT;
CREATE TABLE lease (one INTEGER PRIMARY KEY CHECK (one = 1), beat_ms INTEGER NOT NULL) STRICT;
`;

/**
 * The tables that segments carry, with their columns, in an order in which everything referred to comes first. `n`
 * grows with every insert, so "all rows with n beyond the last shipped" is exactly what is new [SEG-4].
 */
export const SHIPPED_TABLES = {
  meta: ['n', 'key', 'value'],
  sessions: ['n', 'data'],
  contents: ['n', 'hash', 'text'],
  attempts: ['n', 'sample_id', 'epoch', 'key', 'data'],
  links: ['n', 'attempt', 'kind', 'position', 'hash', 'text'],
  events: ['n', 'attempt', 'json'],
  answers: ['n', 'attempt', 'kind', 'digest', 'occurrence', 'data'],
  outputs: ['n', 'attempt', 'data'],
  results: ['n', 'attempt', 'status', 'summary', 'data'],
  reused: ['n', 'sample_id', 'epoch', 'log', 'run', 'summary'],
  endings: ['n', 'session', 'data'],
} as const;

export type ShippedTable = keyof typeof SHIPPED_TABLES;
