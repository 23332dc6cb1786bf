import { type CachedRecipe, type StoredGeneration, unitText } from '../../artifacts/index.ts';
import { counted, formatUsd, type Json, jsonText, toJson } from '../../base/index.ts';
import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf } from '../artifacts/artifact-place.ts';
import { findUnits } from '../artifacts/find-units.ts';
import { cureLine, unusableLines } from '../artifacts/unusable-lines.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { formatBytes, formatTime } from '../quantities.ts';
import { oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<CacheFlags>({
  summary: 'Show an artifact: its generations, inputs, files and cost',
  arguments: [['<units...>', '<kind>/<key>, or the beginning of a recipe, a generation or a digest']],
  options: [cacheOption()],
  examples: [['holdfast artifacts show knowledge/california_schools', 'one unit']],
  exits: { 0: 'shown', 1: 'the cache cannot be read', 2: 'there is no such unit' },
  async run({ args, flags, terminal }) {
    const cache = await cacheOf(flags, terminal);
    const { units, unusable } = await findUnits(cache, (args[0] ?? []) as readonly string[]);
    if (flags.json) terminal.json(toJson({ cache: cache.dir, units: units.map(document), unusable }));
    else {
      for (const unit of units) for (const line of lines(unit, terminal)) terminal.line(line);
      for (const line of unusableLines(unusable, terminal)) terminal.line(line);
      if (unusable.length > 0) terminal.note(cureLine(unusable.map(unitText), { setAside: true }));
    }
    return EXIT.ok;
  },
});

function document({ kind, key, recipe, generations, current }: CachedRecipe): Json {
  const all = generations.map(({ manifest, dir }) => ({ ...manifest, dir }));
  return toJson({ kind, key, recipe, current: current?.manifest.generation ?? null, generations: all });
}

function lines(unit: CachedRecipe, { style }: Terminal): string[] {
  const { kind, key, recipe, current, generations } = unit;
  const [any] = generations;
  if (!any) return [];
  // They are parts of the recipe, so all its generations have the same.
  const { version, parameters, inputs } = any.manifest;
  return [
    style.bold(oneLine(`${kind}/${key}`)),
    `  recipe      ${recipe}`,
    `  version     ${oneLine(version)}`,
    `  parameters  ${oneLine(jsonText(parameters))}`,
    ...inputs.map(
      ({ name, kind: inputKind, digest }) =>
        `  input       ${oneLine(name)} (${inputKind}) ${digest.slice(0, 12)}`,
    ),
    ...generations.flatMap((generation) =>
      generationLines(generation, generation === current ? 'current' : ''),
    ),
  ];
}

function generationLines({ manifest, filesDir }: StoredGeneration, word: string): string[] {
  const { generation, digest, cost, files, producer, supersedes, created, notes } = manifest;
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const price = cost.usd === null ? 'unpriced' : formatUsd(cost.usd);
  // Earlier versions did not know the run that a build was.
  const run = producer.run === 'build' ? '' : `, in run ${oneLine(producer.run)}`;
  return [
    `  ${generation}${word && `  ${word}`}`,
    `    digest    ${digest}`,
    `    built     ${formatTime(created)} with Holdfast ${oneLine(producer.version)}${run}`,
    `    cost      ${price}, ${counted(cost.calls, 'call')}, ${counted(cost.tokens, 'token')}`,
    `    content   ${counted(files.length, 'file')}, ${formatBytes(bytes)}`,
    `    folder    ${filesDir}`,
    ...files
      .slice(0, FILES_SHOWN)
      .map(({ path, size }) => `    file      ${oneLine(path)}  ${formatBytes(size)}`),
    ...(files.length > FILES_SHOWN ? [`    and       ${files.length - FILES_SHOWN} more: see --json`] : []),
    ...(supersedes.length > 0 ? [`    replaces  ${supersedes.join(', ')}`] : []),
    ...(notes === undefined ? [] : [`    notes     ${oneLine(notes)}`]),
  ];
}

const FILES_SHOWN = 10;
