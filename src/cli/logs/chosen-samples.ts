import { type SampleKey, sampleKeyText, systemClock } from '../../base/index.ts';
import type { EvalSampleSummary, LogReader } from '../../log/index.ts';
import type { RunMarks } from '../../results/index.ts';
import { samplesChosenIn } from '../../server/index.ts';
import { wrongFilter } from '../wrong-filter.ts';
import type { SampleWhereFlags } from './sample-where.ts';

/** The samples that are asked for, in that order. All of the list is held meanwhile. */
export async function* chosenSamples(
  log: LogReader,
  { where = '', sort = '', score }: SampleWhereFlags,
  marks: RunMarks | undefined,
): AsyncGenerator<EvalSampleSummary> {
  const ports = { clock: systemClock, signal: new AbortController().signal };
  const { keys, wrong } = await samplesChosenIn(log, { q: where, sort, score, marks }, ports);
  if (wrong) throw wrongFilter(wrong.in, wrong.in === 'where' ? where : sort, wrong);
  const byKey = new Map<string, EvalSampleSummary>();
  for await (const summary of log.summaries()) byKey.set(nameOf(summary), summary);
  for (const key of keys) {
    const summary = byKey.get(nameOf(key));
    if (summary) yield summary;
  }
}

function nameOf({ id, epoch }: SampleKey): string {
  return sampleKeyText(id, epoch);
}
