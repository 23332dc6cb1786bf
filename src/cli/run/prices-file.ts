import { UsageError } from '../../base/index.ts';
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
  if (isPriceTable(reading.value)) return reading.value;
  throw invalid(path, 'it is no object of models and their prices');
}

/** Whether the prices are numbers is checked where they are used, also those of programs. */
export function isPriceTable(value: unknown): value is PriceTable {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every(isPrice);
}

function isPrice(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'input' in value && 'output' in value;
}

function invalid(path: string, reason: string): UsageError {
  return new UsageError({
    code: 'E_PRICES_FILE',
    message: `The prices in ${path} cannot be used: ${reason}.`,
    hint: 'Write US dollars per million tokens: { "openai/gpt-5": { "input": 1.25, "output": 10 } }.',
  });
}
