import { bucketSource } from '../../artifacts/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import {
  cacheOption,
  type MergeFlags,
  mergeOptions,
  type StoreFlags,
  storeOption,
} from '../artifacts/artifact-options.ts';
import { cacheOf, storeOf } from '../artifacts/artifact-place.ts';
import { expectedUnits } from '../artifacts/expected-units.ts';
import { mergeVisibly } from '../artifacts/merge-command.ts';
import { defineCommand } from '../command.ts';
import { MERGE_EXITS } from './artifacts-merge.ts';

export const command = defineCommand<StoreFlags & MergeFlags>({
  summary: 'Fetch artifacts that others pushed to a bucket',
  description: `A merge of the bucket into the cache: every byte is verified, and what is here stays as it is. A whole copy of what was damaged here takes its place again.
Ctrl-C ends it before the next unit, and the report says what was not reached.`,
  options: [storeOption(), cacheOption(), ...mergeOptions()],
  examples: [['holdfast artifacts pull --store s3://team/artifacts', 'everything that is new']],
  exits: { ...MERGE_EXITS, 2: 'no bucket is named' },
  async run({ flags, terminal }) {
    const bucket = await storeOf(flags, terminal);
    const source = bucketSource({ disk: nodeDisk, bucket });
    const expected = await expectedUnits(flags, terminal);
    return mergeVisibly(await cacheOf(flags, terminal), [source], { flags, terminal, expected });
  },
});
