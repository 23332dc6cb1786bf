import { definedOf, isJsonArray, isJsonObject, type Json, stringifyJson } from '../base/index.ts';
import { type LogHeader, loggedCode } from '../log/index.ts';
import type { AnyJson, RunView } from './api.ts';
import { Cuts } from './spool/cuts.ts';

type Setting = RunView['config'][number];

const TEXT_UNITS_MAX = 2_000;
const KEYS_MAX = 200;

/** What a run was told, by group and key; beside it what the run before was told, where that is another thing. */
export function configOf(header: LogHeader, previous: LogHeader | undefined): Setting[] {
  const now = settingsOf(header);
  const before = previous && settingsOf(previous);
  const settings: Setting[] = [];
  for (const [name, { group, key, value }] of now) {
    const other = before?.get(name);
    const isChanged = before !== undefined && textOf(other?.value) !== textOf(value);
    settings.push({
      group,
      key,
      value: shown(value),
      isChanged,
      ...definedOf({ previous: isChanged ? shown(other?.value ?? null) : undefined }),
    });
  }
  for (const [name, { group, key, value }] of before ?? [])
    if (!now.has(name)) settings.push({ group, key, value: null, previous: shown(value), isChanged: true });
  return settings;
}

interface Told {
  readonly group: string;
  readonly key: string;
  readonly value: Json;
}

function settingsOf({ eval: spec, plan }: LogHeader): Map<string, Told> {
  const told = new Map<string, Told>();
  const add = (group: string, key: string, value: Json | undefined) => {
    if (value === undefined || value === null || value === '' || told.size >= KEYS_MAX) return;
    told.set(`${group}\0${key}`, { group, key, value });
  };
  const addAll = (group: string, values: Json | undefined, before = '') => {
    for (const [key, value] of Object.entries(isJsonObject(values) ? values : {})) {
      const isEmpty =
        (isJsonObject(value) && Object.keys(value).length === 0) ||
        (isJsonArray(value) && value.length === 0);
      if (!isEmpty) add(group, `${before}${key}`, value);
    }
  };
  add('eval', 'name', spec.task);
  add('eval', 'version', spec.task_version);
  add('eval', 'file', spec.task_file);
  addAll('eval', spec.task_args);
  add('model', 'name', spec.model);
  add('model', 'base URL', spec.model_base_url);
  addAll('model', spec.model_generate_config);
  addAll('model', spec.model_args, 'args.');
  addAll('model', spec.model_roles, 'role ');
  const { sample_ids: ids, ...dataset } = spec.dataset;
  addAll('dataset', dataset);
  add('dataset', 'ids', ids && ids.length > 0 ? ids.length : undefined);
  add('solver', 'name', spec.solver);
  for (const [index, { solver, params }] of plan.steps.entries())
    add('solver', `step ${index + 1}`, { solver, ...params });
  for (const { name, options } of spec.scorers ?? [])
    add('scorers', name, options && Object.keys(options).length > 0 ? options : true);
  addAll('limits and settings', spec.config);
  add('settings', 'sandbox', spec.sandbox);
  const code = loggedCode(spec);
  add('code', 'commit', code?.commit);
  add('code', 'branch', code?.branch);
  add('code', 'has changes', code?.isDirty === true ? true : undefined);
  addAll('packages', spec.packages);
  return told;
}

function textOf(value: Json | undefined): string {
  return value === undefined ? '' : stringifyJson(value);
}

/** A long text or list says here only that it is long. */
function shown(value: Json): AnyJson {
  const text = textOf(value);
  if (text.length <= TEXT_UNITS_MAX) return new Cuts().settle(value);
  return typeof value === 'string'
    ? `${value.slice(0, TEXT_UNITS_MAX).toWellFormed()}…`
    : `${text.slice(0, TEXT_UNITS_MAX).toWellFormed()}…`;
}
