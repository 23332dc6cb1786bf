import { type SampleKey, sampleKeyText } from '../base/index.ts';
import { sampleMemberName, type VerifyReport } from '../log/index.ts';
import { countStates, type PlannedSample, type RecoveryPlan } from './plan-recovery.ts';
import type { RebuiltSample } from './rebuild-sample.ts';
import type { RecoverCounts, SampleAccount, SourceKind } from './recover-report.ts';
import { isSameAttempt, placeOf, type SampleCopy } from './sample-copies.ts';

type OpenAccount = SampleAccount & { readonly missing: string[] };

/** What becomes of each sample: made from the plan, and corrected where writing or reading back shows otherwise. */
export class SampleAccounts {
  readonly #accounts = new Map<string, OpenAccount>();
  readonly #expected: number | undefined;

  constructor(plan: RecoveryPlan) {
    this.#expected = plan.facts.expected;
    for (const { key, state } of plan.samples) this.#set({ ...keyOf(key), state, from: [], missing: [] });
    for (const key of plan.lost) this.lost(key);
  }

  kept(planned: PlannedSample, found: { readonly id: SampleKey['id']; readonly from: SourceKind }): void {
    const { epoch } = planned.key;
    this.#set({ id: found.id, epoch, state: 'flushed', from: [found.from], ...whyOf(planned), missing: [] });
  }

  rebuilt(
    planned: PlannedSample,
    copy: SampleCopy & { readonly from: 'buffers' },
    { sample, withEvents }: { readonly sample: RebuiltSample; readonly withEvents: boolean },
  ): void {
    const { fields, events, pending } = sample;
    const state = sample.state === 'completed' && fields.error !== undefined ? 'errored' : sample.state;
    this.#set({
      id: fields.id,
      epoch: fields.epoch,
      state,
      from: copy.readers.map(({ kind }) => kind),
      events: withEvents ? events.length : 0,
      pending,
      ...(copy === planned.copies[0] && whyOf(planned)),
      missing: [...sample.missing, ...othersOf(planned, copy)],
      ...(sample.notes.length > 0 && { notes: sample.notes }),
    });
  }

  /** A sample that was once in the log and is nowhere any more. */
  lost(key: SampleKey): void {
    const missing = ['It was flushed, but its copy in the log is gone or damaged.'];
    this.#set({ ...keyOf(key), state: 'lost', from: [], missing });
  }

  /** References without a target, which reading the new log back has found: they say what is missing of a sample. */
  addMissing(report: VerifyReport): void {
    const problems = [...report.problems, ...report.remarks];
    if (problems.length === 0) return;
    for (const account of this.#accounts.values()) {
      const member = sampleMemberName(account.id, account.epoch);
      for (const problem of problems) if (problem.member === member) account.missing.push(problem.message);
    }
  }

  list(): readonly SampleAccount[] {
    return [...this.#accounts.values()];
  }

  counts(): RecoverCounts {
    return countStates(
      Array.from(this.#accounts.values(), ({ state }) => state),
      this.#expected,
    );
  }

  #set(account: OpenAccount): void {
    this.#accounts.set(sampleKeyText(account.id, account.epoch), account);
  }
}

function keyOf({ id, epoch }: SampleKey): SampleKey {
  return { id, epoch };
}

function whyOf({ why }: PlannedSample): { readonly why?: string } {
  return why === undefined ? {} : { why };
}

/** Attempts in other buffers, which no log of this eval holds. A record of an earlier attempt stays in the crashed log. */
function othersOf({ copies }: PlannedSample, taken: SampleCopy): readonly string[] {
  return copies
    .filter((copy) => copy !== taken && copy.from === 'buffers' && !isSameAttempt(copy, taken))
    .map((copy) => `Another attempt at it, in ${placeOf(copy)}, was left out.`);
}
