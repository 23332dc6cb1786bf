/** How often two judges say what: `table[i][j]` times the first said i and the second j. */
export type AgreementTable = readonly (readonly number[])[];

/**
 * Cohen's kappa: how much more two judges agree than by chance, if each went on saying what they say as often as they do. 1 is always, 0 is
 * as chance would have it, below 0 less than that. Undefined when nothing was judged, or when both always say one and the same: then chance
 * agrees always, too, and nothing can be told.
 */
export function cohensKappa(table: AgreementTable): number | undefined {
  const rows = table.map((row) => row.reduce((sum, count) => sum + count, 0));
  const columns = table.map((_, at) => table.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const all = rows.reduce((sum, count) => sum + count, 0);
  if (all === 0) return undefined;
  const agreed = table.reduce((sum, row, at) => sum + (row[at] ?? 0), 0) / all;
  const byChance = rows.reduce((sum, count, at) => sum + count * (columns[at] ?? 0), 0) / (all * all);
  return byChance === 1 ? undefined : (agreed - byChance) / (1 - byChance);
}
