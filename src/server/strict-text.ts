/** JSON that every reader takes: NaN and the infinities are tagged, and read back by `figure` of the schemas. */
export function strictText(value: unknown): string {
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'number' && !Number.isFinite(item) ? { $number: String(item) } : item,
  );
}
