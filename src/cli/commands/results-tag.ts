import { Option } from 'commander';
import { toJson, UsageError } from '../../base/index.ts';
import { checkTag, tagRun, untagRun } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { collect } from '../parse-values.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';

interface TagFlags extends ResultsFlags {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
}

export const command = defineCommand<TagFlags>({
  summary: 'Tag published runs, or take tags away',
  description: `Tags are kept beside a run, never in it, with who gave them and when. They travel with "holdfast results sync", and tags of several people
are united.`,
  arguments: [['<runs...>', 'ids of runs, or beginnings of them']],
  options: [
    new Option('-a, --add <tag>', 'a tag to give; repeatable').argParser(collect),
    new Option(
      '-r, --remove <tag>',
      'a tag to take away, also one that the log itself has; repeatable',
    ).argParser(collect),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast results tag KvkpiQSMQs --add baseline', 'give a tag'],
    ['holdfast results tag KvkpiQSMQs -r baseline -a old', 'one for another'],
  ],
  exits: { 0: 'said', 1: 'git failed', 2: 'there is no such run, or no tag was named' },
  async run({ args, flags, terminal }) {
    const { add = [], remove = [] } = flags;
    if (add.length + remove.length === 0) throw noTag();
    for (const tag of [...add, ...remove]) checkTag(tag);
    await using results = await resultsOf(flags, terminal);
    const runs = await results.idsOf(args[0] as readonly string[]);
    if (remove.length > 0) await untagRun(results, runs, remove);
    if (add.length > 0) await tagRun(results, runs, add);
    const said = [];
    for (const run of runs) said.push({ run, tags: (await results.find(run)).marks.tags });
    if (flags.json) terminal.json(toJson({ runs: said }));
    else
      for (const { run, tags } of said)
        terminal.line(`${run}  ${tags.length > 0 ? tags.join(', ') : 'no tags'}`);
    return EXIT.ok;
  },
});

function noTag(): UsageError {
  return new UsageError({
    code: 'E_TAG',
    message: 'No tag was named.',
    hint: 'Give one with --add, or take one away with --remove.',
  });
}
