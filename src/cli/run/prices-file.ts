import { isJsonObject, messageOf, UsageError } from '../../base/index.ts';
import type { Disk } from '../../disk/index.ts';
import type { PriceTable } from '../../targets/index.ts';

/** Reads prices from a JSON or YAML file: `{ "openai/gpt-5": { "input": 1.25, "output": 10 } }`. */
export async function readPrices(disk: Disk, path: string): Promise<PriceTable> {
  const bytes = await disk.read(path);
  if (!bytes) throw invalid(path, 'it does not exist');
  // YAML reads JSON, too.
  const { parse, YAMLParseError } = await import('yaml');
  try {
    const value: unknown = parse(Buffer.from(bytes).toString('utf8'));
    if (isJsonObject(value as never) && Object.values(value as object).every(isPrice))
      return value as PriceTable;
  } catch (error) {
    if (!(error instanceof YAMLParseError)) throw error;
    throw invalid(path, messageOf(error));
  }
  throw invalid(path, 'it is no object of models and their prices');
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
