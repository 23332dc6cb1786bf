import { posix } from 'node:path';

/** How packages are installed by a lock file, exactly as it says and never otherwise. */
export interface Installer {
  readonly lock: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** In the order in which they count when a folder has several: npm itself takes the first of its two. Evals may use what is only for development. */
const INSTALLERS: readonly Installer[] = [
  { lock: 'npm-shrinkwrap.json', argv: ['npm', 'ci', '--include=dev', '--no-audit', '--no-fund'] },
  { lock: 'package-lock.json', argv: ['npm', 'ci', '--include=dev', '--no-audit', '--no-fund'] },
  { lock: 'pnpm-lock.yaml', argv: ['pnpm', 'install', '--frozen-lockfile', '--prod=false'] },
  { lock: 'yarn.lock', argv: ['yarn', 'install', '--frozen-lockfile', '--production=false'] },
];
/** Yarn 2 and later know their lock file by this, and have other words. Packages lie in a folder, where Node finds them by itself. */
const MODERN_YARN = {
  sign: /^__metadata:/m,
  words: { argv: ['yarn', 'install', '--immutable'], env: { YARN_NODE_LINKER: 'node-modules' } },
};

export function installerFor(lock: string, text: string): Installer | undefined {
  const found = INSTALLERS.find((one) => one.lock === posix.basename(lock));
  if (found?.lock === 'yarn.lock' && MODERN_YARN.sign.test(text)) return { ...found, ...MODERN_YARN.words };
  return found;
}

/** The lock file that decides for a folder: of the nearest folder that has one, down from the root. */
export async function findLock(
  dir: string,
  has: (path: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (let at = dir; ; at = posix.dirname(at) === '.' ? '' : posix.dirname(at)) {
    for (const { lock } of INSTALLERS) if (await has(posix.join(at, lock))) return posix.join(at, lock);
    if (at === '') return undefined;
  }
}
