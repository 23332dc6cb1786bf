import { ActionableError, definedOf, UsageError } from '../base/index.ts';
import { type Git, isAncestor, type ObjectId, objectsLike, timeOfCommit } from '../git/index.ts';
import { ResultsTree, type TreePorts } from './results-tree.ts';

/** A commit of the results that is read alone: what came after it is not there. */
export interface PinnedCommit {
  readonly commit: ObjectId;
  /** When it was made. */
  readonly whenMs?: number;
}

const DIGITS = /^[0-9a-f]{7,64}$/;

/** The commit that is meant by its id, or by as many digits of it as tell it from all others. E_RESULTS_COMMIT when it cannot be read as results. */
export async function pinnedCommit(
  ports: TreePorts & { readonly git: Git },
  given: string,
): Promise<PinnedCommit> {
  const { git, objects } = ports;
  if (!DIGITS.test(given)) throw noCommit(`"${given.slice(0, 80)}" is no commit of the results`, IN_DIGITS);
  const there = await Promise.all((await objectsLike(git, given)).map((id) => objects.info(id)));
  const [found, ...others] = there.filter((info) => info?.type === 'commit');
  const place = `the repository ${git.dir}`;
  if (others.length > 0)
    throw noCommit(`Several commits of ${place} begin with ${given}`, 'Give more digits.');
  if (!found && there.length > 0) throw noCommit(`${given} is no commit in ${place}`, IN_DIGITS);
  const commit = found && (await objects.object(found.id));
  if (!commit) throw noCommit(`There is no commit ${given} in ${place}`, FETCH);
  await mustHoldResults(ports, commit.id);
  return { commit: commit.id, ...definedOf({ whenMs: timeOfCommit(commit) }) };
}

async function mustHoldResults(ports: TreePorts, commit: ObjectId): Promise<void> {
  try {
    await ResultsTree.read(ports, [commit]);
  } catch (error) {
    if (!(error instanceof ActionableError) || error.code !== 'E_RESULTS_REF') throw error;
    throw noCommit(`The commit ${commit.slice(0, 7)} holds no results`, IN_DIGITS);
  }
}

/** Whether a commit has all that some others have. */
export async function hasAllOf(git: Git, commit: ObjectId, others: readonly ObjectId[]): Promise<boolean> {
  for (const other of others) if (!(await isAncestor(git, other, commit))) return false;
  return true;
}

/** Nothing is written to what was. */
export function pinnedForReading({ commit }: { readonly commit: string }): UsageError {
  return new UsageError({
    code: 'E_RESULTS_PINNED',
    message: `These are the results as they were at ${commit.slice(0, 7)}.`,
    hint: 'Open them as they are to write.',
  });
}

const FETCH = 'It may have to be fetched: "holdfast results sync".';
const IN_DIGITS =
  'Give at least 7 hex digits of a commit of the results branch; one that others made may have to be fetched: "holdfast results sync".';

function noCommit(message: string, hint: string): UsageError {
  return new UsageError({ code: 'E_RESULTS_COMMIT', message: `${message}.`, hint });
}
