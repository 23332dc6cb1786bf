/** The documents of `--json` of the commands of shared runs, field by field: `docs/format/shared-json.md` in a form that can be parsed by. */
import { z } from 'zod';
import { MERGE_STATES, type MergeEntry, type MergeReport } from '../../src/artifacts/index.ts';
import type { Bundle, BundleChanges, CollectedBundles } from '../../src/bundle/index.ts';
import type { Collectable, HomeReport, OutputPiece, RunEvent, RunStatus } from '../../src/cluster/index.ts';

/** A field that the product has and this lacks, or the other way round, does not compile. */
type FieldsOf<T> = Readonly<Record<keyof T, z.ZodType>>;
type Fields = Readonly<Record<string, z.ZodType>>;
type AnyOf<T> = T extends unknown ? keyof T : never;
type EventOf<Kind> = Extract<RunEvent, { readonly kind: Kind }>;

const text = z.string();
const flag = z.boolean();
const count = z.int().min(0);
const nth = z.int().min(1);
const usd = z.number().min(0);
const texts = z.array(text);
/** A document that another page describes. */
const elsewhere = z.record(text, z.unknown());
const job = z.templateLiteral([z.enum(['s', 'b']), z.string()]);
const state = z.enum(['queued', 'running', 'stalled', 'interrupted', 'complete', 'cancelled', 'unknown']);
const workerState = z.enum(['live', 'silent', 'ended', 'unknown']);

const error = { code: text, message: text, hint: text, retryable: flag.optional() };
const damaged = { key: text, job: job.optional(), problem: text } satisfies FieldsOf<
  RunStatus['damaged'][number]
>;
const damagedList = z.array(z.strictObject(damaged));
const jobName = {
  sample: z.strictObject({ id: z.union([text, z.int()]), epoch: nth }).optional(),
  unit: text.optional(),
};

const launch = {
  ...{ label: text, kind: text, name: text, workers: count, started: count.optional() },
  ...{ hosts: texts.optional(), outcome: z.enum(['running', 'stopped', 'already', 'failed']) },
  error: z.strictObject(error).optional(),
};
const launched = z.array(z.strictObject(launch));

const counts = {
  ...{ planned: count, completed: count, errored: count, aside: count, running: count, due: count },
  damaged: count,
} satisfies FieldsOf<RunStatus['builds']>;
const inFlight = {
  ...{ job, ...jobName, n: nth, worker: text, host: text.optional(), since: text },
  ...{ ageMs: z.number().nullable(), state: workerState },
} satisfies FieldsOf<RunStatus['inFlight'][number]>;
type Seen = RunStatus['workers'][number];
const busy = { run: text, job, n: nth, since: text } satisfies FieldsOf<Seen['busy'][number]>;
const refusal = { run: text, reason: text, round: nth.optional() } satisfies FieldsOf<
  Seen['refuses'][number]
>;
const worker = {
  ...{ worker: text, host: text.optional(), state: workerState, slots: count },
  ...{ silentMs: z.number().nullable(), problem: text.optional() },
  ...{ busy: z.array(z.strictObject(busy)), refuses: z.array(z.strictObject(refusal)) },
} satisfies FieldsOf<Seen>;
const cancelled = {
  ...{ by: text, at: text, reason: text.optional() },
  because: z.enum(['budget', 'errors', 'calls', 'mistake']).optional(),
  ...{ code: text.optional(), hint: text.optional() },
} satisfies FieldsOf<NonNullable<RunStatus['cancelled']>>;
const status = {
  ...{ run: text, state, round: count, eval: text, target: text, submittedAt: text, submittedBy: text },
  samples: z.strictObject({ ...counts, reused: count } satisfies FieldsOf<RunStatus['samples']>),
  builds: z.strictObject(counts),
  ...{ lostLeases: count, usd, budgetUsd: usd.optional(), isBudgetShared: z.literal(true).optional() },
  cancelled: z.strictObject(cancelled).optional(),
  scorersFailed: z.record(text, count),
  ...{ inFlight: z.array(z.strictObject(inFlight)), workers: z.array(z.strictObject(worker)) },
  ...{ damaged: damagedList, lastEndedAt: text.optional() },
} satisfies FieldsOf<RunStatus>;
const unreadRun = { run: text, state: z.literal('unknown'), problem: text };

const homeSamples = {
  ...{ planned: count, completed: count, reused: count, errored: count, aside: count, due: count },
  damaged: count,
} satisfies FieldsOf<HomeReport['samples']>;
const homeBuilds = {
  ...{ completed: count, errored: count, aside: count, due: count, damaged: count, usd },
} satisfies FieldsOf<HomeReport['builds']>;
const setAside = { job, reason: text } satisfies FieldsOf<HomeReport['aside'][number]>;
const lostLease = { job, n: nth, by: text, reason: text } satisfies FieldsOf<
  HomeReport['lostLeases'][number]
>;
const usedNode = { version: text, writers: count, names: texts.optional() } satisfies FieldsOf<
  HomeReport['nodes'][number]
>;
const homeEvidence = {
  ...{ folder: text, isWhole: flag, attempts: count, files: count, bytes: count, underWay: count },
  ...{ cutBytes: count, leftOut: count, unstoredBytes: count, problems: texts },
} satisfies FieldsOf<NonNullable<HomeReport['evidence']>>;
const home = {
  ...{ run: text, round: nth, isComplete: flag, cancelled: z.strictObject(cancelled).optional() },
  ...{ isUndone: z.literal(true).optional(), budgetUsd: usd.optional() },
  ...{ samples: z.strictObject(homeSamples), builds: z.strictObject(homeBuilds) },
  ...{ aside: z.array(z.strictObject(setAside)), damaged: damagedList },
  ...{ lostLeases: z.array(z.strictObject(lostLease)), lostResults: z.array(job), writers: count, usd },
  nodes: z.array(z.strictObject(usedNode)),
  ...{ log: text.optional(), evidence: z.strictObject(homeEvidence).optional(), problems: texts },
} satisfies FieldsOf<HomeReport>;
const scorerTrouble = { scorer: text, failed: count, scored: count, reason: text.optional() };

const mergeSource = {
  ...{ name: text, state: z.enum(['read', 'absent', 'failed']), generations: count },
  reason: text.optional(),
} satisfies FieldsOf<MergeReport['sources'][number]>;
const mergeEntry = {
  ...{ unit: text, recipe: text.nullable(), generation: text.nullable(), digest: text.nullable() },
  state: z.enum(MERGE_STATES),
  ...{ source: text.nullable(), files: count, bytes: count, reason: text.optional() },
  producer: z.strictObject({ version: text, run: text, writer: text }).nullable(),
} satisfies FieldsOf<MergeEntry>;
const currentChange = { unit: text, recipe: text, from: text.nullable(), to: text } satisfies FieldsOf<
  MergeReport['changes'][number]
>;
const merge = {
  ...{ format: z.literal(1), id: text, created: text, sources: z.array(z.strictObject(mergeSource)) },
  ...{ entries: z.array(z.strictObject(mergeEntry)), changes: z.array(z.strictObject(currentChange)) },
} satisfies FieldsOf<MergeReport>;

const publishedRun = {
  ...{ run: text, outcome: z.enum(['published', 'revised', 'there', 'restored']), commit: text, log: text },
};
const push = {
  outcome: z.enum(['pushed', 'current', 'no remote', 'refused', 'offline']),
  ...{ remote: text.optional(), commit: text.optional(), raced: count.optional() },
  error: z.strictObject(error).optional(),
};
const published = {
  ...{ repository: text.optional(), branch: text, runs: z.array(z.strictObject(publishedRun)) },
  ...{ waiting: count, later: text, push: z.strictObject(push).optional() },
  error: z.strictObject(error).optional(),
};

const cameHome = {
  ...{ run: text, log: text.optional(), home: z.strictObject(home), missed: texts },
  ...{ scorerTroubles: z.array(z.strictObject(scorerTrouble)), results: elsewhere.optional() },
  ...{ artifacts: z.strictObject(merge).optional(), published: z.strictObject(published).optional() },
};
const WAIT_ENDS = [
  ...(['complete', 'cancelled', 'stalled', 'timed-out', 'no-progress', 'unknown', 'interrupted'] as const),
];
const end = z.enum(WAIT_ENDS);
const submittedRun = {
  ...{ run: text, round: count, eval: text, target: text, samples: count, due: count, bundle: text, state },
};
const waitedRun = { exitCode: count, end, status: z.strictObject(status) };
const failedRun = { exitCode: count, error: z.strictObject(error) };

const evidence = {
  ...{ parts: count, bytes: count, cutBytes: count.optional(), leftOut: count.optional() },
  unstoredBytes: count.optional(),
} satisfies FieldsOf<NonNullable<EventOf<'ended'>['evidence']>>;
const runEvent = {
  ...{ kind: z.enum(['submitted', 'round', 'cancelled']), at: text, by: text },
  ...{ round: nth.optional(), reason: text.optional() },
} satisfies FieldsOf<EventOf<'round'>>;
const jobEvent = {
  ...{ kind: z.enum(['begun', 'ended']), at: text, round: nth, job, ...jobName, n: nth },
  ...{ worker: text, writer: text, by: text.optional(), reason: text.optional(), usd: usd.optional() },
  status: z.enum(['completed', 'errored', 'returned', 'lost', 'aside']).optional(),
  evidence: z.strictObject(evidence).optional(),
} satisfies Readonly<Record<AnyOf<EventOf<'begun'> | EventOf<'ended'>>, z.ZodType>>;
const event = z.union([z.strictObject(runEvent), z.strictObject(jobEvent)]);
const output = { job, n: nth, writer: text, path: text, at: text, text } satisfies FieldsOf<OutputPiece>;
const lastLine = { kind: z.literal('over'), exitCode: count, state, damaged: damagedList };

const collectable = {
  ...{ run: text, isRemoved: flag, reason: text, isDamaged: z.literal(true).optional() },
} satisfies FieldsOf<Collectable>;
const removedBundle = { digest: text, bytes: count };
const strays = { files: count, bytes: count };
const collectedBundles = {
  ...{ kept: text.optional(), removed: z.array(z.strictObject(removedBundle)) },
  strays: z.strictObject(strays),
} satisfies FieldsOf<CollectedBundles>;

const leftOut = { path: text, reason: z.enum(['untracked', 'secret']) };
const fileChanges = { added: texts, removed: texts, changed: texts };
const valueChange = {
  before: z.union([text, z.int()]).nullable(),
  after: z.union([text, z.int()]).nullable(),
};
const changed = z.strictObject(valueChange);
const changes = {
  ...{ files: z.strictObject(fileChanges), data: z.strictObject(fileChanges), node: changed.optional() },
  ...{ lock: changed.optional(), image: changed.optional(), programs: z.record(text, changed) },
} satisfies FieldsOf<BundleChanges>;
const since = { digest: text, changes: z.strictObject(changes) };
const bundle = {
  ...{ digest: text, manifest: elsewhere, root: text, dir: text, revision: text.nullable(), isDirty: flag },
  ...{ dirtyFiles: texts, leftOut: z.array(z.strictObject(leftOut)) },
} satisfies FieldsOf<Omit<Bundle, 'filesFrom'>>;

const exit = { exitCode: count };
const submit = {
  ...exit,
  runs: z.array(
    z.union([
      z.strictObject(submittedRun),
      z.strictObject({ ...submittedRun, ...waitedRun }),
      z.strictObject({ ...submittedRun, ...waitedRun, ...cameHome }),
      z.strictObject({ ...submittedRun, ...failedRun }),
    ]),
  ),
  launched,
};
const list = {
  ...{ ...exit, total: count },
  runs: z.array(z.union([z.strictObject(status), z.strictObject(unreadRun)])),
};
const wait = { ...exit, run: text, end, missed: texts, status: z.strictObject(status), launched };
const fetch = { ...exit, launched };
const cancel = {
  ...{ ...exit, run: text, round: count, launched, damaged: damagedList },
  state: z.enum(['complete', 'cancelled']),
};
const logs = {
  ...{ ...exit, run: text, state, round: count, events: z.array(event), damaged: damagedList },
  output: z.array(z.strictObject(output)),
};
const gc = {
  ...{ ...exit, isDryRun: flag, runs: z.array(z.strictObject(collectable)) },
  ...{ bundles: z.strictObject(collectedBundles), workers: texts },
};
const launchStop = { ...exit, run: text, launched };
const bundleOwn = { ...exit, since: z.strictObject(since).nullable() };
const failure = { ...exit, error: z.strictObject(error) };
const ofRun = { run: text };

/** What stands under each heading of the page. */
export const FIELDS: Readonly<Record<string, Fields>> = {
  'submit and runs resume': submit,
  'runs list': list,
  'runs status': exit,
  'runs wait': wait,
  'runs fetch': fetch,
  'runs cancel': cancel,
  'runs logs': logs,
  'runs logs --follow': ofRun,
  'runs gc': gc,
  'launch stop': launchStop,
  worker: { ...exit, worker: text },
  bundle: { ...bundleOwn, ...bundle },
  'A command that failed': failure,
  'A run that was submitted': submittedRun,
  'A run that was waited for': waitedRun,
  'A run that could not be waited for': failedRun,
  'What came home': cameHome,
  'A status': status,
  'A run that cannot be read': unreadRun,
  'Counts of jobs': counts,
  'A job in flight': inFlight,
  'A worker that was seen': worker,
  'A job that a worker has': busy,
  'A refusal': refusal,
  'A cancellation': cancelled,
  'A damaged object': damaged,
  'A launch': launch,
  'An error': error,
  'The account of a fetch': home,
  'Samples that came home': homeSamples,
  'Builds that came home': homeBuilds,
  'A job that was set aside': setAside,
  'A version of Node': usedNode,
  'A lease that was lost': lostLease,
  'Evidence that came home': homeEvidence,
  'A scorer in trouble': scorerTrouble,
  'A merge of artifacts': merge,
  'A source of a merge': mergeSource,
  'A generation in a merge': mergeEntry,
  'A recipe whose current generation changed': currentChange,
  'What was published': published,
  'A published run': publishedRun,
  'A push': push,
  'An event of the run': runEvent,
  'An event of a job': jobEvent,
  'Evidence of a lease': evidence,
  'A piece of output': output,
  'The last line': lastLine,
  'A run that was looked at': collectable,
  'Bundles that were looked at': collectedBundles,
  'A bundle that was removed': removedBundle,
  Strays: strays,
  'A file that is left out': leftOut,
  'The bundle of before': since,
  'Changes of a bundle': changes,
  'Changes of files': fileChanges,
  'A change of a value': valueChange,
};

/** By command: what it prints. Of `runs logs --follow` each line is such a document. */
export const DOCUMENTS = {
  submit: z.strictObject(submit),
  'runs list': z.strictObject(list),
  'runs status': z.strictObject({ ...exit, ...status }),
  'runs wait': z.strictObject(wait),
  'runs fetch': z.strictObject({ ...fetch, ...cameHome }),
  'runs cancel': z.strictObject(cancel),
  'runs logs': z.strictObject(logs),
  'runs logs --follow': z.union([
    z.strictObject({ ...ofRun, ...runEvent }),
    z.strictObject({ ...ofRun, ...jobEvent }),
    z.strictObject({ ...ofRun, kind: z.literal('output'), ...output }),
    z.strictObject({ ...ofRun, ...lastLine }),
  ]),
  'runs gc': z.strictObject(gc),
  'launch stop': z.strictObject(launchStop),
  worker: z.strictObject({ ...exit, worker: text }),
  bundle: z.strictObject({ ...bundleOwn, ...bundle }),
  failure: z.strictObject(failure),
} as const satisfies Readonly<Record<string, z.ZodType>>;
