import { Option } from 'commander';
import { type CommonFlags, defineCommand } from '../command.ts';

export interface DemoFlags extends CommonFlags {
  readonly dir?: string;
}

export const command = defineCommand<DemoFlags>({
  summary: 'Run an example eval, kill it halfway, and let it recover',
  description: `Runs 200 samples on a scripted model, offline and for free: starts the run, kills its process with
SIGKILL halfway, starts the same command again, and ends with the account of what was kept.`,
  options: [
    new Option('--dir <dir>', 'where to put the eval and its logs (default: a new temporary folder)'),
  ],
  examples: [
    ['holdfast demo', 'see it'],
    ['holdfast demo --dir demo', 'and keep the eval to play with'],
  ],
  exits: {
    0: 'recovered, nothing was lost',
    1: 'something was lost, or a run failed',
    2: 'the folder is not empty',
  },
  async run(call) {
    const { demoCommand } = await import('../demo/demo-command.ts');
    return demoCommand(call);
  },
});
