import { Option } from 'commander';
import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf, sourceOf } from '../artifacts/artifact-place.ts';
import { mergeVisibly } from '../artifacts/merge-command.ts';
import { defineCommand } from '../command.ts';

interface MergeFlags extends CacheFlags {
  readonly report?: string;
}

export const MERGE_EXITS = {
  0: 'everything that was seen is here',
  1: 'something is incomplete, missing or failed; the report says what',
  2: 'a source holds no artifacts, or is not named',
  3: 'something is corrupt or conflicting; the others were taken over',
} as const;

export const command = defineCommand<MergeFlags>({
  summary: 'Take over artifacts from other caches, folders and buckets',
  description: `The union: what is new is copied, every byte of it verified before anything here is touched, and installed whole; what is here stays as it is. The order does not
matter, and merging again changes nothing. Each merge leaves a report in "reports" of the cache.`,
  arguments: [['<sources...>', 'caches, exported folders, buckets']],
  options: [cacheOption(), new Option('--report <dir>', 'also write the report to this folder')],
  examples: [
    ['holdfast artifacts merge ../other/.holdfast/artifacts', 'another cache of this machine'],
    ['holdfast artifacts merge s3://team/artifacts --json', 'a bucket, for programs'],
  ],
  exits: MERGE_EXITS,
  async run({ args, flags, terminal }) {
    const words = (args[0] ?? []) as readonly string[];
    const sources = await Promise.all(words.map((word) => sourceOf(word, terminal)));
    return mergeVisibly(await cacheOf(flags, terminal), sources, { flags, terminal });
  },
});
