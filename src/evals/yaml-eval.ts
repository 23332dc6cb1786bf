/** Evals written in YAML: the same words and the same checks, with the line and column of what is wrong. */
import { ActionableError, type ErrorCode, packagePage } from '../base/index.ts';
import { asSentence, type Problem, pathText, problemSentence } from './check-definition.ts';
import type { EvalDefinition, Scorer } from './eval.ts';
import { EvalFileError } from './eval-file-error.ts';
import { readDefinition } from './normalize-eval.ts';
import { parseYaml, type TextPlace } from './parse-yaml.ts';
import { isPlainObject } from './plain-checks.ts';
import { readRow } from './row.ts';
import { makeScorer } from './scorers/catalog.ts';
import { kindOf } from './strict-object.ts';

/** Reads a `*.eval.yaml`. Scorers are names (`includes`) or names with options (`{ regex: { pattern: … } }`). */
export function parseYamlEval(text: string, { path }: { readonly path: string }): EvalDefinition {
  const source = new YamlSource(text, path);
  const { value } = source;
  if (!isPlainObject(value)) {
    throw source.error([], {
      code: 'E_EVAL_INVALID',
      message: `an eval must be an object, not ${kindOf(value)}.`,
      hint: GUIDE,
    });
  }
  const definition = { ...value, ...('scorers' in value && { scorers: source.scorers(value.scorers) }) };
  const reading = readDefinition(definition);
  if ('problems' in reading) throw source.invalid(reading.problems);
  source.checkRows(value.data);
  return reading.definition;
}

const GUIDE = `Correct the file; ${packagePage('guide/writing-evals.md')} lists every word an eval can have.`;

class YamlSource {
  readonly #path: string;
  readonly #placeOf: (path: Problem['path']) => TextPlace;
  readonly value: unknown;

  constructor(text: string, path: string) {
    this.#path = path;
    const reading = parseYaml(text);
    if ('problem' in reading) {
      const { problem, line, column } = reading;
      throw new EvalFileError(
        { file: path, line, column },
        {
          code: 'E_EVAL_SYNTAX',
          message: asSentence(`not valid YAML: ${problem}`),
          hint: 'Check the indentation, quotes and colons at that place.',
        },
      );
    }
    this.#placeOf = reading.placeOf;
    this.value = reading.value;
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
    return new EvalFileError({ file: this.#path, ...this.#placeOf(path) }, { code, message, hint });
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
}
