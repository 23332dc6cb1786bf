import { basename, dirname, join } from 'node:path';
import { ActionableError, type Clock, digestOf, shortId, systemClock, systemRandom } from '../base/index.ts';
import type { Disk } from './disk.ts';
import { livenessOfToken, myToken, TOKEN_PATTERN } from './process-token.ts';

const TRIES_MAX = 60;
const PAUSE_MS = 20;
const SPREAD_MAX = 20;

/**
 * Runs `work` while nobody else does for the same `path`: for file systems that have no create-if-absent of whole files.
 *
 * ### Ordering
 * A claim is a file of its own beside `path`. Whoever made one looks for those of others, and goes on only when there is
 * none of a process that may be alive; else it takes its own back and tries again. Of two that claim at once, the later to look sees
 * the other, so never do both go on. A crash leaves a claim that counts no more, since its name tells who made it.
 */
export async function withClaim<T>(
  disk: Disk,
  path: string,
  options: { readonly work: () => Promise<T>; readonly clock?: Clock },
): Promise<T> {
  const { work, clock = systemClock } = options;
  const claim = claimPathFor(path);
  for (let tries = 1; ; tries++) {
    await (await disk.open(claim.path, 'create')).close();
    try {
      if (!(await isClaimedByOthers(disk, claim))) return await work();
    } finally {
      await disk.remove(claim.path);
    }
    if (tries >= TRIES_MAX) throw claimed(path);
    // Chance keeps those that claim at once from going on doing so at once; the more there are, the longer it takes.
    await clock.sleep(PAUSE_MS * (1 + Math.min(tries, SPREAD_MAX) * systemRandom.next()));
  }
}

interface Claim {
  readonly dir: string;
  readonly path: string;
  readonly name: string;
  readonly pattern: RegExp;
}

/** A temporary name, so that nobody lists it and what a crash leaves is swept. One process may claim a path twice at a time. */
function claimPathFor(path: string): Claim {
  const dir = dirname(path);
  const what = digestOf(basename(path)).slice(0, 16);
  const name = `.holdfast-claim-${what}-${myToken()}-${shortId(systemRandom)}.tmp`;
  const pattern = new RegExp(`^\\.holdfast-claim-${what}-(${TOKEN_PATTERN})-[0-9A-Za-z]{22}\\.tmp$`);
  return { dir, name, path: join(dir, name), pattern };
}

async function isClaimedByOthers(disk: Disk, claim: Claim): Promise<boolean> {
  for (const { name } of (await disk.list(claim.dir)) ?? []) {
    const token = claim.pattern.exec(name)?.[1];
    if (token === undefined || name === claim.name) continue;
    if (livenessOfToken(token) !== 'dead') return true;
    await disk.remove(join(claim.dir, name));
  }
  return false;
}

function claimed(path: string): ActionableError {
  return new ActionableError({
    code: 'E_FILE_CLAIMED',
    message: `Another process has been making ${path} for too long.`,
    hint: 'Run the same command again; if it stays so, remove the files named .holdfast-claim-… beside it.',
    retryable: true,
  });
}
