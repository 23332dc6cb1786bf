import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf, sourceOf } from '../artifacts/artifact-place.ts';
import { mergeVisibly } from '../artifacts/merge-command.ts';
import { defineCommand } from '../command.ts';
import { MERGE_EXITS } from './artifacts-merge.ts';

export const command = defineCommand<CacheFlags>({
  summary: 'Take over artifacts from a folder that was exported',
  description: `Whole generations only, and never over anything: what is here stays.`,
  arguments: [['<dir>', 'a folder that "holdfast artifacts export" made']],
  options: [cacheOption()],
  examples: [['holdfast artifacts import /media/stick/artifacts', 'from a stick']],
  exits: MERGE_EXITS,
  async run({ args, flags, terminal }) {
    const cache = await cacheOf(flags, terminal);
    const { source } = await sourceOf(String(args[0]), { cwd: terminal.cwd, ownDir: cache.dir });
    return mergeVisibly(cache, [source], { flags, terminal });
  },
});
