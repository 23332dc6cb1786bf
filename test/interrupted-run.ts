/** An eval of two model calls a sample, a model that can be told to hang, and a run that is stopped there. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../src/base/index.ts';
import { nodeDisk } from '../src/disk/index.ts';
import { defineEval, includes } from '../src/evals/index.ts';
import { openRunJournals, type RunRecord, writersIn } from '../src/journal/index.ts';
import type { RunOutcome } from '../src/runner/index.ts';
import { applySeal, planSeal } from '../src/seal/index.ts';
import { mockModel } from '../src/targets/index.ts';
import type { Harness, HarnessOptions } from './run-harness.ts';

/** The rows q0, q1 and so on; or those of the numbers given. */
export function rows(which: number | readonly number[]) {
  const numbers = typeof which === 'number' ? Array.from({ length: which }, (_, index) => index) : which;
  return numbers.map((n) => ({ id: `q${n}`, input: `question ${n}`, target: `answer ${n}` }));
}

/** A model that counts what it is asked, and can be told to hang at some question. */
export function countingModel(hangAt: (text: string) => boolean = () => false) {
  const asked: string[] = [];
  const model = mockModel({
    name: 'mock/scripted',
    respond: async ({ text, request }) => {
      asked.push(text);
      if (hangAt(text))
        await new Promise((_, reject) =>
          request.abortSignal?.addEventListener('abort', () => reject(new Error('aborted'))),
        );
      return text.replace('question', 'answer');
    },
  });
  return { model, asked };
}

export function twoTurns(which: number | readonly number[]) {
  return defineEval({
    name: 'two-turns',
    data: rows(which),
    target: async ({ input }, { generate }) => {
      await generate(`${input} first`);
      return (await generate(`${input} second`)).text;
    },
    scorers: [includes()],
  });
}

/** Runs samples one by one until the second question of sample `at`, which is never answered. */
export async function stopAt(
  harness: Harness,
  at: number,
  { which = at + 1, ...more }: HarnessOptions & { readonly which?: number | readonly number[] } = {},
): Promise<{ readonly outcome: RunOutcome; readonly asked: readonly string[] }> {
  const abort = new AbortController();
  const { model, asked } = countingModel((question) => {
    if (question !== `question ${at} second`) return false;
    setImmediate(() => abort.abort());
    return true;
  });
  const signals = { drain: new AbortController().signal, abort: abort.signal };
  const outcome = await harness.run(twoTurns(which), { model, signals, concurrency: 1, ...more });
  return { outcome, asked };
}

/** Changes an event of the first attempt in the journal of a run's one writer, as a bad disk would: its checksum no longer fits. */
export function damageFirstAttempt(where: Pick<Harness, 'stateDir'>, runId: string): Promise<void> {
  return damageJournal(where, runId, "UPDATE events SET json = json || ' ' WHERE attempt = 1");
}

/** The same of its answers, which are paid for. */
export function damageFirstAnswer(where: Pick<Harness, 'stateDir'>, runId: string): Promise<void> {
  return damageJournal(where, runId, "UPDATE answers SET data = data || ' ' WHERE attempt = 1");
}

async function damageJournal(
  { stateDir }: Pick<Harness, 'stateDir'>,
  runId: string,
  update: string,
): Promise<void> {
  const [place] = await writersIn(nodeDisk, join(stateDir, runId));
  if (!place) throw new Error(`The run ${runId} has no journal.`);
  const db = new DatabaseSync(place.path);
  const { changes } = db.prepare(update).run();
  db.close();
  if (changes === 0) throw new Error(`The journal of the run ${runId} holds nothing of that kind.`);
}

/** What a run is, as its journals say. */
export async function recordOf({ stateDir }: Harness, runId: string): Promise<RunRecord> {
  const journals = await openRunJournals({ disk: nodeDisk, runDir: join(stateDir, runId) });
  const run = journals.run();
  journals.close();
  return run;
}

/** The record of a run of these rows, of which nothing is left: for journals that a test writes itself. */
export async function plannedRun(harness: Harness, which: number): Promise<RunRecord> {
  const { outcome } = await stopAt(harness, 0, { which });
  const run = await recordOf(harness, outcome.account.runId);
  await rm(harness.stateDir, { recursive: true });
  return run;
}

/** Makes the log of a run from what its journals hold now, as another process would that thinks it is dead. */
export async function sealNow({ stateDir, places: { logs } }: Harness, runId: string): Promise<RunRecord> {
  const journals = await openRunJournals({ disk: nodeDisk, runDir: join(stateDir, runId) });
  const plan = await planSeal(journals, logs);
  await applySeal(plan, { clock: systemClock, logs, outcome: { status: 'error' } });
  journals.close();
  return plan.run;
}
