import { Option } from 'commander';
import type { CommonFlags } from '../command.ts';

// Apart from what opens caches and stores: whoever only asks for help need not load that.
export interface CacheFlags extends CommonFlags {
  readonly cache?: string;
}

export function cacheOption(): Option {
  return new Option('--cache <dir>', 'the folder of the warm cache (default: that of the repository)');
}

export interface StoreFlags extends CacheFlags {
  readonly store?: string;
}

export function storeOption(): Option {
  return new Option('--store <bucket>', 'the bucket, or folder, that artifacts are shared by');
}

/** For commands that do without one as well. */
export function storeOptions(): readonly Option[] {
  return [storeOption(), new Option('--no-store', 'neither take artifacts from the store nor send any')];
}
