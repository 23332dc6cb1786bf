import { InvalidArgumentError, Option } from 'commander';
import { type CacheFlags, cacheOption, storeOptions } from '../artifacts/artifact-options.ts';
import { defineCommand } from '../command.ts';
import { EXITS_WHILE_LOADING } from '../exit-code.ts';
import { collect } from '../parse-values.ts';
import { budgetOption, type RunOptionFlags, runOptions } from '../run-options.ts';

export interface BuildFlags extends CacheFlags, RunOptionFlags {
  readonly rebuild?: true | readonly string[];
  readonly budget?: number;
  readonly store?: string | false;
}

const FILE = /\.([cm]?[jt]s|ya?ml)$/;

function parseRebuild(text: string, before: true | readonly string[] = []): true | readonly string[] {
  if (FILE.test(text))
    throw new InvalidArgumentError(
      `${text} is a file, and would be taken for a unit: name it before --rebuild, or name the unit.`,
    );
  return before === true ? true : collect(text, before);
}

export const command = defineCommand<BuildFlags>({
  summary: 'Build what evals require, and run nothing else',
  description: `Builds the artifacts that the samples of these evals require, unless they are in the cache, and asks
nothing of any target. A build that is killed goes on with the answers that it bought, by the same command.
With --rebuild they are built anew, and what is there is superseded: only you can say so, no run does.`,
  arguments: [['<files...>', 'eval files (*.eval.ts, .js, .yaml), folders or patterns']],
  options: [
    cacheOption(),
    ...storeOptions(),
    // One value each: several would swallow the files behind them.
    new Option(
      '--rebuild [unit]',
      'build this one (<kind> or <kind>/<key>), or all, although it is there; repeatable',
    ).argParser(parseRebuild),
    budgetOption(),
    ...runOptions().filter(({ long }) => long !== '--attempts'),
  ],
  examples: [
    ['holdfast artifacts build sql.eval.ts', 'all that the eval requires'],
    ['holdfast artifacts build sql.eval.ts --rebuild knowledge/shop', 'one of them anew'],
  ],
  exits: {
    0: 'everything that the evals require is there',
    1: 'something could not be built',
    2: 'the command line or an eval file is wrong; nothing was built',
    3: 'something is damaged, and was not built over',
    4: 'interrupted (Ctrl-C, the budget); the same command goes on',
    ...EXITS_WHILE_LOADING,
  },
  async run(call) {
    const { buildCommand } = await import('../artifacts/build-command.ts');
    return buildCommand(call);
  },
});
