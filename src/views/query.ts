/** What is wrong with a filter: where it begins, and one sentence. */
export interface Wrong {
  readonly at: number;
  readonly message: string;
}

export type Operator = ':' | '=' | '!=' | '>' | '>=' | '<' | '<=';

/** In quotes a star is a star. */
export interface Value {
  readonly text: string;
  readonly isQuoted: boolean;
}

/** A filter as it was understood. `at`: where in the text it begins. */
export type Query =
  | { readonly kind: 'and' | 'or'; readonly of: readonly Query[] }
  | { readonly kind: 'not'; readonly of: Query }
  | FieldTerm
  | { readonly kind: 'text'; readonly value: Value; readonly at: number };

export interface FieldTerm {
  readonly kind: 'field';
  readonly field: string;
  /** What follows the field after a dot: `accuracy` of `score.accuracy`. */
  readonly path: string | undefined;
  readonly operator: Operator;
  readonly value: Value;
  readonly at: number;
  readonly valueAt: number;
}

export interface ParsedQuery {
  /** Undefined when nothing is asked for. */
  readonly query: Query | undefined;
  /** The first thing that is wrong; what was understood holds all the same. */
  readonly wrong?: Wrong;
}

/** Deeper than anybody writes, and shallow enough for any stack. */
const DEPTH_MAX = 50;

/**
 * Reads a filter: `field:value`, `=`, `!=`, `>`, `>=`, `<`, `<=`, words and "quoted text", `-term` or `not term`, `and` (which may
 * be left out), `or`, parentheses. It never throws: what cannot be understood is left out and told, so that a filter works while
 * it is being typed.
 */
export function parseQuery(text: string): ParsedQuery {
  return new QueryParser(text).parse();
}

const SPACE = /\s*/y;
/** A field with its operator. Only comparisons may have spaces around them: after a colon a space ends the term. */
const FIELD = /([A-Za-z][\w-]*)((?:\.(?:"(?:[^"\\]|\\.)*"|[^\s()":=!<>.]+))*)(:|\s*(?:!=|>=|<=|=|>|<)\s*)/sy;
const PATH_PART = /\.(?:"((?:[^"\\]|\\.)*)"|([^\s()":=!<>.]+))/gs;
const QUOTED = /"((?:[^"\\]|\\.)*)("|\\?$)/sy;
const WORD = /[^\s()"]+/y;
const JOINING = /(and|or|not)(?=[\s()"]|$)/iy;
const MINUS = /-(?=[^\s)])/y;

/** Undefined: at the end, at a closing parenthesis, before `and` and `or`. Left out: it is wrong, or says nothing. */
type Part = Query | 'left out' | undefined;

class QueryParser {
  readonly #text: string;
  #at = 0;
  #wrong: Wrong | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): ParsedQuery {
    const parts: Query[] = [];
    for (;;) {
      const query = this.#or(0);
      if (query) parts.push(query);
      if (this.#atEnd()) break;
      this.#tell(this.#at, 'This parenthesis closes none.');
      this.#at += 1;
    }
    const query = joined('and', parts);
    return this.#wrong ? { query, wrong: this.#wrong } : { query };
  }

  #or(depth: number): Query | undefined {
    const parts: Query[] = [];
    for (let before: number | undefined; ; ) {
      const part = this.#and(depth);
      if (part) parts.push(part);
      const or = this.#joining('or');
      if (!part && (or ?? before) !== undefined)
        this.#tell(or ?? before ?? 0, 'Something is missing beside "or".');
      if (or === undefined) return joined('or', parts);
      before = or;
    }
  }

  #and(depth: number): Query | undefined {
    const parts: Query[] = [];
    for (;;) {
      const and = this.#joining('and');
      const part = this.#negated(depth);
      if (part && part !== 'left out') parts.push(part);
      if (and !== undefined && (!part || parts.length < 2))
        this.#tell(and, 'Something is missing beside "and".');
      if (!part && and === undefined) return joined('and', parts);
    }
  }

  #negated(depth: number): Part {
    let isNegated = false;
    let last: number | undefined;
    for (;;) {
      this.#take(SPACE);
      const at = this.#at;
      if (this.#joining('not') === undefined && this.#take(MINUS) === undefined) break;
      last = at;
      isNegated = !isNegated;
    }
    const term = this.#term(depth);
    if (!term && last !== undefined) {
      this.#tell(last, 'Nothing follows that could be left out.');
      return 'left out';
    }
    return term && term !== 'left out' && isNegated ? negated(term) : term;
  }

  #term(depth: number): Part {
    if (this.#atEnd() || this.#text[this.#at] === ')' || this.#peek(JOINING)) return undefined;
    if (this.#text[this.#at] === '(') return this.#group(depth);
    return this.#field() ?? this.#quotedText() ?? this.#word();
  }

  #group(depth: number): Part {
    const at = this.#at;
    this.#at += 1;
    if (depth >= DEPTH_MAX) {
      this.#tell(at, 'These parentheses are nested too deeply.');
      return 'left out';
    }
    const query = this.#or(depth + 1);
    this.#take(SPACE);
    if (this.#text[this.#at] === ')') this.#at += 1;
    else this.#tell(at, 'This parenthesis is not closed.');
    if (query) return query;
    this.#tell(at, 'There is nothing between these parentheses.');
    return 'left out';
  }

  #field(): Part {
    const at = this.#at;
    const found = this.#take(FIELD);
    if (!found) return undefined;
    const [, field = '', path = '', written = ''] = found;
    const operator = written.trim() as Operator;
    const valueAt = this.#at;
    const value = this.#value();
    if (!value) {
      this.#tell(at, `"${field}${path}${operator}" needs a value right after it.`);
      return 'left out';
    }
    return { kind: 'field', field: field.toLowerCase(), path: pathOf(path), operator, value, at, valueAt };
  }

  #value(): Value | undefined {
    const quoted = this.#quoted();
    if (quoted !== undefined) return { text: quoted, isQuoted: true };
    const [word] = this.#take(WORD) ?? [];
    return word === undefined ? undefined : { text: word, isQuoted: false };
  }

  #quotedText(): Part {
    const at = this.#at;
    const text = this.#quoted();
    if (text === undefined) return undefined;
    return text === '' ? 'left out' : { kind: 'text', value: { text, isQuoted: true }, at };
  }

  #quoted(): string | undefined {
    const at = this.#at;
    const found = this.#take(QUOTED);
    if (!found) return undefined;
    if (found[2] !== '"') this.#tell(at, 'This quote is not closed.');
    return unescaped(found[1] ?? '');
  }

  #word(): Part {
    const at = this.#at;
    const [text = ''] = this.#take(WORD) ?? [];
    if (!/^[:=!<>]/.test(text)) return { kind: 'text', value: { text, isQuoted: false }, at };
    this.#tell(at, `Before "${text}" a field is missing; put it into quotes to look for it.`);
    return 'left out';
  }

  /** Where the word is; undefined when another comes next. */
  #joining(word: 'and' | 'or' | 'not'): number | undefined {
    this.#take(SPACE);
    const at = this.#at;
    if (this.#peek(JOINING)?.[1]?.toLowerCase() !== word) return undefined;
    this.#at += word.length;
    return at;
  }

  #peek(what: RegExp): RegExpExecArray | undefined {
    what.lastIndex = this.#at;
    return what.exec(this.#text) ?? undefined;
  }

  #take(what: RegExp): RegExpExecArray | undefined {
    const found = this.#peek(what);
    if (found) this.#at += found[0].length;
    return found;
  }

  #atEnd(): boolean {
    this.#take(SPACE);
    return this.#at >= this.#text.length;
  }

  #tell(at: number, message: string): void {
    if (!this.#wrong || at < this.#wrong.at) this.#wrong = { at, message };
  }
}

/** What is left out of what is left out is meant: `not (not a)` is `a`, as `not not a` is. */
function negated(term: Query): Query {
  return term.kind === 'not' ? term.of : { kind: 'not', of: term };
}

function joined(kind: 'and' | 'or', parts: readonly Query[]): Query | undefined {
  if (parts.length < 2) return parts[0];
  // One within another of the same kind says nothing more.
  return { kind, of: parts.flatMap((part) => (part.kind === kind ? part.of : [part])) };
}

function pathOf(text: string): string | undefined {
  const parts = [...text.matchAll(PATH_PART)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '') : unescaped(quoted),
  );
  return parts.length === 0 ? undefined : parts.join('.');
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/gs, '$1');
}
