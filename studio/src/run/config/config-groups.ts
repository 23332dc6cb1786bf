import type { AnyJson, RunView } from '../../../../src/server/api.ts';

export type Setting = RunView['config'][number];

export interface SettingGroup {
  readonly group: string;
  readonly settings: readonly Setting[];
}

/** In the order that the server has them. */
export function groupSettings(settings: readonly Setting[]): readonly SettingGroup[] {
  const groups = Map.groupBy(settings, ({ group }) => group);
  return [...groups].map(([group, own]) => ({ group, settings: own }));
}

export function changedCount({ config }: Pick<RunView, 'config'>): number {
  return config.filter(({ isChanged }) => isChanged).length;
}

/** Beyond these a value is folded away. */
const TEXT_MAX = 240;
const LINES_MAX = 4;
const JSON_MAX = 60;

/** Whether a value can stand on a line as it is. */
export function isShort(value: AnyJson): boolean {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value).length <= JSON_MAX;
  return typeof value !== 'string' || (value.length <= TEXT_MAX && value.split('\n').length <= LINES_MAX);
}

export function shortText(value: AnyJson): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
