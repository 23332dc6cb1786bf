export const BRANCH = 'holdfast/results';

/** `https://…`, `file://…`, or `host:path` as git writes it; one letter before the colon is a drive. */
export function isRemote(repo: string): boolean {
  return /^[a-z][a-z0-9+.-]+:\/\//i.test(repo) || /^[^/\\:]{2,}:/.test(repo);
}
