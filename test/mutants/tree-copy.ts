import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A copy of the tree in which faults may be put, for as long as its scope lasts. */
export interface TreeCopy extends Disposable {
  readonly path: string;
}

/** Copies what git knows or would take, so that work that is not committed yet is tried as well. */
export function copyTree(root: string): TreeCopy {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'holdfast-mutants-')));
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  for (const name of listed.split('\0')) {
    // A file that is deleted but not committed is still listed.
    if (name === '' || !existsSync(join(root, name))) continue;
    mkdirSync(dirname(join(path, name)), { recursive: true });
    copyFileSync(join(root, name), join(path, name));
  }
  symlinkSync(realpathSync(join(root, 'node_modules')), join(path, 'node_modules'));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}
