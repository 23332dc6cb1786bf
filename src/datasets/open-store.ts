/** From what an eval gives as `data` to a store of rows. */
import { tmpdir } from 'node:os';
import { basename, relative } from 'node:path';
import type { Disk } from '../disk/index.ts';
import { type DataFile, type DataSource, withExtraAsMetadata } from '../evals/index.ts';
import { badFile } from './data-error.ts';
import { formatOf, readTableFields } from './file-formats.ts';
import { filesNamed } from './file-paths.ts';
import { openFileStore } from './file-store.ts';
import { arrayStore, joinedStore, type RowStore } from './row-store.ts';
import { spoolStore } from './spool-store.ts';

export interface OpenStoreInput {
  readonly data: DataSource<unknown, unknown>;
  readonly baseDir: string;
  readonly disk: Disk;
  readonly tempDir?: string;
}

export interface OpenedStore {
  readonly store: RowStore;
  readonly name?: string;
  readonly location?: string;
  /** What messages call the data. */
  readonly label: string;
}

export async function openStore(input: OpenStoreInput): Promise<OpenedStore> {
  const { data, disk, tempDir = tmpdir() } = input;
  if (typeof data === 'string') return openFiles(input, { file: data });
  if (typeof data === 'function') {
    return { store: spoolStore({ source: async () => data(), disk, tempDir }), label: 'The data function' };
  }
  if (Array.isArray(data)) return { store: arrayStore(data), label: 'The data' };
  if (isIterable(data))
    return { store: spoolStore({ source: async () => data, disk, tempDir }), label: 'The data' };
  return openFiles(input, data);
}

async function openFiles({ disk, baseDir }: OpenStoreInput, data: DataFile): Promise<OpenedStore> {
  const given = typeof data.file === 'string' ? [data.file] : data.file;
  const paths = (await Promise.all(given.map((path) => filesNamed(disk, baseDir, path)))).flat();
  const stores: RowStore[] = [];
  try {
    for (const path of paths) stores.push(await openFile({ disk, path, baseDir, fields: data.fields ?? {} }));
  } catch (error) {
    await Promise.all(stores.map((store) => store.close()));
    throw error;
  }
  const [first = ''] = paths;
  return {
    store: joinedStore(stores),
    name: basename(first).replace(/\.[^.]+$/, ''),
    location: paths.length === 1 ? first : given.join(', '),
    label: given.join(', '),
  };
}

interface OpenFileInput {
  readonly disk: Disk;
  readonly path: string;
  readonly baseDir: string;
  readonly fields: NonNullable<DataFile['fields']>;
}

async function openFile({ disk, path, baseDir, fields }: OpenFileInput): Promise<RowStore> {
  const label = labelOf(baseDir, path);
  const isTable = /\.[ct]sv$/i.test(path);
  const hasNames = Object.keys(fields).length > 0;
  const shape = (row: unknown) => {
    const renamed = hasNames ? renameFields(row, fields) : row;
    return withExtraAsMetadata(isTable ? readTableFields(renamed) : renamed);
  };
  if (/\.ya?ml$/i.test(path)) {
    // Loaded when there is something to parse: the parser is large, and few datasets are YAML.
    const { openYamlStore } = await import('./yaml-store.ts');
    return openYamlStore({ disk, path, label, shape });
  }
  const format = formatOf(path);
  if (format !== undefined) return openFileStore({ disk, path, label, format, shape });
  throw badFile(
    label,
    'is not a kind of file that rows are read from',
    'Use .jsonl, .json, .csv, .tsv or .yaml.',
  );
}

/** Gives the columns the names that rows have. What is not mapped keeps its name. */
function renameFields(row: unknown, fields: NonNullable<DataFile['fields']>): unknown {
  if (typeof row !== 'object' || row === null || Array.isArray(row)) return row;
  const entries = new Map<string, unknown>(Object.entries(row));
  const mapped: [string, unknown][] = [];
  for (const [field, column] of Object.entries(fields)) {
    mapped.push([field, entries.get(column)]);
    entries.delete(column);
  }
  return { ...Object.fromEntries(entries), ...Object.fromEntries(mapped) };
}

/** The path as people know it: relative to the eval where it lies below it. */
function labelOf(baseDir: string, path: string): string {
  const near = relative(baseDir, path);
  return near.startsWith('..') ? path : near;
}

function isIterable(data: object): data is Iterable<unknown> | AsyncIterable<unknown> {
  return Symbol.iterator in data || Symbol.asyncIterator in data;
}
