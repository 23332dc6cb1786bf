import { dirname, relative } from 'node:path';
import { UsageError } from '../../base/index.ts';
import { type EvalCode, memoryOutlines, type OutlineStore, readEvalCode } from '../../code/index.ts';
import { type Disk, explainDiskError } from '../../disk/index.ts';
import { asDefinition, type EvalDefinition, EvalFileError, readYamlEval } from '../../evals/index.ts';
import type { PriceTable } from '../../targets/index.ts';
import { findConfig } from '../config/find-config.ts';
import { readConfig } from '../config/read-config.ts';
import { evalFileKind } from './find-eval-files.ts';
import { moduleWatch } from './holdfast-import.ts';
import { importUsersModule } from './import-users-module.ts';

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

const EVAL_FILE = {
  noun: 'an eval file',
  codes: { import: 'E_EVAL_IMPORT', syntax: 'E_EVAL_SYNTAX', throws: 'E_EVAL_THROWS' },
} as const;

/** Every eval of a file. What is wrong with the file is said with its place, and nothing has been done yet. */
export async function loadEvalFile(path: string, context: LoadContext): Promise<readonly LoadedEval[]> {
  const file = relative(context.cwd, path) || path;
  const baseDir = dirname(path);
  const prices = await pricesFor(baseDir, context);
  const about = { file, baseDir, ...(prices ? { prices } : {}) };
  if (evalFileKind(path) === 'yaml') {
    const definition = await readYamlEval(await readText(path, file, context.disk), { path: file });
    return [{ definition, ...about }];
  }
  const definitions = definitionsOf(await importUsersModule(path, { ...context, file, ...EVAL_FILE }), file);
  const { disk, outlines = memoryOutlines() } = context;
  const codes = await readEvalCode(path, definitions.length, { disk, watch: moduleWatch, store: outlines });
  return definitions.map((definition, index) => {
    const code = codes[index];
    return { definition, ...about, ...(code ? { code } : {}) };
  });
}

/** Those of the project that the eval belongs to; where that has no settings, those of the folder that we are in. */
async function pricesFor(dir: string, context: LoadContext): Promise<PriceTable | undefined> {
  const path = (await findConfig(dir, context.disk)) ?? (await findConfig(context.cwd, context.disk));
  return path === undefined ? undefined : (await readConfig(path, context)).config.prices;
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
