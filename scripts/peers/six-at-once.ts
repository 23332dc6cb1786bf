// Six evals that are started together in one clone, and how many of them are in the branch afterwards.

import { join } from 'node:path';
import type { Agentv } from './agentv.ts';
import { processorTimeOf } from './processor-time.ts';
import { makeAgentvProject, makeHoldfastProject, type Project, runFolders } from './projects.ts';
import { medianOf, type SideBySide, sideBySide, type Timed, told } from './side-by-side.ts';

const TOGETHER = 6;
const ROUNDS = 2;

export async function sixAtOnce(agentv: Agentv, dir: string): Promise<SideBySide> {
  const theirs = makeAgentvProject(agentv, { dir: join(dir, 'agentv'), keepsResults: true });
  const ours = await makeHoldfastProject({ dir: join(dir, 'holdfast'), keepsResults: true });
  const rounds = { agentv: await runRounds(theirs), holdfast: await runRounds(ours) };
  const words = (all: readonly Round[]) => {
    const landed = all.map(({ published }) => published).join(', then ');
    return `${landed} of ${TOGETHER} in ${told(medianOf(all))}`;
  };
  const line = `in its branch AgentV has ${words(rounds.agentv)}; Holdfast ${words(rounds.holdfast)}`;
  const figures = { agentv: medianOf(rounds.agentv), holdfast: medianOf(rounds.holdfast), rounds };
  return sideBySide('six evals at once in one clone', { line }, figures);
}

interface Round extends Timed {
  /** How many runs the branch has more than before. */
  readonly published: number;
  /** How many of the six ended with another exit code than 0. */
  readonly failed: number;
}

async function runRounds(project: Project): Promise<readonly Round[]> {
  // Both begin their branch with their first run at the latest; that is not what is asked about.
  await project.runEval();
  const all: Round[] = [];
  for (let n = 0; n < ROUNDS; n++) {
    const before = runFolders(project).length;
    const [startedMs, cpuBeforeMs] = [performance.now(), processorTimeOf('self').childrenMs];
    const ended = await Promise.allSettled(Array.from({ length: TOGETHER }, () => project.runEval()));
    const ms = performance.now() - startedMs;
    const cpuMs = processorTimeOf('self').childrenMs - cpuBeforeMs;
    const failed = ended.filter(({ status }) => status === 'rejected').length;
    all.push({ ms, cpuMs, published: runFolders(project).length - before, failed });
  }
  return all;
}
