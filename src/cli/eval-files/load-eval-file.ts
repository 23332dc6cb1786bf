import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ActionableError, errnoOf, messageOf, UsageError } from '../../base/index.ts';
import { type EvalCode, memoryOutlines, type OutlineStore, readEvalCode } from '../../code/index.ts';
import { type Disk, explainDiskError } from '../../disk/index.ts';
import { asDefinition, type EvalDefinition, EvalFileError, readYamlEval } from '../../evals/index.ts';
import type { PriceTable } from '../../targets/index.ts';
import { evalFileKind } from './find-eval-files.ts';
import { moduleWatch, provideHoldfast } from './holdfast-import.ts';
import { type ModulePlace, placeOfError, placeOfImport, placeOfSyntax } from './module-place.ts';
import { readProjectConfig } from './project-config.ts';

/** An eval, and where it was found. */
export interface LoadedEval {
  readonly definition: EvalDefinition;
  /** As people name it: relative to the working directory. */
  readonly file: string;
  /** Where relative paths in the eval start. */
  readonly baseDir: string;
  /** Its code; a YAML eval has none. */
  readonly code?: EvalCode;
  /** Prices of its project. */
  readonly prices?: PriceTable;
}

export interface LoadContext {
  readonly disk: Disk;
  readonly cwd: string;
  /** What earlier commands read of code. */
  readonly outlines?: OutlineStore;
}

/** Every eval of a file. What is wrong with the file is said with its place, and nothing has been done yet. */
export async function loadEvalFile(path: string, context: LoadContext): Promise<readonly LoadedEval[]> {
  const file = relative(context.cwd, path) || path;
  const baseDir = dirname(path);
  const { prices } = await readProjectConfig(baseDir, context);
  const about = { file, baseDir, ...(prices ? { prices } : {}) };
  if (evalFileKind(path) === 'yaml') {
    const definition = await readYamlEval(await readText(path, file, context.disk), { path: file });
    return [{ definition, ...about }];
  }
  const definitions = definitionsOf(await importModule(path, file, context), file);
  const { disk, outlines = memoryOutlines() } = context;
  const codes = await readEvalCode(path, definitions.length, { disk, watch: moduleWatch, store: outlines });
  return definitions.map((definition, index) => {
    const code = codes[index];
    return { definition, ...about, ...(code ? { code } : {}) };
  });
}

async function importModule(path: string, file: string, context: LoadContext): Promise<object> {
  provideHoldfast();
  try {
    return await import(pathToFileURL(path).href);
  } catch (error) {
    throw await explainImport(error, { path, file, context });
  }
}

function definitionsOf(module: object, file: string): readonly EvalDefinition[] {
  if (!('default' in module)) {
    throw new EvalFileError(
      { file, line: 1, column: 1 },
      {
        code: 'E_EVAL_NO_DEFAULT',
        message: 'the file has no default export.',
        hint: 'Write "export default defineEval({ … })".',
      },
    );
  }
  const value = module.default;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => asDefinition(item, `${file} (eval ${index + 1})`));
  if (typeof value !== 'object' || value === null) {
    throw new EvalFileError(
      { file, line: 1, column: 1 },
      {
        code: 'E_EVAL_INVALID',
        message: `the default export is no eval, but ${value === null ? 'null' : `a ${typeof value}`}.`,
        hint: 'Write "export default defineEval({ … })".',
      },
    );
  }
  return [asDefinition(value, file)];
}

interface Failing {
  readonly path: string;
  readonly file: string;
  readonly context: LoadContext;
}

async function explainImport(error: unknown, failing: Failing): Promise<ActionableError> {
  const code = errnoOf(error);
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_DIR_IMPORT')
    return missingImport(error, failing);
  const { disk, cwd } = failing.context;
  const found =
    placeOfError(error) ?? (error instanceof SyntaxError ? await placeOfSyntax(disk, cwd) : undefined);
  const place = relativePlace(found, failing);
  // What `defineEval` and our scorers say is a sentence already; only the place is new.
  if (error instanceof ActionableError) return new EvalFileError(place, error);
  if (error instanceof SyntaxError) {
    return new EvalFileError(place, {
      code: 'E_EVAL_SYNTAX',
      message: `${lowerFirst(messageOf(error))}.`,
      hint:
        code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
          ? 'Node runs TypeScript by leaving types out: enums, namespaces and parameter properties are not available.'
          : 'Correct the file at that place.',
    });
  }
  return new EvalFileError(place, {
    code: 'E_EVAL_THROWS',
    message: `the file fails while it is loaded: ${messageOf(error)}`,
    hint: 'An eval file must load without errors; correct it at that place.',
  });
}

/** The error names the module that is missing; the place where it is named has to be looked up. */
async function missingImport(error: unknown, failing: Failing): Promise<ActionableError> {
  const { path, file, context } = failing;
  const text = await readText(path, file, context.disk);
  const missing = firstQuoted(messageOf(error));
  const place = placeOfImport(text, path, missing) ?? placeOfRelative(text, path, missing);
  const isPackage = !missing.startsWith('/') && !missing.startsWith('.');
  return new EvalFileError(relativePlace(place, failing), {
    code: 'E_EVAL_IMPORT',
    message: `${isPackage ? `the package "${missing}"` : `the module ${relative(context.cwd, missing)}`} cannot be found.`,
    hint: isPackage
      ? `Install it with: npm install ${missing}`
      : 'Check the path, and that it has its ending (.ts, .js).',
  });
}

/** A relative import is reported by its absolute path; its last part is what the source holds. */
function placeOfRelative(text: string, path: string, missing: string): ModulePlace | undefined {
  const specifier = relative(dirname(path), missing);
  return placeOfImport(text, path, specifier.startsWith('.') ? specifier : `./${specifier}`);
}

/** Node writes the names in its messages in single quotes; the name is only used to say more, never to decide. */
function firstQuoted(message: string): string {
  return /'([^']+)'/.exec(message)?.[1] ?? message;
}

function relativePlace(place: ModulePlace | undefined, { file, context }: Failing): ModulePlace {
  if (!place) return { file, line: 1, column: 1 };
  return { ...place, file: relative(context.cwd, place.file) || place.file };
}

async function readText(path: string, file: string, disk: Disk): Promise<string> {
  let bytes: Uint8Array | undefined;
  try {
    bytes = await disk.read(path);
  } catch (error) {
    throw explainDiskError(error, file);
  }
  if (!bytes) {
    throw new UsageError({
      code: 'E_EVAL_FILE_NONE',
      message: `There is no eval file ${file}.`,
      hint: 'Check the path.',
    });
  }
  return Buffer.from(bytes).toString('utf8');
}

function lowerFirst(text: string): string {
  const plain = text.replace(/\.$/, '');
  // A name such as TypeScript keeps its capital.
  return /^[A-Z][a-z]*\b/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}
