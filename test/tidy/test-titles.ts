/**
 * The titles of tests, as a person reads them in the source: `test('…')`, `test.each(…)('…')`, `test.skipIf(…)('…')`, and
 * those of groups, which count when there is a test inside. A title that is put together while running is none.
 */
export function titlesIn(text: string): string[] {
  const calls = findCalls(text);
  return calls
    .filter(
      ({ kind, start, end }) =>
        kind === 'test' ||
        calls.some((inner) => inner.kind === 'test' && inner.start > start && inner.end <= end),
    )
    .map(({ title }) => title);
}

interface Call {
  readonly kind: 'test' | 'describe';
  readonly title: string;
  readonly start: number;
  readonly end: number;
}

function findCalls(text: string): Call[] {
  const calls: Call[] = [];
  for (const match of text.matchAll(/(?<![\w.'"`$])(test|it|describe)(?=[.(])/g)) {
    const call = readCall(text, match.index + match[0].length);
    const kind = match[1] === 'describe' ? 'describe' : 'test';
    if (call) calls.push({ kind, start: match.index, ...call });
  }
  return calls;
}

/** From behind the name: `.each` and groups in parentheses, until one begins with a text. */
function readCall(text: string, from: number): { readonly title: string; readonly end: number } | undefined {
  let at = from;
  for (;;) {
    const property = /^\s*\.\s*\w+/.exec(text.slice(at, at + 80));
    if (property) at += property[0].length;
    else if (text[at] === '(') {
      const end = skipGroup(text, at);
      const title = /^\(\s*(['"`])((?:\\.|(?!\1)[\s\S])*)\1/.exec(text.slice(at, end))?.[2];
      if (title !== undefined) return { title, end };
      at = end;
    } else return undefined;
  }
}

/** The position behind the group that opens at `from`. Texts, comments and patterns may hold parentheses of their own. */
function skipGroup(text: string, from: number): number {
  const token =
    /\/\/.*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[\s\S]|[^`\\])*`|(?<=[(,=:[!&|?{};\n]\s*)\/(?![/*])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/\w*|[()]/g;
  token.lastIndex = from;
  let depth = 0;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    if (match[0] === '(') depth++;
    else if (match[0] === ')' && --depth === 0) return match.index + 1;
  }
  return text.length;
}
