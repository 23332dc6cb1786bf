import type { AnyNode, Pattern } from 'acorn';

/** The names that a piece of code deals with. Which of them are its own is not asked: too many is safe. */
export interface Names {
  /** At its own top level. */
  readonly declares: Set<string>;
  readonly uses: Set<string>;
  readonly assigns: Set<string>;
  /** Names whose values it changes: those that it assigns to, and lists, maps and objects that it puts something into. */
  readonly changes: Set<string>;
  /** Modules that it imports when it runs. */
  readonly later: Set<string>;
}

/** Stands for a module whose name is only known when it is imported. */
export const ANY_MODULE = '*';

export function noNames(): Names {
  return {
    declares: new Set(),
    uses: new Set(),
    assigns: new Set(),
    changes: new Set(),
    later: new Set(),
  };
}

export function namesIn(node: AnyNode, names: Names): void {
  declaredIn(node, names.declares);
  visit(node, names);
}

/** The names that a statement declares at its own top level. */
export function declaredIn(node: AnyNode, into: Set<string>): void {
  if (node.type === 'VariableDeclaration')
    for (const { id } of node.declarations) for (const name of boundNames(id)) into.add(name);
  else if ((node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') && node.id)
    into.add(node.id.name);
}

export function boundNames(pattern: Pattern): readonly string[] {
  switch (pattern.type) {
    case 'Identifier':
      return [pattern.name];
    case 'ObjectPattern':
      return pattern.properties.flatMap((property) =>
        boundNames(property.type === 'RestElement' ? property.argument : property.value),
      );
    case 'ArrayPattern':
      return pattern.elements.flatMap((element) => (element ? boundNames(element) : []));
    case 'AssignmentPattern':
      return boundNames(pattern.left);
    case 'RestElement':
      return boundNames(pattern.argument);
    default:
      return [];
  }
}

function visit(node: AnyNode, names: Names): void {
  note(node, names);
  for (const [field, value] of Object.entries(node)) {
    if (isMereKey(node, field) || (field === 'callee' && isPlainRequire(node))) continue;
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) visit(child, names);
  }
}

function note(node: AnyNode, { uses, assigns, changes, later }: Names): void {
  for (const name of changedNames(node)) changes.add(name);
  switch (node.type) {
    case 'Identifier':
      uses.add(node.name);
      if (LOADERS.has(node.name)) later.add(ANY_MODULE);
      break;
    case 'MemberExpression':
      if (LOADERS.has(String(Reflect.get(node.property, 'name')))) later.add(ANY_MODULE);
      break;
    case 'AssignmentExpression':
    case 'UpdateExpression':
    case 'UnaryExpression':
      for (const name of assignedNames(node)) assigns.add(name);
      break;
    case 'ImportExpression':
      later.add(textOf(node.source as AnyNode));
      break;
    case 'CallExpression':
      if (isPlainRequire(node)) later.add(textOf(node.arguments[0] as AnyNode));
      break;
  }
}

function assignedNames(node: AnyNode): readonly string[] {
  if (node.type === 'AssignmentExpression') return writtenNames(node.left);
  const isWriting =
    node.type === 'UpdateExpression' || (node.type === 'UnaryExpression' && node.operator === 'delete');
  return isWriting ? writtenNames(node.argument) : [];
}

function changedNames(node: AnyNode): readonly string[] {
  if (node.type !== 'CallExpression') return assignedNames(node);
  const { callee, arguments: given } = node;
  if (callee.type !== 'MemberExpression') return [];
  const method = String(Reflect.get(callee.property, 'name'));
  const [first] = given;
  const isObject = callee.object.type === 'Identifier' && callee.object.name === 'Object';
  if (isObject && first && CHANGERS_OF_OBJECTS.has(method)) return writtenNames(first as AnyNode);
  return CHANGERS.has(method) ? writtenNames(callee.object as AnyNode) : [];
}

/** Methods of lists, maps and sets that change them. */
const CHANGERS: ReadonlySet<string> = new Set(
  'push unshift pop shift splice sort reverse fill copyWithin set add delete clear append'.split(' '),
);
const CHANGERS_OF_OBJECTS: ReadonlySet<string> = new Set(['assign', 'defineProperty', 'defineProperties']);

/** By these names code is loaded that the syntax does not tell. */
const LOADERS: ReadonlySet<string> = new Set([
  'require',
  'createRequire',
  'getBuiltinModule',
  'eval',
  'Function',
]);

/** `require('./x')`, whatever the module makes of the name. */
function isPlainRequire(node: AnyNode): node is Extract<AnyNode, { type: 'CallExpression' }> {
  if (node.type !== 'CallExpression') return false;
  const isRequire = node.callee.type === 'Identifier' && node.callee.name === 'require';
  return isRequire && node.arguments.length > 0;
}

/** `x = …`, `x.y = …` and `[x] = …` change `x`. */
function writtenNames(node: AnyNode): readonly string[] {
  if (node.type === 'MemberExpression') return writtenNames(node.object as AnyNode);
  if (node.type === 'ChainExpression') return writtenNames(node.expression as AnyNode);
  return boundNames(node as Pattern);
}

function textOf(node: AnyNode): string {
  if (node.type === 'Literal' && typeof node.value === 'string') return node.value;
  const [quasi] = node.type === 'TemplateLiteral' && node.expressions.length === 0 ? node.quasis : [];
  return quasi?.value.cooked ?? ANY_MODULE;
}

/** `a` in `{ a: 1 }` and in `x.a` is no name of a variable. */
function isMereKey(node: AnyNode, field: string): boolean {
  if (field === 'property') return node.type === 'MemberExpression' && !node.computed;
  return field === 'key' && 'computed' in node && node.computed === false;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof Reflect.get(value, 'type') === 'string';
}
