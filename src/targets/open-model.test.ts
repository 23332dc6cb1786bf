import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { parseModelName } from './model-name.ts';
import { checkModel, openModel } from './open-model.ts';

describe('names', () => {
  test.each([
    ['openai/gpt-5', { provider: 'openai', id: 'gpt-5' }],
    ['anthropic/claude-opus-5', { provider: 'anthropic', id: 'claude-opus-5' }],
    ['openai-compatible/meta/llama-3', { provider: 'openai-compatible', id: 'meta/llama-3' }],
    [
      'openai-compatible/llama3@http://127.0.0.1:11434/v1',
      { provider: 'openai-compatible', id: 'llama3', baseUrl: 'http://127.0.0.1:11434/v1' },
    ],
    ['mock/fixed:a/b@c', { provider: 'mock', id: 'fixed:a/b@c' }],
  ])('%s', (name, expected) => {
    expect(parseModelName(name)).toEqual(expected);
  });

  test.each(['gpt-5', 'openai/', '/gpt-5', 'opneai/gpt-5', ''])(
    '%j names no model, and the providers are listed',
    (name) => {
      expect(() => parseModelName(name)).toThrow(
        expect.objectContaining({
          code: 'E_MODEL_UNKNOWN',
          hint: expect.stringContaining('openai-compatible'),
        }),
      );
    },
  );
});

describe('what is said before any call', () => {
  test.each([
    ['openai/gpt-5', {}, 'E_MODEL_KEY', 'OPENAI_API_KEY'],
    ['anthropic/claude-opus-5', { ANTHROPIC_API_KEY: '' }, 'E_MODEL_KEY', 'ANTHROPIC_API_KEY'],
    ['google/gemini-2.5-pro', {}, 'E_MODEL_KEY', 'GOOGLE_GENERATIVE_AI_API_KEY'],
    ['openai-compatible/llama3', {}, 'E_MODEL_BASE_URL', 'base URL'],
    [
      'openai-compatible/llama3',
      { OPENAI_COMPATIBLE_BASE_URL: 'localhost' },
      'E_MODEL_BASE_URL',
      'localhost',
    ],
    ['mock/unheard-of', {}, 'E_MODEL_UNKNOWN', 'mock/unheard-of'],
  ])('%s with %j: %s', async (name, env, code, word) => {
    const message = expect.stringContaining(word);
    await expect(checkModel(name, { env })).rejects.toMatchObject({ code, message });
  });

  test('a key in another variable is looked for there', async () => {
    const options = { env: { OPENAI_API_KEY: 'x' }, apiKeyEnv: 'MY_KEY' };
    await expect(checkModel('openai/gpt-5', options)).rejects.toThrow('MY_KEY');
  });

  test('a provider that is not installed comes with the line that installs it', async () => {
    // In a process of its own, where the package cannot be found.
    const script = `
      import { registerHooks } from 'node:module';
      registerHooks({ resolve(specifier, context, next) {
        if (specifier === '@ai-sdk/openai') throw Object.assign(new Error('gone'), { code: 'ERR_MODULE_NOT_FOUND' });
        return next(specifier, context);
      } });
      const { checkModel } = await import(${JSON.stringify(import.meta.resolve('./open-model.ts'))});
      await checkModel('openai/gpt-5', { env: { OPENAI_API_KEY: 'x' } }).catch((error) =>
        process.stdout.write(JSON.stringify([error.code, error.hint])));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(JSON.parse(stdout)).toEqual(['E_PROVIDER_MISSING', 'Install it with: npm install @ai-sdk/openai']);
  });

  test('a provider of a version that we do not know is said to be that', async () => {
    const script = `
      import { registerHooks } from 'node:module';
      registerHooks({ resolve(specifier, context, next) {
        if (specifier === '@ai-sdk/openai') return { url: 'data:text/javascript,export const createAnother = 1', shortCircuit: true };
        return next(specifier, context);
      } });
      const { openModel } = await import(${JSON.stringify(import.meta.resolve('./open-model.ts'))});
      await openModel('openai/gpt-5', { env: { OPENAI_API_KEY: 'x' } }).catch((error) =>
        process.stdout.write(JSON.stringify([error.code, error.message])));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
    expect(JSON.parse(stdout)).toEqual([
      'E_PROVIDER_VERSION',
      'The installed provider package has no createOpenAI.',
    ]);
  });
});

test.each([
  ['openai/gpt-5', 'OPENAI_API_KEY'],
  ['anthropic/claude-opus-5', 'ANTHROPIC_API_KEY'],
  ['google/gemini-2.5-pro', 'GOOGLE_GENERATIVE_AI_API_KEY'],
])('%s opens with its key', async (name, variable) => {
  const model = await openModel(name, { env: { [variable]: 'x' } });
  expect(model).toMatchObject({ specificationVersion: 'v4', modelId: name.split('/')[1] });
});
