// An eval that is run and published, from the start of the process to its end, with ever more runs in the branch.

import { join } from 'node:path';
import { median } from '../../test/bench/bench.ts';
import type { Agentv } from './agentv.ts';
import { copyRuns } from './copied-runs.ts';
import {
  countGitProcesses,
  makeAgentvProject,
  makeHoldfastProject,
  type Project,
  runFolders,
} from './projects.ts';
import { type SideBySide, seconds, sideBySide } from './side-by-side.ts';

const STORED = [0, 100, 1_000];
const TRIES = 3;

export async function* publishSpeed(agentv: Agentv, dir: string): AsyncGenerator<SideBySide> {
  yield await withoutResults(agentv, join(dir, 'unpublished'));
  for (const stored of STORED) yield await atSize(agentv, { dir: join(dir, `${stored}`), stored });
}

/** What the eval itself takes, so that the share of the publication can be seen. */
async function withoutResults(agentv: Agentv, dir: string): Promise<SideBySide> {
  const [theirs, ours] = await makeBoth(agentv, { dir, keepsResults: false });
  const times = await inTurns(theirs, ours);
  const line = `AgentV ${seconds(times.agentvMs)}, Holdfast ${seconds(times.holdfastMs)}`;
  return sideBySide('two tests run, and not published', { line }, times);
}

async function atSize(
  agentv: Agentv,
  { dir, stored }: { readonly dir: string; readonly stored: number },
): Promise<SideBySide> {
  const both = await makeBoth(agentv, { dir, keepsResults: true });
  for (const project of both) {
    await project.runEval();
    if (stored > 0) await copyRuns(project, stored);
  }
  const before = both.map((project) => runFolders(project).length);
  const [theirs, ours] = both;
  const times = await inTurns(theirs, ours);
  const agentvGit = await countGitProcesses(theirs.home, theirs.runEval);
  const holdfastGit = await countGitProcesses(ours.home, ours.runEval);
  // What was timed must have been published: the tries, the one before them and the one that was counted.
  both.forEach((project, index) => {
    const more = runFolders(project).length - (before[index] ?? 0);
    if (more !== TRIES + 2) throw new Error(`${project.branch} has ${more} runs more, not ${TRIES + 2}`);
  });
  const line = `AgentV ${seconds(times.agentvMs)} and ${agentvGit} git processes, Holdfast ${seconds(times.holdfastMs)} and ${holdfastGit}`;
  const figures = { stored, ...times, agentvGit, holdfastGit };
  return sideBySide(`two tests run and published, at ${stored} stored runs`, { line }, figures);
}

async function makeBoth(
  agentv: Agentv,
  { dir, keepsResults }: { readonly dir: string; readonly keepsResults: boolean },
): Promise<readonly [Project, Project]> {
  const theirs = makeAgentvProject(agentv, { dir: join(dir, 'agentv'), keepsResults });
  return [theirs, await makeHoldfastProject({ dir: join(dir, 'holdfast'), keepsResults })];
}

/** One after the other, so that a busy moment of the machine meets both; the first of each fills caches and is not counted. */
async function inTurns(theirs: Project, ours: Project) {
  const [agentv, holdfast]: [number[], number[]] = [[], []];
  for (let n = -1; n < TRIES; n++) {
    const [a, b] = [await theirs.runEval(), await ours.runEval()];
    if (n < 0) continue;
    agentv.push(a.ms);
    holdfast.push(b.ms);
  }
  return {
    agentvMs: median(agentv),
    holdfastMs: median(holdfast),
    agentvAllMs: agentv,
    holdfastAllMs: holdfast,
  };
}
