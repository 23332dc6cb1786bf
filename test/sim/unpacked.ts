/** All texts below a folder, however they are packed: whoever looks for what must be nowhere has to see into what is compressed. */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, zstdDecompressSync } from 'node:zlib';
import { memorySource, ZipReader } from '../../src/log/index.ts';

/** What a file holds, or a member of it. `place` is its path from the folder down; behind it stands how it was found in the file. */
export interface Text {
  readonly place: string;
  readonly bytes: Buffer;
}

/** Every file as it is, and all that can be taken out of it. */
export async function textsBelow(root: string): Promise<readonly Text[]> {
  const texts: Text[] = [];
  for (const place of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    const path = join(root, place);
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) continue;
    if (readFileSync(path).subarray(0, 15).toString() === 'SQLite format 3')
      texts.push(...rowsOf(place, path));
    for await (const text of textsIn({ place, bytes: readFileSync(path) })) texts.push(text);
    if (isRepository(path)) texts.push(objectsOf(relative(root, dirname(path)), dirname(path)));
  }
  return texts;
}

const BASE64 = /"([A-Za-z0-9+/]{24,}={0,2})"/g;

async function* textsIn(text: Text): AsyncGenerator<Text> {
  yield text;
  const { place, bytes } = text;
  const begins = bytes.subarray(0, 4).toString('hex');
  if (begins === '28b52ffd') yield* textsIn({ place: `${place} zstd`, bytes: zstdDecompressSync(bytes) });
  if (begins.startsWith('1f8b')) yield* textsIn({ place: `${place} gzip`, bytes: gunzipSync(bytes) });
  if (begins === '504b0304') yield* membersOf(text);
  for (const [, coded = ''] of bytes.toString('latin1').matchAll(BASE64))
    yield { place: `${place} base64`, bytes: Buffer.from(coded, 'base64') };
}

async function* membersOf({ place, bytes }: Text): AsyncGenerator<Text> {
  const zip = await ZipReader.open(memorySource(place, bytes));
  for (const entry of zip.entries.values()) {
    const chunks: Uint8Array[] = [];
    for await (const chunk of zip.readMember(entry)) chunks.push(chunk);
    yield* textsIn({ place: `${place} ${entry.name}`, bytes: Buffer.concat(chunks) });
  }
}

/** A long value lies in pieces in the file of a database. */
function* rowsOf(place: string, path: string): Generator<Text> {
  using database = new DatabaseSync(path, { readOnly: true });
  const tables = database.prepare("select name from sqlite_master where type = 'table'").all();
  for (const { name } of tables)
    for (const row of database.prepare(`select * from "${name}"`).all())
      for (const value of Object.values(row))
        if (typeof value === 'string' || value instanceof Uint8Array)
          yield { place: `${place} ${name}`, bytes: Buffer.from(value as string) };
}

function isRepository(path: string): boolean {
  return path.endsWith('/HEAD') && existsSync(join(dirname(path), 'objects'));
}

/** All that git keeps, also what no branch has. */
function objectsOf(place: string, repository: string): Text {
  const args = ['--git-dir', repository, 'cat-file', '--batch-all-objects', '--batch', '--unordered'];
  return { place: `${place} objects`, bytes: execFileSync('git', args, { maxBuffer: 2 ** 28 }) };
}
