import { asSentence, UsageError } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';
import { readYaml } from '../../evals/index.ts';
import type { PriceTable } from '../../targets/index.ts';

/** Reads prices from a JSON or YAML file: `{ "openai/gpt-5": { "input": 1.25, "output": 10 } }`. */
export async function readPrices(disk: Disk, path: string): Promise<PriceTable> {
  const bytes = await disk.read(path);
  if (!bytes) throw invalid(path, 'it does not exist');
  // YAML reads JSON, too.
  const reading = await readYaml(Buffer.from(bytes).toString('utf8'));
  if ('problem' in reading) throw invalid(path, `${reading.problem} (line ${reading.line})`);
  const { value } = reading;
  if (isPriceTable(value)) return value;
  throw invalid(path, problemInPrices(value));
}

/** Whether the prices are numbers is checked where they are used, also those of programs. */
function isPriceTable(value: unknown): value is PriceTable {
  return isObject(value) && Object.values(value).every((price) => problemInPrice(price) === undefined);
}

/** What is wrong with a table of prices, by the first model that has something wrong. */
function problemInPrices(value: unknown): string {
  for (const [model, price] of Object.entries(isObject(value) ? value : {})) {
    const problem = problemInPrice(price);
    if (problem !== undefined) return `the price of ${model} ${problem}`;
  }
  return 'it is no object of models and their prices';
}

function problemInPrice(value: unknown): string | undefined {
  if (!isObject(value)) return 'is no object with input and output';
  if (value.call !== undefined && value.input === undefined && value.output === undefined) return undefined;
  const missing = ['input', 'output'].filter((key) => value[key] === undefined);
  return missing.length === 0 ? undefined : `has no "${missing.join('" and no "')}"`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function invalid(path: string, reason: string): UsageError {
  return new UsageError({
    code: 'E_PRICES_FILE',
    message: `The prices in ${path} cannot be used: ${asSentence(reason)}`,
    hint: 'Write US dollars per million tokens: { "openai/gpt-5": { "input": 1.25, "output": 10 } }.',
  });
}
