/** The name of an object: 40 hex digits, or 64 in a repository of SHA-256. */
export type ObjectId = string & { readonly __brand: 'ObjectId' };

export function isObjectId(text: string): text is ObjectId {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
