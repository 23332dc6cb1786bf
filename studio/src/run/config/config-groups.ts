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

/** Beyond this a value is folded away. */
const LINE_MAX = 120;

/** Whether a value can stand on a line as it is. */
export function isShort(value: AnyJson): boolean {
  if (typeof value === 'object' && value !== null) return JSON.stringify(value).length <= LINE_MAX / 2;
  return typeof value !== 'string' || (value.length <= LINE_MAX && !value.includes('\n'));
}

export function shortText(value: AnyJson): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
