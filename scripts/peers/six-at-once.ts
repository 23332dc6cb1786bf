// Six evals that are started together in one clone, and how many of them are in the branch afterwards.

import { join } from 'node:path';
import type { Agentv } from './agentv.ts';
import { makeAgentvProject, makeHoldfastProject, type Project, runFolders } from './projects.ts';
import { type SideBySide, seconds, sideBySide } from './side-by-side.ts';

const TOGETHER = 6;
const ROUNDS = 3;

export async function sixAtOnce(agentv: Agentv, dir: string): Promise<SideBySide> {
  const theirs = makeAgentvProject(agentv, { dir: join(dir, 'agentv'), keepsResults: true });
  const ours = await makeHoldfastProject({ dir: join(dir, 'holdfast'), keepsResults: true });
  const agentvRounds = await rounds(theirs);
  const holdfastRounds = await rounds(ours);
  const [agentvMs, holdfastMs] = [spent(agentvRounds), spent(holdfastRounds)];
  const landed = (all: readonly Round[]) => all.map(({ published }) => published).join(', ');
  const line = `in its branch AgentV has ${landed(agentvRounds)} of ${TOGETHER} (${seconds(agentvMs)}), Holdfast ${landed(holdfastRounds)} of ${TOGETHER} (${seconds(holdfastMs)})`;
  const figures = { agentvMs, holdfastMs, agentvRounds, holdfastRounds };
  return sideBySide(`six evals at once in one clone, ${ROUNDS} times`, { line }, figures);
}

interface Round {
  readonly ms: number;
  /** How many runs the branch has more than before. */
  readonly published: number;
  /** How many of the six ended with another exit code than 0. */
  readonly failed: number;
}

async function rounds(project: Project): Promise<readonly Round[]> {
  // Both begin their branch with their first run at the latest; that is not what is asked about.
  await project.runEval();
  const all: Round[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const before = runFolders(project).length;
    const from = performance.now();
    const ended = await Promise.allSettled(Array.from({ length: TOGETHER }, () => project.runEval()));
    const ms = performance.now() - from;
    const failed = ended.filter(({ status }) => status === 'rejected').length;
    all.push({ ms, published: runFolders(project).length - before, failed });
  }
  return all;
}

function spent(all: readonly Round[]): number {
  return all.reduce((sum, { ms }) => sum + ms, 0);
}
