import type { Purchase } from './sim-samples.ts';
import type { Simulated } from './simulate.ts';
import { wasTorn } from './was-torn.ts';

/** What must hold of everything that was paid for. */
export function problemsOfPurchases(simulated: Simulated): readonly string[] {
  return [
    ...boughtTwice(simulated),
    ...boughtInVain(simulated),
    ...lostByTheUnhurt(simulated),
    ...vanished(simulated),
  ];
}

/** An answer that was in the bucket before a lease began is not bought under it, and one that a writer has by itself never. */
function boughtTwice({ ledger, shared, createdAtMs }: Simulated): readonly string[] {
  return samePairs(ledger).flatMap(([first, later]) => {
    const what = `${later.by} bought answer ${later.call} of ${later.job}`;
    if (first.writer === later.writer && later.boughtAtMs > first.boughtAtMs) return [`${what} twice`];
    // Whoever fell asleep as the lease began looked for answers only when it woke up.
    const begunAtMs = createdAtMs.get(shared.keys.begun(later.job, later.n)) ?? later.leaseAtMs;
    return first.storedAtMs !== undefined && first.storedAtMs < begunAtMs
      ? [`${what} at ${later.boughtAtMs}, which ${first.by} had stored at ${first.storedAtMs}`]
      : [];
  });
}

/**
 * Of whoever was neither killed nor kept from the bucket each answer is stored in the end, and nobody buys it again; but one that slept with an
 * earlier lease may as it wakes up.
 */
function lostByTheUnhurt(simulated: Simulated): readonly string[] {
  const { ledger, strikes, wasBucketWell } = simulated;
  if (!wasBucketWell) return [];
  const isMeant = (one: Purchase) => strikes.isUnhurt(one) && !wasTorn(simulated, one.job);
  const unstored = ledger.filter((one) => isMeant(one) && one.storedAtMs === undefined);
  const again = samePairs(ledger).filter(
    ([first, later]) =>
      isMeant(first) &&
      later.boughtAtMs > first.boughtAtMs &&
      (later.n >= first.n || strikes.isUnhurt(later)),
  );
  return [
    ...unstored.map(({ by, job, call }) => `${by} was well, and never stored answer ${call} of ${job}`),
    ...again.map(
      ([first, { by, job, call }]) =>
        `${by} bought answer ${call} of ${job} again, although ${first.by} had it and was well`,
    ),
  ];
}

/** An answer that never reached the bucket is lost with a worker that is named, or was given back by one that could not send it. */
function vanished(simulated: Simulated): readonly string[] {
  const { ledger, witnessed, strikes, wasBucketWell } = simulated;
  return ledger.flatMap((purchase) => {
    const { job, n, call, by, storedAtMs } = purchase;
    if (storedAtMs !== undefined || wasTorn(simulated, job)) return [];
    const end = witnessed.find((one) => one.job === job && one.n === n)?.ended;
    const isNamed = end?.status === 'lost' && end.reason.includes(by);
    const isGivenBack = end?.status === 'returned' && (!wasBucketWell || !strikes.isUnhurt(purchase));
    if (isNamed || isGivenBack) return [];
    return [`answer ${call} of ${job} vanished with ${by}, whose lease ${n} ended ${end?.status}`];
  });
}

/** What a worker may buy after its lease was ended by another: it looks every three seconds. */
const NOTICED_MS = 4_000;

/** A worker that was declared lost stops soon after it can know. */
function boughtInVain({ ledger, shared, strikes, createdAtMs, wasBucketWell }: Simulated): readonly string[] {
  if (!wasBucketWell) return [];
  return ledger.flatMap(({ job, n, by, boughtAtMs }) => {
    const end = shared.leasesOf(job).find(({ begun }) => begun.n === n)?.ended;
    if (!end || end.by === by) return [];
    const endedAtMs = createdAtMs.get(shared.keys.ended(job, n)) ?? 0;
    const { wellAtMs: allMs = [], cutOff = [] } = strikes.struck.get(by) ?? {};
    if (cutOff.some(({ fromMs, untilMs }) => fromMs <= boughtAtMs && boughtAtMs <= untilMs)) return [];
    const wellAtMs = Math.max(0, ...allMs.filter((ms) => ms <= boughtAtMs));
    const couldKnowMs = Math.max(endedAtMs, wellAtMs) + NOTICED_MS;
    return boughtAtMs > couldKnowMs
      ? [`${by} bought for ${job} at ${boughtAtMs}, although ${end.by} had ended its lease at ${endedAtMs}`]
      : [];
  });
}

/** Every two purchases of the same answer, in either order. */
function samePairs(ledger: readonly Purchase[]): readonly (readonly [Purchase, Purchase])[] {
  const pairs: (readonly [Purchase, Purchase])[] = [];
  for (const ofOne of Map.groupBy(ledger, ({ job, call }) => `${job}/${call}`).values())
    for (const first of ofOne) for (const later of ofOne) if (first !== later) pairs.push([first, later]);
  return pairs;
}
