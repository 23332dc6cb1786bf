// The same eval of two tests, with the same command-line agent, as a project of AgentV's and as one of Holdfast's.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '../../src/base/index.ts';
import { RESULTS_BRANCH, runPath } from '../../src/results/layout.ts';
import { LAUNCHER } from '../../test/bench/published.ts';
import { git, initRepository } from '../../test/sim/results-repo.ts';
import type { Agentv } from './agentv.ts';
import { type Place, type Ran, runTimed } from './timed-process.ts';

export const AGENTV_BRANCH = 'agentv/results/v1';
/** Where AgentV keeps its own runs as files, in the project. */
export const AGENTV_FILES = '.agentv/results';

/** A repository with an eval, of one of the two tools. */
export interface Project extends Place {
  readonly branch: string;
  /** Runs the eval; where results are kept, it is published when this ends. */
  runEval(): Promise<Ran>;
  /** The folder in the branch of the n-th run that began then. */
  folderOf(beganMs: number, n: number): string;
  /** Takes away what the tool keeps outside of git: as a fresh clone has it. */
  forgetLocalRuns(): void;
}

export interface ProjectOptions {
  readonly dir: string;
  readonly keepsResults: boolean;
}

// Without arguments it reads stdin and writes stdout, which is how Holdfast asks; AgentV names files.
const AGENT = `import { readFileSync, writeFileSync } from 'node:fs';
const [question = 0, answer = 1] = process.argv.slice(2);
writeFileSync(answer, readFileSync(question, 'utf8').includes('15') ? '42' : 'Berlin');
`;

const AGENTV_EVAL = `description: Sums and capitals
execution:
  target: agent
tests:
  - id: addition
    criteria: adds
    input: What is 15 + 27?
    expected_output: "42"
    assertions:
      - { type: contains, value: "42" }
  - id: capital
    criteria: names the capital
    input: Capital of Germany?
    expected_output: Berlin
    assertions:
      - { type: contains, value: Berlin }
`;

/** Published into a branch of the project's own repository, and not pushed: what Holdfast does unless it is told otherwise. */
export const AGENTV_CONFIG = 'results:\n  repo_path: .\n  sync:\n    auto_push: false\n';

export function makeAgentvProject(agentv: Agentv, options: ProjectOptions): Project {
  const place = makePlace(options);
  const command = `node ${join(place.cwd, 'agent.mjs')} {PROMPT_FILE} {OUTPUT_FILE}`;
  const settings = join(place.cwd, '.agentv');
  mkdirSync(settings);
  if (options.keepsResults) writeFileSync(join(settings, 'config.yaml'), AGENTV_CONFIG);
  const targets = `targets:\n  - { name: agent, provider: cli, command: ${JSON.stringify(command)} }\n`;
  writeFileSync(join(settings, 'targets.yaml'), targets);
  writeFileSync(join(place.cwd, 'math.yaml'), AGENTV_EVAL);
  return {
    ...place,
    branch: AGENTV_BRANCH,
    runEval: () => agentv.command(['eval', 'run', 'math.yaml'], place).then(mustBeWell),
    folderOf: (beganMs) => `runs/default/${new Date(beganMs).toISOString().replace(/[:.]/g, '-')}`,
    // Listing its branch, it writes all runs into the work tree, below `runs`.
    forgetLocalRuns: () => {
      for (const files of [AGENTV_FILES, 'runs'])
        rmSync(join(place.cwd, files), { recursive: true, force: true });
    },
  };
}

export async function makeHoldfastProject(options: ProjectOptions): Promise<Project> {
  const place = makePlace(options);
  const math = {
    name: 'math',
    data: [
      { id: 'addition', input: 'What is 15 + 27?', target: '42' },
      { id: 'capital', input: 'Capital of Germany?', target: 'Berlin' },
    ],
    target: { command: ['node', join(place.cwd, 'agent.mjs')] },
    scorers: ['includes'],
  };
  // What is JSON is YAML.
  writeFileSync(join(place.cwd, 'math.eval.yaml'), JSON.stringify(math));
  if (options.keepsResults) mustBeWell(await runTimed([LAUNCHER, 'results', 'init'], place));
  // Else it would see that nothing is missing, and do nothing.
  const args = [LAUNCHER, 'run', 'math.eval.yaml', '--fresh', '--quiet'];
  return {
    ...place,
    branch: RESULTS_BRANCH,
    runEval: () => runTimed(args, place).then(mustBeWell),
    folderOf: (beganMs, n) => {
      const time = new Date(beganMs).toISOString().replace(/[-:.Z]/g, '');
      return runPath(`${time}-${String(n).padStart(10, '0')}` as RunId, { runsBeside: 0 });
    },
    forgetLocalRuns: () => rmSync(join(place.cwd, 'logs'), { recursive: true, force: true }),
  };
}

/** The folders of the runs in the branch of a project: `runs/<experiment or day>/<id>`. */
export function runFolders({ cwd, branch }: Project): readonly string[] {
  const inside = (...folders: readonly string[]) =>
    git(cwd, 'ls-tree', '--name-only', branch, ...folders.map((folder) => `${folder}/`))
      .split('\n')
      .filter((path) => path !== '');
  const groups = inside('runs');
  return groups.length === 0 ? [] : inside(...groups);
}

/**
 * How many processes of git a piece of work starts, with those that they start themselves. AgentV takes every variable of git's out of
 * the environment, so it is the settings of `home` that ask git to tell.
 */
export async function countGitProcesses(home: string, work: () => Promise<unknown>): Promise<number> {
  const [settings, trace] = [join(home, '.gitconfig'), join(home, 'trace')];
  execFileSync('git', ['config', '--file', settings, 'trace2.eventTarget', trace]);
  await work();
  rmSync(settings);
  const lines = existsSync(trace) ? readFileSync(trace, 'utf8').split('\n') : [];
  rmSync(trace, { force: true });
  return lines.filter((line) => line.includes('"event":"start"')).length;
}

function makePlace({ dir }: ProjectOptions): Place {
  const [cwd, home] = [join(dir, 'project'), join(dir, 'home')];
  mkdirSync(home, { recursive: true });
  initRepository(cwd);
  writeFileSync(join(cwd, 'agent.mjs'), AGENT);
  return { cwd, home };
}

function mustBeWell(ran: Ran): Ran {
  if (ran.exitCode !== 0) throw new Error(`It ended with ${ran.exitCode}:\n${ran.stdout}${ran.stderr}`);
  return ran;
}
