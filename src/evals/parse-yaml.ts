import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { messageOf } from '../base/index.ts';

/** A YAML text: what it says, or where and why it says nothing that can be used. */
export type YamlReading =
  | {
      readonly value: unknown;
      readonly document: Document.Parsed;
      readonly lines: LineCounter;
      /** Where the thing at a path stands: a key where there is one, else the nearest thing around it. */
      placeOf(path: readonly (string | number)[]): TextPlace;
    }
  | ({ readonly problem: string } & TextPlace);

export interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/**
 * The one way in which we read YAML. The parser finds some faults while it reads and throws others while it makes values
 * (an alias of nothing, aliases that expand without end): to the person who wrote the text they are alike.
 */
export function parseYaml(text: string): YamlReading {
  const lines = new LineCounter();
  const start = { line: 1, column: 1 };
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) {
      return { problem: error.message, ...placeAt(lines, error.pos[0]) };
    }
    const value: unknown = document.toJS();
    if (hasLoop(value)) return { problem: 'an alias stands for something that it is part of', ...start };
    return { value, document, lines, placeOf: (path) => placeAt(lines, offsetOf(document, path)) };
  } catch (error) {
    // Nothing but the text went in, so whatever comes out is about the text.
    return { problem: messageOf(error), ...start };
  }
}

/** Aliases can make a value a part of itself, which no row and no definition can be. */
function hasLoop(value: unknown, parents = new Set<unknown>()): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (parents.has(value)) return true;
  parents.add(value);
  const isLooped = Object.values(value).some((item) => hasLoop(item, parents));
  parents.delete(value);
  return isLooped;
}

function offsetOf(document: Document.Parsed, path: readonly (string | number)[]): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const step = path[length - 1];
    const pair = isMap(parent)
      ? parent.items.find(({ key }) => isScalar(key) && key.value === step)
      : undefined;
    const node = pair?.key ?? document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range[0] ?? 0;
}

function placeAt(lines: LineCounter, offset: number): TextPlace {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(line, 1), column: Math.max(col, 1) };
}
