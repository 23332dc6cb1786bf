import process from 'node:process';
import { startBackground } from '../../process/index.ts';
import type { Terminal } from '../terminal.ts';

/** What opens an address on each system. */
const OPENERS: Readonly<Partial<Record<NodeJS.Platform, readonly string[]>>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
};

/** The address is printed anyway: that no browser could be opened is told, and nothing more. */
export async function openInBrowser(url: string, { env, cwd, note }: Terminal): Promise<void> {
  const opener = OPENERS[process.platform] ?? ['xdg-open'];
  if (!(await startBackground({ argv: [...opener, url], cwd, env })))
    note(`No browser could be opened with ${opener[0]}. Open the address above.`);
}
