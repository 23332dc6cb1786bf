import type { CachedRecipe } from '../../artifacts/index.ts';
import { counted, formatUsd, toJson } from '../../base/index.ts';
import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf } from '../artifacts/artifact-place.ts';
import { findUnits } from '../artifacts/find-units.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { formatBytes, formatTime } from '../quantities.ts';
import { oneLine, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<CacheFlags>({
  summary: 'List the artifacts of the warm cache',
  description: `One line for each recipe: a unit has several when its inputs, its version or its parameters changed. The current generation is the one that
is used when none is pinned.`,
  arguments: [['[units...]', '<kind>, <kind>/<key>, or the beginning of a recipe (default: all)']],
  options: [cacheOption()],
  examples: [
    ['holdfast artifacts list', 'everything'],
    ['holdfast artifacts list knowledge --json', 'one kind, for programs'],
  ],
  exits: { 0: 'listed', 1: 'the cache cannot be read', 2: 'there is no such unit' },
  async run({ args, flags, terminal }) {
    const cache = await cacheOf(flags, terminal);
    const units = await findUnits(cache, (args[0] ?? []) as readonly string[]);
    const damages = await cache.damages();
    if (flags.json) {
      terminal.json(toJson({ cache: cache.dir, units: units.map(unitRow), damages }));
      return EXIT.ok;
    }
    if (units.length === 0) terminal.line(`There are no artifacts in ${cache.dir}.`);
    else terminal.line(table(units, terminal));
    if (damages.length > 0)
      terminal.note(
        terminal.noteStyle.warn(`${counted(damages.length, 'damaged generation')} set aside there.`),
      );
    return EXIT.ok;
  },
});

/** What programs read of a recipe. */
export function unitRow({ kind, key, recipe, generations, current }: CachedRecipe) {
  const { version, generation, digest, created, cost, files } = current.manifest;
  return {
    kind,
    key,
    recipe,
    version,
    generations: generations.length,
    current: { generation, digest, created, cost, files: files.length, bytes: bytesOf(current) },
  };
}

function table(units: readonly CachedRecipe[], { columns, style }: Terminal): string {
  const rows = units.map(({ kind, key, recipe, generations, current }) => {
    const { files, cost, created } = current.manifest;
    return [
      oneLine(`${kind}/${key}`),
      recipe.slice(0, 12),
      String(generations.length),
      String(files.length),
      formatBytes(bytesOf(current)),
      cost.usd === null ? 'unpriced' : formatUsd(cost.usd),
      formatTime(created),
    ];
  });
  const titles = [
    { title: 'unit', shrinks: true },
    { title: 'recipe' },
    { title: 'generations', align: 'right' },
    { title: 'files', align: 'right' },
    { title: 'size', align: 'right' },
    { title: 'cost', align: 'right' },
    { title: 'built' },
  ] as const;
  return renderTable(titles, rows, { width: columns, title: style.dim });
}

function bytesOf({ manifest }: CachedRecipe['current']): number {
  return manifest.files.reduce((sum, { size }) => sum + size, 0);
}
