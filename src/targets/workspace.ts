import { join } from 'node:path';
import type { Disk } from '../disk/index.ts';
import { copyTree, fileNameFor } from '../disk/index.ts';

/**
 * The folder of one attempt at one sample:
 *
 *     <workDir>/<sample id as a file name>/<epoch>-<n>/
 *       workspace/          where the agent and the command scorers run
 *       <step>.stdout       what each process wrote, whole: evidence, beside the log
 *       <step>.stderr
 *
 * Nothing is made before it is needed, and an earlier attempt's folder is never reused.
 */
export interface Workspace {
  readonly disk: Disk;
  /** The working directory, made on the first call. `template`: a folder whose content is copied into it. */
  open(template?: string): Promise<string>;
  /** Where a process of this attempt may write what it says. */
  outputFiles(
    step: string,
  ): Promise<{ readonly stdout: string; readonly stderr: string; readonly stdin: string }>;
  /** The attempt's folder, or undefined when nothing was written. */
  readonly dir: string | undefined;
}

export interface WorkspaceOptions {
  readonly disk: Disk;
  readonly workDir: string;
  readonly sampleId: string | number;
  readonly epoch: number;
  /** The folder of an attempt that goes on, as its `dir` said: nothing is made anew. */
  readonly existing?: string;
  /** Told the folder once, when it has what it begins with, before anything is run in it. */
  readonly onFolder?: OnFolder | undefined;
}

/** Hears of a folder in which somebody is going to work, and may look at it first. */
export type OnFolder = (dir: string) => Promise<void>;

export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { disk, existing, onFolder } = options;
  let making = existing === undefined ? undefined : Promise.resolve(existing);
  let opening: Promise<string> | undefined;
  let dir = existing;
  let steps = 0;
  const tell = tellOnce(onFolder);

  const make = async () => {
    dir = await makeFolder(options);
    return dir;
  };
  const open = async (template: string | undefined) => {
    making ??= make();
    const folder = await making;
    const path = join(folder, 'workspace');
    if (template === undefined || existing !== undefined) await disk.makeDir(path);
    else await copyTree(template, path);
    await tell(folder);
    return path;
  };

  return {
    disk,
    get dir() {
      return dir;
    },
    async open(template) {
      opening ??= open(template);
      return await opening;
    },
    async outputFiles(step) {
      making ??= make();
      if (!opening) await tell(await making);
      const base = join(await making, `${step}-${++steps}`);
      return { stdout: `${base}.stdout`, stderr: `${base}.stderr`, stdin: `${base}.stdin` };
    },
  };
}

async function makeFolder({ disk, workDir, sampleId, epoch }: WorkspaceOptions): Promise<string> {
  // The id never is a path: `../x` becomes a plain file name.
  const parent = join(workDir, fileNameFor(String(sampleId)));
  const taken = new Set((await disk.list(parent))?.map(({ name }) => name));
  let number = 1;
  while (taken.has(`${epoch}-${number}`)) number++;
  const dir = join(parent, `${epoch}-${number}`);
  await disk.makeDir(dir);
  return dir;
}

function tellOnce(onFolder: OnFolder | undefined): (dir: string) => Promise<void> | undefined {
  let telling: Promise<void> | undefined;
  return (dir) => {
    telling ??= onFolder?.(dir);
    return telling;
  };
}
