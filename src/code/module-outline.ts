import { stripTypeScriptTypes } from 'node:module';
import type { AnyNode, ExportNamedDeclaration, ImportDeclaration, Literal, Node, Program } from 'acorn';
import { type Digest, digestOf } from '../base/index.ts';
import type { OwnNames } from './deed-finder.ts';
import { A_DEED, type Deeds, deedsOf, deedsOfCalling, deedsOfReading } from './deeds.ts';
import { declaredIn, namesIn, noNames } from './names-in.ts';
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
  /** All modules that are loaded with it, in order, whatever they are loaded for. */
  readonly loads: readonly string[];
}

/** A statement of the module, or what an eval says under one key. */
export interface ModulePart {
  readonly digest: Digest;
  readonly declares: readonly string[];
  /** Names that it uses; those of the module and its imports are what counts. */
  readonly uses: readonly string[];
  readonly assigns: readonly string[];
  /** Names of what it changes in any way. */
  readonly changes: readonly string[];
  /** Modules that it imports when it runs. */
  readonly later: readonly string[];
  /** What it does when the module is loaded, besides declaring names: then it counts whenever the module does. */
  readonly loading: Deeds;
  /** What is done when that which it declares is called … */
  readonly calling: Deeds;
  /** … or read. */
  readonly reading: Deeds;
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
  const loads: string[] = [];
  const parts: ModulePart[] = [];
  const own = ownNames(body);
  for (const statement of body) {
    if ('source' in statement && statement.source) loads.push(String(statement.source.value));
    switch (statement.type) {
      case 'ImportDeclaration':
        addImports(statement, imports);
        break;
      case 'ExportAllDeclaration':
        if (statement.exported)
          exports[nameOf(statement.exported)] = { from: sourceOf(statement), name: '*' };
        else passedOn.push(sourceOf(statement));
        break;
      case 'ExportNamedDeclaration':
        addExports(statement, exports);
        if (statement.declaration) parts.push(partOf([statement.declaration], own));
        break;
      case 'ExportDefaultDeclaration': {
        exports.default = { local: DEFAULT };
        const part = partOf([statement.declaration], own);
        // A function or a class has its own name in its module besides.
        parts.push({ ...part, declares: [DEFAULT, ...part.declares] });
        break;
      }
      case 'EmptyStatement':
        break;
      default:
        parts.push(partOf([statement], own));
    }
  }
  return { parts, imports, exports, passedOn, loads: [...new Set(loads)] };
}

/** What a module declares and imports. */
export function ownNames(body: Program['body']): OwnNames {
  const names = noNames();
  for (const statement of body) {
    if (statement.type === 'ImportDeclaration')
      for (const { local } of statement.specifiers) names.declares.add(local.name);
    const declaration = 'declaration' in statement ? statement.declaration : statement;
    if (declaration) declaredIn(declaration as AnyNode, names.declares);
  }
  return names.declares;
}

/** A name that no code can have. */
export const DEFAULT = '*default*';

/** For what is no module: a text that counts as a whole, with all that it asks for. */
export function wholeOutline(text: string, later: readonly string[] = []): ModuleOutline {
  const part = {
    ...{ digest: digestOf(text), declares: [], uses: [], assigns: [], changes: [], later },
    ...{ loading: A_DEED, calling: A_DEED, reading: A_DEED },
  };
  return { parts: [part], imports: {}, exports: {}, passedOn: [], loads: [] };
}

export function partOf(nodes: readonly Node[], own: OwnNames): ModulePart {
  const names = noNames();
  for (const node of nodes) namesIn(node as AnyNode, names);
  const [node, ...others] = nodes as readonly AnyNode[];
  const value = node && others.length === 0 ? valueOf(node) : undefined;
  return {
    digest: syntaxDigest(nodes),
    declares: [...names.declares],
    uses: [...names.uses].sort(),
    assigns: [...names.assigns].sort(),
    changes: [...names.changes].sort(),
    later: [...names.later].sort(),
    loading: node && others.length === 0 ? deedsOf(node, own) : A_DEED,
    calling: deedsOfCalling(value, own),
    reading: deedsOfReading(value, own),
  };
}

/** What a declaration says that its name is, and stays. */
function valueOf(node: AnyNode): AnyNode | undefined {
  if (node.type !== 'VariableDeclaration') return node;
  const [first, ...others] = node.declarations;
  const isFixed = node.kind === 'const' && others.length === 0 && first?.id.type === 'Identifier';
  return isFixed && first.init ? (first.init as AnyNode) : undefined;
}

function addImports(statement: ImportDeclaration, imports: Record<string, ImportedName>): void {
  const from = sourceOf(statement);
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
  const declared = new Set<string>();
  if (declaration) declaredIn(declaration as AnyNode, declared);
  for (const name of declared) exports[name] = { local: name };
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
