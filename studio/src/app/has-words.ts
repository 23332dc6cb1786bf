/** Whether a text has all words, in any order and case. */
export function hasWords(text: string, words: string): boolean {
  const within = text.toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => within.includes(word));
}
