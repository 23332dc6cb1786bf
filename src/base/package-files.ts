import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// By the package's own name, since how deep this module lies differs between a checkout and what is published.
const require = createRequire(import.meta.url);
const ABOUT = 'holdfast/package.json';

/** Where a file of this package lies on this machine. */
export function packageFile(path: string): string {
  return join(dirname(require.resolve(ABOUT)), path);
}

/** Where a page of our own documentation lies on this machine: it comes with the package. */
export function packagePage(page: string): string {
  return packageFile(`docs/${page}`);
}

/** The package's own version. */
export function packageVersion(): string {
  const about: unknown = require(ABOUT);
  const version: unknown = typeof about === 'object' && about !== null ? Reflect.get(about, 'version') : null;
  return String(version);
}

/** The folder of the code that is running, and what others import of it: TypeScript in a checkout, JavaScript in what is published. */
export function packageCode(): { readonly dir: string; readonly index: string } {
  const isSource = fileURLToPath(import.meta.url).endsWith('.ts');
  const dir = packageFile(isSource ? 'src' : 'dist');
  return { dir, index: join(dir, isSource ? 'index.ts' : 'index.js') };
}
