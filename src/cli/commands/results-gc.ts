import { InvalidArgumentError, Option } from 'commander';
import { definedOf, systemClock, toJson, UsageError } from '../../base/index.ts';
import { type CollectPlan, collectBodies, planCollectionOf } from '../../results/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { collect } from '../parse-values.ts';
import { formatBytes } from '../quantities.ts';
import { parseSince } from '../results/parse-since.ts';
import { type ResultsFlags, resultsOf, resultsOptions } from '../results/results-place.ts';
import type { Terminal } from '../terminal.ts';

interface GcFlags extends ResultsFlags {
  readonly before?: number;
  readonly tag?: readonly string[];
  readonly keepTag?: readonly string[];
  readonly keepSize?: number;
  readonly yes?: true;
}

export const command = defineCommand<GcFlags>({
  summary: 'Drop bodies of old runs from the bucket',
  description: `Says what it would drop; with --yes it does. Only bodies in the bucket go: rows, headers, summaries and whatever is in git stay, and so does every
body that a kept run has, too, or that is younger than a week.`,
  options: [
    new Option('--before <time>', 'only of runs that began before: 2026-11-01, or 90d').argParser(parseSince),
    new Option('--tag <tag>', 'only of runs with this tag; repeatable').argParser(collect),
    new Option('--keep-tag <tag>', 'never of runs with this tag; repeatable').argParser(collect),
    new Option('--keep-size <size>', 'keep the newest runs up to this size, such as 50GB').argParser(
      parseSize,
    ),
    new Option('--yes', 'do it'),
    ...resultsOptions(),
  ],
  examples: [
    ['holdfast results gc --before 90d --keep-tag baseline', 'what could go'],
    ['holdfast results gc --before 90d --keep-tag baseline --yes', 'let it go'],
  ],
  exits: { 0: 'said, or done', 1: 'git or the bucket failed', 2: 'no rule was named, or no bucket' },
  async run({ flags, terminal }) {
    const { before, tag = [], keepTag = [], keepSize, yes = false } = flags;
    if (before === undefined && tag.length === 0 && keepSize === undefined) throw noRule();
    await using results = await resultsOf(flags, terminal);
    const plan = await planCollectionOf(
      results,
      {
        keepTags: keepTag,
        onlyTags: tag,
        ...definedOf({ beforeMs: before, keepBytes: keepSize }),
      },
      systemClock.nowMs(),
    );
    if (yes) await collectBodies(results, plan);
    if (flags.json) terminal.json(toJson({ ...plan, isDone: yes }));
    else for (const line of report(plan, yes, terminal)) terminal.line(line);
    return EXIT.ok;
  },
});

function report(
  { runs, orphans, keys, sizeBytes, held }: CollectPlan,
  isDone: boolean,
  { style }: Terminal,
): string[] {
  const young =
    held > 0 ? [`${bodiesText(held)} younger than a week held: others may be publishing them.`] : [];
  if (keys.length === 0) return ['There is nothing to drop.', ...young];
  const lines = runs.map(
    ({ run, bodies, sizeBytes: size }) => `${run}  ${bodiesText(bodies)}, ${formatBytes(size)}`,
  );
  if (orphans > 0) lines.push(`${bodiesText(orphans)} that no run points to`);
  const all = `${bodiesText(keys.length)}, ${formatBytes(sizeBytes)}`;
  lines.push(...young);
  lines.push(isDone ? style.good(`Dropped ${all}.`) : style.warn(`Would drop ${all}: say --yes to do it.`));
  return lines;
}

function bodiesText(count: number): string {
  return `${count} ${count === 1 ? 'body' : 'bodies'}`;
}

const UNITS: Readonly<Record<string, number>> = { '': 1, K: 1e3, M: 1e6, G: 1e9, T: 1e12 };

function parseSize(text: string): number {
  const [, digits, unit = ''] = /^(\d+(?:\.\d+)?)\s*([KMGT]?)B?$/i.exec(text) ?? [];
  if (digits === undefined) throw new InvalidArgumentError('Write a size such as 500MB or 50GB.');
  return Number(digits) * (UNITS[unit.toUpperCase()] ?? 1);
}

function noRule(): UsageError {
  return new UsageError({
    code: 'E_GC_RULE',
    message: 'It was not said which bodies may go.',
    hint: 'Name --before, --tag or --keep-size.',
  });
}
