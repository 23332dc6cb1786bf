export function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines++;
  return text.endsWith('\n') ? lines - 1 : lines;
}

export function firstLines(text: string, count: number): string {
  let at = -1;
  for (let line = 0; line < count; line++) {
    at = text.indexOf('\n', at + 1);
    if (at < 0) return text;
  }
  return text.slice(0, at);
}

/** JSON that a program printed on one line, laid out; undefined when it is none. */
export function prettyJson(text: string): string | undefined {
  const trimmed = text.trim();
  if (!/^[[{]/.test(trimmed) || !/[\]}]$/.test(trimmed)) return undefined;
  try {
    return JSON.stringify(JSON.parse(trimmed), undefined, 2);
  } catch {
    // It only looked like it.
    return undefined;
  }
}
