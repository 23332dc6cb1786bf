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
  const { width, height } = svg.getBoundingClientRect();
  copy.setAttribute('xmlns', 'http://www.w3.org/2000/svg');
  copy.setAttribute('width', String(width));
  copy.setAttribute('height', String(height));
  copy.style.background = getComputedStyle(document.body).backgroundColor;
  return new XMLSerializer().serializeToString(copy);
}

/** Pictures are looked at on fine screens, too. */
const PIXELS = 2;

/** The same as a picture, in the colours of the page. It is painted from a text of our own: a page from a file may do so as well. */
export async function pngOf(svg: SVGSVGElement): Promise<Blob> {
  const { width, height } = svg.getBoundingClientRect();
  const picture = new Image();
  picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svgTextOf(svg))}`;
  await picture.decode();
  const canvas = document.createElement('canvas');
  canvas.width = Math.max(1, Math.round(width * PIXELS));
  canvas.height = Math.max(1, Math.round(height * PIXELS));
  const paint = canvas.getContext('2d');
  if (paint === null) throw new Error('This browser paints no pictures');
  paint.fillStyle = getComputedStyle(document.body).backgroundColor;
  paint.fillRect(0, 0, canvas.width, canvas.height);
  paint.drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The picture could not be made'));
      else resolve(blob);
    }, 'image/png');
  });
}

/** Copies the picture; where a page may not do that it is saved as a file. Says which. */
export async function copyPng(svg: SVGSVGElement, name: string): Promise<'copied' | 'saved'> {
  const png = pngOf(svg);
  if (typeof ClipboardItem !== 'undefined' && navigator.clipboard !== undefined) {
    // Safari takes only what is begun at once: the picture comes when it is painted.
    const isCopied = await navigator.clipboard.write([new ClipboardItem({ 'image/png': png })]).then(
      () => true,
      // Forbidden, or not able to: it is saved instead.
      () => false,
    );
    if (isCopied) return 'copied';
  }
  const link = document.createElement('a');
  link.href = URL.createObjectURL(await png);
  link.download = `${fileName(name)}.png`;
  link.click();
  URL.revokeObjectURL(link.href);
  return 'saved';
}

/** A name that every system takes. */
export function fileName(title: string): string {
  const words = title
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return words.slice(0, 60).replace(/-+$/, '') || 'chart';
}
