import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogle } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { describe, expect, test } from 'vitest';
import { testModels } from '../../test/sim/target-attempt.ts';
import type { LanguageModel } from './language-model.ts';
import { mockModel } from './mock-model.ts';

const env = { OPENAI_API_KEY: 'sk-1', ANTHROPIC_API_KEY: 'sk-2', GOOGLE_GENERATIVE_AI_API_KEY: 'sk-3' };
const settingsOf = async (name: string, more = {}) =>
  (await testModels({ env: { ...env, ...more } }).open(name)).settings;
const adopted = (model: unknown) => testModels().adopt(model as LanguageModel).settings;

describe('a model by name', () => {
  test.each(['openai/gpt-5', 'anthropic/claude-sonnet-5', 'google/gemini-2.5-pro', 'mock/echo'])(
    '%s at its usual address is known by its name alone',
    async (name) => {
      expect(await settingsOf(name)).toBeNull();
    },
  );

  test.each([
    ['openai/gpt-5', 'OPENAI_BASE_URL'],
    ['anthropic/claude-sonnet-5', 'ANTHROPIC_BASE_URL'],
  ])('%s is another model at the address that %s names', async (name, variable) => {
    expect(await settingsOf(name, { [variable]: 'http://one/v1/' })).toEqual({ baseUrl: 'http://one/v1' });
    expect(await settingsOf(name, { [variable]: 'http://two/v1' })).toEqual({ baseUrl: 'http://two/v1' });
  });

  test('a model without a usual address is one model, wherever its address was said', async () => {
    const known = async (name: string, variables = {}, more = {}) => {
      const { knownAs, settings } = await testModels({ env: variables, ...more }).open(name);
      return { knownAs, settings };
    };
    const name = 'openai-compatible/llama3';
    const one = { knownAs: `${name}@http://one/v1`, settings: null };
    expect(await known(`${name}@http://one/v1`)).toEqual(one);
    expect(await known(`${name}@http://one/v1/`)).toEqual(one);
    expect(await known(name, { OPENAI_COMPATIBLE_BASE_URL: 'http://one/v1/' })).toEqual(one);
    expect(await known(name, {}, { baseUrl: 'http://one/v1' })).toEqual(one);
    expect(await known(name, {}, { baseUrl: 'http://two/v1' })).not.toEqual(one);
  });

  test('the usual address, given by hand, is the usual address', async () => {
    expect(await settingsOf('openai/gpt-5', { OPENAI_BASE_URL: 'https://api.openai.com/v1/' })).toBeNull();
  });

  test('keys and passwords in an address do not count', async () => {
    const address = 'http://me:pass@one/v1?api_key=secret&deployment=x';
    expect(await settingsOf('openai/gpt-5', { OPENAI_BASE_URL: address })).toEqual({
      baseUrl: 'http://one/v1?deployment=x',
    });
    const models = testModels({ env: { OPENAI_COMPATIBLE_BASE_URL: address } });
    expect((await models.open('openai-compatible/llama3')).knownAs).toBe(
      'openai-compatible/llama3@http://one/v1?deployment=x',
    );
  });
});

describe('a model object', () => {
  test.each([
    ['OpenAI', createOpenAI({ apiKey: 'k', organization: 'o' })('gpt-5')],
    ['Anthropic', createAnthropic({ apiKey: 'k' })('claude-sonnet-5')],
    ['Google', createGoogle({ apiKey: 'k' })('gemini-2.5-pro')],
    ['a mock', mockModel({ answers: ['x'] })],
  ])('of %s as it comes is known by its name alone', (_, model) => {
    expect(adopted(model)).toBeNull();
  });

  test('it is another one at another address, with another API, or with other settings', () => {
    const at = (baseURL: string, more = {}) =>
      createOpenAICompatible({ name: 'own', baseURL, apiKey: 'sk-secret', ...more })('m');
    const identities = [
      createOpenAI({ apiKey: 'k' }).chat('gpt-5'),
      createOpenAI({ apiKey: 'k', baseURL: 'http://one/v1' })('gpt-5'),
      createAnthropic({ apiKey: 'k', baseURL: 'http://one/v1' })('claude-sonnet-5'),
      at('http://one/v1'),
      at('http://two/v1'),
      at('http://two/v1', { queryParams: { 'api-version': '2' } }),
      at('http://two/v1', { supportsStructuredOutputs: true }),
    ].map((model) => JSON.stringify([model.provider.split('.')[0], adopted(model)]));
    expect(new Set(identities).size).toBe(identities.length);
    expect(identities.join()).not.toContain('sk-secret');
  });

  test('its key is no part of it', () => {
    const [one, two] = ['k1', 'k2'].map((apiKey) =>
      adopted(
        createOpenAICompatible({ name: 'own', baseURL: 'http://one', apiKey, headers: { x: apiKey } })('m'),
      ),
    );
    expect(one).toEqual(two);
  });

  test('headers that it sends count, but for keys and who pays', () => {
    const sending = (headers: Record<string, string>, apiKey = 'k') =>
      adopted(createOpenAICompatible({ name: 'own', baseURL: 'http://one', apiKey, headers })('m'));
    const plain = sending({});
    const gold = sending({ 'x-tier': 'gold' });
    expect(gold).not.toEqual(plain);
    expect(gold).not.toEqual(sending({ 'x-tier': 'silver' }));
    expect(gold).toEqual(sending({ 'X-Tier': 'gold' }, 'another'));
    expect(JSON.stringify(gold)).not.toContain('gold');
    const names = [
      'authorization',
      'x-api-key',
      'api-key',
      'cookie',
      'x-goog-api-key',
      'x-auth-token',
      'user-agent',
    ];
    for (const name of names) expect(sending({ [name]: 'secret-1' }), name).toEqual(plain);
  });

  test('headers that cannot be made without a key do not count', () => {
    expect(adopted(createOpenAI({})('gpt-5'))).toBeNull();
  });

  test('settings that it keeps as plain data count, but for secrets', () => {
    const base = mockModel({ answers: ['x'] });
    const withSettings = (settings: object) => Object.assign({ ...base }, { settings });
    expect(adopted(withSettings({ effort: 'high', maxTokens: 5, apiKey: 'k', f: () => 1 }))).toEqual({
      settings: { effort: 'high', maxTokens: 5 },
    });
  });
});

describe('models that an eval brings along', () => {
  test('the name is the eval’s own, so what stands behind it counts', async () => {
    const identity = async (model: LanguageModel) =>
      (await testModels({ scripted: { 'my/model': model } }).open('my/model')).settings;
    const one = await identity(createOpenAI({ apiKey: 'k' })('gpt-5'));
    const two = await identity(createOpenAI({ apiKey: 'k' })('gpt-5-mini'));
    expect(one).not.toEqual(two);
  });

  test('they, --base-url and variables are the surroundings of whatever may ask a model', () => {
    const brought = { 'my/model': createOpenAI({ apiKey: 'k', baseURL: 'http://one/v1' })('gpt-5') };
    expect(testModels({ env }).surroundings).toBeNull();
    expect(testModels({ scripted: { 'mock/scripted': mockModel({}) } }).surroundings).toBeNull();
    expect(
      testModels({
        env: { ...env, OPENAI_BASE_URL: 'http://two' },
        baseUrl: 'http://three',
        scripted: brought,
      }).surroundings,
    ).toEqual({
      baseUrl: 'http://three',
      env: { OPENAI_BASE_URL: 'http://two' },
      models: {
        'my/model': { model: 'openai.responses/gpt-5', identity: { baseUrl: 'http://one/v1' } },
      },
    });
  });
});
