import { shellWord } from '../views/index.ts';
import type { RunItem } from './api.ts';
import type { Studio } from './studio.ts';

/** What can be typed to be told the same. */

/** Where it is typed the command finds only the results of that folder; those of another one have to be named. */
export type CommandPlace = Pick<Studio, 'results' | 'isElsewhere'>;

export function withRepo({ results, isElsewhere }: CommandPlace, command: string): string {
  return results && isElsewhere ? `${command} --repo ${shellWord(results.dir)}` : command;
}

export function compareCommand(studio: CommandPlace, items: readonly RunItem[]): string {
  const command = compareWords(items);
  return items.some(({ form }) => form === 'published') ? withRepo(studio, command) : command;
}

function compareWords(items: readonly RunItem[]): string {
  const places = new Set(items.filter(({ form }) => form !== 'published').map(({ place }) => place));
  return [
    'holdfast compare',
    ...items.map(({ run }) => shellWord(run)),
    ...[...places].map((place) => `--source ${shellWord(place)}`),
  ].join(' ');
}

export function historyCommand(
  studio: CommandPlace,
  name: string,
  { sample }: { readonly sample?: string } = {},
): string {
  const of = sample === undefined ? '' : ` --sample ${shellWord(sample)}`;
  return withRepo(studio, `holdfast history ${shellWord(name)}${of}`);
}

/** How a run gets into the results, so that something can be said of it. */
export function publishCommand({ form, place, name }: Pick<RunItem, 'form' | 'place' | 'name'>): string {
  return `holdfast results publish ${shellWord(form === 'log' ? pathOf(place, name) : '<log>')}`;
}

function pathOf(place: string, name: string): string {
  return place === '' ? name : `${place.replace(/\/$/, '')}/${name}`;
}
