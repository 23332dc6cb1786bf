import { createHash, type Hash } from 'node:crypto';
import type { AnyNode, Node } from 'acorn';
import type { Digest } from '../base/index.ts';

/**
 * What code says, whatever it looks like: equal for two texts that differ only in layout, comments, quotes, brackets that
 * change nothing, the spelling of numbers and texts, or the quoting of keys [CODE-1].
 */
export function syntaxDigest(nodes: readonly Node[]): Digest {
  const hash = createHash('sha256');
  for (const node of nodes) if (node.type !== 'EmptyStatement') feed(hash, node as AnyNode);
  return hash.digest('hex') as Digest;
}

/** Where it stands, and how its literals are spelled. */
const LOOKS: ReadonlySet<string> = new Set([
  'type',
  'start',
  'end',
  'loc',
  'range',
  'raw',
  'sourceType',
  'directive',
]);

function feed(hash: Hash, node: AnyNode): void {
  hash.update(`(${node.type} `);
  if (node.type === 'Literal') hash.update(literalText(node));
  else if (node.type === 'TemplateElement') hash.update(JSON.stringify(node.value.cooked ?? node.value.raw));
  else if (node.type === 'TaggedTemplateExpression') feedTagged(hash, node);
  else for (const [name, value] of fieldsOf(node)) feedField(hash, name, value);
  hash.update(')');
}

function fieldsOf(node: AnyNode): readonly (readonly [string, unknown])[] {
  return Object.entries(node)
    .filter(([name, value]) => !LOOKS.has(name) && value !== undefined)
    .map(([name, value]) => [name, isPlainKey(node, name) ? keyName(value) : value] as const)
    .filter(([name, value]) => !(name === 'shorthand' && value !== undefined && !isProtoShorthand(node)))
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

function feedField(hash: Hash, name: string, value: unknown): void {
  hash.update(`${name}=`);
  if (Array.isArray(value)) {
    hash.update('[');
    for (const item of value) {
      // A lone semicolon says nothing; a hole in a list does.
      if (isNode(item) && item.type === 'EmptyStatement') continue;
      if (isNode(item)) feed(hash, item);
      else hash.update('hole');
    }
    hash.update(']');
  } else if (isNode(value)) feed(hash, value);
  else hash.update(JSON.stringify(value) ?? 'undefined');
  hash.update(';');
}

/** A tag may look at the spelling of the text: `String.raw` does. */
function feedTagged(hash: Hash, node: Extract<AnyNode, { type: 'TaggedTemplateExpression' }>): void {
  feed(hash, node.tag as AnyNode);
  for (const { value } of node.quasi.quasis) hash.update(JSON.stringify(value.raw));
  for (const expression of node.quasi.expressions) feed(hash, expression as AnyNode);
}

function literalText(node: Extract<AnyNode, { type: 'Literal' }>): string {
  if (node.regex) return `/${node.regex.pattern}/${[...node.regex.flags].sort().join('')}`;
  if (node.bigint != null) return `${node.bigint}n`;
  return typeof node.value === 'number'
    ? `number ${node.value}`
    : (JSON.stringify(node.value) ?? 'undefined');
}

/** `{ "a": 1 }` and `{ a: 1 }` are one thing. */
function isPlainKey(node: AnyNode, name: string): boolean {
  return name === 'key' && 'computed' in node && node.computed === false;
}

function keyName(key: unknown): unknown {
  if (!isNode(key)) return key;
  if (key.type === 'Identifier') return `key ${key.name}`;
  return key.type === 'Literal' ? `key ${String(key.value)}` : key;
}

/** `{ a }` is `{ a: a }`, but for the one key that is a prototype when it is written out. */
function isProtoShorthand(node: AnyNode): boolean {
  return node.type === 'Property' && keyName(node.key) === 'key __proto__';
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';
}
