import { ActionableError } from '../base/index.ts';
import { type BundlePorts, nodeMajorHere } from './bundle.ts';
import { bundleErrors, type Difference } from './bundle-errors.ts';
import type { BundleManifest } from './manifest.ts';
import { versionOf } from './programs.ts';

/** What tells a worker which image it runs in: nobody can see that from inside. */
export const IMAGE_VARIABLE = 'HOLDFAST_IMAGE';

/** [BUN-9] A worker that differs in what the bundle names does not run it: all that differs is said at once. */
export async function refuseOtherMachine(
  digest: string,
  { node, image, programs }: BundleManifest,
  about: { readonly ports: BundlePorts; readonly dir: string },
): Promise<void> {
  const { ports } = about;
  const found: (Difference | undefined)[] = [
    difference('Node', String(ports.nodeMajor ?? nodeMajorHere()), String(node)),
    image === null
      ? undefined
      : difference(
          'the image',
          ports.env[IMAGE_VARIABLE] || `not named (${IMAGE_VARIABLE} is not set)`,
          image,
        ),
  ];
  for (const { name, command, version } of programs)
    found.push(difference(name, await versionHere(name, command, about), version));
  const differences = found.filter((one) => one !== undefined);
  if (differences.length > 0) throw bundleErrors.differs(digest, differences);
}

function difference(what: string, here: string, there: string): Difference | undefined {
  return here === there ? undefined : { what, here, there };
}

/** One that cannot be asked differs, and is told beside the others. */
async function versionHere(
  name: string,
  command: readonly string[],
  about: { readonly ports: BundlePorts; readonly dir: string },
): Promise<string> {
  try {
    return await versionOf(name, command, about);
  } catch (error) {
    if (error instanceof ActionableError && error.code === 'E_BUNDLE_PROGRAM') return 'not to be found';
    throw error;
  }
}
