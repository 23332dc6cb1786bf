/**
 * What identifies a model besides its name: the address at which it is reached and its own settings, never its key. Two models
 * that differ in it never answer for each other.
 *
 * What is usual is left out, so that a model without settings of its own is known by its name alone.
 */
import { digestOf, type Json } from '../base/index.ts';
import { headersAsked, type PlainHeaders, secretsIn } from './http-headers.ts';
import type { LanguageModel } from './language-model.ts';
import { type ModelName, parseModelName } from './model-name.ts';
import type { Env } from './open-model.ts';
import { withoutSecrets } from './safe-address.ts';

/** Where each provider's models are when nobody says otherwise, by the kind that its models have. */
const USUAL: Readonly<Record<string, string>> = {
  'openai.responses': 'https://api.openai.com/v1',
  'anthropic.messages': 'https://api.anthropic.com/v1',
  'google.generative-ai': 'https://generativelanguage.googleapis.com/v1beta',
};

const USUAL_KINDS: Readonly<Partial<Record<ModelName['provider'], string>>> = {
  openai: 'openai.responses',
  anthropic: 'anthropic.messages',
  google: 'google.generative-ai',
};

/** Variables by which providers, and their own SDKs, are told where to ask and for whom. */
const VARIABLES = [
  'OPENAI_BASE_URL',
  'OPENAI_ORG_ID',
  'OPENAI_PROJECT_ID',
  'OPENAI_COMPATIBLE_BASE_URL',
  'ANTHROPIC_BASE_URL',
  'GOOGLE_GEMINI_BASE_URL',
  'AZURE_OPENAI_ENDPOINT',
] as const;

/** Of a model that was opened by its name: its name in keys and digests, and what else there is to it. */
export function identityOfNamed(
  name: string,
  model: LanguageModel,
): { readonly knownAs: string; readonly settings: Json } {
  const { provider, id } = parseModelName(name);
  const address = addressOf(model);
  // It has no usual address: wherever its own was said, in the name, by a flag or by a variable, it is one model.
  if (provider === 'openai-compatible')
    return { knownAs: address === undefined ? name : `${provider}/${id}@${address}`, settings: null };
  const usual = USUAL[USUAL_KINDS[provider] ?? ''];
  const isUsual = address === undefined || (usual !== undefined && isSameAddress(address, usual));
  return { knownAs: name, settings: isUsual ? null : { baseUrl: address } };
}

/** Of a model object that a user made. */
export function identityOfObject(model: LanguageModel): Json {
  const address = addressOf(model);
  const usual = USUAL[model.provider];
  const isUsualKind = usual !== undefined || !model.provider.includes('.');
  const settings = settingsOf(model);
  const headers = headersOf(model);
  const identity = {
    ...(!isUsualKind && { provider: model.provider }),
    ...(address !== undefined && !(usual && isSameAddress(address, usual)) && { baseUrl: address }),
    ...(settings && { settings }),
    ...(headers && { headers }),
  };
  return Object.keys(identity).length > 0 ? identity : null;
}

/** Of a model object that an eval calls by a name of its own choice. */
export function identityOfBrought(name: string, model: LanguageModel): Json {
  const identity = identityOfObject(model);
  const own = `${model.provider}/${model.modelId}`;
  return own === name ? identity : { model: own, ...(identity !== null && { identity }) };
}

/**
 * How models are reached in this run, whichever are asked: part of what decides the results of code that may ask any. Null when
 * nothing is unusual.
 */
export function surroundingsOf(about: {
  readonly env: Env;
  readonly baseUrl?: string | undefined;
  readonly brought?: Readonly<Record<string, LanguageModel>> | undefined;
}): Json {
  const { env, baseUrl, brought = {} } = about;
  const variables = VARIABLES.flatMap((name) => (env[name] ? [[name, addressText(env[name])]] : []));
  const models = Object.entries(brought).map(([name, model]) => [name, identityOfBrought(name, model)]);
  const known = models.filter(([, identity]) => identity !== null);
  const surroundings = {
    ...(baseUrl !== undefined && { baseUrl: addressText(baseUrl) }),
    ...(variables.length > 0 && { env: Object.fromEntries(variables) }),
    ...(known.length > 0 && { models: Object.fromEntries(known) }),
  };
  return Object.keys(surroundings).length > 0 ? surroundings : null;
}

/** The variables among them that are set, each with the digest of its value: what tells machines apart without saying where they ask. */
export function reachedBy(env: Env): Readonly<Record<string, string>> {
  const set = VARIABLES.flatMap((name) => (env[name] ? [[name, digestOf(addressText(env[name]))]] : []));
  return Object.fromEntries(set);
}

/** Models of the AI SDK keep it in their `config`, each in one of a few ways; undefined when it is not to be seen. */
function addressOf(model: LanguageModel): string | undefined {
  const config: unknown = Reflect.get(model, 'config');
  if (typeof config !== 'object' || config === null) return undefined;
  for (const key of ['baseURL', 'baseUrl', 'url']) {
    const given: unknown = Reflect.get(config, key);
    const address = typeof given === 'function' ? askAddress(given, model) : given;
    if (typeof address === 'string' && address !== '') return addressText(address);
  }
  return undefined;
}

function askAddress(address: object, model: LanguageModel): unknown {
  try {
    return Reflect.apply(address as () => unknown, undefined, [{ path: '', modelId: model.modelId }]);
  } catch {
    // Some need what only a call has; then the address is not to be seen.
    return undefined;
  }
}

/** Who pays, and what every model of a provider sends. */
const NOT_OF_THE_MODEL = /^openai-(organization|project)$/;
const USUAL_HEADERS: Readonly<Record<string, string>> = {
  'anthropic-version': '2023-06-01',
  'content-type': 'application/json',
};

/**
 * Headers that it sends with every request and that may change an answer, each with the digest of its value: what is secret may
 * have any name. Undefined when there are none, or when they are not to be seen before a call.
 */
function headersOf(model: LanguageModel): Json | undefined {
  const headers = givenHeaders(model);
  const secrets = secretsIn(lowerCased(headers));
  const kept = Object.entries(headersAsked(headers)).filter(
    ([name, value]) =>
      !NOT_OF_THE_MODEL.test(name) &&
      USUAL_HEADERS[name] !== value &&
      !secrets.some((secret) => secret !== '' && value.includes(secret)),
  );
  return kept.length > 0
    ? Object.fromEntries(kept.map(([name, value]) => [name, digestOf(value)]))
    : undefined;
}

/** Models of the AI SDK keep them in their `config`, plain or made for each call. */
function givenHeaders(model: LanguageModel): PlainHeaders {
  const config: unknown = Reflect.get(model, 'config');
  if (typeof config !== 'object' || config === null) return {};
  let given: unknown = Reflect.get(config, 'headers');
  try {
    if (typeof given === 'function') given = Reflect.apply(given, config, []);
  } catch {
    // Such as for want of a key, which is none of what counts here; whoever calls the model is told.
    return {};
  }
  if (typeof given !== 'object' || given === null) return {};
  return Object.fromEntries(Object.entries(given).filter(([, value]) => typeof value === 'string'));
}

function lowerCased(headers: PlainHeaders): PlainHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** Said of the model elsewhere, the same for every model of its provider, or not about what it answers. */
const NOT_SETTINGS = new Set(['provider', 'baseURL', 'baseUrl', 'url', 'supportedUrls', 'fileIdPrefixes']);
const SECRET = /(key|token|secret|password|authorization|credentials?|headers?|cookies?)$/i;
const DEPTH_MAX = 6;

function settingsOf(model: LanguageModel): Json | undefined {
  const parts = ['config', 'settings'].map((key) => plainOf(Reflect.get(model, key), 0));
  const entries = parts.flatMap((part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part) ? Object.entries(part) : [],
  );
  const kept = entries.filter(([key]) => !NOT_SETTINGS.has(key) && !isOfUsualModels(key, model));
  return kept.length > 0 ? Object.fromEntries(kept) : undefined;
}

/** What a provider says of all its models is none of the user's settings, and comes and goes with its versions. */
function isOfUsualModels(key: string, { provider }: LanguageModel): boolean {
  return provider in USUAL && key.startsWith('supports');
}

/** Its plain data, without functions, secrets and what is not set. */
function plainOf(value: unknown, depth: number): Json | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object' || depth > DEPTH_MAX) return undefined;
  if (Array.isArray(value)) return value.map((item) => plainOf(item, depth + 1) ?? null);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const entries = Object.entries(value).flatMap(([key, item]) => {
    const plain = SECRET.test(key) ? undefined : plainOf(item, depth + 1);
    return plain === undefined ? [] : [[key, plain] as const];
  });
  return Object.fromEntries(entries);
}

function isSameAddress(one: string, other: string): boolean {
  return one === addressText(other);
}

/** A slash at the end of a base address says nothing. */
function addressText(address: string): string {
  return withoutSecrets(address).replace(/\/$/, '');
}
