import { Option } from 'commander';
import {
  type ArtifactCache,
  type CachedRecipe,
  pinOf,
  problemsText,
  type UnusableGeneration,
  unitText,
} from '../../artifacts/index.ts';
import { counted, toJson } from '../../base/index.ts';
import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf } from '../artifacts/artifact-place.ts';
import { fileProgress } from '../artifacts/file-progress.ts';
import { findUnits } from '../artifacts/find-units.ts';
import { cureLine } from '../artifacts/unusable-lines.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { formatBytes } from '../quantities.ts';
import { oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';

interface VerifyFlags extends CacheFlags {
  readonly setAside?: true;
}

export const command = defineCommand<VerifyFlags>({
  summary: 'Check artifacts against their digests',
  description: `Reads every file of every generation and lists all damage. Changes nothing: what is damaged is set aside when somebody wants to use it, or by --set-aside; then a whole copy can take its
place.`,
  arguments: [['[units...]', '<kind>, <kind>/<key>, or the beginning of a recipe (default: all)']],
  options: [
    cacheOption(),
    new Option('--set-aside', 'move what is damaged out of the way of a whole copy ("pull", "merge")'),
  ],
  examples: [
    ['holdfast artifacts verify', 'everything'],
    ['holdfast artifacts verify --set-aside', 'and make room for whole copies'],
  ],
  exits: {
    0: 'everything is whole',
    1: 'the cache cannot be read',
    2: 'there is no such unit',
    3: 'damage was found and is listed',
  },
  async run({ args, flags, terminal }) {
    const words = (args[0] ?? []) as readonly string[];
    const cache = await cacheOf(flags, terminal);
    const { units, unusable } = await findUnits(cache, words);
    const checked = [
      ...(await checkGenerations(cache, units, { flags, terminal })),
      ...unusableOnes(unusable),
    ];
    const damaged = checked.filter(({ problem }) => problem !== undefined);
    if (flags.json) terminal.json(toJson({ isWhole: damaged.length === 0, generations: checked }));
    else {
      for (const { unit, generation, problem, place } of damaged)
        terminal.line(
          terminal.style.bad(
            `${oneLine(unit)} ${generation}: ${problem}.${place === undefined ? '' : ` It lies in ${place}.`}`,
          ),
        );
      terminal.line(summary(checked, damaged.length, terminal));
      if (damaged.length > 0)
        terminal.note(
          cureLine(
            damaged.map(({ unit }) => unit),
            flags,
          ),
        );
    }
    return damaged.length > 0 ? EXIT.damage : EXIT.ok;
  },
});

interface Checked {
  readonly unit: string;
  readonly generation: string;
  readonly files: number;
  readonly bytes: number;
  readonly problem?: string;
  /** Of what cannot be read: where it lies. */
  readonly place?: string;
}

async function checkGenerations(
  cache: ArtifactCache,
  units: readonly CachedRecipe[],
  { flags, terminal }: { readonly flags: VerifyFlags; readonly terminal: Terminal },
): Promise<readonly Checked[]> {
  const all = units.flatMap(({ generations }) => generations);
  const progress = fileProgress(terminal, 'checked');
  const filesTotal = all.reduce((sum, { manifest }) => sum + manifest.files.length, 0);
  let [filesBefore, bytesBefore] = [0, 0];
  const checked: Checked[] = [];
  for (const stored of all) {
    const { generation, files } = stored.manifest;
    const problems = await cache.problems(stored, {
      onProgress: ({ filesDone, bytes }) =>
        progress.show({ filesDone: filesBefore + filesDone, filesTotal, bytes: bytesBefore + bytes }),
    });
    const one = {
      unit: unitText(stored.manifest),
      generation,
      files: files.length,
      bytes: files.reduce((sum, { size }) => sum + size, 0),
    };
    filesBefore += one.files;
    bytesBefore += one.bytes;
    // Whoever uses it sets it aside: under its lock, and only what is still damaged then.
    if (problems.length > 0 && flags.setAside) await cache.use(pinOf(stored));
    checked.push(problems.length > 0 ? { ...one, problem: problemsText(problems) } : one);
  }
  progress.end();
  return checked;
}

/** Of what cannot be read there are no files to compare: that it cannot be is the damage. */
function unusableOnes(unusable: readonly UnusableGeneration[]): readonly Checked[] {
  return unusable.map((one) => ({
    unit: unitText(one),
    generation: one.generation,
    files: 0,
    bytes: 0,
    problem: one.reason,
    place: one.place,
  }));
}

function summary(checked: readonly Checked[], damaged: number, { style }: Terminal): string {
  const sum = (pick: (one: Checked) => number) => checked.reduce((total, one) => total + pick(one), 0);
  const text = `${counted(checked.length, 'generation')}, ${counted(
    sum(({ files }) => files),
    'file',
  )}, ${formatBytes(sum(({ bytes }) => bytes))} checked`;
  return damaged > 0 ? style.bad(`${text}: ${damaged} damaged`) : style.good(`${text}: all whole`);
}
