// The newest fifty runs of ever larger stores: by a process that was just started, and by one that has listed them before.

import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { listAll, openSource } from '../../src/sources/index.ts';
import { LAUNCHER } from '../../test/bench/published.ts';
import { git } from '../../test/sim/results-repo.ts';
import type { Agentv } from './agentv.ts';
import { copyRuns } from './copied-runs.ts';
import { startDashboard } from './dashboard.ts';
import { AGENTV_FILES, makeAgentvProject, makeHoldfastProject, type Project } from './projects.ts';
import { medianOf, type SideBySide, sideBySide, type Timed, told } from './side-by-side.ts';
import { envOf, runTimed } from './timed-process.ts';

/** AgentV's list of its branch is empty when its paths are more than 1 MiB, which is about 760 runs: one size lies below that. */
const STORED = [100, 300, 1_000, 2_000];
const STARTS = 3;
const REQUESTS = 9;
/** AgentV's list of a few hundred runs can take half a minute: then once must do. */
const ENOUGH_MS = 10_000;

/** Medians, and how many runs were in the answers. */
interface Listed {
  /** From the start of the process until the runs are there. */
  readonly first: Timed;
  /** Of that the first request, where a server is asked. */
  readonly request?: Timed;
  readonly again: Timed;
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
  const first: Timed[] = [];
  let runs = Number.NaN;
  for (let n = 0; n < STARTS; n++) {
    const ran = await runTimed(args, project);
    if (ran.exitCode !== 0) throw new Error(ran.stderr);
    runs = (JSON.parse(ran.stdout) as { readonly runs: readonly unknown[] }).runs.length;
    first.push(ran);
  }
  return { first: medianOf(first), again: await listAgain(project, runs), runs };
}

/** The processor time is that of this process: the git that it keeps open beside itself tells nothing until it ends. */
async function listAgain(project: Project, runs: number): Promise<Timed> {
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: envOf(project.home) };
  const sources = await openSource(sourceOf(project), { ...ports, cwd: project.cwd });
  const again: Timed[] = [];
  for (let n = -1; n < REQUESTS; n++) {
    const [startedMs, before] = [performance.now(), process.cpuUsage()];
    const listed = await listAll(sources, { limit: 50 });
    if (listed.runs.length !== runs) throw new Error(`${listed.runs.length} runs are listed, not ${runs}`);
    const { user, system } = process.cpuUsage(before);
    // The first opens the store.
    if (n >= 0) again.push({ ms: performance.now() - startedMs, cpuMs: (user + system) / 1_000 });
  }
  for (const opened of sources) await opened[Symbol.asyncDispose]();
  return medianOf(again);
}

/** The dashboard, from its start to its first answer; then further requests to it. */
async function listWithAgentv(
  agentv: Agentv,
  project: Project,
  { isClone }: { readonly isClone: boolean },
): Promise<Listed> {
  const [first, requests, again]: [Timed[], Timed[], Timed[]] = [[], [], []];
  let runs = Number.NaN;
  for (let n = 0; n < STARTS && isShort(first); n++) {
    if (isClone) project.forgetLocalRuns();
    await using dashboard = await startDashboard(agentv, project);
    const request = await dashboard.listFifty();
    requests.push(request);
    first.push({ ms: dashboard.start.ms + request.ms, cpuMs: dashboard.start.cpuMs + request.cpuMs });
    runs = request.runs;
    for (let more = 0; more < REQUESTS / STARTS && isShort(again); more++)
      again.push(await dashboard.listFifty());
  }
  return { first: medianOf(first), request: medianOf(requests), again: medianOf(again), runs };
}

/** How a source is named: `<repository>#<branch>`. */
function sourceOf({ cwd, branch }: Project): string {
  return `${cwd}#${branch}`;
}

function isShort(times: readonly Timed[]): boolean {
  return times.reduce((sum, { ms }) => sum + ms, 0) < ENOUGH_MS;
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
  const words = ({ first, again, runs }: Listed) => `${runs} runs in ${told(first)}, again in ${told(again)}`;
  const line = `AgentV ${words(agentv)}; Holdfast ${words(holdfast)}`;
  return sideBySide(
    what,
    { line, isComparable: agentv.runs === holdfast.runs },
    {
      stored,
      agentv: agentv.first,
      holdfast: holdfast.first,
      agentvRequest: agentv.request,
      again: { agentv: agentv.again, holdfast: holdfast.again },
      runs: { agentv: agentv.runs, holdfast: holdfast.runs },
    },
  );
}
