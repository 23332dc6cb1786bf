import { UsageError } from '../base/index.ts';
import type { ModelUsage } from '../log/index.ts';
import { LIST_PRICES, type Price, type PriceTable } from './price-table.ts';
import { NO_USAGE } from './usage.ts';

export interface Prices {
  /**
   * Undefined when nobody told the price, or when it goes by tokens and nobody told those (no `usage`); never 0 for want of
   * knowledge.
   */
  costOf(model: string, usage: ModelUsage | undefined): number | undefined;
  priceOf(model: string): Price | undefined;
  /** True when the cost of a call will be known; of what tells no tokens only by a price for each call. */
  isKnown(model: string, about: { readonly tellsTokens: boolean }): boolean;
}

export interface PricesOptions {
  /** Wins over the built-in list, entry by entry. */
  readonly table?: PriceTable;
  /** Called once for each model whose price is not known. */
  readonly onUnknown?: (model: string) => void;
}

export function createPrices({ table = {}, onUnknown }: PricesOptions = {}): Prices {
  for (const [name, price] of Object.entries(table)) checkPrice(name, price);
  const merged = new Map(Object.entries({ ...LIST_PRICES, ...table }));
  const found = new Map<string, Price | undefined>();
  const reported = new Set<string>();
  const priceOf = (model: string) => {
    if (!found.has(model)) found.set(model, findPrice(merged, model));
    return found.get(model);
  };
  return {
    priceOf,
    isKnown(model, { tellsTokens }) {
      const price = priceOf(model);
      return price !== undefined && (tellsTokens || price.input === undefined);
    },
    costOf(model, usage) {
      const price = priceOf(model);
      if (price) return usage || price.input === undefined ? costUsd(price, usage ?? NO_USAGE) : undefined;
      if (!reported.has(model)) {
        reported.add(model);
        onUnknown?.(model);
      }
      return undefined;
    },
  };
}

function costUsd(price: Price, usage: ModelUsage): number {
  const { input = 0, output = 0, cacheRead = input, cacheWrite = input, call = 0 } = price;
  const microUsd =
    usage.input_tokens * input +
    usage.output_tokens * output +
    (usage.input_tokens_cache_read ?? 0) * cacheRead +
    (usage.input_tokens_cache_write ?? 0) * cacheWrite;
  return call + microUsd / 1_000_000;
}

function findPrice(table: ReadonlyMap<string, Price>, model: string): Price | undefined {
  const name = namesFor(model).find((candidate) => table.has(candidate));
  return name === undefined ? undefined : table.get(name);
}

const DATED = /-(?:20\d{2}-\d{2}-\d{2}|20\d{6}|latest)$/;

/** The exact name first, then without the address of the server, then without the date of the snapshot, then `x/*`. */
function namesFor(model: string): readonly string[] {
  const withoutAddress = model.replace(/@https?:.*$/, '');
  const provider = model.slice(0, Math.max(0, model.indexOf('/')));
  return [model, withoutAddress, withoutAddress.replace(DATED, ''), `${provider}/*`];
}

function checkPrice(name: string, price: Price): void {
  const isOfCalls = price.call !== undefined && price.input === undefined && price.output === undefined;
  const figures: readonly unknown[] = [
    isOfCalls ? price.call : price.input,
    isOfCalls ? price.call : price.output,
    price.cacheRead ?? 0,
    price.cacheWrite ?? 0,
    price.call ?? 0,
  ];
  if (figures.every((figure) => typeof figure === 'number' && Number.isFinite(figure) && figure >= 0)) return;
  throw new UsageError({
    code: 'E_PRICE_INVALID',
    message: `The price of ${name} is not valid: input and output must be numbers of US dollars per million tokens.`,
    hint: `Write it as { "${name}": { "input": 1.25, "output": 10 } }; cacheRead, cacheWrite and call (for each call) are optional. What has no tokens has a price for each call: { "call": 0.01 }.`,
  });
}
