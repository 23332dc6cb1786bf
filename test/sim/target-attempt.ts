import { join } from 'node:path';
import { type Clock, seededRandom, systemClock } from '../../src/base/index.ts';
import { nodeDisk } from '../../src/disk/index.ts';
import type { SampleLimits, SampleRow } from '../../src/evals/index.ts';
import {
  type AnyTargetSpec,
  createMemoryRecorder,
  createModels,
  createSampleMeter,
  createSampleScope,
  createWorkspace,
  type MemoryRecorder,
  type Models,
  type ModelsOptions,
  type RecordedExchange,
  resolveTarget,
  type SampleMeter,
  type SampleScope,
  type TargetResult,
} from '../../src/targets/index.ts';

export interface Attempt extends Disposable {
  readonly recorder: MemoryRecorder;
  readonly meter: SampleMeter;
  readonly scope: SampleScope;
}

export interface AttemptOptions {
  readonly earlier?: readonly RecordedExchange[];
  readonly limits?: SampleLimits;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** One attempt at a sample, recorded in memory. */
export function startAttempt(options: AttemptOptions = {}): Attempt {
  const { earlier = [], limits = {}, clock = systemClock, signal } = options;
  const recorder = createMemoryRecorder(earlier);
  const meter = createSampleMeter(limits, { clock, ...(signal && { signal }) });
  const scope = createSampleScope({ recorder, meter, clock, random: seededRandom(1), salt: 'test' });
  return { recorder, meter, scope, [Symbol.dispose]: () => meter[Symbol.dispose]() };
}

/** Models without keys, that retry at once. */
export function testModels(options: Partial<ModelsOptions> = {}): Models {
  const retry = { delayMsFirst: 1, delayMsMax: 2, ...options.retry };
  return createModels({ env: {}, concurrency: 10, ...options, retry });
}

export interface TargetAttempt {
  readonly result: TargetResult;
  readonly attempt: Attempt;
  readonly dir: string | undefined;
}

export interface RunTargetOptions extends AttemptOptions {
  readonly models?: Models;
  readonly model?: string;
  readonly sample?: Partial<SampleRow>;
  readonly workDir?: string;
  readonly baseDir?: string;
  /** Given instead of made, so that a test can look at it when the target fails. */
  readonly attempt?: Attempt;
}

/** Resolves a target and runs it once. */
export async function runTarget(
  spec: AnyTargetSpec | undefined,
  options: RunTargetOptions = {},
): Promise<TargetAttempt> {
  const { models = testModels(), model, sample = {}, workDir = '/nonexistent', baseDir = workDir } = options;
  const target = await resolveTarget(spec, { models, disk: nodeDisk, baseDir, ...(model && { model }) });
  const attempt = options.attempt ?? startAttempt(options);
  const row: SampleRow = { id: 'one', input: 'Hello', ...sample };
  const workspace = createWorkspace({
    disk: nodeDisk,
    workDir: join(workDir, 'work'),
    sampleId: row.id,
    epoch: 1,
  });
  try {
    const result = await target.run(row, { scope: attempt.scope, epoch: 1, workspace });
    return { result, attempt, dir: workspace.dir };
  } finally {
    attempt.meter[Symbol.dispose]();
  }
}
