/** True when so many samples failed that the run is to stop: any, a count of them, or a share of all that are planned. */
export function areTooMany(
  errors: number,
  { failOnError, planned }: { readonly failOnError: boolean | number; readonly planned: number },
): boolean {
  if (errors === 0) return false;
  if (typeof failOnError === 'boolean') return failOnError;
  return failOnError < 1 ? errors / planned > failOnError : errors >= failOnError;
}
