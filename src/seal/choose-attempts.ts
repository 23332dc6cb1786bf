import { bySampleOrder, type SampleKey, sampleKeyText } from '../base/index.ts';
import type { AttemptOutline, JournalReader, Origin, ReusedOutline, RunJournals } from '../journal/index.ts';
import { compareMerit, type Merit } from '../log/index.ts';

/** Where the log takes one sample from. */
export type Choice =
  | { readonly from: 'journal'; readonly source: JournalReader; readonly attempt: AttemptOutline }
  | { readonly from: 'log'; readonly source: JournalReader; readonly row: ReusedOutline };

/**
 * The union of all journals of a run, by sample and epoch: the best of each, by the one order of merit that merging
 * and recovering use as well [SEAL-2]. In which order journals are given does not matter. Of a run that many machines worked on
 * `isResult` says which attempts may count at all [SHR-5].
 */
export function chooseAttempts(
  journals: RunJournals,
  isLent: (row: ReusedOutline) => boolean,
  isResult: (origin: Origin) => boolean = () => true,
): readonly Choice[] {
  const best = new Map<string, { readonly choice: Choice; readonly merit: Merit }>();
  const consider = (choice: Choice, merit: Merit) => {
    const { id, epoch } = sampleOf(choice);
    const name = sampleKeyText(id, epoch);
    const current = best.get(name);
    if (!current || compareMerit(merit, current.merit) < 0) best.set(name, { choice, merit });
  };
  for (const { source, ...outline } of journals.outline()) {
    // What is no result was interrupted, whatever its writer went on to say: its answers are worth the same.
    const attempt = isResult(outline.origin) ? outline : { ...outline, status: undefined };
    consider({ from: 'journal', source, attempt }, meritOf(source, attempt));
  }
  for (const { source, ...row } of journals.reused())
    if (isLent(row)) consider({ from: 'log', source, row }, meritOfLent(row));
  return [...best.values()]
    .map(({ choice }) => choice)
    .sort((a, b) => bySampleOrder(sampleOf(a), sampleOf(b)));
}

export function sampleOf(choice: Choice): SampleKey {
  return choice.from === 'log' ? choice.row : choice.attempt;
}

function meritOf(source: JournalReader, { n, status, origin }: AttemptOutline): Merit {
  const rank = status === 'completed' ? 'complete' : (status ?? 'interrupted');
  const { generation } = source.writer();
  return { rank, order: { generation, n }, isLent: false, uuid: origin, checksum: '' };
}

function meritOfLent({ runId, log }: ReusedOutline): Merit {
  return { rank: 'complete', isLent: true, uuid: runId, checksum: log };
}
