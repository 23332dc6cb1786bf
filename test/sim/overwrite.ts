import { rmSync, writeFileSync } from 'node:fs';

/** Puts something else in the place of a file that may not be written, as an editor does. */
export function overwrite(path: string, content: string): void {
  rmSync(path, { force: true });
  writeFileSync(path, content);
}
