/** What an eval may say, for TypeScript and YAML alike. */
import { z } from 'zod';
import { REDUCER_FORMS, readReducer } from '../stats/index.ts';
import { requirementSchema } from './artifacts/artifact-schema.ts';
import type { ModelObject } from './eval.ts';
import { metricSchema } from './metric-schema.ts';
import {
  amount,
  amountOrZero,
  anyText,
  count,
  countOrZero,
  finite,
  fn,
  isPlainObject,
  oneOf,
  plainObject,
  repeats,
  text,
  texts,
  truth,
  whole,
} from './plain-checks.ts';
import { readRedactPattern } from './redact-pattern.ts';
import { chosen, mustBe, strictObject } from './strict-object.ts';

const fields = strictObject('the fields of a data file', {
  id: text.optional(),
  input: text.optional(),
  target: text.optional(),
  choices: text.optional(),
  metadata: text.optional(),
});

const dataFile = strictObject('a data file', {
  file: chosen((value) => (Array.isArray(value) ? texts : text)),
  fields: fields.optional(),
  rowType: z.undefined().optional(),
});

/** Rows themselves are checked one by one when the data is read, each with its own place. */
const data = chosen((value) => {
  if (typeof value === 'string') return text;
  if (typeof value === 'function' || isIterable(value)) return z.unknown();
  if (isPlainObject(value)) return dataFile;
  return mustBe('rows, a function that gives rows, or the path of a file', value);
});

const modelTarget = strictObject('a model target', {
  model: text,
  system: anyText.optional(),
  prompt: text.optional(),
  temperature: amountOrZero.optional(),
  maxOutputTokens: count.optional(),
  topP: amount.optional(),
  seed: whole.optional(),
  baseUrl: text.optional(),
  apiKeyEnv: text.optional(),
  providerOptions: plainObject.optional(),
});

const commandTarget = strictObject('a command target', {
  preset: oneOf('claude', 'codex').optional(),
  command: chosen((value) =>
    typeof value === 'string'
      ? mustBe('a list, one text for each argument, such as ["./agent", "{{input}}"]', value)
      : texts.refine((list) => list.length > 0, { error: 'must name a program' }),
  ).optional(),
  promptVia: oneOf('stdin', 'argument').optional(),
  workspace: text.optional(),
  env: texts.optional(),
  outputFile: text.optional(),
});

const httpTarget = strictObject('an HTTP target', {
  url: text,
  method: oneOf('GET', 'POST', 'PUT').optional(),
  headers: z.record(z.string(), anyText, { error: 'must be an object of texts' }).optional(),
  body: z.unknown().optional(),
  responsePath: text.optional(),
});

const target = chosen((value) => {
  if (typeof value === 'function') return fn;
  if (typeof value === 'string') return text;
  if (!isPlainObject(value)) return mustBe('a function, the name of a model, or an object', value);
  if (isModelObject(value)) return z.unknown();
  if ('model' in value) return modelTarget;
  if ('command' in value || 'preset' in value) return commandTarget;
  if ('url' in value) return httpTarget;
  return 'must say what it is by one of the keys model, command, preset or url';
});

const modelObject = chosen((value) =>
  typeof value === 'object' && value !== null && typeof Reflect.get(value, 'doGenerate') === 'function'
    ? z.unknown()
    : mustBe('a model object of the AI SDK, or mockModel({ … })', value),
);

const scorer = chosen((value) => {
  if (typeof value === 'function') return fn;
  if (isPlainObject(value) && typeof value.score === 'function' && typeof value.name === 'string') {
    return z.looseObject({ metrics: z.array(metricSchema).optional() });
  }
  return mustBe('a scorer such as includes(), or a function', value);
});

export const reducerSchema = chosen((value) => {
  if (typeof value !== 'string') return mustBe('the name of a reducer', value);
  if (readReducer(value) !== undefined) return z.unknown();
  return `names a reducer that does not exist, "${value}"; there are ${REDUCER_FORMS.join(', ')}`;
});

const epochs = chosen((value) =>
  isPlainObject(value)
    ? strictObject('epochs', {
        count: repeats,
        reducer: chosen((reducer) =>
          Array.isArray(reducer) ? z.array(reducerSchema) : reducerSchema,
        ).optional(),
      })
    : repeats,
);

const redactPattern = chosen((value) => {
  if ((typeof value !== 'string' || value === '') && !(value instanceof RegExp))
    return mustBe('a text or a pattern', value);
  const reading = readRedactPattern(value);
  return typeof reading === 'string' ? reading : z.unknown();
});

const limits = strictObject('limits', {
  timeMs: amount.optional(),
  workingMs: amount.optional(),
  tokens: count.optional(),
  messages: count.optional(),
  turns: count.optional(),
  costUsd: amount.optional(),
});

const tokenPrice = strictObject('a price', {
  input: amountOrZero,
  output: amountOrZero,
  cacheRead: amountOrZero.optional(),
  cacheWrite: amountOrZero.optional(),
  call: amountOrZero.optional(),
});

const callPrice = strictObject('a price', { call: amountOrZero });

const price = chosen((value) =>
  isPlainObject(value) && 'call' in value && !('input' in value || 'output' in value)
    ? callPrice
    : tokenPrice,
);

export const pricesSchema = z.record(z.string(), price, {
  error:
    'must be an object of models and their prices, such as { "openai/gpt-5": { input: 1.25, output: 10 } }',
});

export const definitionSchema = strictObject('an eval', {
  name: text,
  version: z
    .union([z.string(), z.number()], {
      error: (issue) => mustBe('a text or a number', issue.input),
    })
    .optional(),
  description: anyText.optional(),
  tags: texts.optional(),
  metadata: plainObject.optional(),
  data,
  filter: chosen((value) =>
    typeof value === 'function' || isPlainObject(value)
      ? z.unknown()
      : mustBe('a function, or an object such as { "metadata.topic": "art" }', value),
  ).optional(),
  shuffle: chosen((value) =>
    typeof value === 'boolean' || Number.isSafeInteger(value)
      ? z.unknown()
      : mustBe('true, false or a whole number as seed', value),
  ).optional(),
  limit: count.optional(),
  models: z.record(z.string(), modelObject, { error: 'must be an object of names and models' }).optional(),
  inputs: texts.optional(),
  requires: chosen((value) => {
    if (typeof value === 'function') return fn;
    return Array.isArray(value) ? z.array(requirementSchema) : requirementSchema;
  }).optional(),
  target: target.optional(),
  scorers: z.array(scorer, { error: (issue) => mustBe('a list of scorers', issue.input) }),
  metrics: z.array(metricSchema, { error: (issue) => mustBe('a list of metrics', issue.input) }).optional(),
  epochs: epochs.optional(),
  limits: limits.optional(),
  budgetUsd: amountOrZero.optional(),
  prices: pricesSchema.optional(),
  scorerTimeMs: amount.optional(),
  concurrency: count.optional(),
  isolate: truth.optional(),
  retries: countOrZero.optional(),
  failOnError: chosen((value) => (typeof value === 'boolean' ? truth : amountOrZero)).optional(),
  redact: z
    .array(redactPattern, { error: (issue) => mustBe('a list of texts and patterns', issue.input) })
    .optional(),
  threshold: z.record(z.string(), finite, { error: 'must be an object of metrics and numbers' }).optional(),
});

/** Seen by what it can do; the targets know which versions of the AI SDK's models they understand. */
export function isModelObject(value: object): value is ModelObject {
  return typeof Reflect.get(value, 'doGenerate') === 'function';
}

function isIterable(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value)
  );
}
