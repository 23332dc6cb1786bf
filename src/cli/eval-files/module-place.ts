import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { packageCode, systemClock, systemRandom } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';
import { streamProcess } from '../../process/index.ts';
import { lastLoadedModule } from './holdfast-import.ts';

export interface ModulePlace {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** Where an error happened, as Node tells it: a syntax error is headed by its place and a caret, others have frames. */
export function placeOfError(error: unknown): ModulePlace | undefined {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  return placeOfCaret(stack) ?? placeOfFrame(stack);
}

/** Where the module that was loaded last has its syntax error: in plain JavaScript the error itself says nothing. */
export async function placeOfSyntax(disk: Disk, cwd: string): Promise<ModulePlace | undefined> {
  const url = lastLoadedModule();
  if (!url?.startsWith('file:')) return undefined;
  await using check = await streamProcess({
    argv: [process.execPath, '--check', fileURLToPath(url)],
    cwd,
    env: {},
    disk,
    clock: systemClock,
    random: systemRandom,
    signal: new AbortController().signal,
    timeoutMs: CHECK_MS_MAX,
  });
  return placeOfCaret((await check.end).stderr);
}

const CHECK_MS_MAX = 20_000;

/** Where a module names another: for imports that lead nowhere. */
export function placeOfImport(text: string, file: string, specifier: string): ModulePlace | undefined {
  for (const quote of [`'`, `"`]) {
    const offset = text.indexOf(`${quote}${specifier}${quote}`);
    if (offset < 0) continue;
    const before = text.slice(0, offset).split('\n');
    return { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
  }
  return undefined;
}

/** `/path/x.ts:2`, then lines of the source, then a line with `^` below the place. */
function placeOfCaret(text: string): ModulePlace | undefined {
  const lines = text.split('\n');
  const head = /^(.+):(\d+)$/.exec(lines[0] ?? '');
  const caret = lines.find((line) => /^\s*\^+\s*$/.test(line));
  if (!head?.[1] || caret === undefined) return undefined;
  return { file: pathOf(head[1]), line: Number(head[2]), column: caret.indexOf('^') + 1 };
}

/** The first frame that is in a file and not in a package: that is the user's own code. */
function placeOfFrame(stack: string): ModulePlace | undefined {
  const frames = [...stack.matchAll(/^\s+at (?:.*\()?(file:\/\/.+?|\/.+?):(\d+):(\d+)\)?$/gm)];
  const own = frames.find(([, file = '']) => !file.includes('/node_modules/') && !isOurs(file));
  if (!own?.[1]) return undefined;
  return { file: pathOf(own[1]), line: Number(own[2]), column: Number(own[3]) };
}

/** Frames of Holdfast itself are no place in the user's file. */
function isOurs(file: string): boolean {
  return file.startsWith(`${pathToFileURL(packageCode().dir).href}/`);
}

function pathOf(file: string): string {
  return file.startsWith('file:') ? fileURLToPath(file) : file;
}
