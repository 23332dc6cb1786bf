// An eval that is run and published, from the start of the process to its end, with ever more runs in the branch.

import { join } from 'node:path';
import type { Agentv } from './agentv.ts';
import { copyRuns } from './copied-runs.ts';
import {
  countGitProcesses,
  makeAgentvProject,
  makeHoldfastProject,
  type Project,
  runFolders,
} from './projects.ts';
import { medianOf, type SideBySide, sideBySide, type Timed, told } from './side-by-side.ts';

const STORED = [0, 100, 1_000];
const TRIES = 3;

export async function* publishSpeed(agentv: Agentv, dir: string): AsyncGenerator<SideBySide> {
  yield await withoutResults(agentv, join(dir, 'unpublished'));
  for (const stored of STORED) yield await atSize(agentv, { dir: join(dir, `${stored}`), stored });
}

/** What the eval itself takes, so that the share of the publication can be seen. */
async function withoutResults(agentv: Agentv, dir: string): Promise<SideBySide> {
  const times = await inTurns(await makeBoth(agentv, { dir, keepsResults: false }));
  const line = `AgentV ${told(times.agentv)}, Holdfast ${told(times.holdfast)}`;
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
  const times = await inTurns(both);
  const [agentvGit = 0, holdfastGit = 0] = await countAll(both);
  // What was timed must have been published: the tries, the one before them and the one that was counted.
  both.forEach((project, index) => {
    const more = runFolders(project).length - (before[index] ?? 0);
    if (more !== TRIES + 2) throw new Error(`${project.branch} has ${more} runs more, not ${TRIES + 2}`);
  });
  const line = `AgentV ${told(times.agentv)} and ${agentvGit} git processes, Holdfast ${told(times.holdfast)} and ${holdfastGit}`;
  const figures = { stored, ...times, agentvGit, holdfastGit };
  return sideBySide(`two tests run and published, at ${stored} stored runs`, { line }, figures);
}

async function countAll(both: readonly Project[]): Promise<readonly number[]> {
  const counts: number[] = [];
  for (const { home, runEval } of both) counts.push(await countGitProcesses(home, runEval));
  return counts;
}

async function makeBoth(
  agentv: Agentv,
  { dir, keepsResults }: { readonly dir: string; readonly keepsResults: boolean },
): Promise<readonly [Project, Project]> {
  const theirs = makeAgentvProject(agentv, { dir: join(dir, 'agentv'), keepsResults });
  return [theirs, await makeHoldfastProject({ dir: join(dir, 'holdfast'), keepsResults })];
}

/** One after the other, so that a busy moment of the machine meets both; the first of each fills caches and is not counted. */
async function inTurns([theirs, ours]: readonly [Project, Project]) {
  const [agentv, holdfast]: [Timed[], Timed[]] = [[], []];
  for (let n = -1; n < TRIES; n++) {
    const [a, b] = [await theirs.runEval(), await ours.runEval()];
    if (n < 0) continue;
    agentv.push({ ms: a.ms, cpuMs: a.cpuMs });
    holdfast.push({ ms: b.ms, cpuMs: b.cpuMs });
  }
  return {
    agentv: medianOf(agentv),
    holdfast: medianOf(holdfast),
    tries: { agentv, holdfast },
  };
}
