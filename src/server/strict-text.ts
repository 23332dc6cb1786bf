/** JSON that every reader takes: NaN and the infinities are tagged, and read back by `figure` of the schemas. */
export function strictText(value: unknown): string {
  const text = JSON.stringify(value);
  // They would have become `null`. Most answers have none of these, and long ones are not gone through value by value.
  if (!text.includes('null')) return text;
  return JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'number' && !Number.isFinite(item) ? { $number: String(item) } : item,
  );
}
