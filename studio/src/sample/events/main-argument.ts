import type { AnyJson, Text } from '../../../../src/server/api.ts';
import type { Language } from '../content/languages.ts';
import { isObject, textAt } from '../read-json.ts';

/** Arguments whose value says what is done, before any other. */
const MAIN = [
  'cmd',
  'command',
  'code',
  'script',
  'path',
  'file_path',
  'file',
  'query',
  'url',
  'prompt',
  'input',
  'text',
];

export function mainArgument(given: AnyJson): { readonly key: string; readonly text: Text } | undefined {
  if (!isObject(given)) return undefined;
  const keys = [...MAIN, ...Object.keys(given)];
  for (const key of keys) {
    const text = textAt(given, key);
    if (text !== undefined) return { key, text };
  }
  return undefined;
}

/** In which language an argument is written, by the names of the tool and of the argument. */
export function languageOfArgument(tool: string | undefined, key: string): Language | undefined {
  if (key === 'cmd' || key === 'command') return 'bash';
  if (key !== 'code' && key !== 'script') return undefined;
  return tool !== undefined && /bash|shell|sh$/.test(tool) ? 'bash' : 'python';
}
