import { createRequire } from 'node:module';
import { type JsonObject, messageOf, UsageError } from '../../base/index.ts';
import type { Scorer } from '../eval.ts';
import { plainObject } from '../plain-checks.ts';
import { outputJson } from './json-text.ts';
import { shortened } from './sample-text.ts';
import { buildScorer, type CommonOptions } from './scorer-options.ts';

export interface JsonSchemaOptions extends CommonOptions {
  /** A JSON Schema, draft 7; draft 2020-12 when `$schema` says so. */
  readonly schema: JsonObject;
}

/** Correct when the output is JSON that the schema accepts. */
export function jsonSchema(options: JsonSchemaOptions): Scorer {
  const scorer = buildScorer({
    name: 'jsonSchema',
    options,
    shape: { schema: plainObject },
    score(context) {
      const output = outputJson(context);
      const problem = 'problem' in output ? output.problem : check(output.value);
      const verdict = { value: problem === undefined ? 'C' : 'I', answer: shortened(context.text) };
      return problem === undefined ? verdict : { ...verdict, explanation: problem };
    },
  });
  const check = compileSchema(options.schema);
  return scorer;
}

/** Loaded only when a schema is used, since it is large. */
const require = createRequire(import.meta.url);

function compileSchema(schema: JsonObject): (value: unknown) => string | undefined {
  const ajv = newAjv(schema);
  try {
    const validate = ajv.compile(schema);
    return (value) => (validate(value) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'output' }));
  } catch (error) {
    throw new UsageError({
      code: 'E_EVAL_INVALID',
      message: `The schema of the scorer jsonSchema is not a JSON Schema: ${messageOf(error)}.`,
      hint: 'Correct the schema; draft 7 is understood, and draft 2020-12 when "$schema" names it.',
      cause: error,
    });
  }
}

function newAjv(schema: JsonObject) {
  const options = { allErrors: true, strict: false, logger: false } as const;
  if (typeof schema.$schema === 'string' && schema.$schema.includes('2020-12')) {
    const { Ajv2020 } = require('ajv/dist/2020.js') as typeof import('ajv/dist/2020.js');
    return new Ajv2020(options);
  }
  const { Ajv } = require('ajv') as typeof import('ajv');
  return new Ajv(options);
}
