import { Option } from 'commander';
import {
  type ArtifactCache,
  type Collectable,
  type StoredGeneration,
  unitText,
} from '../../artifacts/index.ts';
import { counted, toJson, UsageError } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { pinnedByRuns, placesOf } from '../../runner/index.ts';
import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf } from '../artifacts/artifact-place.ts';
import { namesGeneration } from '../artifacts/find-units.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { collect, parseDays } from '../parse-values.ts';
import { formatBytes } from '../quantities.ts';
import { logDirOption } from '../run-options.ts';
import { oneLine } from '../table.ts';

interface GcFlags extends CacheFlags {
  readonly olderThan: number;
  readonly keep?: readonly string[];
  readonly logDir: string;
  readonly dryRun?: true;
}

const DAY_MS = 86_400_000;

export const command = defineCommand<GcFlags>({
  summary: 'Remove generations that nobody needs any more',
  description: `Of each unit the current generation of the recipe that it was built by last stays, whatever its age, and so does what is younger than --older-than, named by --keep, or pinned by a run that has not finished. Also sweeps
what dead builds and merges left. What was set aside as damaged stays.`,
  options: [
    new Option('--older-than <days>', 'only generations that are older, such as 30d')
      .argParser(parseDays)
      .default(30 * DAY_MS, '30d'),
    new Option('--keep <generation>', 'the id or digest of one that a run has pinned; repeatable').argParser(
      collect,
    ),
    logDirOption('whose unfinished runs keep what they have pinned'),
    new Option('--dry-run', 'only say what would go'),
    cacheOption(),
  ],
  examples: [
    ['holdfast artifacts gc --dry-run', 'what would go'],
    ['holdfast artifacts gc --older-than 7d', 'let it go'],
  ],
  exits: { 0: 'done, or said', 1: 'the cache cannot be read or changed', 2: 'the command line is wrong' },
  async run({ flags, terminal }) {
    const cache = await cacheOf(flags, terminal);
    const { olderThan: olderThanMs, keep = [], dryRun = false } = flags;
    const { state } = await placesOf(nodeDisk, { logDir: flags.logDir, workDir: terminal.cwd });
    const kept = await digestsNamed(keep, cache);
    const pinned = new Set([...kept, ...(await pinnedByRuns(nodeDisk, state))]);
    const plan = await cache.planCollection({ olderThanMs, pinned });
    const done = dryRun ? { removed: plan, busy: [], sweptTemps: 0 } : await cache.collect(plan);
    if (flags.json) {
      const { removed, busy, sweptTemps } = done;
      terminal.json(toJson({ isDone: !dryRun, removed: removed.map(row), busy: busy.map(row), sweptTemps }));
      return EXIT.ok;
    }
    for (const { stored, why, bytes } of done.removed)
      terminal.line(
        `${oneLine(unitText(stored.manifest))} ${stored.manifest.generation}  ${why}, ${formatBytes(bytes)}`,
      );
    for (const { stored } of done.busy)
      terminal.line(
        terminal.style.warn(
          `${oneLine(unitText(stored.manifest))} ${stored.manifest.generation} stays: somebody works on it`,
        ),
      );
    const all = `${counted(done.removed.length, 'generation')}, ${formatBytes(done.removed.reduce((sum, { bytes }) => sum + bytes, 0))}`;
    terminal.line(dryRun ? `Would remove ${all}.` : terminal.style.good(`Removed ${all}.`));
    if (done.sweptTemps > 0)
      terminal.line(`Swept ${counted(done.sweptTemps, 'leftover')} of builds and merges that died.`);
    return EXIT.ok;
  },
});

/** Whoever names what is not there has mistyped what shall stay. */
async function digestsNamed(words: readonly string[], cache: ArtifactCache): Promise<readonly string[]> {
  const all = (await cache.units()).flatMap(({ generations }) => generations);
  return words.flatMap((word) => digestsOf(word, all, cache.dir));
}

function digestsOf(word: string, all: readonly StoredGeneration[], dir: string): readonly string[] {
  const named = all.filter((generation) => namesGeneration(word, generation));
  if (named.length > 0) return named.map(({ manifest }) => manifest.digest);
  throw new UsageError({
    code: 'E_ARTIFACT_UNKNOWN',
    message: `There is no generation ${JSON.stringify(word)} in ${dir}, so it cannot be kept; nothing was removed.`,
    hint: '"holdfast artifacts show" names generations and digests; the beginning of one is enough.',
  });
}

function row({ stored, why, bytes }: Collectable) {
  const { kind, key, recipe, generation, digest } = stored.manifest;
  return { kind, key, recipe, generation, digest, why, bytes };
}
