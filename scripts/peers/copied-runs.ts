// Many runs in a branch of results, by one `git fast-import`: copies of one that the tool itself published.

import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { GIT_ENV, git } from '../../test/sim/results-repo.ts';
import { type Project, runFolders } from './projects.ts';

const YEAR_MS = 365 * 86_400_000;

interface File {
  /** Below the folder of the run. */
  readonly path: string;
  readonly text: string;
}

/**
 * Each copy has every file of the run, in a commit of its own as both tools make one. It has an id of its own wherever that stands in a
 * file, and all its times lie as much earlier as its id says; the copies are spread evenly over the year before. Digests are those of the
 * run that was copied, which matters to nobody who lists or publishes.
 */
export async function copyRuns(project: Project, count: number): Promise<void> {
  const [folder = ''] = runFolders(project);
  const files = filesOf(project, folder);
  const beganMs = timeOf(idOf(folder));
  const ref = `refs/heads/${project.branch}`;
  const importer = spawn('git', ['-C', project.cwd, 'fast-import', '--quiet'], {
    env: GIT_ENV,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  for (let n = 1; n <= count; n++) {
    const earlierMs = Math.floor((n * YEAR_MS) / count);
    const copy = project.folderOf(beganMs - earlierMs, n);
    const changes = files.map(({ path, text }) => {
      const moved = earlier(text.replaceAll(idOf(folder), idOf(copy)), earlierMs);
      return `M 100644 inline ${copy}/${path}\ndata ${Buffer.byteLength(moved)}\n${moved}\n`;
    });
    const from = n === 1 ? `from ${ref}^0\n` : '';
    const commit = `commit ${ref}\ncommitter x <x@y> ${n} +0000\ndata 1\nx\n${from}${changes.join('')}\n`;
    if (!importer.stdin.write(commit)) await once(importer.stdin, 'drain');
  }
  importer.stdin.end();
  const [exitCode] = await once(importer, 'close');
  const found = runFolders(project).length;
  if (exitCode !== 0 || found !== count + 1) throw new Error(`${found} runs are there, not ${count + 1}`);
}

function filesOf({ cwd, branch }: Project, folder: string): readonly File[] {
  const paths = git(cwd, 'ls-tree', '-r', '--name-only', branch, `${folder}/`).split('\n');
  return paths.map((path) => ({
    path: path.slice(folder.length + 1),
    text: execFileSync('git', ['-C', cwd, 'cat-file', 'blob', `${branch}:${path}`], {
      encoding: 'utf8',
      env: GIT_ENV,
    }),
  }));
}

function idOf(folder: string): string {
  return folder.slice(folder.lastIndexOf('/') + 1);
}

/** Both tools begin an id with the time, with more or fewer dashes: `2026-07-06T11-31-36-988Z`, `20260706T113136988-…`. */
function timeOf(id: string): number {
  const digits = id.replaceAll('-', '').replace('T', '');
  const [, y, mo, d, h, mi, s, ms] = /^(....)(..)(..)(..)(..)(..)(...)/.exec(digits) ?? [];
  return Date.parse(`${y}-${mo}-${d}T${h}:${mi}:${s}.${ms}Z`);
}

function earlier(text: string, byMs: number): string {
  return text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/g, (time) =>
    new Date(Date.parse(`${time}Z`) - byMs).toISOString().slice(0, time.length),
  );
}
