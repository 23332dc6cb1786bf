/** Plain sentences are most of what is said, and need nothing. */
export function hasMarkup(text: string): boolean {
  return /[*_`#>|[\]<$~\\]|^\s*(?:[-+]|\d+[.)])\s|https?:|\n[-=]{3,}/m.test(text);
}
