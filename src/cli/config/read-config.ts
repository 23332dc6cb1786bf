import { dirname, relative } from 'node:path';
import { UsageError } from '../../base/index.ts';
import { CONFIG_HINT, configSentence, type HoldfastConfig, readConfigValue } from '../../config/index.ts';
import type { Disk } from '../../disk/index.ts';
import { EvalFileError, readYaml } from '../../evals/index.ts';
import { importUsersModule } from '../eval-files/import-users-module.ts';

/** Settings, and the file that they are in. */
export interface LoadedConfig {
  readonly config: HoldfastConfig;
  readonly path: string;
  /** As people name it. */
  readonly file: string;
  /** Where relative paths in it start. */
  readonly dir: string;
}

export interface ConfigContext {
  readonly disk: Disk;
  readonly cwd: string;
}

export async function readConfig(path: string, context: ConfigContext): Promise<LoadedConfig> {
  const near = relative(context.cwd, path);
  const file = near.startsWith('..') ? path : near;
  const isModule = /\.[a-z]*[tj]s$/.test(path);
  const config = await (isModule ? fromModule : fromText)(path, { ...context, file });
  return { config, path, file, dir: dirname(path) };
}

type NamedContext = ConfigContext & { readonly file: string };

async function fromModule(path: string, context: NamedContext): Promise<HoldfastConfig> {
  const { file } = context;
  const module = await importUsersModule(path, { ...context, ...SETTINGS_FILE });
  if (!('default' in module))
    throw new UsageError({ ...unusable(`${file}: it has no default export.`), hint: EXPORT });
  const reading = readConfigValue(module.default);
  if (reading.config) return reading.config;
  throw new UsageError(unusable(`${file}: ${configSentence(reading.problems)}`));
}

const SETTINGS_FILE = {
  noun: 'a file of settings',
  codes: { import: 'E_CONFIG', syntax: 'E_CONFIG', throws: 'E_CONFIG' },
} as const;
const EXPORT = 'Write "export default defineConfig({ … })".';

/** YAML reads JSON, too. */
async function fromText(path: string, { disk, file }: NamedContext): Promise<HoldfastConfig> {
  const text = Buffer.from((await disk.read(path)) ?? []).toString('utf8');
  const read = await readYaml(text);
  if ('problem' in read) {
    const { problem, line, column } = read;
    throw new EvalFileError({ file, line, column }, unusable(`not valid YAML or JSON: ${problem}.`));
  }
  // A file in which everything is a comment says nothing.
  const reading = readConfigValue(read.value ?? {});
  if (reading.config) return reading.config;
  const place = read.placeOf(reading.problems[0]?.path ?? []);
  throw new EvalFileError({ file, ...place }, unusable(configSentence(reading.problems)));
}

function unusable(message: string) {
  return { code: 'E_CONFIG', message, hint: CONFIG_HINT } as const;
}
