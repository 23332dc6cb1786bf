import { parseNumberedKey, pursePrefix, SharedKeys, type SharedPlace } from './shared-keys.ts';
import { decodeShared, type Round, type Submission } from './shared-records.ts';

/** A budget that was said for a round, and when: by the clock of whoever said it. */
export type SaidBudget = Pick<Round, 'at'> & { readonly budgetUsd: number };

/** Rounds never change, and each is read once. */
export type KnownRounds = Map<string, Round>;

/** The budget that was said last for a round of another run of the same purse: it is that of all of them [SHR-23]. */
export async function saidByOthers(
  place: SharedPlace,
  { run, purse }: Pick<Submission, 'run' | 'purse'>,
  known: KnownRounds = new Map(),
): Promise<SaidBudget | undefined> {
  if (purse === undefined) return undefined;
  const folder = pursePrefix(place.prefix, purse);
  let last: SaidBudget | undefined;
  for await (const { key } of place.bucket.list(folder)) {
    const other = key.slice(folder.length);
    if (other !== run) last = laterOf(last, await saidFor(place, other, known));
  }
  return last;
}

export function laterOf(a: SaidBudget | undefined, b: SaidBudget | undefined): SaidBudget | undefined {
  if (!a || !b) return a ?? b;
  return Date.parse(b.at) > Date.parse(a.at) ? b : a;
}

/** Of a run whose rounds are known, by number: that of the latest that says one. */
export function saidIn(rounds: Iterable<readonly [number, Round]>): SaidBudget | undefined {
  const said = [...rounds].sort(([a], [b]) => b - a).find(([, { budgetUsd }]) => budgetUsd !== undefined);
  return said?.[1].budgetUsd === undefined ? undefined : { at: said[1].at, budgetUsd: said[1].budgetUsd };
}

async function saidFor(
  { bucket, prefix }: SharedPlace,
  run: string,
  known: KnownRounds,
): Promise<SaidBudget | undefined> {
  const rounds: [number, Round][] = [];
  for await (const { key } of bucket.list(new SharedKeys(prefix, run).rounds)) {
    const n = parseNumberedKey(key);
    const bytes = n === undefined || known.has(key) ? undefined : await bucket.read(key);
    if (bytes) known.set(key, decodeShared('round', bytes, key));
    const round = known.get(key);
    if (n !== undefined && round) rounds.push([n, round]);
  }
  return saidIn(rounds);
}
