import { isJsonArray, type SampleId } from '../base/index.ts';
import type { EvalSpec, LogHeader, LogStart } from '../log/index.ts';
import type { FlushedLog } from './flushed-log.ts';
import { type LogSite, logNameOf } from './log-site.ts';

/** What the beginning of a run said about it. */
export interface RunFacts {
  readonly start: LogStart;
  /** How the run ended; undefined when that can no longer be read. */
  readonly header: LogHeader | undefined;
  /** The run had come to its end before something was damaged. */
  readonly hadEnded: boolean;
  /** False: the log is missing, and only its name tells anything. */
  readonly isKnown: boolean;
  readonly knownIds: ReadonlyMap<string, SampleId>;
  /** Samples times epochs; undefined when the run did not say. */
  readonly expected: number | undefined;
}

/** Undefined when neither the header nor the start of the log can be read. */
export function factsOfLog(flushed: FlushedLog): RunFacts | undefined {
  const { header, isFinished, isHeaderWhole } = flushed;
  if (!header) return undefined;
  const start = { version: header.version, eval: header.eval, plan: header.plan };
  const end = isHeaderWhole ? header : undefined;
  return { start, header: end, hadEnded: isFinished, isKnown: true, ...idsOf(header.eval) };
}

/** A buffer without its log does not say which eval it was; the name that it was to have does, in part. */
export function factsOfName(site: LogSite, model: string | undefined): RunFacts {
  const [created = '', task = '', id = ''] = logNameOf(site)
    .replace(/\.[^.]+$/, '')
    .split('_');
  const time = /^(\d{4}-\d\d-\d\d)T(\d\d)[:-](\d\d)[:-](\d\d)/.exec(created);
  const isUsual = time !== null && task !== '';
  const spec: EvalSpec = {
    eval_id: '',
    run_id: '',
    created: time ? `${time[1]}T${time[2]}:${time[3]}:${time[4]}+00:00` : '1970-01-01T00:00:00+00:00',
    task: isUsual ? task : logNameOf(site).replace(/\.[^.]+$/, ''),
    task_id: isUsual ? id : '',
    task_version: 0,
    task_attribs: {},
    task_args: {},
    task_args_passed: {},
    dataset: {},
    model: model ?? 'unknown',
    model_generate_config: {},
    model_args: {},
    config: {},
    packages: {},
  };
  const start: LogStart = { version: 2, eval: spec, plan: { name: 'plan', steps: [], config: {} } };
  return { start, header: undefined, hadEnded: false, isKnown: false, ...idsOf(spec) };
}

function idsOf(spec: EvalSpec): Pick<RunFacts, 'knownIds' | 'expected'> {
  const { sample_ids: ids, samples } = spec.dataset;
  const epochs = typeof spec.config.epochs === 'number' ? spec.config.epochs : 1;
  const known = isJsonArray(ids) ? (ids as readonly SampleId[]) : [];
  const count = known.length > 0 ? known.length : samples;
  return {
    knownIds: new Map(known.map((id) => [String(id), id])),
    expected: typeof count === 'number' ? count * epochs : undefined,
  };
}
