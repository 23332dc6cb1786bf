import { shellWord } from '../views/index.ts';
import type { RunItem } from './api.ts';

/** What can be typed to be told the same. */

export function compareCommand(items: readonly RunItem[]): string {
  const places = new Set(items.filter(({ form }) => form !== 'published').map(({ place }) => place));
  return [
    'holdfast compare',
    ...items.map(({ run }) => shellWord(run)),
    ...[...places].map((place) => `--source ${shellWord(place)}`),
  ].join(' ');
}

export function historyCommand(name: string, { sample }: { readonly sample?: string } = {}): string {
  const of = sample === undefined ? '' : ` --sample ${shellWord(sample)}`;
  return `holdfast history ${shellWord(name)}${of}`;
}

/** How a run gets into the results, so that something can be said of it. */
export function publishCommand({ form, place, name }: Pick<RunItem, 'form' | 'place' | 'name'>): string {
  return `holdfast results publish ${shellWord(form === 'log' ? pathOf(place, name) : '<log>')}`;
}

function pathOf(place: string, name: string): string {
  return place === '' ? name : `${place.replace(/\/$/, '')}/${name}`;
}
