import type {
  AnyNode,
  ArrowFunctionExpression,
  CallExpression,
  FunctionExpression,
  Node,
  Pattern,
} from 'acorn';
import { boundNames } from './names-in.ts';
import {
  givesTextOrList,
  isPlainGlobal,
  isPureConstructor,
  isPureFunction,
  isPureMethod,
  takesCallback,
} from './pure-globals.ts';

/** Names that the module has for itself: a `Map` of its own is not the language's. */
export type OwnNames = ReadonlySet<string>;

export type AnyFunction =
  | FunctionExpression
  | ArrowFunctionExpression
  | Extract<AnyNode, { type: 'FunctionDeclaration' }>;

/** Methods that are called without anybody writing the call. */
const HIDDEN_CALLS: ReadonlySet<string> = new Set(['toString', 'valueOf', 'toJSON', 'then', '__proto__']);

/** Looks for what may do something; names that it cannot judge are left in `calls` and `reads`. */
export class DeedFinder {
  readonly calls = new Set<string>();
  readonly reads = new Set<string>();
  /** Names of the functions that are being looked into; true for those whose values are plain. */
  readonly #locals: Map<string, boolean>;

  readonly #own: OwnNames;

  constructor(own: OwnNames, locals: ReadonlyMap<string, boolean> = new Map()) {
    this.#own = own;
    this.#locals = new Map(locals);
  }

  /** True when evaluating it does nothing, if `calls` and `reads` do not. */
  isQuiet(node: AnyNode): boolean {
    switch (node.type) {
      case 'Literal':
      case 'Identifier':
      case 'ThisExpression':
      case 'MetaProperty':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
      case 'FunctionDeclaration':
      case 'EmptyStatement':
        return true;
      case 'VariableDeclaration':
        return this.#isQuietDeclaration(node);
      case 'ClassDeclaration':
      case 'ClassExpression':
        return this.#isQuietClass(node);
      case 'ArrayExpression':
        return node.elements.every((element) => !element || this.isQuiet(element as AnyNode));
      case 'ObjectExpression':
        return node.properties.every((property) => this.isQuiet(property as AnyNode));
      case 'Property':
        return this.#isQuietKey(node) && this.isQuiet(node.value as AnyNode);
      case 'SpreadElement':
        return this.isPlain(node.argument as AnyNode);
      case 'ConditionalExpression':
        return [node.test, node.consequent, node.alternate].every((each) => this.isQuiet(each as AnyNode));
      case 'LogicalExpression':
        return this.isQuiet(node.left as AnyNode) && this.isQuiet(node.right as AnyNode);
      case 'SequenceExpression':
        return node.expressions.every((each) => this.isQuiet(each as AnyNode));
      case 'CallExpression':
        return this.#isQuietCallOf(node);
      default:
        return this.isPlain(node);
    }
  }

  /** True when it does nothing, and nothing that is done with its value does, short of calling it. */
  isPlain(node: AnyNode): boolean {
    switch (node.type) {
      case 'Literal':
      case 'MetaProperty':
      case 'FunctionExpression':
      case 'ArrowFunctionExpression':
      case 'FunctionDeclaration':
        return true;
      case 'Identifier':
        return this.#isPlainName(node.name);
      case 'Property':
        return node.kind === 'init' && isPlainKey(node) && this.isPlain(node.value as AnyNode);
      case 'NewExpression':
        return this.#isPlainObject(node);
      case 'CallExpression':
        return this.#isBuiltinCall(node);
      default: {
        const parts = plainParts(node);
        return parts !== undefined && this.#arePlain(parts);
      }
    }
  }

  /** With plain arguments. */
  isQuietCall({ params, body }: AnyFunction): boolean {
    const inner = new DeedFinder(this.#own, this.#locals);
    for (const param of params) {
      if (!inner.#isQuietPattern(param)) return false;
      for (const name of boundNames(param)) inner.#locals.set(name, true);
    }
    const isQuiet = body.type === 'BlockStatement' ? inner.#isQuietBody(body.body) : inner.isQuiet(body);
    for (const name of inner.calls) this.calls.add(name);
    for (const name of inner.reads) this.reads.add(name);
    return isQuiet;
  }

  /** Names that are declared further down hide those of the module all the same. */
  #isQuietBody(statements: readonly Node[]): boolean {
    for (const statement of statements as readonly AnyNode[]) {
      if (statement.type === 'VariableDeclaration')
        for (const { id } of statement.declarations)
          for (const name of boundNames(id)) this.#locals.set(name, false);
      if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration')
        this.#locals.set(statement.id?.name ?? '', false);
    }
    return (statements as readonly AnyNode[]).every((statement) => this.#isQuietStatement(statement));
  }

  /** Its names end with it. */
  #isQuietBlock(statements: readonly Node[]): boolean {
    const before = [...this.#locals];
    const isQuiet = this.#isQuietBody(statements);
    this.#locals.clear();
    for (const [name, isPlain] of before) this.#locals.set(name, isPlain);
    return isQuiet;
  }

  #isQuietStatement(node: AnyNode): boolean {
    switch (node.type) {
      case 'ReturnStatement':
      case 'ThrowStatement':
        return !node.argument || this.isQuiet(node.argument as AnyNode);
      case 'ExpressionStatement':
        return this.isQuiet(node.expression as AnyNode);
      case 'IfStatement':
        return [node.test, node.consequent, node.alternate].every(
          (each) => !each || this.#isQuietStatement(each as AnyNode),
        );
      case 'BlockStatement':
        return this.#isQuietBlock(node.body);
      case 'VariableDeclaration': {
        if (!this.#isQuietDeclaration(node)) return false;
        if (node.kind !== 'const') return true;
        for (const { id, init } of node.declarations)
          if (id.type === 'Identifier')
            this.#locals.set(id.name, init != null && this.isPlain(init as AnyNode));
        return true;
      }
      default:
        return this.isQuiet(node);
    }
  }

  #isQuietDeclaration({ kind, declarations }: Extract<AnyNode, { type: 'VariableDeclaration' }>): boolean {
    if (kind !== 'const' && kind !== 'let' && kind !== 'var') return false;
    return declarations.every(({ id, init }) => {
      if (id.type === 'Identifier') return !init || this.isQuiet(init as AnyNode);
      return init != null && this.isPlain(init as AnyNode) && this.#isQuietPattern(id);
    });
  }

  /** Taking a plain value apart does nothing; its defaults may. */
  #isQuietPattern(pattern: Pattern): boolean {
    switch (pattern.type) {
      case 'Identifier':
        return true;
      case 'AssignmentPattern':
        return this.isPlain(pattern.right as AnyNode) && this.#isQuietPattern(pattern.left);
      case 'RestElement':
        return this.#isQuietPattern(pattern.argument);
      case 'ArrayPattern':
        return pattern.elements.every((element) => !element || this.#isQuietPattern(element));
      case 'ObjectPattern':
        return pattern.properties.every((property) =>
          property.type === 'RestElement'
            ? this.#isQuietPattern(property.argument)
            : !property.computed && this.#isQuietPattern(property.value),
        );
      default:
        return false;
    }
  }

  #isQuietClass({
    superClass,
    body,
  }: Extract<AnyNode, { type: 'ClassDeclaration' | 'ClassExpression' }>): boolean {
    if (superClass && superClass.type !== 'Identifier') return false;
    return body.body.every((member) => {
      if (member.type === 'StaticBlock') return false;
      if (member.computed && !this.isPlain(member.key as AnyNode)) return false;
      const isRun = member.type === 'PropertyDefinition' && member.static && member.value;
      return !isRun || this.isQuiet(member.value as AnyNode);
    });
  }

  #isQuietCallOf(node: CallExpression): boolean {
    const { callee, arguments: given } = node;
    if (isFunction(callee as AnyNode))
      return this.#arePlain(given) && this.isQuietCall(callee as AnyFunction);
    const name = calledName(callee as AnyNode);
    if (name === undefined || this.#isLocal(name) || this.#isPureFunction(name))
      return this.#isBuiltinCall(node);
    this.calls.add(name);
    return this.#arePlain(given);
  }

  #isLocal(name: string): boolean {
    return this.#locals.has(rootOf(name));
  }

  #isGlobal(name: string): boolean {
    return !this.#isLocal(name) && !this.#own.has(rootOf(name));
  }

  #isPureFunction(name: string): boolean {
    return this.#isGlobal(name) && isPureFunction(name);
  }

  /** `Math.max(…)`, `[…].map(…)`, `"…".split(…)`: what the language itself does, with a plain result. */
  #isBuiltinCall({ callee, arguments: given }: CallExpression): boolean {
    const name = this.#builtinName(callee as AnyNode);
    if (name === undefined) return false;
    // What somebody else has is not its own to change.
    if (name === 'Object.freeze' && !given.every(({ type }) => isNew(type))) return false;
    if (!takesCallback(name)) return this.#arePlain(given);
    return given.every((argument, index) => this.#isQuietArgument(argument as AnyNode, name, index));
  }

  /** `Math.max`, `.map`; undefined for what others may have made. */
  #builtinName(callee: AnyNode): string | undefined {
    const name = calledName(callee);
    if (name !== undefined && this.#isPureFunction(name)) return name;
    const method = methodName(callee);
    if (callee.type !== 'MemberExpression' || method === undefined || !isPureMethod(method)) return undefined;
    const object = callee.object as AnyNode;
    return this.#isTextOrList(object) && this.isPlain(object) ? `.${method}` : undefined;
  }

  #isTextOrList(node: AnyNode): boolean {
    if (node.type === 'ArrayExpression' || node.type === 'TemplateLiteral') return true;
    if (node.type === 'Literal') return typeof node.value === 'string';
    const name = node.type === 'CallExpression' ? this.#builtinName(node.callee as AnyNode) : undefined;
    return name !== undefined && givesTextOrList(name);
  }

  /** To something that calls the functions it is given: a name might stand for one. */
  #isQuietArgument(node: AnyNode, of: string, index: number): boolean {
    if (isFunction(node)) return this.isQuietCall(node as AnyFunction);
    const isData = DATA.has(node.type) || (index === 0 && !of.startsWith('.'));
    return isData && this.isPlain(node);
  }

  #arePlain(nodes: readonly Node[]): boolean {
    return nodes.every((node) => this.isPlain(node as AnyNode));
  }

  #isPlainName(name: string): boolean {
    const local = this.#locals.get(name);
    if (local !== undefined) return local;
    if (!isPlainGlobal(name) || this.#own.has(name)) this.reads.add(name);
    return true;
  }

  #isQuietKey(node: Extract<AnyNode, { type: 'Property' }>): boolean {
    return !node.computed || this.isPlain(node.key as AnyNode);
  }

  #isPlainObject({ callee, arguments: given }: Extract<AnyNode, { type: 'NewExpression' }>): boolean {
    const name = callee.type === 'Identifier' ? callee.name : '';
    return this.#isGlobal(name) && isPureConstructor(name) && this.#arePlain(given);
  }
}

/** What has to be plain for the whole to be; undefined for what never is, such as a class, which may have getters. */
function plainParts(node: AnyNode): readonly Node[] | undefined {
  switch (node.type) {
    case 'TemplateLiteral':
      return node.expressions;
    case 'ArrayExpression':
      return node.elements.filter((element) => element !== null);
    case 'ObjectExpression':
      return node.properties;
    case 'SpreadElement':
      return [node.argument];
    case 'UnaryExpression':
      return node.operator === 'delete' ? undefined : [node.argument];
    case 'BinaryExpression':
    case 'LogicalExpression':
      return [node.left, node.right];
    case 'ConditionalExpression':
      return [node.test, node.consequent, node.alternate];
    case 'ChainExpression':
      return [node.expression];
    case 'MemberExpression':
      return node.computed ? [node.object, node.property] : [node.object];
    default:
      return undefined;
  }
}

function isPlainKey({ computed, key }: Extract<AnyNode, { type: 'Property' }>): boolean {
  if (computed) return false;
  return !HIDDEN_CALLS.has(key.type === 'Identifier' ? key.name : String(Reflect.get(key, 'value')));
}

/** What is no function, whatever stands in it. */
const DATA: ReadonlySet<string> = new Set([
  'Literal',
  'TemplateLiteral',
  'ArrayExpression',
  'ObjectExpression',
  'UnaryExpression',
  'BinaryExpression',
  'NewExpression',
]);

function isNew(type: string): boolean {
  return type === 'ArrayExpression' || type === 'ObjectExpression';
}

function rootOf(name: string): string {
  return name.split('.')[0] ?? '';
}

function methodName(callee: AnyNode): string | undefined {
  const isNamed = callee.type === 'MemberExpression' && !callee.computed;
  return isNamed && callee.property.type === 'Identifier' ? callee.property.name : undefined;
}

/** `f` of `f()`, `a.f` of `a.f()`. */
export function calledName(callee: AnyNode): string | undefined {
  if (callee.type === 'Identifier') return callee.name;
  const method = methodName(callee);
  return callee.type === 'MemberExpression' && callee.object.type === 'Identifier' && method !== undefined
    ? `${callee.object.name}.${method}`
    : undefined;
}

export function isFunction({ type }: AnyNode): boolean {
  return (
    type === 'FunctionExpression' || type === 'ArrowFunctionExpression' || type === 'FunctionDeclaration'
  );
}
