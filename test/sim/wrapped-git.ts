/** A `git` on the PATH that does something of a test's own before it becomes the real one. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

const REAL = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();

export interface WrappedGit {
  /** For the environment of whoever shall meet it. */
  readonly env: { readonly PATH: string };
  /** What it was asked, a line each. */
  calls(): string[];
}

/** `script` is shell: `$REAL` is the real git, `$*` its words. It ends with the real one unless it leaves. */
export function wrapGit(dir: string, script = ''): WrappedGit {
  mkdirSync(dir, { recursive: true });
  const calls = join(dir, 'calls');
  const lines = ['#!/bin/sh', `REAL='${REAL}'`, `echo "$*" >> '${calls}'`, script, 'exec "$REAL" "$@"', ''];
  writeFileSync(join(dir, 'git'), lines.join('\n'));
  chmodSync(join(dir, 'git'), 0o755);
  return {
    env: { PATH: `${dir}:${process.env.PATH ?? ''}` },
    calls: () => (existsSync(calls) ? readFileSync(calls, 'utf8').trimEnd().split('\n') : []),
  };
}
