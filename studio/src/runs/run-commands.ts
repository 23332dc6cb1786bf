/** The command that exports the runs that are selected. */
export function exportCommand(runs: readonly string[]): string {
  return `holdfast results export ${runs.join(' ')} --to csv --out runs`;
}
