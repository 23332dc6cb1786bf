import {
  type CacheFlags,
  cacheOption,
  type MergeFlags,
  mergeOptions,
} from '../artifacts/artifact-options.ts';
import { cacheOf, sourceOf } from '../artifacts/artifact-place.ts';
import { expectedUnits } from '../artifacts/expected-units.ts';
import { mergeVisibly } from '../artifacts/merge-command.ts';
import { defineCommand } from '../command.ts';

export const MERGE_EXITS = {
  0: 'everything that was seen is here',
  1: 'something is incomplete, missing or failed; the report says what',
  2: 'a source holds no artifacts, or is not named',
  3: 'something is corrupt or conflicting; the others were taken over',
  4: 'interrupted (Ctrl-C); the report says what was not reached, and the same command goes on',
} as const;

export const command = defineCommand<CacheFlags & MergeFlags>({
  summary: 'Take over artifacts from other caches, runs, folders and buckets',
  description: `The union: what is new is copied, every byte of it verified before anything here is touched, and installed whole; what is here stays as it is. The order does not
matter, and merging again changes nothing. Each merge leaves a report in "reports" of the cache; where a run is named (its log, or its folder, with the cache beside it), in its folder as well.
Ctrl-C ends it before the next unit, and the report says what was not reached.`,
  arguments: [['<sources...>', 'caches, exported folders, buckets, logs or folders of runs']],
  options: [cacheOption(), ...mergeOptions()],
  examples: [
    ['holdfast artifacts merge ../other/.holdfast/artifacts', 'another cache of this machine'],
    [
      'holdfast artifacts merge fetched/logs --expect-from fetched/logs/run.eval',
      'what a run of another machine used',
    ],
    ['holdfast artifacts merge s3://team/artifacts --json', 'a bucket, for programs'],
  ],
  exits: MERGE_EXITS,
  async run({ args, flags, terminal }) {
    const words = (args[0] ?? []) as readonly string[];
    const cache = await cacheOf(flags, terminal);
    const from = { cwd: terminal.cwd, ownDir: cache.dir };
    const named = await Promise.all(words.map((word) => sourceOf(word, from)));
    const expected = await expectedUnits(flags, terminal);
    const runDirs = named.flatMap(({ runDir }) => (runDir === undefined ? [] : [runDir]));
    const sources = named.map(({ source }) => source);
    return mergeVisibly(cache, sources, { flags, terminal, expected, runDirs });
  },
});
