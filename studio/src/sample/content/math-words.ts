/**
 * What of a text is maths, by the rules of Pandoc and GitHub. A dollar is an amount of money far more often, and money that was shown
 * as maths would not be what was said: in doubt it is text.
 */

/** How maths is marked: `$x$`, `$$x$$`, `\(x\)`, `\[x\]`. */
export type MathMark = '$' | '$$' | '\\(' | '\\[';

export interface Marked {
  readonly mark: MathMark;
  readonly content: string;
  /** The character on either side; empty at the ends. */
  readonly before: string;
  readonly after: string;
}

/** The mark that a text begins with, and what is within it once it is closed. */
export function markedIn(source: string): { readonly mark: MathMark; readonly content?: string } {
  const mark = (/^(?:\$\$?|\\[([])/.exec(source)?.[0] ?? '\\(') as MathMark;
  const close = CLOSES[mark];
  if (source.length < mark.length + close.length || !source.endsWith(close)) return { mark };
  const content = source.slice(mark.length, -close.length);
  // `\$` closes nothing, and `\\)` is the end of a line of maths and a bracket.
  const isEscaped = (/\\*$/.exec(content)?.[0].length ?? 0) % 2 === 1;
  return isEscaped ? { mark } : { mark, content };
}

const CLOSES: Readonly<Record<MathMark, string>> = { $: '$', $$: '$$', '\\(': '\\)', '\\[': '\\]' };

/** Whether what stands between two marks is maths. */
export function isMaths({ mark, content, before, after }: Marked): boolean {
  if (content.trim() === '') return false;
  if (mark === '\\(' || mark === '\\[') return true;
  if (/\w/.test(after) || before === '$' || after === '$') return false;
  if (mark === '$$') return true;
  if (/\w/.test(before) || /^\s|\s$|[\n$]/.test(content)) return false;
  return !isMoney(content) && isBalanced(content);
}

/** "5 a month, or 50": a number and then words. */
function isMoney(content: string): boolean {
  return /^\d[\d.,]*(?:[kKmMbB]n?)?[,;:.]?\s+(?:[A-Za-z]{2,}|a\s)/.test(content);
}

/** `$(x).on($)` is a program. Which bracket closes which is free: `[0, 1)`. */
function isBalanced(content: string): boolean {
  const count = (pattern: RegExp) => content.match(pattern)?.length ?? 0;
  return count(/[([{]/g) === count(/[)\]}]/g);
}

/** Whether there may be maths in a text: only then is what draws it loaded. */
export function hasMaths(text: string): boolean {
  return (
    hasPair(text, '\\(', '\\)') ||
    hasPair(text, '\\[', '\\]') ||
    hasPair(text, '$$', '$$') ||
    hasDollars(text)
  );
}

function hasPair(text: string, open: string, close: string): boolean {
  const at = text.indexOf(open);
  return at >= 0 && text.indexOf(close, at + open.length) >= 0;
}

function hasDollars(text: string): boolean {
  for (let at = text.indexOf('$'); at >= 0; ) {
    const end = text.indexOf('$', at + 1);
    if (end < 0) return false;
    const content = text.slice(at + 1, end);
    if (isMaths({ mark: '$', content, before: text.charAt(at - 1), after: text.charAt(end + 1) }))
      return true;
    at = end;
  }
  return false;
}

/**
 * Marks that stand alone on their lines (`$$`, `\[`) become a fence of Markdown, in which nothing is a list or a heading. Those that
 * nothing closes before the next empty line stay what they are: else the rest of the text would be taken for maths.
 */
export function withMathFences(text: string): string {
  if (!/^[\s>]*(?:\$\$|\\\[)\s*$/m.test(text)) return text;
  const lines = text.split('\n');
  let fence: string | undefined;
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const code = /^[\s>]*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== undefined) {
      if (code?.startsWith(fence)) fence = undefined;
    } else if (code !== undefined) fence = code;
    else {
      const end = mathEnd(lines, at);
      if (end === undefined) continue;
      lines[at] = line.replace(/\$\$|\\\[/, `${FENCE}math`);
      lines[end] = (lines[end] ?? '').replace(/\$\$|\\\]/, FENCE);
      at = end;
    }
  }
  return lines.join('\n');
}

const FENCE = '~~~~~~~~';

/** The line that closes what line `at` opens. */
function mathEnd(lines: readonly string[], at: number): number | undefined {
  const open = /^([\s>]*)(\$\$|\\\[)\s*$/.exec(lines[at] ?? '')?.[2];
  if (open === undefined) return undefined;
  const close = open === '$$' ? /^[\s>]*\$\$\s*$/ : /^[\s>]*\\\]\s*$/;
  for (let end = at + 1; end < lines.length; end++) {
    const line = lines[end] ?? '';
    if (close.test(line)) return end === at + 1 ? undefined : end;
    if (/^[\s>]*(?:$|~{3,})/.test(line)) return undefined;
  }
  return undefined;
}
