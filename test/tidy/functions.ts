export interface FunctionSize {
  readonly name: string;
  readonly line: number;
  readonly lines: number;
}

const FUNCTION = /^(?:export )?(?:default )?(?:async )?function\*? (\w+)/;
const METHOD =
  /^(?:(?:static|async|get|set|override|private|readonly) )*\*?(#?\w+|\[[\w.]+\])(?:<[^(]*>)?\((?!.*=> *$)/;
const ARROW = /^(?:export )?(?:const |readonly |static )*(#?\w+)(?:: [^=]+)? = (?:async )?(?:<[^(]*>)?\(?.*/;
const NO_METHOD =
  /^(?:if|for|while|switch|catch|return|throw|await|new|super|do|else|expect|void|typeof|yield|import|constructor\(\) \{\})\b/;

/** The functions, methods and named arrow functions of a formatted file: what is closed at the depth at which it opened. */
export function functionsIn(text: string): FunctionSize[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const name = nameOf(line.trim());
    const end = name === undefined ? undefined : endOf(lines, index);
    return name === undefined || end === undefined ? [] : [{ name, line: index + 1, lines: end - index + 1 }];
  });
}

function nameOf(line: string): string | undefined {
  const named = FUNCTION.exec(line)?.[1];
  if (named !== undefined) return named;
  if (NO_METHOD.test(line)) return undefined;
  if (/^(?:export )?(?:const|readonly|static|#?\w+ =)/.test(line) && line.includes('=>'))
    return ARROW.exec(line)?.[1];
  return line.endsWith('{') || line.endsWith('(') ? METHOD.exec(line)?.[1] : undefined;
}

/** A parameter list or a type may close and open again on one line; the body ends where nothing opens any more. */
function endOf(lines: readonly string[], from: number): number | undefined {
  const depth = indentOf(lines[from] ?? '');
  for (let at = from + 1; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line.trim() === '' || indentOf(line) > depth) continue;
    if (indentOf(line) < depth || !/^[})]/.test(line.trim())) return undefined;
    if (!/[{(]$/.test(line)) return at;
  }
  return undefined;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
