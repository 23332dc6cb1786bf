import { styleText } from 'node:util';

/** Colours by meaning. Without colour every function gives its text back as it is. */
export interface Style {
  bold(text: string): string;
  dim(text: string): string;
  good(text: string): string;
  bad(text: string): string;
  warn(text: string): string;
  accent(text: string): string;
}

export function createStyle(isColoured: boolean): Style {
  const paint = (format: Parameters<typeof styleText>[0]) => (text: string) =>
    isColoured && text !== '' ? styleText(format, text, { validateStream: false }) : text;
  return {
    bold: paint('bold'),
    dim: paint('dim'),
    good: paint('green'),
    bad: paint('red'),
    warn: paint('yellow'),
    accent: paint('cyan'),
  };
}

/** `NO_COLOR` wins over `FORCE_COLOR`, which wins over what the stream is. */
export function wantsColour(
  env: Readonly<Record<string, string | undefined>>,
  stream: { readonly isTTY?: boolean },
): boolean {
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR !== undefined) return env.FORCE_COLOR !== '0' && env.FORCE_COLOR !== 'false';
  return stream.isTTY === true && env.TERM !== 'dumb';
}
