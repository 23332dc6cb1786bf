import type { AnyNode, Node } from 'acorn';
import { type AnyFunction, DeedFinder, isFunction, type OwnNames } from './deed-finder.ts';

/**
 * What evaluating a piece of code may do besides giving a value: change what other code sees. It is asked of what a module does
 * when it is loaded; whatever is not known to do nothing is a deed.
 */
export interface Deeds {
  /** True when it does something, or may. */
  readonly isDeed: boolean;
  /** It does nothing only if calling these names does nothing … */
  readonly calls: readonly string[];
  /** … and if what these names stand for is plain: reading, joining and listing it does nothing. */
  readonly reads: readonly string[];
}

export const A_DEED: Deeds = { isDeed: true, calls: [], reads: [] };

export function isSurelyQuiet({ isDeed, calls, reads }: Deeds): boolean {
  return !isDeed && calls.length + reads.length === 0;
}

/** Of a statement, a property of an eval, or an expression, when it is evaluated. */
export function deedsOf(node: Node, own: OwnNames): Deeds {
  return deedsFound(own, (finder) => finder.isQuiet(node as AnyNode));
}

/** Of a call of the function that it is; a deed when it is none. */
export function deedsOfCalling(node: Node | undefined, own: OwnNames): Deeds {
  return node && isFunction(node as AnyNode)
    ? deedsFound(own, (finder) => finder.isQuietCall(node as AnyFunction))
    : A_DEED;
}

/** Of whatever is done with its value, short of calling it. */
export function deedsOfReading(node: Node | undefined, own: OwnNames): Deeds {
  return node ? deedsFound(own, (finder) => finder.isPlain(node as AnyNode)) : A_DEED;
}

function deedsFound(own: OwnNames, isQuiet: (finder: DeedFinder) => boolean): Deeds {
  const finder = new DeedFinder(own);
  return isQuiet(finder)
    ? { isDeed: false, calls: [...finder.calls].sort(), reads: [...finder.reads].sort() }
    : A_DEED;
}
