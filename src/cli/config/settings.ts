import { isAbsolute, relative, resolve } from 'node:path';
import { isJsonArray, type Json } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { isRemote } from '../results/repo-name.ts';
import type { Environment } from '../terminal.ts';
import { findConfig } from './find-config.ts';
import type { LoadedConfig } from './read-config.ts';
import { SETTINGS, type SettingKey, type SettingSpec, variableOf } from './setting-list.ts';

/** A setting as it holds here, and who says so. */
export interface Setting {
  readonly key: SettingKey;
  readonly value: Json | undefined;
  readonly source: 'command line' | 'environment' | 'file' | 'default';
  /** The option, the variable or the file. */
  readonly from?: string;
}

/** What holds unless the command line says otherwise: the environment, then the file of the project, then the default. */
export interface Settings {
  /** The file that settings come from, if there is one. */
  readonly file: string | undefined;
  get(key: SettingKey): Setting;
  text(key: SettingKey): string | undefined;
}

export async function loadSettings(about: {
  readonly env: Environment;
  readonly cwd: string;
}): Promise<Settings> {
  const path = await findConfig(about.cwd, nodeDisk);
  // What reads and checks settings is loaded only where there are some.
  const loaded = path === undefined ? undefined : await readFound(path, about.cwd);
  const fromEnv = await readEnv(about.env);
  const get = (key: SettingKey): Setting => {
    const spec = SETTINGS[key];
    const said = fromEnv.get(key);
    if (said) return { key, value: said.value, source: 'environment', from: said.name };
    const value = loaded && placed(spec, valueAt(loaded.config, key), { dir: loaded.dir, cwd: about.cwd });
    if (loaded && value !== undefined) return { key, value, source: 'file', from: loaded.file };
    if (spec.or !== undefined) {
      const other = get(spec.or);
      if (other.value !== undefined) return { ...other, key };
    }
    return { key, value: spec.standard, source: 'default' };
  };
  return {
    file: loaded?.file,
    get,
    text: (key) => {
      const { value } = get(key);
      return typeof value === 'string' ? value : undefined;
    },
  };
}

async function readFound(path: string, cwd: string): Promise<LoadedConfig> {
  const { readConfig } = await import('./read-config.ts');
  return readConfig(path, { disk: nodeDisk, cwd });
}

interface FromEnv {
  readonly name: string;
  readonly value: Json;
}

async function readEnv(env: Environment): Promise<ReadonlyMap<SettingKey, FromEnv>> {
  const found = new Map<SettingKey, FromEnv>();
  for (const [key, spec] of entriesOf(SETTINGS)) {
    const name = variableOf(key);
    const text = env[name];
    if (text === undefined || text === '' || ['other', 'places'].includes(spec.kind)) continue;
    const value = valueOfText(spec, text);
    const { checkVariable } = await import('./check-variable.ts');
    checkVariable(name, key, value);
    found.set(key, { name, value });
  }
  return found;
}

/** What is neither stays a text, which the check then refuses by what it is. */
function valueOfText({ kind }: SettingSpec, text: string): Json {
  if (kind === 'truth' && /^(true|false)$/.test(text)) return text === 'true';
  return kind === 'number' && text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
}

function valueAt(config: LoadedConfig['config'], key: SettingKey): Json | undefined {
  let at: unknown = config;
  for (const step of key.split('.'))
    at = typeof at === 'object' && at !== null ? Reflect.get(at, step) : undefined;
  // It was checked to be made of such values.
  return at as Json | undefined;
}

/** A path in a file starts where the file is; it is named from here. */
function placed(
  { kind }: SettingSpec,
  value: Json | undefined,
  about: { readonly dir: string; readonly cwd: string },
): Json | undefined {
  const near = (one: Json) => (typeof one === 'string' ? nearPath(one, about) : one);
  if (kind === 'places' && isJsonArray(value)) return value.map(near);
  return kind === 'place' && value !== undefined ? near(value) : value;
}

function nearPath(value: string, { dir, cwd }: { readonly dir: string; readonly cwd: string }): string {
  if (isRemote(value)) return value;
  const path = resolve(dir, value);
  const near = relative(cwd, path);
  if (isAbsolute(value) || near.startsWith('..')) return path;
  return near === '' ? '.' : near;
}

function entriesOf<K extends string, V>(object: Readonly<Record<K, V>>): [K, V][] {
  return Object.entries(object) as [K, V][];
}
