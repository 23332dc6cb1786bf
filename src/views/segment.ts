/**
 * A text as one part of an address. Browsers and servers take `.` and `..` for folders, and an empty part for none; so what is only dots, is
 * empty, or begins like this escape has a tilde before it.
 */
export function segmentOf(text: string): string {
  return /^(?:\.{0,2}$|~)/.test(text) ? `~${text}` : text;
}

export function textOfSegment(segment: string): string {
  return segment.startsWith('~') ? segment.slice(1) : segment;
}
