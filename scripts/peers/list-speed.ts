// The newest fifty runs of ever larger stores: by a process that was just started, and by one that has listed them before.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { listAll, openSource } from '../../src/sources/index.ts';
import { median } from '../../test/bench/bench.ts';
import { LAUNCHER } from '../../test/bench/published.ts';
import { git } from '../../test/sim/results-repo.ts';
import type { Agentv } from './agentv.ts';
import { copyRuns } from './copied-runs.ts';
import { startDashboard } from './dashboard.ts';
import { AGENTV_FILES, makeAgentvProject, makeHoldfastProject, type Project } from './projects.ts';
import { type SideBySide, seconds, sideBySide } from './side-by-side.ts';
import { envOf, runTimed } from './timed-process.ts';

/** AgentV's list of its branch is empty when its paths are more than 1 MiB, which is about 760 runs: one size lies below that. */
const STORED = [100, 500, 1_000, 2_000];
const STARTS = 3;
const REQUESTS = 9;
/** AgentV's list of a few hundred runs can take half a minute: then once must do. */
const ENOUGH_MS = 10_000;

/** Medians, and how many runs were in the answers. */
interface Listed {
  /** From the start of the process until the runs are there. */
  readonly newMs: number;
  /** Of that the first request, where a server is asked. */
  readonly requestMs?: number;
  readonly againMs: number;
  readonly runs: number;
}

export async function* listSpeed(agentv: Agentv, dir: string): AsyncGenerator<SideBySide> {
  for (const stored of STORED) {
    const place = join(dir, `${stored}`);
    yield* await atSize(agentv, { dir: place, stored });
    rmSync(place, { recursive: true, force: true });
  }
}

async function atSize(
  agentv: Agentv,
  { dir, stored }: { readonly dir: string; readonly stored: number },
): Promise<readonly SideBySide[]> {
  const theirs = makeAgentvProject(agentv, { dir: join(dir, 'agentv'), keepsResults: true });
  const ours = await makeHoldfastProject({ dir: join(dir, 'holdfast'), keepsResults: true });
  for (const project of [theirs, ours]) {
    await project.runEval();
    await copyRuns(project, stored - 1);
    project.forgetLocalRuns();
  }
  const holdfast = await listWithHoldfast(ours, []);
  const holdfastOfTheirs = await listWithHoldfast(theirs, ['--source', sourceOf(theirs)]);
  const clone = await listWithAgentv(agentv, theirs, { isClone: true });
  theirs.forgetLocalRuns();
  putFilesBack(theirs);
  const home = await listWithAgentv(agentv, theirs, { isClone: false });
  return [
    compared(`50 of ${stored} runs listed from git alone`, { stored, agentv: clone, holdfast }),
    compared(`50 of ${stored} runs of AgentV's branch listed`, {
      stored,
      agentv: clone,
      holdfast: holdfastOfTheirs,
    }),
    compared(`50 of ${stored} runs listed where AgentV has them as files, too`, {
      stored,
      agentv: home,
      holdfast,
    }),
  ];
}

/** `holdfast results list` as a command, in the project; then the same list again and again in this process. */
async function listWithHoldfast(project: Project, from: readonly string[]): Promise<Listed> {
  const args = [LAUNCHER, 'results', 'list', ...from, '--limit', '50', '--json'];
  const [fresh, again]: [number[], number[]] = [[], []];
  let runs = Number.NaN;
  for (let n = 0; n < STARTS; n++) {
    const { ms, exitCode, stdout, stderr } = await runTimed(args, project);
    if (exitCode !== 0) throw new Error(stderr);
    runs = (JSON.parse(stdout) as { readonly runs: readonly unknown[] }).runs.length;
    fresh.push(ms);
  }
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: envOf(project.home) };
  const sources = await openSource(sourceOf(project), { ...ports, cwd: project.cwd });
  for (let n = -1; n < REQUESTS; n++) {
    const startedMs = performance.now();
    const listed = await listAll(sources, { limit: 50 });
    if (listed.runs.length !== runs) throw new Error(`${listed.runs.length} runs are listed, not ${runs}`);
    if (n >= 0) again.push(performance.now() - startedMs);
  }
  for (const opened of sources) await opened[Symbol.asyncDispose]();
  return { newMs: median(fresh), againMs: median(again), runs };
}

/** The dashboard, from its start to its first answer; then further requests to it. */
async function listWithAgentv(
  agentv: Agentv,
  project: Project,
  { isClone }: { readonly isClone: boolean },
): Promise<Listed> {
  const [fresh, requests, again]: [number[], number[], number[]] = [[], [], []];
  let runs = Number.NaN;
  for (let n = 0; n < STARTS && isShort(fresh); n++) {
    if (isClone) project.forgetLocalRuns();
    await using dashboard = await startDashboard(agentv, project);
    const first = await dashboard.listFifty();
    fresh.push(dashboard.startMs + first.ms);
    requests.push(first.ms);
    runs = first.runs;
    for (let more = 0; more < REQUESTS / STARTS && isShort(again); more++)
      again.push((await dashboard.listFifty()).ms);
  }
  return { newMs: median(fresh), requestMs: median(requests), againMs: median(again), runs };
}

/** How a source is named: `<repository>#<branch>`. */
function sourceOf({ cwd, branch }: Project): string {
  return `${cwd}#${branch}`;
}

function isShort(times: readonly number[]): boolean {
  return times.reduce((sum, ms) => sum + ms, 0) < ENOUGH_MS;
}

/** The branch as files where AgentV left them when it made them: without touching the index of the repository. */
function putFilesBack({ cwd, branch }: Project): void {
  const files = join(cwd, AGENTV_FILES);
  mkdirSync(files, { recursive: true });
  git(cwd, `--work-tree=${files}`, 'restore', '--source', branch, '--worktree', '--', 'runs');
}

function compared(
  what: string,
  {
    stored,
    agentv,
    holdfast,
  }: { readonly stored: number; readonly agentv: Listed; readonly holdfast: Listed },
): SideBySide {
  const told = ({ newMs, requestMs, againMs, runs }: Listed) => {
    const request = requestMs === undefined ? '' : ` (first request ${seconds(requestMs)})`;
    return `${runs} runs in ${seconds(newMs)} by a new process${request}, ${seconds(againMs)} again`;
  };
  const line = `AgentV ${told(agentv)}; Holdfast ${told(holdfast)}`;
  return sideBySide(
    what,
    { line, isComparable: agentv.runs === holdfast.runs },
    {
      stored,
      agentvMs: agentv.newMs,
      holdfastMs: holdfast.newMs,
      agentvRequestMs: agentv.requestMs,
      agentvAgainMs: agentv.againMs,
      holdfastAgainMs: holdfast.againMs,
      agentvRuns: agentv.runs,
      holdfastRuns: holdfast.runs,
    },
  );
}
