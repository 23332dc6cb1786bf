import { fileURLToPath } from 'node:url';

/**
 * Where a page of our own documentation lies on this machine: it comes with the package. `docs` is two folders up, in a
 * checkout and in what is published.
 */
export function packagePage(page: string): string {
  return fileURLToPath(new URL(`../../docs/${page}`, import.meta.url));
}
