import type { Git } from './git.ts';
import { gitFailure } from './git-errors.ts';
import { damagedObject, hashFor, type ObjectId } from './object-id.ts';

/** A blob of any size as it comes, never held whole. Who reads to the end has read what the name says; else it throws there. */
export async function* streamBlob(git: Git, id: ObjectId): AsyncGenerator<Uint8Array> {
  const args = ['cat-file', '--batch'];
  await using process = await git.start(args, { stdin: Buffer.from(`${id}\n`, 'utf8') });
  let head: Buffer = Buffer.alloc(0);
  let [left, hash] = [-1, undefined as ReturnType<typeof hashFor> | undefined];
  for await (const chunk of process.stdout) {
    let bytes = chunk;
    if (!hash) {
      head = Buffer.concat([head, chunk]);
      const end = head.indexOf(0x0a);
      if (end < 0) continue;
      const [, type, size] = head.toString('utf8', 0, end).split(' ');
      if (type === undefined || size === undefined) break;
      left = Number(size);
      hash = hashFor(id, { type, sizeBytes: left });
      bytes = head.subarray(end + 1);
    }
    const part = bytes.subarray(0, left);
    left -= part.length;
    hash.update(part);
    if (part.length > 0) yield part;
  }
  const { exitCode, stderr } = await process.end;
  if (exitCode !== 0) throw gitFailure({ exitCode: exitCode ?? -1, stderr, args, dir: git.dir });
  if (hash?.digest('hex') !== id) throw damagedObject(id);
}
