import { type Json, stringifyJson, toJson } from '../../base/index.ts';
import { defineCommand } from '../command.ts';
import { SETTINGS, type SettingKey } from '../config/setting-list.ts';
import type { Setting } from '../config/settings.ts';
import { withoutPassword } from '../config/without-password.ts';
import { EXIT } from '../exit-code.ts';
import { renderTable } from '../table.ts';
import type { Terminal } from '../terminal.ts';

export const command = defineCommand({
  summary: 'Show the settings that hold here, and where each comes from',
  description: `Shows every setting as it holds in this folder: what the environment says, then the nearest holdfast.config file, then
the default. Options of a command win over all of them.`,
  options: [],
  examples: [
    ['holdfast config show', 'what holds here'],
    ['holdfast config show --json', 'the same as one JSON document'],
  ],
  exits: { 0: 'shown', 2: 'the file of settings, or a variable of the environment, cannot be used' },
  async run({ flags, terminal, settings }) {
    const { file, get } = await settings();
    const all = (Object.keys(SETTINGS) as SettingKey[]).map((key) => withoutSecrets(get(key)));
    if (flags.json) terminal.json({ file: file ?? null, settings: toJson(all.map(withNull)) });
    else for (const line of report(all, file, terminal)) terminal.line(line);
    return EXIT.ok;
  },
});

function withNull(setting: Setting): Setting {
  return { ...setting, value: setting.value ?? null };
}

/** A text that must not be kept must not be shown either; a pattern gives nothing away. */
function withoutSecrets(setting: Setting): Setting {
  const { key, value } = setting;
  if (key === 'redact' && Array.isArray(value))
    return { ...setting, value: value.map((text) => (String(text).startsWith('/') ? text : '…')) };
  return typeof value === 'string' ? { ...setting, value: withoutPassword(value) } : setting;
}

function report(all: readonly Setting[], file: string | undefined, { style }: Terminal): string[] {
  const rows = all.map(({ key, value, source, from }) => [
    key,
    valueText(value),
    style.dim(from ?? (value === undefined ? '' : source)),
  ]);
  return [
    file === undefined ? style.dim('There is no holdfast.config file here or above.') : `Settings in ${file}`,
    renderTable([{ title: 'setting' }, { title: 'value' }, { title: 'from' }], rows, {
      width: Number.MAX_SAFE_INTEGER,
      title: style.dim,
    }),
  ];
}

function valueText(value: Json | undefined): string {
  if (value === undefined) return '–';
  return typeof value === 'string' ? value : stringifyJson(value);
}
