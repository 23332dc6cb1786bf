import { variantsOf } from '../../../../src/views/index.ts';

/**
 * Finds a text in JSON as it is written, without regard to case, so that most documents need not be parsed. It may find more, such as
 * the name of a member, but never less.
 */
export function rawPattern(text: string): RegExp {
  const letters = Array.from(text, (letter) => {
    const ways = variantsOf(letter).map((one) => JSON.stringify(one).slice(1, -1));
    return ways.length === 1 ? literal(ways[0] ?? '') : `(?:${ways.map(literal).join('|')})`;
  });
  return new RegExp(letters.join(''));
}

function literal(text: string): string {
  return Array.from({ length: text.length }, (_, at) => unitEscape(text.charCodeAt(at))).join('');
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`;
}
