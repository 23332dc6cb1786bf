/** A hit with what stands around it, in one line. */
export interface Snippet {
  readonly before: string;
  readonly hit: string;
  readonly after: string;
}

const AROUND_UNITS = 80;

/** Finds a text in others, without regard to case. */
export function textPattern(text: string): RegExp {
  const letters = Array.from(text, (letter) => `[${variantsOf(letter).map(unicodeEscape).join('')}]`);
  return new RegExp(letters.join(''), 'gu');
}

/** A letter with its capital; what has none, or several letters for one, is itself alone. */
export function variantsOf(letter: string): readonly string[] {
  const [small, capital] = [letter.toLowerCase(), letter.toUpperCase()];
  const all = [letter, small, capital, capital.toLowerCase(), small.toUpperCase()];
  return [...new Set(all.filter((one) => Array.from(one).length === 1))];
}

function unicodeEscape(letter: string): string {
  return `\\u{${(letter.codePointAt(0) ?? 0).toString(16)}}`;
}

/** The first place of a text where it is; undefined when it is not there. */
export function firstIn(text: string, { inText }: { readonly inText: RegExp }): Snippet | undefined {
  inText.lastIndex = 0;
  const found = inText.exec(text);
  return found ? snippetAt(text, found.index, found[0].length) : undefined;
}

export function snippetAt(text: string, at: number, length: number): Snippet {
  const end = at + length;
  return {
    before: oneLine(text.slice(Math.max(0, at - AROUND_UNITS), at)).trimStart(),
    hit: text.slice(at, end).toWellFormed(),
    after: oneLine(text.slice(end, end + AROUND_UNITS)).trimEnd(),
  };
}

/** Half a letter at either end goes. */
function oneLine(text: string): string {
  return text
    .replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, '')
    .replace(/\s+/g, ' ')
    .toWellFormed();
}

/** Two hits with the same words around them are one thing that is written twice. */
export function snippetKey({ before, hit, after }: Snippet): string {
  return `${before}\0${hit}\0${after}`;
}
