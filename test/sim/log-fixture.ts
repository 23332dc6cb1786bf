// A small log as Holdfast writes it, for tests that need one with something particular in it.

import type { Disk } from '../../src/disk/index.ts';
import {
  condenseMessages,
  createCondenser,
  createLogFile,
  type EvalSpec,
  type LogEvent,
  type LogFile,
  type LogHeader,
  type SampleFields,
  type SampleParts,
  summarize,
} from '../../src/log/index.ts';

export interface FixtureSample {
  readonly fields: SampleFields;
  readonly events: readonly LogEvent[];
}

export interface FixtureLog {
  readonly spec?: Partial<EvalSpec>;
  readonly header?: Partial<LogHeader>;
  readonly samples?: readonly FixtureSample[];
}

export function fixtureSpec(more: Partial<EvalSpec> = {}): EvalSpec {
  return {
    eval_id: 'e',
    run_id: 'r',
    created: '2026-01-01T00:00:00+00:00',
    task: 'capitals',
    task_id: 't',
    task_version: 0,
    task_attribs: {},
    task_args: {},
    task_args_passed: {},
    dataset: {},
    model: 'mock/m',
    model_generate_config: {},
    model_args: {},
    config: {},
    packages: { holdfast: '0.0.0' },
    ...more,
  };
}

export function fixtureHeader(more: Partial<LogHeader> = {}): LogHeader {
  return {
    version: 2,
    status: 'success',
    eval: fixtureSpec(),
    plan: { name: 'plan', steps: [], config: {} },
    stats: {
      started_at: '',
      completed_at: '',
      model_usage: {},
      role_usage: {},
      connection_limit_history: [],
    },
    invalidated: false,
    tags: [],
    metadata: {},
    ...more,
  };
}

export function fixtureFields(id: string | number, more: Partial<SampleFields> = {}): SampleFields {
  return {
    id,
    epoch: 1,
    input: 'question',
    target: 'answer',
    messages: [{ role: 'user', content: 'question' }],
    output: { model: 'mock/m', choices: [] },
    scores: { exact: { value: 1 } },
    metadata: {},
    store: {},
    model_usage: {},
    role_usage: {},
    error_retries: [],
    ...more,
  };
}

export function fixtureEvent(more: { readonly event: string } & Partial<LogEvent>): LogEvent {
  return { timestamp: '2026-01-01T00:00:00.000+00:00', working_start: 0, ...more };
}

/** Condensed as the journal condenses it. */
export function fixtureParts({ fields, events }: FixtureSample): SampleParts {
  const condenser = createCondenser();
  const condensed = events.map((event) => condenser.condense(event));
  const input = condenseMessages(fields.input);
  const messages = condenseMessages(fields.messages);
  return {
    fields: { ...fields, input: input.values, messages: messages.values },
    events: condensed.map(({ json }) => json),
    attachments: [
      ...input.attachments,
      ...messages.attachments,
      ...condensed.flatMap(({ attachments }) => attachments),
    ],
    messages: condensed.flatMap(({ messages: pool }) => pool.map(({ json }) => json)),
    calls: condensed.flatMap(({ calls }) => calls.map(({ json }) => json)),
  };
}

/** All members of a log, into a file that the caller finishes. */
export async function fillFixtureLog(file: LogFile, log: FixtureLog = {}): Promise<void> {
  const samples = log.samples ?? [{ fields: fixtureFields(1), events: [] }];
  const header = fixtureHeader({ eval: fixtureSpec(log.spec), ...log.header });
  await file.writeStart({ version: 2, eval: header.eval, plan: header.plan });
  for (const sample of samples) await file.writeSample(fixtureParts(sample));
  await file.writeSummaries(samples.map(({ fields }) => summarize(fields)));
  await file.writeReductions([{ scorer: 'exact', reducer: 'mean', samples: [{ value: 1, sample_id: 1 }] }]);
  await file.writeHeader(header);
}

export async function writeFixtureLog(disk: Disk, path: string, log: FixtureLog = {}): Promise<string> {
  const file = await createLogFile(disk, path);
  await fillFixtureLog(file, log);
  await file.finish();
  return path;
}
