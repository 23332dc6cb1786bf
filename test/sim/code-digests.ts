import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CodeGraph } from '../../src/code/code-graph.ts';
import { sliceCode } from '../../src/code/code-slice.ts';
import { digestsOf } from '../../src/code/eval-code.ts';
import { ModuleWatch } from '../../src/code/module-watch.ts';
import { memoryOutlines } from '../../src/code/outline-store.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { makeTempDir } from './temp-dir.ts';

export type Files = Readonly<Record<string, string>>;

/** Which modules asked for which, as a loader would have told: `[parent, specifier, file]`. */
export type Asked = readonly (readonly [parent: string, specifier: string, file: string])[];

/** The code of the first eval in `x.eval.ts`, with these files beside it. Nothing is run. */
export async function codeDigests(files: Files, asked: Asked = []) {
  await using dir = await makeTempDir();
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir.path, name)), { recursive: true });
    await writeFile(join(dir.path, name), text);
  }
  const urlOf = (name: string) => pathToFileURL(join(dir.path, name)).href;
  const watch = new ModuleWatch();
  for (const [parent, specifier, file] of asked) {
    watch.noteLoaded(urlOf(parent), files[parent]);
    watch.noteResolved(urlOf(parent), specifier, urlOf(file));
  }
  const graph = new CodeGraph({ disk: nodeDisk, watch, store: memoryOutlines() });
  const url = urlOf('x.eval.ts');
  const [of] = (await graph.evalsIn(url)) ?? [];
  const { modules, isOpen } = await sliceCode({ graph, url, part: of?.target, of });
  return { ...(await digestsOf({ graph, url, of })), modules, isOpen };
}

/** Which of target and scoring see that the files changed. */
export async function seenBy(before: Files, after: Files, asked: Asked = []): Promise<readonly string[]> {
  const [one, other] = [await codeDigests(before, asked), await codeDigests(after, asked)];
  return (['target', 'scoring'] as const).filter((part) => one[part] !== other[part]);
}
