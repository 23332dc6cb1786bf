import { packagePage, UsageError } from '../base/index.ts';
import { type Problem, problemSentence, problemsOf } from '../evals/index.ts';
import { configSchema, type HoldfastConfig } from './config-schema.ts';

/** What settings say, or all that is wrong with them. */
export type ConfigReading =
  | { readonly config: HoldfastConfig; readonly problems?: undefined }
  | { readonly problems: readonly Problem[]; readonly config?: undefined };

export function readConfigValue(value: unknown): ConfigReading {
  const problems = problemsOf(configSchema, value);
  return problems.length > 0 ? { problems } : { config: configSchema.parse(value) };
}

/**
 * Settings of a project, for `holdfast.config.ts`: `export default defineConfig({ logDir: 'logs' })`. What is wrong with them is
 * said at once.
 */
export function defineConfig(config: HoldfastConfig): HoldfastConfig {
  const { problems } = readConfigValue(config);
  if (problems) throw invalidConfig(problems);
  return config;
}

export function invalidConfig(problems: readonly Problem[]): UsageError {
  return new UsageError({ code: 'E_CONFIG', message: configSentence(problems), hint: CONFIG_HINT });
}

/** The first problem as a sentence about one key. */
export function configSentence(problems: readonly Problem[]): string {
  return problemSentence(problems, 'the settings');
}

export const CONFIG_HINT = `Correct it; ${packagePage('guide/configuration.md')} lists every setting.`;
