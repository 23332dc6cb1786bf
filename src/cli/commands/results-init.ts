import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';

export const command = defineCommand<ResultsFlags>({
  summary: 'Begin to keep results in git',
  description: `Makes the branch in which results are kept: an orphan branch of the repository of this folder, or of another with --repo.
Your files, your index and the branch that is checked out are never touched.`,
  options: resultsOptions(),
  examples: [
    ['holdfast results init', 'in the repository of this folder'],
    ['holdfast results init --repo ../results', 'in another one'],
  ],
  exits: {
    0: 'begun, or there already',
    1: 'git failed',
    2: 'there is no repository, or the branch holds something else',
  },
  async run({ flags, terminal }) {
    await using results = await resultsOf(flags, terminal);
    const isNew = await results.init();
    const branch = results.ref.replace('refs/heads/', '');
    if (flags.json) terminal.json({ repository: results.dir, branch, isNew });
    else
      terminal.line(
        `${isNew ? 'Results are kept' : 'Results are kept already'} in the branch ${branch} of ${results.dir}`,
      );
    return EXIT.ok;
  },
});
