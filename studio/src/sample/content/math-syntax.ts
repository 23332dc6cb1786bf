import { isMaths, type MathMark, markedIn } from './math-words.ts';

/** As much of the parser of Markdown (micromark, and what makes a tree of it) as an extension of it sees. */
type Code = number | null;
type State = (code: Code) => State | undefined;
interface Effects {
  enter(type: string): unknown;
  exit(type: string): unknown;
  consume(code: Code): void;
}
interface Tokenizer {
  readonly previous: Code;
}
interface Tree {
  enter(node: object, token: object): void;
  exit(token: object): void;
  buffer(): void;
  resume(): string;
  readonly stack: readonly object[];
  readonly config: { readonly enter: Handlers; readonly exit: Handlers };
}
type Handlers = Readonly<Record<string, ((this: Tree, token: object) => void) | undefined>>;

const DOLLAR = 36;
const BACKSLASH = 92;
const OPENING = 40;
const OPENING_SQUARE = 91;

/** Maths within a line, by the rules of `isMaths`, and backslashes that are part of the text. For `unified`. */
export function remarkMaths(this: { data(): object }): void {
  const data: { micromarkExtensions?: object[]; fromMarkdownExtensions?: object[] } = this.data();
  data.micromarkExtensions = [...(data.micromarkExtensions ?? []), SYNTAX];
  data.fromMarkdownExtensions = [...(data.fromMarkdownExtensions ?? []), TREE];
}

const SYNTAX = {
  text: {
    [DOLLAR]: { name: 'maths', tokenize: tokenizeMaths },
    [BACKSLASH]: [
      { name: 'maths', tokenize: tokenizeMaths },
      { name: 'backslash', tokenize: tokenizeBackslash },
    ],
  },
};

/** Marks that nothing closes up to the end of a text: looking again from each of them would take forever. */
const unclosed = new WeakMap<Tokenizer, Set<MathMark>>();

function tokenizeMaths(this: Tokenizer, effects: Effects, ok: State, nok: State): State {
  const before = charOf(this.previous);
  const hopeless = unclosed.get(this) ?? new Set<MathMark>();
  unclosed.set(this, hopeless);
  let source = '';
  let isInData = false;

  const step: State = (code) => {
    const { mark, content } = markedIn(source);
    if (content !== undefined)
      return isMaths({ mark, content, before, after: charOf(code) }) ? finish(code) : nok(code);
    if (code === null) hopeless.add(mark);
    const isMarked = source.length > mark.length;
    if (code === null || (isMarked && hopeless.has(mark))) return nok(code);
    if (isLineEnd(code)) return mark === '$' ? nok(code) : takeLineEnd(code);
    if (source === '\\' && code !== OPENING && code !== OPENING_SQUARE) return nok(code);
    return takeData(code);
  };
  const takeData = (code: number): State => {
    if (!isInData) effects.enter('mathsData');
    isInData = true;
    effects.consume(code);
    source += charOf(code);
    return step;
  };
  const takeLineEnd = (code: number): State => {
    endData();
    effects.enter('lineEnding');
    effects.consume(code);
    effects.exit('lineEnding');
    source += '\n';
    return step;
  };
  const endData = () => {
    if (isInData) effects.exit('mathsData');
    isInData = false;
  };
  const finish: State = (code) => {
    endData();
    effects.exit('maths');
    return ok(code);
  };
  return (code) => {
    effects.enter('maths');
    return step(code);
  };
}

/**
 * Markdown takes the backslash away in front of any punctuation. In front of what means nothing to Markdown, or more to maths, it
 * was meant: it stays.
 */
function tokenizeBackslash(this: Tokenizer, effects: Effects, ok: State, nok: State): State {
  const behind: State = (code) => {
    if (code === null || !KEPT.includes(charOf(code))) return nok(code);
    effects.consume(code);
    effects.exit('data');
    return ok;
  };
  return (code) => {
    effects.enter('data');
    effects.consume(code);
    return behind;
  };
}

const KEPT = '()[]{},;:%/\'"@^?';

const TREE = {
  enter: {
    maths(this: Tree, token: object) {
      this.enter({ type: 'inlineMath', value: '', data: { hName: 'code' } }, token);
      this.buffer();
    },
  },
  exit: {
    maths(this: Tree, token: object) {
      const { mark, content = '' } = markedIn(this.resume());
      const isDisplayed = mark === '$$' || mark === '\\[';
      Object.assign(this.stack.at(-1) ?? {}, {
        value: content,
        data: {
          hName: 'code',
          hProperties: { className: [isDisplayed ? 'math-display' : 'math-inline'] },
          hChildren: [{ type: 'text', value: content.trim() }],
        },
      });
      this.exit(token);
    },
    mathsData(this: Tree, token: object) {
      this.config.enter.data?.call(this, token);
      this.config.exit.data?.call(this, token);
    },
  },
};

function isLineEnd(code: number): boolean {
  return code < -2;
}

function charOf(code: Code): string {
  if (code === null) return '';
  return code < 0 ? (isLineEnd(code) ? '\n' : ' ') : String.fromCharCode(code);
}
