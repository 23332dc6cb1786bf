/** Projects to make bundles of: real repositories, and a package that needs no network. */
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { type Bundle, type BundleSettings, deriveBundle } from '../../src/bundle/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { GIT_ENV, git, initRepository } from './results-repo.ts';

export const BUNDLE_PORTS = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };

export function writeFiles(dir: string, files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
}

/** A repository with one commit: code, a program, a link, and what git ignores. */
export function makeProject(dir: string, more: Readonly<Record<string, string>> = {}): string {
  initRepository(dir);
  writeFiles(dir, {
    '.gitignore': 'ignored/\nnode_modules/\n',
    'evals/sums.eval.ts': 'export default 1;\n',
    'evals/run.sh': '#!/bin/sh\necho ran\n',
    'lib/add.ts': 'export const add = 1;\n',
    'ignored/cache.bin': 'cached',
    ...more,
  });
  chmodSync(join(dir, 'evals/run.sh'), 0o755);
  symlinkSync('../lib/add.ts', join(dir, 'evals/link.ts'));
  commitAll(dir);
  return dir;
}

/** A package whose only dependency is a folder of its own. */
export const PACKAGE_FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    name: 'project',
    version: '1.0.0',
    devDependencies: { sums: 'file:packages/sums' },
  }),
  'package-lock.json': JSON.stringify({
    name: 'project',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'project', version: '1.0.0', devDependencies: { sums: 'file:packages/sums' } },
      'node_modules/sums': { resolved: 'packages/sums', link: true, dev: true },
      'packages/sums': { version: '1.0.0', dev: true },
    },
  }),
  'packages/sums/package.json': JSON.stringify({ name: 'sums', version: '1.0.0', main: 'index.js' }),
  'packages/sums/index.js': 'module.exports = 42;\n',
};

export function commitAll(dir: string): void {
  git(dir, 'add', '--all');
  git(dir, '-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--message', 'more');
}

export function bundleOf(dir: string, settings: BundleSettings = {}): Promise<Bundle> {
  return deriveBundle({ ...BUNDLE_PORTS, dir, settings });
}

export async function digestOfBundle(dir: string, settings: BundleSettings = {}): Promise<string> {
  return (await bundleOf(dir, settings)).digest;
}
