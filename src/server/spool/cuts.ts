import { isJsonArray, type Json, shortId, systemRandom } from '../../base/index.ts';
import type { AnyJson, CutText } from '../api.ts';

export type Cut = CutText['$cut'];

/** Longer texts are cut: in UTF-16 units. */
export const TEXT_UNITS_MAX = 8_192;

/** Nobody who writes a transcript knows it, so that nothing in one is taken for a mark. */
const SECRET = shortId(systemRandom);

/**
 * What was left out of an answer. Until the answer is finished a mark stands for each, which is a text: so whatever looks at a
 * transcript on the way finds a text where a text was.
 */
export class Cuts {
  readonly #cuts = new Map<string, Cut>();
  /** About how many characters the answer has, of what was settled so far. */
  sizeUnits = 0;

  mark(cut: Cut): string {
    const mark = `\0${SECRET} ${this.#cuts.size}\0`;
    this.#cuts.set(mark, cut);
    return mark;
  }

  /** What is known of a text, whether or not it was cut: its beginning. */
  headOf(text: string): string {
    return this.#cuts.get(text)?.head ?? text;
  }

  of(text: string): Cut | undefined {
    return this.#cuts.get(text);
  }

  /** The value as it is sent: marks are what they stand for, and keys that mean something to us are told apart from theirs. */
  settle(value: Json | undefined): AnyJson {
    switch (typeof value) {
      case 'string':
        return this.#text(value);
      case 'bigint':
        this.sizeUnits += 24;
        return value.toString();
      case 'object':
        break;
      default:
        this.sizeUnits += 8;
        return value ?? null;
    }
    if (value === null) return null;
    this.sizeUnits += 2;
    if (isJsonArray(value)) return value.map((item) => this.settle(item));
    const settled: Record<string, AnyJson> = {};
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      this.sizeUnits += key.length + 4;
      setOwn(settled, this.#key(key), this.settle(item));
    }
    return settled;
  }

  #text(text: string): AnyJson {
    const cut = this.#cuts.get(text);
    if (cut) return { $cut: this.settle({ ...cut }) };
    this.sizeUnits += text.length + 3;
    return text;
  }

  #key(key: string): string {
    if (this.#cuts.has(key)) return '$more';
    return /^\$+(?:cut|number|more)$/.test(key) ? `$${key}` : key;
  }
}

/** The beginning of a text that is cut: of a picture only what kind it is, else as much as is shown at first. */
export function headOf(text: string): string {
  const kind = /^data:[\w.+-]+\/[\w.+-]+(?:;[\w=.+-]+)*,/.exec(text.slice(0, 200))?.[0];
  if (kind !== undefined) return kind;
  const end = TEXT_UNITS_MAX;
  const isInPair = isHighSurrogate(text.charCodeAt(end - 1)) && text.length > end;
  return text.slice(0, isInPair ? end - 1 : end);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Assignment would call the setter of `__proto__`; data keys must stay data. */
export function setOwn<T>(target: Record<string, T>, key: string, value: T): void {
  if (key === '__proto__')
    Object.defineProperty(target, key, { value, enumerable: true, configurable: true, writable: true });
  else target[key] = value;
}
