import { resolve } from 'node:path';
import { Option } from 'commander';
import { unitText } from '../../artifacts/index.ts';
import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf, refuseFile } from '../artifacts/artifact-place.ts';
import { fileProgress } from '../artifacts/file-progress.ts';
import { chosenOf, findUnits } from '../artifacts/find-units.ts';
import { sayMerge } from '../artifacts/merge-command.ts';
import { stoppable } from '../artifacts/stoppable.ts';
import { cureLine, unusableLines } from '../artifacts/unusable-lines.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { MERGE_EXITS } from './artifacts-merge.ts';

interface ExportFlags extends CacheFlags {
  readonly to: string;
  readonly all?: true;
}

export const command = defineCommand<ExportFlags>({
  summary: 'Copy artifacts to a folder that can be imported elsewhere',
  description: `The current generation of each recipe, or all. Every byte is verified while it is copied; what the folder has already stays.`,
  arguments: [['[units...]', '<kind>, <kind>/<key>, or the beginning of a recipe (default: all)']],
  options: [
    new Option('--to <dir>', 'the folder').makeOptionMandatory(),
    new Option('--all', 'also generations that are not current'),
    cacheOption(),
  ],
  examples: [['holdfast artifacts export knowledge --to /media/stick/artifacts', 'one kind']],
  exits: { ...MERGE_EXITS, 0: 'copied', 2: 'there is no such unit' },
  async run({ args, flags, terminal }) {
    const cache = await cacheOf(flags, terminal);
    const to = resolve(terminal.cwd, flags.to);
    await refuseFile(to);
    const found = await findUnits(cache, (args[0] ?? []) as readonly string[]);
    const chosen = found.units.flatMap((unit) => chosenOf(unit, flags));
    const damaged = found.unusable.filter(({ isCurrent }) => isCurrent);
    const progress = fileProgress(terminal, 'copied');
    const merged = await stoppable(terminal, (stops) =>
      cache.exportTo(to, chosen, { ...stops, onProgress: progress.show }),
    );
    progress.end();
    const exitCode = sayMerge(merged, flags, terminal);
    if (damaged.length === 0) return exitCode;
    // What it superseded is not copied in its place.
    for (const line of unusableLines(damaged, terminal)) terminal.note(line);
    terminal.note(cureLine(damaged.map(unitText), { setAside: true }));
    return exitCode === EXIT.interrupted ? exitCode : EXIT.damage;
  },
});
