import { stripTypeScriptTypes } from 'node:module';
import type { AnyNode, ExportNamedDeclaration, ImportDeclaration, Literal, Node, Program } from 'acorn';
import { type Digest, digestOf } from '../base/index.ts';
import { type Names, namesIn } from './names-in.ts';
import { syntaxDigest } from './syntax-digest.ts';

/** What one module says, part by part, so that it can be told which parts a change is about. Plain data. */
export interface ModuleOutline {
  readonly parts: readonly ModulePart[];
  /** Local name → where it comes from. */
  readonly imports: Readonly<Record<string, ImportedName>>;
  /** Exported name → what it is here. */
  readonly exports: Readonly<Record<string, ExportedName>>;
  /** `export * from …` */
  readonly passedOn: readonly string[];
  /** Modules that are loaded for what they do, and not for a name. */
  readonly effects: readonly string[];
}

/** A statement of the module, or what an eval says under one key. */
export interface ModulePart {
  readonly digest: Digest;
  readonly declares: readonly string[];
  /** Names that it uses; those of the module and its imports are what counts. */
  readonly uses: readonly string[];
  readonly assigns: readonly string[];
  /** Modules that it imports when it runs. */
  readonly later: readonly string[];
  /** True when it does something besides declaring names: then it counts whenever the module does. */
  readonly isEffect: boolean;
}

export interface ImportedName {
  readonly from: string;
  /** `*` for the whole module. */
  readonly name: string;
}

/** A name of this module, or one that is passed on from another. */
export type ExportedName = { readonly local: string } | ImportedName;

/** Undefined when it cannot be read as a module: then only its text is known. */
export async function parseModule(
  text: string,
  format: 'typescript' | 'module',
): Promise<Program | undefined> {
  const { parse } = await import('acorn');
  try {
    const plain = format === 'typescript' ? stripTypeScriptTypes(text) : text;
    return parse(plain, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true });
  } catch {
    // Whatever Node itself makes of it; a text that we cannot read counts as a whole.
    return undefined;
  }
}

export function outlineOf({ body }: Program): ModuleOutline {
  const imports: Record<string, ImportedName> = {};
  const exports: Record<string, ExportedName> = {};
  const passedOn: string[] = [];
  const effects: string[] = [];
  const parts: ModulePart[] = [];
  for (const statement of body) {
    switch (statement.type) {
      case 'ImportDeclaration':
        addImports(statement, imports, effects);
        break;
      case 'ExportAllDeclaration':
        if (statement.exported)
          exports[nameOf(statement.exported)] = { from: sourceOf(statement), name: '*' };
        else passedOn.push(sourceOf(statement));
        break;
      case 'ExportNamedDeclaration':
        addExports(statement, exports);
        if (statement.declaration) parts.push(partOf([statement.declaration]));
        break;
      case 'ExportDefaultDeclaration':
        exports.default = { local: DEFAULT };
        parts.push({ ...partOf([statement.declaration]), declares: [DEFAULT], isEffect: false });
        break;
      case 'EmptyStatement':
        break;
      default:
        parts.push(partOf([statement]));
    }
  }
  return { parts, imports, exports, passedOn, effects };
}

/** A name that no code can have. */
export const DEFAULT = '*default*';

/** For what is no module: a text that counts as a whole, with all that it asks for. */
export function wholeOutline(text: string, later: readonly string[] = []): ModuleOutline {
  const part = { digest: digestOf(text), declares: [], uses: [], assigns: [], later, isEffect: true };
  return { parts: [part], imports: {}, exports: {}, passedOn: [], effects: [] };
}

export function partOf(nodes: readonly Node[]): ModulePart {
  const names: Names = { declares: new Set(), uses: new Set(), assigns: new Set(), later: new Set() };
  for (const node of nodes) namesIn(node as AnyNode, names);
  return {
    digest: syntaxDigest(nodes),
    declares: [...names.declares],
    uses: [...names.uses].sort(),
    assigns: [...names.assigns].sort(),
    later: [...names.later].sort(),
    isEffect: !nodes.every(isDeclaration),
  };
}

function isDeclaration({ type }: Node): boolean {
  return type === 'VariableDeclaration' || type === 'FunctionDeclaration' || type === 'ClassDeclaration';
}

function addImports(
  statement: ImportDeclaration,
  imports: Record<string, ImportedName>,
  effects: string[],
): void {
  const from = sourceOf(statement);
  if (statement.specifiers.length === 0) effects.push(from);
  for (const specifier of statement.specifiers) {
    const name =
      specifier.type === 'ImportNamespaceSpecifier'
        ? '*'
        : specifier.type === 'ImportDefaultSpecifier'
          ? 'default'
          : nameOf(specifier.imported);
    imports[specifier.local.name] = { from, name };
  }
}

function addExports(
  { declaration, specifiers, source }: ExportNamedDeclaration,
  exports: Record<string, ExportedName>,
): void {
  if (declaration) for (const name of partOf([declaration]).declares) exports[name] = { local: name };
  for (const { local, exported } of specifiers) {
    const name = nameOf(local);
    exports[nameOf(exported)] = source ? { from: String(source.value), name } : { local: name };
  }
}

function sourceOf({ source }: { readonly source: Literal }): string {
  return String(source.value);
}

function nameOf(node: { readonly type: string }): string {
  return String(Reflect.get(node, node.type === 'Literal' ? 'value' : 'name'));
}
