import { join, relative, resolve } from 'node:path';
import { Option } from 'commander';
import { packageVersion, UsageError } from '../../base/index.ts';
import { createFile, type Disk, nodeDisk, replaceFile } from '../../disk/index.ts';
import { quoteWord } from '../../process/index.ts';
import { type CommonFlags, defineCommand } from '../command.ts';
import { EXIT } from '../exit-code.ts';
import { IGNORED, type StarterFile, starterEval, starterPackage } from '../init/starter.ts';

interface InitFlags extends CommonFlags {
  readonly yaml?: true;
}

export const command = defineCommand<InitFlags>({
  summary: 'Write a first eval into a folder',
  description:
    'Writes a small eval, a package.json if there is none, and lines for .gitignore. Overwrites nothing.',
  arguments: [['[dir]', 'the folder (default: this one)']],
  options: [new Option('--yaml', 'write the eval in YAML instead of TypeScript')],
  examples: [
    ['holdfast init', 'into this folder'],
    ['holdfast init my-evals --yaml', 'into a new folder, in YAML'],
  ],
  exits: { 0: 'written', 1: 'the folder cannot be written', 2: 'there is an eval of that name already' },
  async run({ args, flags, terminal }) {
    const dir = resolve(terminal.cwd, typeof args[0] === 'string' ? args[0] : '.');
    const starter = starterEval(flags.yaml ? 'yaml' : 'ts');
    if (await nodeDisk.stat(join(dir, starter.name))) throw exists(starter, dir);
    await nodeDisk.makeDir(dir);
    const written: string[] = [];
    for (const file of [starter, starterPackage(dir, packageVersion())]) {
      if (await createFile(nodeDisk, join(dir, file.name), Buffer.from(file.text))) written.push(file.name);
    }
    if (await addIgnored(nodeDisk, join(dir, '.gitignore'))) written.push('.gitignore');
    const next = nextCommands(relative(terminal.cwd, dir), starter);
    if (flags.json) terminal.json({ dir, written, next });
    else {
      terminal.line(
        `Wrote ${written.join(', ')}${dir === terminal.cwd ? '' : ` in ${relative(terminal.cwd, dir)}`}.`,
      );
      terminal.line();
      terminal.line(`Try it offline:     ${terminal.style.bold(next[0] ?? '')}`);
      terminal.line(`With a real model:  ${terminal.style.bold(next[1] ?? '')}`);
    }
    return EXIT.ok;
  },
});

function nextCommands(dir: string, { name }: StarterFile): string[] {
  const file = quoteWord(join(dir, name));
  return [
    `holdfast run ${file} --model mock/echo`,
    `npm install @ai-sdk/openai && OPENAI_API_KEY=… holdfast run ${file} --model openai/gpt-5`,
  ];
}

/** Adds the lines that are missing; true when there were some. */
async function addIgnored(disk: Disk, path: string): Promise<boolean> {
  const before = Buffer.from((await disk.read(path)) ?? []).toString('utf8');
  const present = new Set(before.split(/\r?\n/).map((line) => line.trim()));
  const missing = IGNORED.filter((line) => !present.has(line) && !present.has(line.replace(/\/$/, '')));
  if (missing.length === 0) return false;
  const gap = before === '' || before.endsWith('\n') ? '' : '\n';
  await replaceFile(disk, path, Buffer.from(`${before}${gap}${missing.join('\n')}\n`));
  return true;
}

function exists({ name }: StarterFile, dir: string): UsageError {
  return new UsageError({
    code: 'E_FILE_EXISTS',
    message: `There is a ${name} in ${dir} already.`,
    hint: 'Name another folder: holdfast init <dir>.',
  });
}
