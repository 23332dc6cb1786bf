import { Option } from 'commander';
import type { CommonFlags } from '../command.ts';
import { collect, parseUnit } from '../parse-values.ts';

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
  return new Option(
    '--store <bucket>',
    'the bucket (s3://…, file://…), or folder, that artifacts are shared by',
  );
}

export interface MergeFlags {
  readonly report?: string;
  readonly expect?: readonly string[];
  readonly expectFrom?: readonly string[];
}

/** For commands that take over what others have. */
export function mergeOptions(): readonly Option[] {
  return [
    new Option(
      '--expect <kind/key>',
      'a unit that must be here in the end, or is missed; repeatable',
    ).argParser((text, before: readonly string[] | undefined) => collect(parseUnit(text), before)),
    new Option(
      '--expect-from <log>',
      'the generations that a finished log names as used must be here in the end; repeatable',
    ).argParser(collect),
    new Option('--report <dir>', 'also write the report to this folder'),
  ];
}

/** For commands that do without one as well. */
export function storeOptions(): readonly Option[] {
  return [storeOption(), new Option('--no-store', 'neither take artifacts from the store nor send any')];
}
