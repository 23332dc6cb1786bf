import { homedir } from 'node:os';
import process from 'node:process';
import { platformDataDirs } from '../journal/index.ts';
import type { Terminal } from './terminal.ts';

/** Where programs keep the data of this user; the first is where we write. */
export function userDataDirs({ env }: Terminal): readonly string[] {
  return platformDataDirs({
    platform: process.platform,
    home: env.HOME || homedir(),
    ...(env.XDG_DATA_HOME ? { xdgDataHome: env.XDG_DATA_HOME } : {}),
    ...(env.LOCALAPPDATA ? { localAppData: env.LOCALAPPDATA } : {}),
  });
}
