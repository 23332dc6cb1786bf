import type { TableOfChart } from './data-table.tsx';

/** The table as CSV, ready for a spreadsheet. */
export function csvOf({ heads, rows }: TableOfChart): string {
  return [heads, ...rows].map((row) => row.map(csvCell).join(',')).join('\n');
}

function csvCell(value: string | number): string {
  const text = String(value).replace(/−/g, '-');
  return /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const KEPT = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-dasharray',
  'stroke-linejoin',
  'opacity',
  'font',
  'text-anchor',
  'dominant-baseline',
] as const;

/** The chart as a document of its own: what the page's styles give it is written into it. */
export function svgTextOf(svg: SVGSVGElement): string {
  const copy = svg.cloneNode(true) as SVGSVGElement;
  const originals = [svg, ...svg.querySelectorAll<SVGElement>('*')];
  const copies = [copy, ...copy.querySelectorAll<SVGElement>('*')];
  for (const [index, original] of originals.entries()) {
    const style = getComputedStyle(original);
    for (const name of KEPT) copies[index]?.style.setProperty(name, style.getPropertyValue(name));
  }
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}
