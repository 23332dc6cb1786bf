export {
  CONFIG_HINT,
  configSentence,
  defineConfig,
  readConfigValue,
} from './check-config.ts';
export type { HoldfastConfig } from './config-schema.ts';
export { configJsonSchema } from './json-schema.ts';
export type { LaunchConfig } from './launch-schema.ts';
