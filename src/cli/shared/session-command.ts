import process from 'node:process';
import { ActionableError, packageVersion, systemClock, UsageError } from '../../base/index.ts';
import { openBucket } from '../../bucket/index.ts';
import {
  evalSession,
  type OpenedRun,
  Prints,
  parseJob,
  type SessionBegin,
  type SessionTold,
  type SubmittedWork,
  serveSession,
} from '../../cluster/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { redactPatterns } from '../../evals/index.ts';
import { parentLink } from '../../process/index.ts';
import { type EvalChanges, type PreparedSet, prepareSet } from '../../runner/index.ts';
import { type PriceTable, reachedBy } from '../../targets/index.ts';
import type { CommandCall } from '../command.ts';
import { endWithParent } from '../end-with-parent.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { loadEvals } from '../run/run-command.ts';
import type { Environment } from '../terminal.ts';
import { openSharedStore } from './shared-place.ts';
import { secretsOf } from './worker-secrets.ts';

const PRINTS = new Prints();

/** `worker --session`: the process in which a worker runs the code of one run. */
export async function serveAsSession(call: CommandCall): Promise<ExitCode> {
  const link = parentLink(call.terminal.env);
  if (!link)
    throw new UsageError({
      code: 'E_NO_PARENT',
      message: '--session is for the processes that a worker starts.',
      hint: 'Run "holdfast worker" without it.',
    });
  // Signals reach the whole group, and are the business of the worker.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
  PRINTS.listen(process);
  endWithParent(link);
  await serveSession(link, (begin, told) => openRun(begin, told, call));
  link.close();
  return EXIT.ok;
}

async function openRun(begin: SessionBegin, told: SessionTold, call: CommandCall): Promise<OpenedRun> {
  const { submission, prefix, seen } = begin;
  const place = { bucket: await openBucket(begin.bucket, { disk: nodeDisk, seen }), prefix };
  const set = await setOf(begin, told, call);
  const [item] = set.items;
  if (!item) throw notThere(submission.work);
  const { shared, budget } = await set
    .share(item, {
      ...{ run: submission.record, place, beside: { generation: 1, after: [], reuse: 'same' } },
      ...told,
    })
    .catch((error: unknown) => {
      throw reachesOthers(error, submission.work, call.terminal.env);
    });
  for (const secret of secretsOf(call.terminal.env, submission.work.keys)) shared.addSecret(secret);
  shared.tellCalls(told.onCall);
  const { outputsDir } = begin;
  // What is heard at the descriptors needs not be heard twice.
  const evidence = { disk: nodeDisk, outputsDir, prints: outputsDir === undefined ? PRINTS : undefined };
  const session = evalSession({ place, clock: systemClock, submission, shared, evidence });
  return {
    ...{ writer: session.writer, work: session.work },
    sampleOf: (job) => {
      const parsed = parseJob(job);
      return parsed?.kind === 'sample' ? shared.sampleAt(parsed.position) : undefined;
    },
    tellBudget: (said) => budget.tell(said),
    failure: () => shared.failure,
    close: () => shared.close(),
  };
}

async function setOf(begin: SessionBegin, told: SessionTold, call: CommandCall): Promise<PreparedSet> {
  const { cwd, env } = call.terminal;
  const { work } = begin.submission;
  const evals = (await loadEvals([work.file], { cwd })).filter(
    ({ definition }) => definition.name === work.eval,
  );
  const changed = await redactOf(call);
  // Nobody has checked the definitions yet.
  const given = [evals.map(({ definition }) => definition.redact)].flat(2).filter(isPattern);
  told.onRedact(redactPatterns([...given, ...(changed.redact ?? [])]));
  if (evals.length === 0) throw notThere(work);
  return prepareSet({
    ...{ evals, env, workDir: cwd, logDir: begin.stateDir, version: packageVersion() },
    models: work.model === undefined ? [] : [work.model],
    // What must not be kept is said by the project itself, which is in the bundle: no such text is ever submitted.
    changes: { ...(work.changes as EvalChanges), ...changed },
    ...{ reuse: work.reuse, keepOutputs: work.isOutputKept, allowUnpriced: work.isUnpricedAllowed },
    ...{ budgetUsd: work.budgetUsd, baseUrl: work.baseUrl, prices: work.prices as PriceTable | undefined },
    ...{ artifactsDir: begin.artifactsDir, artifactStore: await openSharedStore(begin.bucket, begin.seen) },
    onNote: told.onNote,
  });
}

function isPattern(given: unknown): given is string | RegExp {
  return typeof given === 'string' || given instanceof RegExp;
}

export async function redactOf(call: CommandCall): Promise<Pick<EvalChanges, 'redact'>> {
  const { value } = (await call.settings()).get('redact');
  return Array.isArray(value) ? { redact: value.map(String) } : {};
}

/**
 * Where models are asked is part of what is run: a worker that asks elsewhere is told so, and does not look for other code. It is no mistake of
 * the run: another worker may ask where it should.
 */
function reachesOthers(error: unknown, { reached = {} }: SubmittedWork, env: Environment): unknown {
  if (!(error instanceof UsageError && error.code === 'E_WORKER_DIFFERS')) return error;
  const here = reachedBy(env);
  const names = [...new Set([...Object.keys(reached), ...Object.keys(here)])];
  const others = names.filter((name) => reached[name] !== here[name]).sort();
  if (others.length === 0) return error;
  const sayHere = (name: string) => {
    if (here[name] === undefined) return `${name} is not set here`;
    return `${name} ${reached[name] === undefined ? 'is set here alone' : 'has another value here'}`;
  };
  return new ActionableError({
    code: 'E_WORKER_DIFFERS',
    message: `What would be run is not what was submitted, and models are asked elsewhere: ${others.map(sayHere).join(', ')}.`,
    hint: `Give this worker the same ${others.join(' and ')} as whoever submitted, or submit again without.`,
    cause: error,
  });
}

function notThere({ eval: name, file }: SubmittedWork): UsageError {
  return new UsageError({
    code: 'E_WORKER_DIFFERS',
    message: `${file} of the bundle has no eval "${name}".`,
    hint: 'What was submitted is another eval than the bundle holds: submit it again.',
  });
}
