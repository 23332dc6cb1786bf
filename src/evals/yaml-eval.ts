/** Evals written in YAML: the same words and the same checks, with the line and column of what is wrong. */
import { type Document, isMap, isNode, isScalar, LineCounter, parseDocument } from 'yaml';
import { ActionableError, type ErrorCode } from '../base/index.ts';
import { asSentence, type Problem, pathText, problemSentence } from './check-definition.ts';
import type { EvalDefinition, Scorer } from './eval.ts';
import { EvalFileError, type FilePlace } from './eval-file-error.ts';
import { findAllProblems } from './normalize-eval.ts';
import { isPlainObject } from './plain-checks.ts';
import { readRow } from './row.ts';
import { makeScorer } from './scorers/catalog.ts';
import { kindOf } from './strict-object.ts';

/** Reads a `*.eval.yaml`. Scorers are names (`includes`) or names with options (`{ regex: { pattern: … } }`). */
export function parseYamlEval(text: string, { path }: { readonly path: string }): EvalDefinition {
  const source = new YamlSource(text, path);
  const value = source.value();
  if (!isPlainObject(value)) {
    throw source.error([], {
      code: 'E_EVAL_INVALID',
      message: `an eval must be an object, not ${kindOf(value)}.`,
      hint: GUIDE,
    });
  }
  const definition = { ...value, ...('scorers' in value && { scorers: source.scorers(value.scorers) }) };
  const problems = findAllProblems(definition);
  if (problems.length > 0) throw source.invalid(problems);
  source.checkRows(value.data);
  return definition as unknown as EvalDefinition;
}

const GUIDE = 'Correct the file; docs/guide/writing-evals.md lists every word an eval can have.';

class YamlSource {
  readonly #path: string;
  readonly #lines = new LineCounter();
  readonly #document: Document.Parsed;

  constructor(text: string, path: string) {
    this.#path = path;
    this.#document = parseDocument(text, { lineCounter: this.#lines, prettyErrors: false });
  }

  value(): unknown {
    const [error] = this.#document.errors;
    if (error !== undefined) {
      throw new EvalFileError(this.#place(error.pos[0]), {
        code: 'E_EVAL_SYNTAX',
        message: `not valid YAML: ${error.message}.`,
        hint: 'Check the indentation, quotes and colons at that place.',
      });
    }
    try {
      return this.#document.toJS();
    } catch (error) {
      // The parser refuses documents whose aliases expand without end.
      if (!(error instanceof ReferenceError)) throw error;
      throw this.error([], {
        code: 'E_EVAL_SYNTAX',
        message: `not usable YAML: ${error.message}.`,
        hint: GUIDE,
      });
    }
  }

  scorers(value: unknown): unknown {
    if (!Array.isArray(value)) return value;
    return value.map((item: unknown, index) => this.#scorer(item, ['scorers', index]));
  }

  /** Rows in the file itself have a line; those of other files are checked when they are read. */
  checkRows(data: unknown): void {
    if (!Array.isArray(data)) return;
    for (const [index, row] of data.entries()) {
      const reading = readRow(row);
      if ('row' in reading) continue;
      const message = asSentence(reading.problem);
      throw this.error(['data', index], { code: 'E_DATA_ROW', message, hint: GUIDE });
    }
  }

  invalid(problems: readonly Problem[]): EvalFileError {
    const first = problems[0]?.path ?? [];
    return this.error(first, { code: 'E_EVAL_INVALID', message: problemSentence(problems), hint: GUIDE });
  }

  error(
    path: Problem['path'],
    { code, message, hint }: { readonly code: ErrorCode; readonly message: string; readonly hint: string },
  ): EvalFileError {
    return new EvalFileError(this.#place(this.#offsetOf(path)), { code, message, hint });
  }

  #scorer(item: unknown, path: readonly (string | number)[]): Scorer {
    const [name, options] = this.#scorerWords(item, path);
    try {
      return makeScorer(name, options);
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      throw this.error(path, error);
    }
  }

  #scorerWords(
    item: unknown,
    path: readonly (string | number)[],
  ): [string, Readonly<Record<string, unknown>>] {
    if (typeof item === 'string') return [item, {}];
    const entries = isPlainObject(item) ? Object.entries(item) : [];
    const [entry] = entries;
    if (entry !== undefined && entries.length === 1) {
      const [name, options] = entry;
      if (options === null || options === undefined) return [name, {}];
      if (isPlainObject(options)) return [name, options];
    }
    throw this.error(path, {
      code: 'E_EVAL_INVALID',
      message: `"${pathText(path)}" must be a scorer's name, or its name with options, not ${kindOf(item)}.`,
      hint: 'Write "- includes", or "- regex: { pattern: ... }".',
    });
  }

  /** Where the thing at a path stands: a key where there is one, else the nearest thing around it. */
  #offsetOf(path: Problem['path']): number {
    for (let length = path.length; length > 0; length--) {
      const parent =
        length === 1 ? this.#document.contents : this.#document.getIn(path.slice(0, length - 1), true);
      const step = path[length - 1];
      const pair = isMap(parent)
        ? parent.items.find(({ key }) => isScalar(key) && key.value === step)
        : undefined;
      const node = pair?.key ?? this.#document.getIn(path.slice(0, length), true);
      if (isNode(node) && node.range) return node.range[0];
    }
    return this.#document.contents?.range[0] ?? 0;
  }

  #place(offset: number): FilePlace {
    const { line, col } = this.#lines.linePos(offset);
    return { file: this.#path, line: Math.max(line, 1), column: Math.max(col, 1) };
  }
}
