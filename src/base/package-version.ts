import { createRequire } from 'node:module';

/** The package's own version. `package.json` is two folders up, in a checkout and in what is published. */
export function packageVersion(): string {
  const about: unknown = createRequire(import.meta.url)('../../package.json');
  const version: unknown = typeof about === 'object' && about !== null ? Reflect.get(about, 'version') : null;
  return String(version);
}
