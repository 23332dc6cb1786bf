import { counted, toJson } from '../../base/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';

export const command = defineCommand<ResultsFlags>({
  summary: 'Put small packs of the repository together (done by itself)',
  description: `Every publication is a small pack. When there are many, publishing starts this in the background; nobody has to remember it. What is large is not
touched, nothing is pruned, and others may read and publish meanwhile.`,
  options: resultsOptions(),
  examples: [['holdfast results upkeep', 'do it now, if there is something to do']],
  exits: { 0: 'done, or not needed', 1: 'git failed', 2: 'there are no results yet' },
  async run({ flags, terminal }) {
    await using results = await resultsOf(flags, terminal);
    const upkept = await results.keepUp();
    if (flags.json) terminal.json(toJson(upkept));
    else {
      const said = {
        done: 'Done',
        'not needed': 'There is nothing to do',
        busy: 'Another process is doing it',
      };
      terminal.line(`${said[upkept.outcome]}: ${counted(upkept.packs, 'pack')}.`);
    }
    return EXIT.ok;
  },
});
