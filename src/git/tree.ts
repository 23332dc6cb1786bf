import { damagedObject, isObjectId, type ObjectId } from './object-id.ts';

export interface TreeEntry {
  readonly name: string;
  readonly kind: 'tree' | 'blob' | 'other';
  readonly id: ObjectId;
}

/** The tree of a commit, which its first line names. */
export function treeOfCommit({ id, bytes }: { readonly id: ObjectId; readonly bytes: Buffer }): ObjectId {
  const tree = bytes.toString('latin1', 'tree '.length, bytes.indexOf('\n'));
  if (!isObjectId(tree)) throw damagedObject(id);
  return tree;
}

/** When a commit was made, as it says itself; undefined when it does not. */
export function timeOfCommit({ bytes }: { readonly bytes: Buffer }): number | undefined {
  const head = bytes.toString('latin1', 0, Math.max(0, bytes.indexOf('\n\n')));
  const seconds = /^committer .* (\d{1,11}) [+-]\d{4}$/m.exec(head)?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

/** The entries of a tree object as it is stored: `<mode> <name>\0<id>`, one after the other, in git's order. */
export function parseTree(bytes: Buffer, about: { readonly id: ObjectId }): readonly TreeEntry[] {
  const idBytes = about.id.length / 2;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const end = bytes.indexOf(0, space + 1);
    if (space < 0 || end < 0 || end + 1 + idBytes > bytes.length) throw damagedObject(about.id);
    const mode = bytes.toString('latin1', at, space);
    entries.push({
      name: bytes.toString('utf8', space + 1, end),
      kind: mode === '40000' ? 'tree' : mode.startsWith('100') ? 'blob' : 'other',
      id: bytes.toString('hex', end + 1, end + 1 + idBytes) as ObjectId,
    });
    at = end + 1 + idBytes;
  }
  return entries;
}
