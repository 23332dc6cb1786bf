import { basename, join } from 'node:path';
import type { Disk } from '../disk/index.ts';
import { bundleErrors } from './bundle-errors.ts';

interface Sign {
  readonly name: RegExp;
  /** What must be in it; without that, the name says enough. */
  readonly text?: RegExp;
  readonly what: string;
}

/** [BUN-6] Files in which secrets are usually kept. Others may hold some, too: nobody can know all of them. */
const SIGNS: readonly Sign[] = [
  {
    name: /^\.env(?!\.(?:example|sample|template|dist)$)(?:\..+)?$/,
    what: 'is a file of secrets by its name',
  },
  { name: /\.(?:p12|pfx)$/i, what: 'is a file of private keys by its name' },
  {
    name: /^id_\w+$|\.(?:pem|key)$/i,
    text: /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
    what: 'holds a private key',
  },
  // A token that is taken from the environment is written `${NAME}`.
  {
    name: /^\.npmrc$/,
    text: /_(?:authToken|auth|password)\s*=\s*[^\s$]/,
    what: 'holds a token of a registry',
  },
];

/** Whether the name alone says so. */
export function isNamedSecret(path: string): boolean {
  return SIGNS.some(({ name, text }) => !text && name.test(basename(path)));
}

const BYTES_MAX = 1 << 20;

export async function refuseSecret(disk: Disk, root: string, path: string): Promise<void> {
  const name = basename(path);
  for (const sign of SIGNS) {
    if (!sign.name.test(name)) continue;
    if (!sign.text || sign.text.test(await beginningOf(disk, join(root, path))))
      throw bundleErrors.secret(path, sign.what);
  }
}

async function beginningOf(disk: Disk, path: string): Promise<string> {
  await using file = await disk.open(path, 'read');
  const bytes = Buffer.alloc(Math.min(await file.sizeBytes(), BYTES_MAX));
  const count = await file.read(bytes, 0);
  return bytes.toString('latin1', 0, count);
}
