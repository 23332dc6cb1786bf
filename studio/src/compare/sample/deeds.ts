/** What was done in a turn: words of the model, what a tool was asked, what it gave, what went wrong. */
export interface Deed {
  readonly kind: 'say' | 'call' | 'result' | 'error';
  readonly text: string;
}

const KINDS: Readonly<Record<string, Deed['kind']>> = { '→': 'call', '←': 'result', '!': 'error' };

/** The deeds of a turn's text. A line with a mark begins one; lines without go on with the one before. */
export function deedsOf(text: string): readonly Deed[] {
  const deeds: { kind: Deed['kind']; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const kind = line[1] === ' ' ? KINDS[line[0] ?? ''] : undefined;
    const last = deeds.at(-1);
    if (kind !== undefined) deeds.push({ kind, lines: [line.slice(2)] });
    else if (last === undefined) deeds.push({ kind: 'say', lines: [line] });
    else last.lines.push(line);
  }
  return deeds
    .map(({ kind, lines }) => ({ kind, text: lines.join('\n').trimEnd() }))
    .filter(({ text: said }) => said !== '');
}

/** Which of these deeds the other side has not got. */
export function onlyHere(deeds: readonly Deed[], others: readonly Deed[]): readonly boolean[] {
  const there = new Set(others.map(({ kind, text }) => `${kind} ${text}`));
  return deeds.map(({ kind, text }) => !there.has(`${kind} ${text}`));
}
