import { Option } from 'commander';
import { type PushEntry, pushGenerations, type UnusableGeneration, unitText } from '../../artifacts/index.ts';
import { counted, toJson } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { cacheOption, type StoreFlags, storeOption } from '../artifacts/artifact-options.ts';
import { cacheOf, storeOf } from '../artifacts/artifact-place.ts';
import { fileProgress } from '../artifacts/file-progress.ts';
import { chosenOf, findUnits } from '../artifacts/find-units.ts';
import { stoppable } from '../artifacts/stoppable.ts';
import { cureLine } from '../artifacts/unusable-lines.ts';
import { defineCommand } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { formatBytes } from '../quantities.ts';
import { oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface PushFlags extends StoreFlags {
  readonly all?: true;
}

export const command = defineCommand<PushFlags>({
  summary: 'Send artifacts to a bucket that others pull from',
  description: `The current generation of each recipe, or all. What the bucket has is not sent again; what is damaged here is not sent at all. One that fails does not stop the others.
Ctrl-C ends it before the next unit.`,
  arguments: [['[units...]', '<kind>, <kind>/<key>, or the beginning of a recipe (default: all)']],
  options: [storeOption(), new Option('--all', 'also generations that are not current'), cacheOption()],
  examples: [['holdfast artifacts push --store s3://team/artifacts', 'everything that is current']],
  exits: {
    0: 'everything is there',
    1: 'something could not be sent; the same command sends the rest',
    2: 'there is no such unit, or no bucket is named',
    3: 'something is damaged or conflicting, and was not sent',
    4: 'interrupted (Ctrl-C); it is said what was not reached, and the same command goes on',
  },
  async run({ args, flags, terminal }) {
    const bucket = await storeOf(flags, terminal, { isNew: true });
    const cache = await cacheOf(flags, terminal);
    const { units, unusable } = await findUnits(cache, (args[0] ?? []) as readonly string[]);
    const chosen = units.flatMap((unit) => chosenOf(unit, flags));
    const progress = fileProgress(terminal, 'sent');
    let isInterrupted = false;
    const sent = await stoppable(terminal, async (stops) => {
      const pushed = await pushGenerations(chosen, {
        ...stops,
        disk: nodeDisk,
        bucket,
        onProgress: progress.show,
      });
      isInterrupted = stops.stop.aborted && pushed.some(({ state }) => state === 'failed');
      return pushed;
    });
    const entries: readonly Told[] = [...sent, ...unusable.filter(({ isCurrent }) => isCurrent).map(unsent)];
    progress.end();
    if (flags.json) terminal.json(toJson({ store: bucket.url, entries, isInterrupted }));
    else {
      for (const line of lines(entries, terminal)) terminal.line(line);
      const damaged = entries.filter(({ state }) => state === 'damaged');
      if (damaged.length > 0) terminal.note(cureLine(damaged.map(({ unit }) => unit)));
    }
    return isInterrupted ? EXIT.interrupted : exitOf(entries);
  },
});

interface Told extends Omit<PushEntry, 'digest'> {
  /** Null when its manifest cannot be read. */
  readonly digest: string | null;
}

/** What would be sent, if it were whole; what it superseded is not sent in its place. */
function unsent(one: UnusableGeneration): Told {
  const { generation, reason } = one;
  return { unit: unitText(one), generation, digest: null, state: 'damaged', files: 0, bytes: 0, reason };
}

function lines(entries: readonly Told[], { style }: Terminal): string[] {
  const told = entries
    .filter(({ state }) => state !== 'already-there')
    .map(({ unit, generation, state, files, bytes, reason }) => {
      const text = `${state} ${oneLine(unit)} ${generation}`;
      if (reason !== undefined) return style.bad(`${text}: ${oneLine(reason)}`);
      return style.good(`${text}, ${counted(files, 'new object')}, ${formatBytes(bytes)}`);
    });
  const there = entries.filter(({ state }) => state === 'already-there').length;
  const sent = entries.filter(({ state }) => state === 'pushed').length;
  const rest = entries.length - there - sent;
  return [...told, `${sent} pushed, ${there} already there${rest > 0 ? `, ${rest} not sent` : ''}`];
}

function exitOf(entries: readonly Told[]): ExitCode {
  if (entries.some(({ state }) => state === 'damaged' || state === 'conflicting')) return EXIT.damage;
  return entries.some(({ state }) => state === 'failed') ? EXIT.failed : EXIT.ok;
}
