import { dirname, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ActionableError, type ErrorCode, errnoOf, messageOf } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';
import { EvalFileError } from '../../evals/index.ts';
import { withSignalsUnheard } from '../signals-unheard.ts';
import { provideHoldfast } from './holdfast-import.ts';
import { type ModulePlace, placeOfError, placeOfImport, placeOfSyntax } from './module-place.ts';

/** A module of the user: an eval file, or settings. */
export interface UsersModule {
  readonly disk: Disk;
  readonly cwd: string;
  /** As people name it. */
  readonly file: string;
  /** What it is, for sentences. */
  readonly noun: string;
  readonly codes: { readonly import: ErrorCode; readonly syntax: ErrorCode; readonly throws: ErrorCode };
}

/** Loads it as Node does, with `holdfast` in reach. What fails is said with its place. */
export async function importUsersModule(path: string, about: UsersModule): Promise<object> {
  provideHoldfast();
  try {
    return await withSignalsUnheard(() => import(pathToFileURL(path).href));
  } catch (error) {
    throw await explainImport(error, { ...about, path });
  }
}

interface Failing extends UsersModule {
  readonly path: string;
}

async function explainImport(error: unknown, failing: Failing): Promise<ActionableError> {
  const code = errnoOf(error);
  if (code === 'ERR_MODULE_NOT_FOUND' || code === 'ERR_UNSUPPORTED_DIR_IMPORT')
    return missingImport(error, failing);
  const { disk, cwd, codes, noun } = failing;
  const found =
    placeOfError(error) ?? (error instanceof SyntaxError ? await placeOfSyntax(disk, cwd) : undefined);
  const place = relativePlace(found, failing);
  // What `defineEval` and our scorers say is a sentence already; only the place is new.
  if (error instanceof ActionableError) return new EvalFileError(place, error);
  if (error instanceof SyntaxError) {
    return new EvalFileError(place, {
      code: codes.syntax,
      message: `${lowerFirst(messageOf(error))}.`,
      hint:
        code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'
          ? 'Node runs TypeScript by leaving types out: enums, namespaces and parameter properties are not available.'
          : 'Correct the file at that place.',
    });
  }
  return new EvalFileError(place, {
    code: codes.throws,
    message: `the file fails while it is loaded: ${messageOf(error)}`,
    hint: `${upperFirst(noun)} must load without errors; correct it at that place.`,
  });
}

/** The error names the module that is missing; the place where it is named has to be looked up. */
async function missingImport(error: unknown, failing: Failing): Promise<ActionableError> {
  const { path, disk, cwd, codes } = failing;
  const text = Buffer.from((await disk.read(path)) ?? []).toString('utf8');
  const missing = firstQuoted(messageOf(error));
  const place = placeOfImport(text, path, missing) ?? placeOfRelative(text, path, missing);
  const isPackage = !missing.startsWith('/') && !missing.startsWith('.');
  return new EvalFileError(relativePlace(place, failing), {
    code: codes.import,
    message: `${isPackage ? `the package "${missing}"` : `the module ${relative(cwd, missing)}`} cannot be found.`,
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

function relativePlace(place: ModulePlace | undefined, { file, cwd }: Failing): ModulePlace {
  if (!place) return { file, line: 1, column: 1 };
  return { ...place, file: relative(cwd, place.file) || place.file };
}

function lowerFirst(text: string): string {
  const plain = text.replace(/\.$/, '');
  // A name such as TypeScript keeps its capital.
  return /^[A-Z][a-z]*\b/.test(plain) ? plain.charAt(0).toLowerCase() + plain.slice(1) : plain;
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
