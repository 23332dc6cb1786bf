import type { Git } from './git.ts';
import type { ObjectId } from './object-id.ts';

/** A file that is another in one tree than in another, or in one of them only. */
export interface ChangedFile {
  readonly path: string;
  /** What it is now; undefined when it is gone. */
  readonly id: ObjectId | undefined;
}

/** The tree that nothing is in, by the length of ids. */
const NO_TREE = {
  40: '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  64: '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321',
} as const;

/** What came, went or changed between two commits, or since nothing at all. What is the same in both is not even looked into. */
export async function changedFiles(
  git: Git,
  {
    from,
    to,
    glob = '**',
  }: { readonly from: ObjectId | undefined; readonly to: ObjectId; readonly glob?: string },
): Promise<readonly ChangedFile[]> {
  const before = from ?? NO_TREE[to.length === 64 ? 64 : 40];
  const args = ['diff-tree', '-r', '-z', '--no-renames', before, to, '--', `:(glob)${glob}`];
  const parts = (await git.run(args)).stdout.toString('utf8').split('\0');
  const found: ChangedFile[] = [];
  // `:<mode> <mode> <id before> <id now> <A, M, T or D>\0<path>\0`
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [, id, status] = /^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) ([A-Z])/.exec(parts[at] ?? '') ?? [];
    if (id === undefined) continue;
    found.push({ path: parts[at + 1] ?? '', id: status === 'D' ? undefined : (id as ObjectId) });
  }
  return found;
}
