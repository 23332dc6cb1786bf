import { tmpdir } from 'node:os';
import { Option } from 'commander';
import { systemClock, systemRandom, toJson, UsageError } from '../../base/index.ts';
import { type CollectedBundles, collectSentBundles } from '../../bundle/index.ts';
import {
  activeRuns,
  bucketNowMs,
  type Collectable,
  collectRuns,
  collectWorkers,
  leftBySubmit,
  neededBundles,
  type SharedPlace,
} from '../../cluster/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { hasLaunched } from '../../launch/index.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { parseDays } from '../parse-values.ts';
import { counted, formatBytes } from '../quantities.ts';
import { type BucketFlags, bucketOption } from '../shared/shared-options.ts';
import { openShared } from '../shared/shared-place.ts';
import { UNTOLD } from '../shared/wait-exits.ts';
import type { Style } from '../style.ts';
import { oneLine } from '../table.ts';

interface GcFlags extends BucketFlags {
  readonly olderThan: number;
  readonly dryRun?: true;
}

export const command = defineCommand<GcFlags>({
  summary: 'Remove shared runs from the bucket that are home, whole and merged',
  description: `Removes the segments, leases and evidence of runs that are complete without a failure, were fetched with all their artifacts, and that longer ago than
--older-than. What is not fetched, can be resumed, or is not merged stays, and it is said why. Bundles that no run names any more go as well, unless somebody submits at this
very moment, and signs of life of workers that are a day old. Artifacts are left alone.`,
  options: [
    bucketOption(),
    new Option('--older-than <days>', 'how long ago it was fetched, such as 7d')
      .argParser(parseDays)
      .default(30 * 86_400_000, '30d'),
    new Option('--dry-run', 'say what would be removed, and remove nothing'),
  ],
  examples: [['holdfast runs gc --older-than 7d --dry-run', 'what would go']],
  exits: {
    0: 'what could go is gone',
    2: 'no bucket is named, or it cannot be written',
    3: 'something stored is damaged: that run stays, and the others were looked at',
    ...UNTOLD,
  },
  isOfShared: true,
  async run({ flags, terminal }) {
    const place = await openShared(flags, terminal);
    const nowMs = await writableNowMs(place);
    const { olderThan: olderThanMs, dryRun: isDryRun = false } = flags;
    const reasonOf = async (run: string) =>
      (await hasLaunched(place, run))
        ? `workers were launched for it: holdfast launch stop ${run}`
        : undefined;
    const leftBy = (run: string) => leftBySubmit(place, { run, nowMs, disk: nodeDisk, scratchDir: tmpdir() });
    const found = await collectRuns(place, {
      clock: systemClock,
      olderThanMs,
      nowMs,
      isDryRun,
      leftBy,
      reasonOf,
    });
    const goneSoon = new Set(found.flatMap(({ run, isRemoved }) => (isRemoved ? run : [])));
    const damaged = new Set(found.flatMap(({ run, isDamaged }) => (isDamaged ? run : [])));
    const bundles = await collectSentBundles(place, {
      ...{ clock: systemClock, random: systemRandom, nowMs, isDryRun },
      needed: () => neededBundles(place, { goneSoon, damaged }),
    });
    const workers = await collectWorkers(place, { nowMs, isDryRun });
    const exitCode = found.some(({ isDamaged }) => isDamaged) ? EXIT.damage : EXIT.ok;
    if (flags.json)
      terminal.json({
        ...{ exitCode, isDryRun, runs: toJson(found), bundles: toJson(bundles) },
        workers: [...workers],
      });
    else
      for (const line of linesOf({ found, bundles, workers, isDryRun }, terminal.style)) terminal.line(line);
    return exitCode;
  },
});

/** What time it is in a bucket that can be written. */
async function writableNowMs(place: SharedPlace): Promise<number> {
  const nowMs = await bucketNowMs(place, { random: systemRandom });
  if (nowMs !== undefined) return nowMs;
  // One that cannot even be read says so itself.
  await activeRuns(place);
  throw new UsageError({
    code: 'E_SHARED_BUCKET',
    message: `Nothing can be written to ${place.bucket.url}, so nothing can be removed there.`,
    hint: 'Use credentials that may write.',
  });
}

interface Collected {
  readonly found: readonly Collectable[];
  readonly bundles: CollectedBundles;
  readonly workers: readonly string[];
  readonly isDryRun: boolean;
}

function linesOf({ found, bundles, workers, isDryRun }: Collected, { warn, bad }: Style): string[] {
  const word = isDryRun ? 'would go' : 'removed ';
  const removed = found.filter(({ isRemoved }) => isRemoved).length;
  const lines = found.map(
    ({ run, isRemoved, reason, isDamaged }) =>
      `${isRemoved ? warn(word) : 'kept    '}  ${run}  ${isDamaged ? bad(oneLine(reason)) : reason}`,
  );
  const total = `${counted(removed, 'run')} ${isDryRun ? 'would be ' : ''}removed, ${found.length - removed} kept`;
  const long = `${word}  the signs of life of ${counted(workers.length, 'worker')} long gone`;
  return [...lines, total, ...bundleLines(bundles, warn(word)), ...(workers.length > 0 ? [long] : [])];
}

function bundleLines({ kept, removed, strays }: CollectedBundles, word: string): string[] {
  const lines = removed.map(
    ({ digest, bytes }) =>
      `${word}  the bundle ${digest.slice(0, 12)} (${formatBytes(bytes)}): no run names it`,
  );
  if (strays.files > 0)
    lines.push(`${word}  ${counted(strays.files, 'file')} of no bundle (${formatBytes(strays.bytes)})`);
  return kept === undefined ? lines : [...lines, `kept      bundles: ${kept}`];
}
