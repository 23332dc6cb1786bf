import { counted, namedOnce, toJson } from '../../base/index.ts';
import type { VerifiedRun } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<ResultsFlags>({
  summary: 'Check published runs against their digests',
  description: `Reads every document of every revision: objects of git, pointers, bodies in the bucket and notes, and lists all damage. What was left out when it was published, or dropped by
"holdfast results gc", is counted and no damage. Changes nothing.`,
  arguments: [['[runs...]', 'ids of runs, or beginnings of them (default: all)']],
  options: resultsOptions(),
  examples: [
    ['holdfast results verify', 'everything'],
    ['holdfast results verify KvkpiQSMQs', 'one run'],
  ],
  exits: {
    0: 'everything is whole',
    1: 'git failed',
    2: 'there is no such run',
    3: 'damage was found and is listed',
  },
  async run({ args, flags, terminal }) {
    await using results = await resultsOf(flags, terminal);
    const given = (args[0] ?? []) as readonly string[];
    const runs = given.length > 0 ? await results.idsOf(given) : await results.allRuns();
    const verified: VerifiedRun[] = [];
    for (const [at, run] of runs.entries()) {
      const one = await results.verify(run);
      if (one) verified.push(one);
      if (!flags.json && one) for (const line of problemLines(one, terminal)) terminal.line(line);
      if (terminal.isLive && at % 100 === 99) terminal.note(`${at + 1} of ${runs.length} runs checked`);
    }
    const damaged = verified.filter(({ problems }) => problems.length > 0).length;
    if (flags.json) terminal.json(toJson({ isWhole: damaged === 0, runs: verified }));
    else terminal.line(summary(verified, damaged, terminal));
    return damaged > 0 ? EXIT.damage : EXIT.ok;
  },
});

function problemLines({ problems }: VerifiedRun, { style }: Terminal): string[] {
  return problems.map(({ run, document, message }) =>
    style.bad(namedOnce(run, document === undefined ? message : namedOnce(document, message))),
  );
}

function summary(verified: readonly VerifiedRun[], damaged: number, { style }: Terminal): string {
  const documents = verified.reduce((sum, one) => sum + one.documents, 0);
  const leftOut = verified.reduce((sum, one) => sum + one.leftOut, 0);
  const dropped = verified.reduce((sum, one) => sum + one.dropped, 0);
  const checked = `${counted(verified.length, 'run')}, ${counted(documents - leftOut - dropped, 'document')} checked`;
  const left = leftOut > 0 ? `, ${counted(leftOut, 'document')} left out when published` : '';
  const rest = `${left}${dropped > 0 ? `, ${counted(dropped, 'document')} dropped by gc` : ''}`;
  return damaged > 0
    ? style.bad(`${checked}${rest}: ${counted(damaged, 'run')} damaged`)
    : style.good(`${checked}${rest}: all whole`);
}
