import { type ArtifactCache, problemsText, unitText } from '../../artifacts/index.ts';
import { counted, toJson } from '../../base/index.ts';
import { type CacheFlags, cacheOption } from '../artifacts/artifact-options.ts';
import { cacheOf } from '../artifacts/artifact-place.ts';
import { fileProgress } from '../artifacts/file-progress.ts';
import { findUnits } from '../artifacts/find-units.ts';
import { defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { formatBytes } from '../quantities.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand<CacheFlags>({
  summary: 'Check artifacts against their digests',
  description: `Reads every file of every generation and lists all damage. Changes nothing: what is damaged is set aside when somebody wants to use it.`,
  arguments: [['[units...]', '<kind>, <kind>/<key>, or the beginning of a recipe (default: all)']],
  options: [cacheOption()],
  examples: [['holdfast artifacts verify', 'everything']],
  exits: {
    0: 'everything is whole',
    1: 'the cache cannot be read',
    2: 'there is no such unit',
    3: 'damage was found and is listed',
  },
  async run({ args, flags, terminal }) {
    const words = (args[0] ?? []) as readonly string[];
    const cache = await cacheOf(flags, terminal);
    const checked = [
      ...(await checkGenerations(cache, words, terminal)),
      ...(await brokenOnes(cache, words)),
    ];
    const damaged = checked.filter(({ problem }) => problem !== undefined);
    if (flags.json) terminal.json(toJson({ isWhole: damaged.length === 0, generations: checked }));
    else {
      for (const { unit, generation, problem } of damaged)
        terminal.line(terminal.style.bad(`${unit} ${generation}: ${problem}.`));
      terminal.line(summary(checked, damaged.length, terminal));
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
}

async function checkGenerations(
  cache: ArtifactCache,
  words: readonly string[],
  terminal: Terminal,
): Promise<readonly Checked[]> {
  const units = await findUnits(cache, words);
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
    checked.push(problems.length > 0 ? { ...one, problem: problemsText(problems) } : one);
  }
  progress.end();
  return checked;
}

/** What has the name of a generation and no manifest of its own has no unit either: it is looked for only when all are. */
async function brokenOnes(cache: ArtifactCache, words: readonly string[]): Promise<readonly Checked[]> {
  if (words.length > 0) return [];
  const found: Checked[] = [];
  for await (const { broken } of cache.contents()) {
    for (const { folder, generation, reason, kind } of broken)
      if (kind !== 'scrap') found.push({ unit: folder, generation, files: 0, bytes: 0, problem: reason });
  }
  return found;
}

function summary(checked: readonly Checked[], damaged: number, { style }: Terminal): string {
  const sum = (pick: (one: Checked) => number) => checked.reduce((total, one) => total + pick(one), 0);
  const text = `${counted(checked.length, 'generation')}, ${counted(
    sum(({ files }) => files),
    'file',
  )}, ${formatBytes(sum(({ bytes }) => bytes))} checked`;
  return damaged > 0 ? style.bad(`${text}: ${damaged} damaged`) : style.good(`${text}: all whole`);
}
