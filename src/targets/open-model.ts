import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Clock, definedOf, errnoOf, UsageError } from '../base/index.ts';
import type { LanguageModel } from './language-model.ts';
import { namedMock } from './mock-model.ts';
import { type ModelName, type ProviderName, parseModelName, unknownModel } from './model-name.ts';

/** Environment variables by name: values are passed in, never read from the process. */
export type Env = Readonly<Record<string, string | undefined>>;

export interface OpenModelOptions {
  readonly env: Env;
  readonly baseUrl?: string;
  /** The variable that holds the key, when it is not the provider's usual one. */
  readonly apiKeyEnv?: string;
  /** Where else to look for provider packages: the user's project. */
  readonly projectDir?: string;
  readonly clock?: Clock;
}

interface ProviderSettings {
  readonly apiKey: string | undefined;
  readonly baseUrl: string | undefined;
}

interface Provider {
  readonly packageName: string;
  readonly keyEnv: string;
  readonly isKeyOptional?: boolean;
  readonly baseUrlEnv?: string;
  readonly isBaseUrlNeeded?: boolean;
  readonly create: (module: ProviderModule, id: string, settings: ProviderSettings) => LanguageModel;
}

type ProviderModule = Readonly<Record<string, (settings: object) => (id: string) => LanguageModel>>;

/** Opens a model by name. Everything that can be wrong before the first call is said here, with the next step. */
export async function openModel(name: string, options: OpenModelOptions): Promise<LanguageModel> {
  const parsed = parseModelName(name);
  if (parsed.provider === 'mock') return openMock(name, parsed.id, options.clock);
  const provider = PROVIDER_TABLE[parsed.provider];
  const settings = {
    apiKey: readKey(name, provider, options),
    baseUrl: readBaseUrl(name, { parsed, provider, options }),
  };
  const module = await importProvider(name, provider.packageName, options.projectDir);
  return provider.create(module, parsed.id, settings);
}

/** Throws what `openModel` would throw. */
export async function checkModel(name: string, options: OpenModelOptions): Promise<void> {
  await openModel(name, options);
}

/** The variable in which the key of this model is looked for; undefined for models without one. */
export function keyVariableOf(
  name: string,
  options: Pick<OpenModelOptions, 'apiKeyEnv'> = {},
): string | undefined {
  const { provider } = parseModelName(name);
  return provider === 'mock' ? undefined : (options.apiKeyEnv ?? PROVIDER_TABLE[provider].keyEnv);
}

/** The same of a key that is there. Throws for one that is needed and is not, as opening the model would. */
export function keyFoundFor(
  name: string,
  options: Pick<OpenModelOptions, 'env' | 'apiKeyEnv'>,
): string | undefined {
  const { provider } = parseModelName(name);
  if (provider === 'mock') return undefined;
  const key = readKey(name, PROVIDER_TABLE[provider], options);
  return key === undefined ? undefined : keyVariableOf(name, options);
}

/** The package that models of a provider need; undefined for mock models. */
export function packageOf(provider: ProviderName): string | undefined {
  return provider === 'mock' ? undefined : PROVIDER_TABLE[provider].packageName;
}

const PROVIDER_TABLE: Readonly<Record<Exclude<ProviderName, 'mock'>, Provider>> = {
  openai: {
    packageName: '@ai-sdk/openai',
    keyEnv: 'OPENAI_API_KEY',
    baseUrlEnv: 'OPENAI_BASE_URL',
    create: (module, id, settings) => callFactory(module, 'createOpenAI', settings)(id),
  },
  anthropic: {
    packageName: '@ai-sdk/anthropic',
    keyEnv: 'ANTHROPIC_API_KEY',
    baseUrlEnv: 'ANTHROPIC_BASE_URL',
    create: (module, id, settings) => callFactory(module, 'createAnthropic', settings)(id),
  },
  google: {
    packageName: '@ai-sdk/google',
    keyEnv: 'GOOGLE_GENERATIVE_AI_API_KEY',
    create: (module, id, settings) =>
      // The package renamed its factory between major versions that we accept.
      callFactory(
        module,
        'createGoogle' in module ? 'createGoogle' : 'createGoogleGenerativeAI',
        settings,
      )(id),
  },
  'openai-compatible': {
    packageName: '@ai-sdk/openai-compatible',
    keyEnv: 'OPENAI_COMPATIBLE_API_KEY',
    isKeyOptional: true,
    baseUrlEnv: 'OPENAI_COMPATIBLE_BASE_URL',
    isBaseUrlNeeded: true,
    create: (module, id, settings) =>
      callFactory(module, 'createOpenAICompatible', settings, {
        name: 'openai-compatible',
        supportsStructuredOutputs: true,
      })(id),
  },
};

function callFactory(
  module: ProviderModule,
  factory: string,
  { apiKey, baseUrl }: ProviderSettings,
  extra: object = {},
): (id: string) => LanguageModel {
  const create = module[factory];
  if (!create) {
    throw new UsageError({
      code: 'E_PROVIDER_VERSION',
      message: `The installed provider package has no ${factory}.`,
      hint: 'Install its current version with npm, then run the same command again.',
    });
  }
  return create({
    ...extra,
    ...definedOf({ apiKey, baseURL: baseUrl }),
  });
}

function openMock(name: string, id: string, clock: Clock | undefined): LanguageModel {
  const model = namedMock(id, clock);
  if (!model) throw unknownModel(name, 'The named mock models are mock/echo and mock/fixed:<text>.');
  return model;
}

function readKey(
  name: string,
  provider: Provider,
  { env, apiKeyEnv }: Pick<OpenModelOptions, 'env' | 'apiKeyEnv'>,
): string | undefined {
  const variable = apiKeyEnv ?? provider.keyEnv;
  const key = env[variable];
  const mayBeAbsent = provider.isKeyOptional && apiKeyEnv === undefined;
  if (key || mayBeAbsent) return key || undefined;
  throw new UsageError({
    code: 'E_MODEL_KEY',
    message: `The key for ${name} is missing: the environment variable ${variable} is not set.`,
    hint: `Set it with: export ${variable}=…`,
  });
}

function readBaseUrl(
  name: string,
  about: { readonly parsed: ModelName; readonly provider: Provider; readonly options: OpenModelOptions },
): string | undefined {
  const { parsed, provider, options } = about;
  const fromEnv = provider.baseUrlEnv === undefined ? undefined : options.env[provider.baseUrlEnv];
  const baseUrl = parsed.baseUrl ?? options.baseUrl ?? (fromEnv || undefined);
  const isUsable = baseUrl === undefined ? !provider.isBaseUrlNeeded : /^https?:\/\/./.test(baseUrl);
  if (isUsable && (baseUrl === undefined || URL.canParse(baseUrl))) return baseUrl;
  throw new UsageError({
    code: 'E_MODEL_BASE_URL',
    message:
      baseUrl === undefined
        ? `${name} needs the base URL of its server.`
        : `The base URL "${baseUrl}" of ${name} is not an http(s) address.`,
    hint: `Write openai-compatible/${parsed.id}@http://127.0.0.1:11434/v1, or use --base-url or OPENAI_COMPATIBLE_BASE_URL.`,
  });
}

async function importProvider(
  name: string,
  packageName: string,
  projectDir: string | undefined,
): Promise<ProviderModule> {
  try {
    return await import(packageName);
  } catch (error) {
    if (errnoOf(error) !== 'ERR_MODULE_NOT_FOUND') throw error;
  }
  const fromProject = projectDir === undefined ? undefined : findInProject(packageName, projectDir);
  if (fromProject !== undefined) return await import(fromProject);
  throw new UsageError({
    code: 'E_PROVIDER_MISSING',
    message: `${name} needs the package ${packageName}, which is not installed.`,
    hint: `Install it with: npm install ${packageName}`,
  });
}

/** When Holdfast itself is installed elsewhere (globally), the provider may be in the user's project. */
function findInProject(packageName: string, projectDir: string): string | undefined {
  try {
    return pathToFileURL(createRequire(join(projectDir, 'package.json')).resolve(packageName)).href;
  } catch (error) {
    if (errnoOf(error) === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
