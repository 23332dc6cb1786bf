/** A word as a POSIX shell reads it: for commands that are shown to people, never for running them. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll(`'`, `'\\''`)}'`;
}
