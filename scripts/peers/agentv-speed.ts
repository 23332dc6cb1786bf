// Times AgentV and Holdfast side by side: the same eval with the same agent, published into git, listed, and six at once.
//
// Everything is made in a temporary folder, by the tools themselves, and taken away again. Holdfast is the package as it is published. Only
// what was measured in one run can be compared.

import { mkdtemp, rm } from 'node:fs/promises';
import { cpus, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildPublished } from '../../test/bench/published.ts';
import { git } from '../../test/sim/results-repo.ts';
import type { Agentv } from './agentv.ts';
import { listSpeed } from './list-speed.ts';
import { publishSpeed } from './publish-speed.ts';
import { printSideBySide } from './side-by-side.ts';
import { sixAtOnce } from './six-at-once.ts';

export async function compareSpeed(agentv: Agentv): Promise<void> {
  buildPublished();
  const dir = await mkdtemp(join(tmpdir(), 'holdfast-peers-'));
  try {
    tellMachine(agentv, dir);
    for await (const finding of publishSpeed(agentv, join(dir, 'publish'))) printSideBySide(finding);
    for await (const finding of listSpeed(agentv, join(dir, 'list'))) printSideBySide(finding);
    printSideBySide(await sixAtOnce(agentv, join(dir, 'six')));
    process.stdout.write(`Load at the end: ${load()}.\n`);
  } finally {
    // Upkeep that a publication started in the background may still be writing there.
    await rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
  }
}

function tellMachine({ version }: Agentv, dir: string): void {
  const gitVersion = git(dir, '--version').replace('git version ', '');
  process.stdout.write(
    `AgentV ${version}, Node ${process.versions.node}, git ${gitVersion}, ${cpus().length} cores, load ${load()}.\n`,
  );
}

function load(): string {
  return loadavg()[0]?.toFixed(1) ?? 'unknown';
}
