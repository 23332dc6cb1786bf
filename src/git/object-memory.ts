import type { GitObject } from './cat-file.ts';
import type { ObjectId } from './object-id.ts';

const OBJECT_BYTES_MAX = 256 * 2 ** 10;
const MEMORY_BYTES_MAX = 8 * 2 ** 20;
const MEMORY_BYTES_KEPT = 6 * 2 ** 20;

/** The objects that were read last. An object never changes, so what was read once and was whole need not be asked for again. */
export class ObjectMemory {
  readonly #objects = new Map<ObjectId, GitObject>();
  #bytes = 0;

  get(id: ObjectId): GitObject | undefined {
    const found = this.#objects.get(id);
    // A map keeps the order in which it was filled: what is wanted again goes to its end.
    if (found && this.#objects.delete(id)) this.#objects.set(id, found);
    return found;
  }

  put(object: GitObject): void {
    const { length } = object.bytes;
    if (length > OBJECT_BYTES_MAX || this.#objects.has(object.id)) return;
    // A part of a larger buffer would keep all of that, and so would one out of Node's own pool.
    const bytes = Buffer.allocUnsafeSlow(length);
    object.bytes.copy(bytes);
    this.#objects.set(object.id, { ...object, bytes });
    this.#bytes += length;
    if (this.#bytes <= MEMORY_BYTES_MAX) return;
    // Many at once: a map passes over all that was taken from its beginning before it comes to the first that is left.
    for (const [id, { bytes }] of this.#objects) {
      if (this.#bytes <= MEMORY_BYTES_KEPT) return;
      this.#objects.delete(id);
      this.#bytes -= bytes.length;
    }
  }
}
