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
    1: 'git failed, or bodies are in a bucket that is not named',
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
    if (damaged > 0) return EXIT.damage;
    return awayIn(verified) > 0 ? EXIT.failed : EXIT.ok;
  },
});

function problemLines({ problems }: VerifiedRun, { style }: Terminal): string[] {
  return problems.map(({ run, document, message }) =>
    style.bad(namedOnce(run, document === undefined ? message : namedOnce(document, message))),
  );
}

function summary(verified: readonly VerifiedRun[], damaged: number, { style }: Terminal): string {
  const sum = (pick: (one: VerifiedRun) => number) => verified.reduce((total, one) => total + pick(one), 0);
  const [leftOut, dropped, away] = [sum((one) => one.leftOut), sum((one) => one.dropped), awayIn(verified)];
  const documents = sum((one) => one.documents) - leftOut - dropped - away;
  const rest = [
    ...(leftOut > 0 ? [`, ${counted(leftOut, 'document')} left out when published`] : []),
    ...(dropped > 0 ? [`, ${counted(dropped, 'document')} dropped by gc`] : []),
    ...(away > 0 ? [`, ${counted(away, 'document')} not looked at: name their bucket with --bucket`] : []),
  ];
  const checked = `${counted(verified.length, 'run')}, ${counted(documents, 'document')} checked${rest.join('')}`;
  if (damaged > 0) return style.bad(`${checked}: ${counted(damaged, 'run')} damaged`);
  return away > 0 ? style.warn(`${checked}: the others are whole`) : style.good(`${checked}: all whole`);
}

function awayIn(verified: readonly VerifiedRun[]): number {
  return verified.reduce((total, one) => total + one.away, 0);
}
