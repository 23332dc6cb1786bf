import type { AnyNode, Expression, Node, ObjectExpression, Program } from 'acorn';

/** What of an eval's file is about its target, and what is about its scoring. */
export interface EvalNodes {
  readonly target: readonly Node[];
  readonly scoring: readonly Node[];
}

/** Which keys of an eval are code, and what that code is for. All other keys are values, which are looked at themselves. */
const PURPOSE: Readonly<Record<string, keyof EvalNodes>> = {
  target: 'target',
  models: 'target',
  scorers: 'scoring',
};

/**
 * The evals that a module exports, in order, when it writes them out: `export default defineEval({ … })`, a list of such, or
 * a name for one. Undefined for anything else: then all of the module counts, for both.
 */
export function evalNodes(program: Program): readonly EvalNodes[] | undefined {
  const exported = program.body.find((statement) => statement.type === 'ExportDefaultDeclaration');
  const value = exported && resolved(exported.declaration as AnyNode, program);
  if (!value) return undefined;
  const items = value.type === 'ArrayExpression' ? value.elements : [value];
  const found = items.map((item) => (item ? literalOf(resolved(item as AnyNode, program)) : undefined));
  return found.every((literal) => literal !== undefined) ? found.map(splitByPurpose) : undefined;
}

/** A name stands for what it was declared as, if it never becomes anything else. */
function resolved(node: AnyNode, program: Program): AnyNode {
  if (node.type !== 'Identifier') return node;
  for (const statement of program.body) {
    const declaration =
      statement.type === 'ExportNamedDeclaration' ? statement.declaration : (statement as AnyNode);
    if (declaration?.type !== 'VariableDeclaration' || declaration.kind !== 'const') continue;
    for (const { id, init } of declaration.declarations)
      if (id.type === 'Identifier' && id.name === node.name && init) return init as AnyNode;
  }
  return node;
}

/** `{ … }` or `defineEval({ … })`. */
function literalOf(node: AnyNode): ObjectExpression | undefined {
  if (node.type === 'ObjectExpression') return node;
  if (node.type !== 'CallExpression' || node.callee.type !== 'Identifier') return undefined;
  const [argument, ...more] = node.arguments;
  return argument?.type === 'ObjectExpression' && more.length === 0 ? argument : undefined;
}

function splitByPurpose({ properties }: ObjectExpression): EvalNodes {
  const target: Node[] = [];
  const scoring: Node[] = [];
  for (const property of properties) {
    const purpose = property.type === 'Property' && !property.computed ? keyOf(property.key) : undefined;
    if (purpose === undefined) {
      // What is spread, or whose key is computed, may be anything.
      target.push(property);
      scoring.push(property);
    } else if (PURPOSE[purpose] === 'target') target.push(property);
    else if (PURPOSE[purpose] === 'scoring') scoring.push(property);
  }
  return { target, scoring };
}

function keyOf(key: Expression | { readonly type: 'PrivateIdentifier' }): string | undefined {
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : undefined;
}
