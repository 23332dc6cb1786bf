/** A word as a POSIX shell reads it: for commands that are shown to people, and for those that a shell elsewhere runs. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll(`'`, `'\\''`)}'`;
}
