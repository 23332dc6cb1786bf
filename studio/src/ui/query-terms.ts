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
