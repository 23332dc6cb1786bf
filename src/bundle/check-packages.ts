import { tmpdir } from 'node:os';
import { basename, dirname, join, posix } from 'node:path';
import { ActionableError } from '../base/index.ts';
import { createFile, tempPathFor } from '../disk/index.ts';
import { type Bundle, type BundlePlace, type BundlePorts, manifestKey } from './bundle.ts';
import { bundleErrors } from './bundle-errors.ts';
import { runInstaller } from './install-packages.ts';
import { contentsOf } from './manifest.ts';
import { installerFor } from './packages.ts';

/** What npm looks at before it installs anything: the packages of the project and of its workspaces, what they lead to, and its settings. */
const LOOKED_AT = /^(package\.json|package-lock\.json|npm-shrinkwrap\.json|\.npmrc|.*\.tgz)$/;
/** A lock file that does not fit its package, and a package that is not among the files. Whatever else goes wrong here may go well there. */
const HOPELESS = /^code (EUSAGE|ENOENT)\b/;

/**
 * Refuses a bundle whose packages no worker could install: npm is asked, in a folder with nothing but what it looks at, and installs nothing.
 * One that is in the bucket was asked about before.
 */
export async function refuseUninstallable(
  bundle: Bundle,
  { place, ports }: { readonly place: BundlePlace; readonly ports: BundlePorts },
): Promise<void> {
  const { lock } = bundle.manifest;
  const installer = lock === null ? undefined : installerFor(lock, '');
  if (lock === null || installer?.argv[0] !== 'npm') return;
  const isPackage = bundle.manifest.files.some(
    ({ path }) => path === posix.join(posix.dirname(lock), 'package.json'),
  );
  if (!isPackage) return;
  if (await place.bucket.stat(manifestKey(place, bundle.digest), ports.signal)) return;
  const dir = tempPathFor(join(tmpdir(), 'holdfast-packages'));
  try {
    await copyLookedAt(bundle, { dir, ports });
    // Those of the project itself would be run all the same, without its code.
    const asked = {
      lock,
      argv: [...installer.argv, '--dry-run'],
      env: { npm_config_ignore_scripts: 'true' },
    };
    const cwd = dirname(join(dir, lock));
    const { exitCode, reason } = await runInstaller(asked, { ports, cwd }).catch(passOver);
    if (exitCode !== 0 && HOPELESS.test(reason)) throw bundleErrors.lock(lock, reason);
  } finally {
    await ports.disk.removeTree(dir);
  }
}

/** A worker may have the npm that is not here. */
function passOver(error: unknown): { readonly exitCode: number; readonly reason: string } {
  if (error instanceof ActionableError && error.code === 'E_BUNDLE_PACKAGES')
    return { exitCode: 0, reason: '' };
  throw error;
}

async function copyLookedAt(
  bundle: Bundle,
  { dir, ports: { disk } }: { readonly dir: string; readonly ports: BundlePorts },
): Promise<void> {
  for (const { path } of contentsOf(bundle.manifest)) {
    if (!LOOKED_AT.test(basename(path))) continue;
    const to = join(dir, path);
    await disk.makeDir(dirname(to), { isSynced: false });
    await createFile(disk, to, (await disk.read(bundle.filesFrom(path))) ?? new Uint8Array());
  }
}
