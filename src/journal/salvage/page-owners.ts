import { cellPointers, headerAt, readVarint, sizeOf } from './cells.ts';
import type { PageImages } from './page-images.ts';

const INTERIOR_TABLE = 0x05;
const PAGES_MAX = 10_000_000;

/**
 * Which table a leaf page belongs to, as far as the way from the table's root can still be followed. Needed only for
 * version 1, whose rows do not tell.
 */
export function ownersOfPages(images: PageImages): ReadonlyMap<number, string> {
  const owners = new Map<number, string>();
  for (const [table, root] of rootsOf(images)) {
    const waiting = [root];
    for (let page = waiting.pop(); page !== undefined && owners.size < PAGES_MAX; page = waiting.pop()) {
      if (owners.has(page)) continue;
      owners.set(page, table);
      waiting.push(...childrenOf(images, page));
    }
  }
  return owners;
}

/** From `sqlite_schema`, on the first page: type, name, table, root page, SQL. */
function rootsOf(images: PageImages): ReadonlyMap<string, number> {
  const roots = new Map<string, number>();
  for (const page of [1, ...childrenOf(images, 1)]) {
    const bytes = images.current(page);
    if (!bytes || bytes[headerAt(page)] === INTERIOR_TABLE) continue;
    for (const at of cellPointers(bytes, page)) {
      // Its first column is a text, so it is read by hand: payload length, row id, header.
      const values = readSchemaRow(bytes, at);
      if (values?.type === 'table') roots.set(values.name, values.root);
    }
  }
  return roots;
}

function childrenOf(images: PageImages, page: number): readonly number[] {
  const bytes = images.current(page);
  const header = headerAt(page);
  if (bytes?.[header] !== INTERIOR_TABLE) return [];
  const children = [bytes.readUInt32BE(header + 8)];
  const count = bytes.readUInt16BE(header + 3);
  for (let index = 0; index < count && header + 14 + 2 * index <= bytes.length; index++) {
    const at = bytes.readUInt16BE(header + 12 + 2 * index);
    if (at + 4 <= bytes.length) children.push(bytes.readUInt32BE(at));
  }
  return children;
}

function readSchemaRow(
  bytes: Buffer,
  at: number,
): { readonly type: string; readonly name: string; readonly root: number } | undefined {
  const payload = readVarint(bytes, at);
  const rowId = payload && readVarint(bytes, payload.next);
  const size = rowId && readVarint(bytes, rowId.next);
  if (!rowId || !size) return undefined;
  const lengths: number[] = [];
  for (let next = size.next; next < rowId.next + size.value; ) {
    const type = readVarint(bytes, next);
    if (!type) return undefined;
    lengths.push(sizeOf(type.value));
    next = type.next;
  }
  const [type = 0, name = 0, table = 0, root = 0] = lengths;
  const start = rowId.next + size.value;
  const rootAt = start + type + name + table;
  if (rootAt + root > bytes.length || root < 1 || root > 4) return undefined;
  return {
    type: bytes.toString('utf8', start, start + type),
    name: bytes.toString('utf8', start + type, start + type + name),
    root: bytes.readUIntBE(rootAt, root),
  };
}
