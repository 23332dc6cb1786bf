import { DamageError } from '../base/index.ts';
import { orDamage } from './damage.ts';
import { parseNumberedKey, pursePrefix, SharedKeys, type SharedPlace } from './shared-keys.ts';
import { decodeShared, type Round, type Submission } from './shared-records.ts';

/** Rounds never change, and each is read once. */
export type KnownRounds = Map<string, Round>;

/** What was said of money for rounds of the other runs of a purse. */
export interface SaidByOthers {
  /** The last that says a budget: by the clock of whoever said it. */
  readonly last?: Round | undefined;
  /** True when a round cannot be read: it may have said anything. */
  readonly isUnread: boolean;
}

/** A budget that is said for a round of one run of a purse is that of all of them [SHR-23]. */
export async function saidByOthers(
  place: SharedPlace,
  { run, purse }: Pick<Submission, 'run' | 'purse'>,
  known: KnownRounds = new Map(),
): Promise<SaidByOthers> {
  if (purse === undefined) return { isUnread: false };
  const folder = pursePrefix(place.prefix, purse);
  let [last, isUnread]: [Round | undefined, boolean] = [undefined, false];
  for await (const { key } of place.bucket.list(folder)) {
    const other = key.slice(folder.length);
    if (other === run) continue;
    const rounds = await roundsOf(place, other, known);
    isUnread ||= rounds.some((round) => round instanceof DamageError);
    const said = rounds.findLast(saysBudget);
    if (said && (!last || isLater(said, last))) last = said;
  }
  return { last, isUnread };
}

/** The budget of a run by its own rounds, the latest first, and by those of others: what was said last, or the least where something cannot be read. */
export function budgetWithOthers(
  ownUsd: number | undefined,
  latestFirst: readonly (Round | DamageError)[],
  { last, isUnread }: SaidByOthers,
): number | undefined {
  if (last?.budgetUsd === undefined) return ownUsd;
  const own = latestFirst.find(saysBudget);
  if (isUnread || latestFirst.some((round) => round instanceof DamageError))
    return Math.min(last.budgetUsd, ownUsd ?? last.budgetUsd);
  return own && !isLater(last, own) ? ownUsd : last.budgetUsd;
}

function saysBudget(round: Round | DamageError): round is Round {
  return !(round instanceof DamageError) && round.budgetUsd !== undefined;
}

function isLater(one: Round, than: Round): boolean {
  return Date.parse(one.at) > Date.parse(than.at);
}

/** The first one first. */
async function roundsOf(
  { bucket, prefix }: SharedPlace,
  run: string,
  known: KnownRounds,
): Promise<readonly (Round | DamageError)[]> {
  const rounds: (Round | DamageError)[] = [];
  for await (const { key } of bucket.list(new SharedKeys(prefix, run).rounds)) {
    if (parseNumberedKey(key) === undefined) continue;
    const bytes = known.has(key) ? undefined : await bucket.read(key);
    const round = known.get(key) ?? (bytes && orDamage(() => decodeShared('round', bytes, key)));
    if (!round) continue;
    if (!(round instanceof DamageError)) known.set(key, round);
    rounds.push(round);
  }
  return rounds;
}
