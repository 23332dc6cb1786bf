// Holdfast beside AgentV as npm has it: `npm run bench:peers`. Reads a branch that AgentV wrote, then times both.
// Where npm cannot be reached it says so and ends with 0.

import { type Agentv, AgentvUnavailableError, newestAgentv } from './agentv.ts';
import { checkBranch } from './agentv-branch.ts';
import { compareSpeed } from './agentv-speed.ts';

const agentv = await agentvOrNone();
if (agentv) {
  const problems = await checkBranch(agentv);
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  if (problems.length > 0) process.exitCode = 1;
  await compareSpeed(agentv);
}

async function agentvOrNone(): Promise<Agentv | undefined> {
  try {
    return await newestAgentv();
  } catch (error) {
    if (!(error instanceof AgentvUnavailableError)) throw error;
    process.stdout.write(`AgentV cannot be had here (${error.message}), so nothing was compared.\n`);
    return undefined;
  }
}
