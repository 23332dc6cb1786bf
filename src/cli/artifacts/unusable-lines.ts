import { type UnusableGeneration, unitText } from '../../artifacts/index.ts';
import { oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** What cannot be used, each with its reason and its place. */
export function unusableLines(unusable: readonly UnusableGeneration[], { style }: Terminal): string[] {
  return unusable.map((one) =>
    style.bad(
      `${one.isNewer ? 'newer' : 'damaged'} ${oneLine(unitText(one))} ${one.generation}: ${oneLine(one.reason)}. It lies in ${one.place}.`,
    ),
  );
}

/** How what is damaged is made whole again, in commands. `setAside`: it is out of the way of a whole copy. */
export function cureLine(
  units: readonly string[],
  { setAside = false }: { readonly setAside?: boolean } = {},
): string {
  const [unit = '<kind>/<key>', ...others] = new Set(units);
  const rebuilt = others.length > 0 ? '<kind>/<key>' : oneLine(unit);
  const first = setAside ? '' : '"holdfast artifacts verify --set-aside", and then ';
  return `A whole copy takes its place again: ${first}"holdfast artifacts pull", or "merge <cache or bucket>". Or have it built anew: "holdfast artifacts build <eval files> --rebuild ${rebuilt}".`;
}
