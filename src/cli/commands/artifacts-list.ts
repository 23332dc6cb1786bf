import { type CachedRecipe, type StoredGeneration, unitText } from '../../artifacts/index.ts';
import { counted, formatUsd, toJson } from '../../base/index.ts';
import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf } from '../artifacts/artifact-place.ts';
import { findUnits } from '../artifacts/find-units.ts';
import { cureLine, unusableLines } from '../artifacts/unusable-lines.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { formatBytes, formatTime } from '../quantities.ts';
import { oneLine, renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<CacheFlags>({
  summary: 'List the artifacts of the warm cache',
  description: `One line for each recipe: a unit has several when its inputs, its version or its parameters changed. The current generation is the one that
is used when none is pinned. What is damaged is listed with its reason; files are not read, "holdfast artifacts verify" does that.`,
  arguments: [['[units...]', '<kind>, <kind>/<key>, or the beginning of a recipe (default: all)']],
  options: [cacheOption()],
  examples: [
    ['holdfast artifacts list', 'everything'],
    ['holdfast artifacts list knowledge --json', 'one kind, for programs'],
  ],
  exits: { 0: 'listed', 1: 'the cache cannot be read', 2: 'there is no such unit' },
  async run({ args, flags, terminal }) {
    const cache = await cacheOf(flags, terminal);
    const { units, unusable } = await findUnits(cache, (args[0] ?? []) as readonly string[]);
    const damages = await cache.damages();
    if (flags.json) {
      terminal.json(toJson({ cache: cache.dir, units: units.map(unitRow), unusable, damages }));
      return EXIT.ok;
    }
    if (units.length + unusable.length === 0) terminal.line(`There are no artifacts in ${cache.dir}.`);
    else if (units.length > 0) terminal.line(table(units, terminal));
    for (const line of unusableLines(unusable, terminal)) terminal.line(line);
    if (unusable.length > 0) terminal.note(cureLine(unusable.map(unitText), { setAside: true }));
    const here = damages.filter(({ elsewhere }) => elsewhere === undefined);
    if (here.length > 0)
      terminal.note(
        terminal.noteStyle.warn(`${counted(here.length, 'damaged generation')} set aside there.`),
      );
    return EXIT.ok;
  },
});

/** What programs read of a recipe. */
export function unitRow({ kind, key, recipe, generations, current }: CachedRecipe) {
  const version = generations[0]?.manifest.version;
  return {
    kind,
    key,
    recipe,
    version,
    generations: generations.length,
    current: current ? currentRow(current) : null,
  };
}

function currentRow(current: StoredGeneration) {
  const { generation, digest, created, cost, files } = current.manifest;
  return { generation, digest, created, cost, files: files.length, bytes: bytesOf(current) };
}

function table(units: readonly CachedRecipe[], { columns, style }: Terminal): string {
  const rows = units.map(({ kind, key, recipe, generations, current }) => {
    const about = [oneLine(`${kind}/${key}`), recipe.slice(0, 12), String(generations.length)];
    if (!current) return [...about, '–', '–', '–', 'current one damaged'];
    const { files, cost, created } = current.manifest;
    return [
      ...about,
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

function bytesOf({ manifest }: StoredGeneration): number {
  return manifest.files.reduce((sum, { size }) => sum + size, 0);
}
