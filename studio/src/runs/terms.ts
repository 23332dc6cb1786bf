/** The parts of a filter that stand side by side, as they are written; quotes and brackets keep theirs together. */
export function termsOf(q: string): readonly string[] {
  return q.match(/(?:"(?:\\.|[^"\\])*"?|\([^)]*\)?|[^\s"(])+/g) ?? [];
}

export function hasTerm(q: string, term: string): boolean {
  return termsOf(q).includes(term);
}

export function withoutTerm(q: string, term: string): string {
  return termsOf(q)
    .filter((one) => one !== term)
    .join(' ');
}

export function toggleTerm(q: string, term: string): string {
  return hasTerm(q, term) ? withoutTerm(q, term) : [...termsOf(q), term].join(' ');
}

/** Runs that ended in an error. */
export const FAILED = 'status:error';

/** Whether a part of a filter is about when runs began. */
export function isOfTime(term: string): boolean {
  return /^-?(since|before):/i.test(term);
}
