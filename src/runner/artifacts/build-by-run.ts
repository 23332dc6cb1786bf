import { join } from 'node:path';
import type { Built } from '../../artifacts/index.ts';
import { ActionableError, UsageError } from '../../base/index.ts';
import { bucketFolder } from '../../bucket/index.ts';
import { fileNameFor } from '../../disk/index.ts';
import {
  artifactName,
  type BuildContext,
  normalizeEval,
  type TargetContext,
  type TargetFunction,
} from '../../evals/index.ts';
import { STATE_FOLDER } from '../../journal/index.ts';
import { isLogName } from '../../log/index.ts';
import type { Account } from '../account.ts';
import { Slots } from '../execute.ts';
import type { RunOutcome } from '../finish-run.ts';
import { openPlaces } from '../open-places.ts';
import type { SegmentPlace } from '../places.ts';
import type { RunSettings, RunTask } from '../settings.ts';
import type { ArtifactPlan, PlannedInput } from './artifact-plans.ts';

/** How a run is run: handed in, because it is a run that needs artifacts. */
export type RunTaskOf = (task: RunTask, settings: RunSettings) => Promise<RunOutcome>;

export interface BuildByRunOptions {
  readonly task: RunTask;
  readonly settings: RunSettings;
  /** Where logs of builds are kept, a folder for each unit. */
  readonly buildsDir: string;
  /** The folders of inputs that are artifacts, by the name of the input. */
  readonly folderOf: (input: string) => string;
  readonly runTask: RunTaskOf;
  /** Nothing of earlier builds is used: the user asked for a new one. */
  readonly isRebuild: boolean;
  /** What a round of it cost, whatever came of it. */
  readonly onSpent: (spent: BuildRound) => Promise<void>;
}

/** One time that the run of a build was worked on. */
export interface BuildRound {
  /** The id of its run. */
  readonly run: string;
  /** What this round cost; null when nobody knows. */
  readonly usd: number | null;
  readonly tokens: number;
  /** What the run has cost so far, as far as prices are known, over all attempts at it. */
  readonly paidUsd: number;
}

/** The run was told to stop, or its money is spent: what the build bought is kept, and the same command goes on with it. */
export class BuildStopped extends ActionableError {
  override readonly name = 'BuildStopped';

  constructor(unit: string, state: Account['state']) {
    super({
      code: 'E_ARTIFACT_STOPPED',
      message: `The build of ${unit} was stopped${state === 'budget' ? ', because the budget is spent' : ''}.`,
      hint: 'Run the same command again: the answers that it bought are kept, and are not bought again.',
    });
  }
}

/**
 * Builds an artifact as a run with one sample of its own: so its calls are in a journal before the build sees them, a build that
 * was killed goes on with its answers, what it cost is counted, and its transcript can be looked at like any other.
 *
 * The finished builds of the unit are part of the run's version. A folder that was filled and lost again, by a crash before it was
 * committed or by `gc`, is then filled once more by the same calls, whose answers the finished log lends.
 */
export async function buildByRun(
  plan: ArtifactPlan,
  dir: string,
  options: BuildByRunOptions,
): Promise<Pick<Built, 'cost' | 'run'>> {
  const logDir = join(options.buildsDir, plan.unit.kind, fileNameFor(plan.unit.key));
  await options.settings.onFolder?.(dir);
  const filling = new Filling(plan, { dir, folderOf: options.folderOf });
  for (let round = 1; ; round++) {
    const outcome = await runBuild(plan, { ...options, logDir, target: filling.target });
    await options.onSpent(roundOf(outcome));
    if (outcome.error !== undefined) throw outcome.error;
    const { account } = outcome;
    // Also when it was told to stop meanwhile: what is done is done.
    if (filling.isDone) return { cost: costOf(account), run: account.runId };
    // Whatever its code made of that.
    if (account.state === 'interrupted' || account.state === 'budget')
      throw new BuildStopped(artifactName(plan.unit), account.state);
    if (filling.failure !== undefined) throw filling.failure;
    if (round === ROUNDS_MAX) throw new Error('the run of the build ended without building anything');
    // An earlier build had filled its folder, and died before it was committed: its log is made now, and lends its answers to the next round.
  }
}

/** An unfinished build is finished by the first round, and done again by the second. */
const ROUNDS_MAX = 3;

/** The user's code at work on the folder, and what came of it. */
class Filling {
  isDone = false;
  failure: unknown;
  readonly target: TargetFunction<unknown, string, unknown>;

  constructor(
    plan: ArtifactPlan,
    given: { readonly dir: string; readonly folderOf: (input: string) => string },
  ) {
    this.target = async (_row, context) => {
      try {
        await plan.artifact.build(contextOf(plan, context, given));
      } catch (error) {
        this.failure = ofBuild(error, plan);
        throw this.failure;
      }
      this.isDone = true;
      return 'built';
    };
  }
}

/** The command line names models for targets: a build has its own. */
function ofBuild(error: unknown, { unit }: ArtifactPlan): unknown {
  if (!(error instanceof UsageError) || error.code !== 'E_MODEL_NONE') return error;
  return new UsageError({
    code: 'E_MODEL_NONE',
    message: `The build of ${artifactName(unit)} called generate(), but no model is named.`,
    hint: 'Name one as `model` of the artifact, or in the call: generate({ model: "openai/gpt-5", prompt }).',
    cause: error,
  });
}

async function runBuild(
  { artifact, unit }: ArtifactPlan,
  options: BuildByRunOptions & {
    readonly logDir: string;
    readonly target: TargetFunction<unknown, string, unknown>;
  },
): Promise<RunOutcome> {
  const { task, settings, logDir } = options;
  const name = artifactName(unit);
  const here = await openPlaces(settings.disk, { logDir, workDir: logDir });
  const { segments } = settings.places;
  const places = { ...here, segments: segments && placeOfBuild(segments, unit) };
  const build = normalizeEval({
    name: `artifact ${name}`,
    version: `${unit.recipe}.${await countLogs(settings, logDir)}`,
    data: [{ id: unit.key, input: `Build ${name}` }],
    target: options.target,
    scorers: [],
  });
  return options.runTask(
    { ...task, eval: build, model: artifact.model, code: undefined, file: undefined, observer: undefined },
    {
      ...settings,
      places,
      slots: new Slots(1),
      reuse: options.isRebuild ? 'none' : 'same',
      earlierLogs: undefined,
      keepOutputs: false,
      // Its code is a function of this process.
      elsewhere: undefined,
      sealsWhatIsWhole: true,
    },
  );
}

function roundOf({ account, paidUsd = 0 }: RunOutcome): BuildRound {
  const { usd, tokens, runId: run } = account;
  return { run, usd: usd.unpriced.spent > 0 ? null : usd.spent, tokens: tokens.spent, paidUsd };
}

/** Answers that an earlier try had bought are part of what it cost. */
function costOf({ usd, tokens, answers }: Account): Built['cost'] {
  const { spent, saved, unpriced } = usd;
  const isKnown = spent !== null && saved !== null && unpriced.spent === 0 && unpriced.saved === 0;
  return {
    usd: isKnown ? spent + saved : null,
    tokens: tokens.spent + tokens.saved,
    calls: answers.bought + answers.replayed,
  };
}

function contextOf(
  plan: ArtifactPlan,
  context: TargetContext,
  { dir, folderOf }: { readonly dir: string; readonly folderOf: (input: string) => string },
): BuildContext {
  const { generate, fetch, record, model, signal, info } = context;
  const given = ([name, input]: readonly [string, PlannedInput]) => {
    if (input.kind === 'value') return [name, input.value] as const;
    return [name, input.kind === 'path' ? input.path : folderOf(name)] as const;
  };
  const inputs = Object.fromEntries([...plan.inputs].map(given)) as BuildContext['inputs'];
  return { dir, inputs, generate, fetch, record, model, signal, info };
}

/** With a bucket a build survives the loss of its machine as a run does: in a folder of its own, hidden from those who look for logs. */
export function placeOfBuild(
  { bucket, prefix }: SegmentPlace,
  { kind, key }: ArtifactPlan['unit'],
): SegmentPlace {
  return {
    bucket: bucketFolder(bucket, `${prefix}builds/${kind}/${fileNameFor(key)}`),
    prefix: `${STATE_FOLDER}/`,
  };
}

async function countLogs({ disk }: RunSettings, logDir: string): Promise<number> {
  const entries = (await disk.list(logDir)) ?? [];
  return entries.filter(({ name }) => isLogName(name)).length;
}
