import { type SampleKey, sampleKeyText } from '../base/index.ts';
import { sampleMemberName, type VerifyReport } from '../log/index.ts';
import type { BufferedPlan } from './plan-samples.ts';
import type { RebuiltSample } from './rebuild-sample.ts';
import type { RecoverCounts, SampleAccount, SourceKind } from './recover-report.ts';

/** What became of each sample: one account each, filled while the log is written and checked. */
export class SampleAccounts {
  readonly #accounts = new Map<string, SampleAccount & { readonly missing: string[] }>();

  kept(key: SampleKey, from: SourceKind): void {
    this.#set({ ...key, state: 'flushed', from: [from], missing: [] });
  }

  rebuilt(plan: BufferedPlan, rebuilt: RebuiltSample, withEvents: boolean): void {
    const { state, fields, events, pending, missing } = rebuilt;
    const others = plan.others.map((place) => `Another attempt at it, in ${place}, was left out.`);
    this.#set({
      id: fields.id,
      epoch: fields.epoch,
      state: state === 'completed' && fields.error !== undefined ? 'errored' : state,
      from: plan.readers.map(({ kind }) => kind),
      events: withEvents ? events.length : 0,
      pending,
      missing: [...missing, ...others],
    });
  }

  /** A sample that was once in the log and is nowhere any more; one that has an account is not lost. */
  lost({ id, epoch }: SampleKey): void {
    if (this.#accounts.has(sampleKeyText(id, epoch))) return;
    const missing = ['It was flushed, but its copy in the log is gone or damaged.'];
    this.#set({ id, epoch, state: 'lost', from: [], missing });
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

  counts(expected: number | undefined): RecoverCounts {
    const counts = { expected, kept: 0, recovered: 0, inFlight: 0, lost: 0 };
    for (const { state } of this.#accounts.values()) counts[COUNTED_AS[state]]++;
    return counts;
  }

  #set(account: SampleAccount & { readonly missing: string[] }): void {
    this.#accounts.set(sampleKeyText(account.id, account.epoch), account);
  }
}

const COUNTED_AS = {
  flushed: 'kept',
  completed: 'recovered',
  errored: 'recovered',
  'in-flight': 'inFlight',
  lost: 'lost',
} as const;
