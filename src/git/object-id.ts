import { createHash, type Hash } from 'node:crypto';
import { DamageError } from '../base/index.ts';

/** The name of an object: 40 hex digits, or 64 in a repository of SHA-256. */
export type ObjectId = string & { readonly __brand: 'ObjectId' };

export function isObjectId(text: string): text is ObjectId {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}

/** Gives the name of an object once its bytes are put into it. */
export function hashFor(
  id: ObjectId,
  { type, sizeBytes }: { readonly type: string; readonly sizeBytes: number },
): Hash {
  return createHash(id.length === 40 ? 'sha1' : 'sha256').update(`${type} ${sizeBytes}\0`);
}

export function damagedObject(id: ObjectId): DamageError {
  return new DamageError({
    code: 'E_GIT_OBJECT',
    message: `The object ${id} is damaged in the repository.`,
    hint: 'Run "git fsck" there: it says which file is damaged. A clone from a remote that has it brings it back.',
  });
}

export function missingObject(id: ObjectId): DamageError {
  return new DamageError({
    code: 'E_GIT_OBJECT',
    message: `The object ${id} is missing in the repository.`,
    hint: 'Publishing the log again brings it back, or "git fetch --refetch" from a remote that has it.',
  });
}
