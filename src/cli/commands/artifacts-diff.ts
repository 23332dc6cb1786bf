import {
  type ArtifactCache,
  diffManifests,
  type Manifest,
  type ManifestDiff,
  type StoredGeneration,
} from '../../artifacts/index.ts';
import { formatUsd, type Json, jsonText, toJson, UsageError } from '../../base/index.ts';
import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf } from '../artifacts/artifact-place.ts';
import { findUnits, namesGeneration } from '../artifacts/find-units.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { cutEnd, oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<CacheFlags>({
  summary: 'Say what differs between two generations of an artifact',
  description: `Why their recipes differ (version, parameters, inputs), and which files came out otherwise. With one unit: its two newest generations.`,
  arguments: [
    ['<before>', 'a unit, or the beginning of the id, the recipe or the digest of a generation'],
    ['[after]', 'the same'],
  ],
  options: [cacheOption()],
  examples: [
    ['holdfast artifacts diff knowledge/california_schools', 'what the last build changed'],
    ['holdfast artifacts diff 20261117T2102 20261118T0911', 'two generations'],
  ],
  exits: { 0: 'compared', 1: 'the cache cannot be read', 2: 'it is not clear which two are meant' },
  async run({ args, flags, terminal }) {
    const cache = await cacheOf(flags, terminal);
    const [before, after] = await chooseTwo(cache, String(args[0]), args[1] as string | undefined);
    const diff = diffManifests(before, after);
    const [from, to] = [before, after].map(({ generation, recipe, digest }) => ({
      generation,
      recipe,
      digest,
    }));
    if (flags.json) terminal.json(toJson({ before: from, after: to, ...diff }));
    else for (const line of lines(before, after, diff, terminal)) terminal.line(line);
    return EXIT.ok;
  },
});

async function chooseTwo(
  cache: ArtifactCache,
  one: string,
  other: string | undefined,
): Promise<[Manifest, Manifest]> {
  if (other !== undefined) return [await newestOf(cache, one), await newestOf(cache, other)];
  const [after, before] = await named(cache, one);
  if (before && after) return [before.manifest, after.manifest];
  throw unclear(`${one} has only one generation here.`);
}

async function newestOf(cache: ArtifactCache, word: string): Promise<Manifest> {
  const [newest] = await named(cache, word);
  if (!newest) throw unclear(`${word} has no generation here.`);
  return newest.manifest;
}

/** Newest first. A word that names a single generation means that one, not its siblings. */
async function named(cache: ArtifactCache, word: string): Promise<readonly StoredGeneration[]> {
  const { units } = await findUnits(cache, [word]);
  const all = units.flatMap(({ generations }) => generations);
  const exact = all.filter((generation) => namesGeneration(word, generation));
  return (exact.length > 0 ? exact : all).toSorted((a, b) =>
    a.manifest.generation < b.manifest.generation ? 1 : -1,
  );
}

function unclear(message: string): UsageError {
  return new UsageError({
    code: 'E_ARTIFACT_CHOICE',
    message,
    hint: 'Name two generations by the beginning of their ids: "holdfast artifacts show" lists them.',
  });
}

const VALUE_WIDTH = 60;

function lines(before: Manifest, after: Manifest, diff: ManifestDiff, { style }: Terminal): string[] {
  const show = (value: Json | undefined) =>
    value === undefined ? '–' : cutEnd(oneLine(jsonText(value)), VALUE_WIDTH);
  const { added, removed, changed, same } = diff.files;
  const price = ({ cost }: Manifest) => (cost.usd === null ? 'unpriced' : formatUsd(cost.usd));
  return [
    style.bold(`${before.generation} → ${after.generation}`),
    diff.recipe.length === 0 ? 'one recipe' : 'another recipe:',
    ...diff.recipe.map(
      ({ what, before: old, after: now }) => `  ${oneLine(what)}: ${show(old)} → ${show(now)}`,
    ),
    ...diff.used.map(
      ({ what, before: old, after: now }) => `  ${oneLine(what)} was built as ${show(old)} → ${show(now)}`,
    ),
    `files: ${added.length} added, ${removed.length} removed, ${changed.length} changed, ${same} the same`,
    ...added.map((path) => style.good(`  + ${oneLine(path)}`)),
    ...removed.map((path) => style.bad(`  - ${oneLine(path)}`)),
    ...changed.map((path) => style.warn(`  ~ ${oneLine(path)}`)),
    `cost: ${price(before)} → ${price(after)}`,
  ];
}
