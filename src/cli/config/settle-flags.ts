import type { Command } from 'commander';
import type { Json } from '../../base/index.ts';
import { parseDuration } from '../parse-values.ts';
import { SETTINGS, type SettingKey, type SettingSpec } from './setting-list.ts';
import type { Settings } from './settings.ts';

/** The settings that options of a command stand for, by the name of the option. */
export function settingsOfOptions(command: Command): ReadonlyMap<string, SettingKey> {
  const names = new Set(command.options.map((option) => option.attributeName()));
  return new Map(
    (Object.entries(SETTINGS) as [SettingKey, SettingSpec][]).flatMap(([key, { option }]) =>
      option !== undefined && names.has(option) ? [[option, key] as const] : [],
    ),
  );
}

/**
 * Gives the options of a command that was parsed what the environment and the project say, wherever the command line says
 * nothing: for every command alike.
 */
export function settleFlags(command: Command, settings: Settings): void {
  for (const [option, key] of settingsOfOptions(command)) {
    const spec = SETTINGS[key];
    const { value, source } = settings.get(key);
    if (value === undefined || source === 'default') continue;
    const isGiven = command.getOptionValueSource(option) === 'cli';
    if (isGiven && !spec.adds) continue;
    const given: unknown = isGiven ? command.getOptionValue(option) : [];
    const settled = spec.adds ? [...asList(value), ...asList(given)] : optionValue(spec, value);
    command.setOptionValueWithSource(option, settled, source === 'file' ? 'config' : 'env');
  }
}

function optionValue({ toOption }: SettingSpec, value: Json): unknown {
  if (toOption === 'milliseconds') return parseDuration(String(value));
  return toOption === 'is auto' ? value === 'auto' : value;
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
