import type { FieldTerm, Query, Value } from './query.ts';

/** Writes a filter so that reading it gives the same again. */
export function printQuery(query: Query | undefined): string {
  return query ? printIn(query, 'or') : '';
}

function printIn(query: Query, within: 'or' | 'and' | 'not'): string {
  switch (query.kind) {
    case 'or': {
      const text = query.of.map((part) => printIn(part, 'and')).join(' or ');
      return within === 'or' ? text : `(${text})`;
    }
    case 'and': {
      const text = query.of.map((part) => printIn(part, 'and')).join(' ');
      return within === 'not' ? `(${text})` : text;
    }
    case 'not':
      return `-${printIn(query.of, 'not')}`;
    case 'field':
      return `${query.field}${printPath(query.path)}${printComparison(query)}`;
    case 'text':
      return printValue(query.value);
  }
}

function printPath(path: string | undefined): string {
  if (path === undefined) return '';
  // Within quotes a dot is a dot: a name is one part, however it was written.
  return /^[^\s()":=!<>.]+(\.[^\s()":=!<>.]+)*$/.test(path) ? `.${path}` : `.${quoted(path)}`;
}

/** A space where operator and value would run into another operator: `<` and `=x` are not `<=` and `x`. In quotes a star would be a star. */
function printComparison({ operator, value }: FieldTerm): string {
  const printed = printValue(value);
  const isAnother = /^[<>]$/.test(operator) && printed.startsWith('=');
  return isAnother ? `${operator} ${printed}` : `${operator}${printed}`;
}

function printValue({ text, isQuoted }: Value): string {
  return isQuoted ? quoted(text) : text;
}

/** As the language has it. */
export function quoted(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&')}"`;
}

/** A value as it must be written to be taken whole: in quotes where anything in it means something. */
export function asValue(text: string): string {
  return /^[^\s()"*=][^\s()"*]*$/.test(text) ? text : quoted(text);
}
