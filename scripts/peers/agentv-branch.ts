// Proves Holdfast against a results branch that AgentV itself wrote.
//
// Lets AgentV run evals with a command-line agent and its mock, without a network, which it publishes into a results branch; then lists and
// opens that branch and compares every test with what AgentV wrote.

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { systemClock, systemRandom } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import { findInAll, listAll, openSource, type RunSource } from '../../src/sources/index.ts';
import type { Agentv } from './agentv.ts';
import { AGENTV_CONFIG, AGENTV_BRANCH as BRANCH } from './projects.ts';

const EVAL = `description: Sums and capitals
execution:
  target: echo
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
      - { type: regex, value: "^[A-Z]" }
`;
const AGENT = `import { readFileSync, writeFileSync } from 'node:fs';
const [question, answer] = process.argv.slice(2);
const text = readFileSync(question, 'utf8').includes('15') ? '42' : 'Paris';
writeFileSync(answer, JSON.stringify({ text, token_usage: { input: 10, output: 2 }, cost_usd: 0.001, duration_ms: 12 }));
`;

/** What AgentV is asked for, and what must be seen of it, the newest first. */
const RUNS = [
  {
    args: [],
    expected: { target: 'echo', experiment: 'default', completed: 2, errored: 0, passed: 1, usd: 0.002 },
  },
  {
    args: ['--target', 'canned', '--experiment', 'other'],
    expected: { target: 'canned', experiment: 'other', completed: 2, errored: 0, passed: 1, usd: null },
  },
  {
    args: ['--target', 'broken'],
    expected: { target: 'broken', experiment: 'default', completed: 0, errored: 2, passed: 0, usd: 0 },
  },
] as const;

export async function checkBranch(agentv: Agentv): Promise<readonly string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-peers-'));
  try {
    const repo = await makeBranch(agentv, dir);
    const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: process.env };
    const begun = performance.now();
    const sources = await openSource(`${repo}#${BRANCH}`, { ...ports, cwd: dir });
    const problems = [...(await compareRows(sources)), ...(await compareSamples(sources, repo))];
    const ms = Math.round(performance.now() - begun);
    for (const source of sources) await source[Symbol.asyncDispose]();
    process.stdout.write(
      `AgentV ${agentv.version}: ${RUNS.length} runs of its own branch listed and opened in ${ms} ms, ${problems.length} differences.\n`,
    );
    return problems;
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function makeBranch(agentv: Agentv, dir: string): Promise<string> {
  const repo = join(dir, 'project');
  await mkdir(join(repo, '.agentv'), { recursive: true });
  execFileSync('git', ['init', '--quiet', repo]);
  const agent = join(dir, 'agent.mjs');
  const command = (file: string) => `${process.execPath} ${file} {PROMPT_FILE} {OUTPUT_FILE}`;
  const targets = `targets:
  - { name: echo, provider: cli, command: ${JSON.stringify(command(agent))} }
  - { name: broken, provider: cli, command: ${JSON.stringify(command(join(dir, 'nowhere.mjs')))} }
  - { name: canned, provider: mock, response: "The answer is 42" }
`;
  await writeFile(agent, AGENT);
  await writeFile(join(repo, '.agentv/config.yaml'), AGENTV_CONFIG);
  await writeFile(join(repo, '.agentv/targets.yaml'), targets);
  await writeFile(join(repo, 'math.yaml'), EVAL);
  for (const { args } of RUNS.toReversed())
    await agentv.command(['eval', 'run', 'math.yaml', ...args], { cwd: repo, home: join(dir, 'home') });
  return repo;
}

async function compareRows(sources: readonly RunSource[]): Promise<readonly string[]> {
  const { runs, problems } = await listAll(sources, { limit: 100 });
  const found = runs.map(({ row, damage }) =>
    row
      ? {
          target: row.target,
          experiment: row.experiment,
          completed: row.samples.completed,
          errored: row.samples.errored,
          passed: row.samples.passed,
          usd: row.usd,
        }
      : damage,
  );
  const wanted = RUNS.map(({ expected }) => expected);
  const isSame = JSON.stringify(found) === JSON.stringify(wanted);
  return [
    ...problems.map(({ error }) => error.message),
    ...(isSame ? [] : [`Listed were\n  ${JSON.stringify(found)}\nand not\n  ${JSON.stringify(wanted)}`]),
  ];
}

/** Every test of the branch, as AgentV's own index has it. */
async function compareSamples(sources: readonly RunSource[], repo: string): Promise<readonly string[]> {
  const git = (...args: string[]) => execFileSync('git', ['-C', repo, ...args], { encoding: 'utf8' });
  const indexes = git('ls-tree', '-r', '--name-only', BRANCH)
    .split('\n')
    .filter((path) => path.endsWith('index.jsonl'));
  const problems: string[] = [];
  for (const path of indexes) {
    const folder =
      path
        .replace(/\/(?:\.internal\/)?index\.jsonl$/, '')
        .split('/')
        .at(-1) ?? '';
    const found = (await sources[0]?.find(folder)) ?? (await findInAll(sources, `other::${folder}`)).shown;
    const reader = await found.open();
    for (const line of git('show', `${BRANCH}:${path}`).trim().split('\n')) {
      const row = JSON.parse(line) as { test_id: string; score: number; execution_status: string };
      const fields = await reader.fields({ id: row.test_id, epoch: 1 });
      const isError = row.execution_status === 'execution_error';
      const isRight =
        fields &&
        (isError ? fields.error : fields.scores?.score?.value === row.score && fields.messages.length > 1);
      if (!isRight)
        problems.push(`${path}: ${row.test_id} was read as ${JSON.stringify(fields)?.slice(0, 300)}`);
    }
    await reader.close();
  }
  return indexes.length === RUNS.length
    ? problems
    : [`${indexes.length} runs are in the branch`, ...problems];
}
