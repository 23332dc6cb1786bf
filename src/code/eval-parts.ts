import type { AnyNode, Expression, Node, ObjectExpression, Program } from 'acorn';
import { calledName } from './deed-finder.ts';
import { DEFAULT } from './module-outline.ts';

/** What of an eval's file is about its target, what is about its scoring, and what makes and chooses its rows. */
export interface EvalNodes {
  readonly target: readonly Node[];
  readonly scoring: readonly Node[];
  readonly rows: readonly Node[];
  /** All that it says, key by key: it is evaluated when the file is loaded. */
  readonly keys: readonly Node[];
  /** Names that the file has for the eval as a whole. */
  readonly names: readonly string[];
}

/**
 * Which keys of an eval are code, and what that code is for. All other keys are values, which are looked at themselves; so are
 * rows, whose code counts only where it leaves something behind for others.
 */
const PURPOSE: Readonly<Record<string, 'target' | 'scoring' | 'rows'>> = {
  target: 'target',
  models: 'target',
  scorers: 'scoring',
  data: 'rows',
  filter: 'rows',
};

/**
 * The evals that a module exports, in order, when it writes them out: `export default defineEval({ … })`, a list of such, or
 * a name for one. Undefined for anything else, such as what a function of one's own makes: then all code counts, for both.
 */
export function evalNodes(program: Program): readonly EvalNodes[] | undefined {
  const exported = program.body.find((statement) => statement.type === 'ExportDefaultDeclaration');
  if (!exported) return undefined;
  const names = [DEFAULT];
  const resolve = (node: Node) => resolved(node as AnyNode, program, names);
  const value = resolve(exported.declaration);
  const items = value.type === 'ArrayExpression' ? value.elements : [value];
  const ours = definersIn(program);
  const found = items.map((item) => (item ? literalOf(resolve(item), ours) : undefined));
  return found.every((literal) => literal !== undefined)
    ? found.map((literal) => ({ ...splitByPurpose(literal), names }))
    : undefined;
}

/** A name stands for what it was declared as, if it never becomes anything else. */
function resolved(node: AnyNode, program: Program, names: string[]): AnyNode {
  if (node.type !== 'Identifier') return node;
  for (const statement of program.body) {
    const declaration =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : (statement as AnyNode);
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') continue;
    const [{ id, init } = {}, ...others] = declaration.declarations;
    if (others.length > 0 || id?.type !== 'Identifier' || id.name !== node.name || !init) continue;
    names.push(id.name);
    return init as AnyNode;
  }
  return node;
}

/** What `defineEval` of Holdfast is called here: `defineEval`, a name of one's own, or `all.defineEval`. */
function definersIn({ body }: Program): ReadonlySet<string> {
  const names = new Set<string>();
  for (const statement of body) {
    if (statement.type !== 'ImportDeclaration' || statement.source.value !== 'holdfast') continue;
    for (const specifier of statement.specifiers) {
      if (specifier.type === 'ImportNamespaceSpecifier') names.add(`${specifier.local.name}.defineEval`);
      const { imported } = specifier as { readonly imported?: Node };
      if (imported && Reflect.get(imported, 'name') === 'defineEval') names.add(specifier.local.name);
    }
  }
  return names;
}

/** `{ … }` or `defineEval({ … })`. */
function literalOf(node: AnyNode, definers: ReadonlySet<string>): ObjectExpression | undefined {
  if (node.type === 'ObjectExpression') return node;
  if (node.type !== 'CallExpression') return undefined;
  const name = calledName(node.callee as AnyNode);
  const [argument, ...more] = node.arguments;
  const isOurs = name !== undefined && definers.has(name) && more.length === 0;
  return isOurs && argument?.type === 'ObjectExpression' ? argument : undefined;
}

function splitByPurpose({ properties }: ObjectExpression): Omit<EvalNodes, 'names'> {
  const target: Node[] = [];
  const scoring: Node[] = [];
  const rows: Node[] = [];
  for (const property of properties) {
    const purpose = property.type === 'Property' && !property.computed ? keyOf(property.key) : undefined;
    if (purpose === undefined) {
      // What is spread, or whose key is computed, may be anything.
      target.push(property);
      scoring.push(property);
    } else if (PURPOSE[purpose] === 'target') target.push(property);
    else if (PURPOSE[purpose] === 'scoring') scoring.push(property);
    else if (PURPOSE[purpose] === 'rows') rows.push(property);
  }
  return { target, scoring, rows, keys: properties };
}

function keyOf(key: Expression | { readonly type: 'PrivateIdentifier' }): string | undefined {
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : undefined;
}
