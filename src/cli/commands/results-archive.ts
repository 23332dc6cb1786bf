import { InvalidArgumentError, Option } from 'commander';
import { counted, toJson } from '../../base/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';

interface ArchiveFlags extends ResultsFlags {
  readonly before: string;
  readonly yes?: true;
}

export const command = defineCommand<ArchiveFlags>({
  summary: 'Go on in a new branch without old runs',
  description: `The history of git is never rewritten. This begins a new branch (holdfast/results-2, then -3 …) with the runs of a day and later; the branch that was stays
as it is, with everything. All commands go on in the newest branch by themselves, here and, after a sync, everywhere. Says what it would do; with --yes it does.`,
  options: [
    new Option('--before <day>', 'runs of earlier days are left behind, such as 2026-01-01 (UTC)')
      .argParser(parseDay)
      .makeOptionMandatory(),
    new Option('--yes', 'do it'),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast results archive --before 2026-01-01', 'what would be left behind'],
    ['holdfast results list --branch holdfast/results', 'afterwards: look into the archive'],
  ],
  exits: { 0: 'said, or done', 1: 'git failed', 2: 'there are no results yet' },
  async run({ flags, terminal }) {
    await using results = await resultsOf(flags, terminal);
    const plan = await results.planArchive(flags.before);
    const isDone = flags.yes === true && plan.runs > 0 && (await results.archive(plan));
    if (flags.json) terminal.json(toJson({ ...plan, isDone }));
    else {
      const [archived, next] = [plan.archived, plan.next].map((ref) => ref.replace('refs/heads/', ''));
      const what = `${counted(plan.runs, 'run')} of ${counted(plan.days, 'day')} before ${plan.before}`;
      if (plan.runs === 0) terminal.line('There are no runs before that day.');
      else if (isDone)
        terminal.line(terminal.style.good(`Results go on in ${next}; ${what} are in ${archived} only.`));
      else
        terminal.line(
          terminal.style.warn(
            `Would go on in ${next}, and leave ${what} in ${archived}: say --yes to do it.`,
          ),
        );
    }
    return EXIT.ok;
  },
});

function parseDay(text: string): string {
  if (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw new InvalidArgumentError('Write a day such as 2026-01-01.');
}
