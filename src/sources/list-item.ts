import { definedOf } from '../base/index.ts';
import type { RunInForms } from './one-row.ts';
import type { SourceRow } from './source-row.ts';

/** A run as lists show and filter it: what it says, without what only this machine needs. */
export function listItemOf(listed: RunInForms) {
  const { run, forms, place, name, row, damage, marks } = listed;
  const said = marks ? marks.notes.length + marks.verdicts.length : 0;
  return {
    run,
    form: forms[0] ?? ('log' as const),
    place,
    name,
    ...definedOf({
      damage: row ? undefined : (damage ?? 'it cannot be read'),
      facts: row && factsOf(row),
      notes: said > 0 ? said : undefined,
      isPublished: forms.includes('published') && forms[0] !== 'published' ? true : undefined,
      removed: marks && marks.removals.length > 0 ? true : undefined,
    }),
  };
}

function factsOf(row: SourceRow) {
  const { eval: name, target, tags, status, samples, scores, usd, start, end, durationMs } = row;
  const { experiment, tokens, code, by } = row;
  return {
    ...{ eval: name, target, tags, status, samples, scores, usd, start, end, durationMs },
    ...definedOf({ experiment, tokens, code, by }),
  };
}
