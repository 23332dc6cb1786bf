import { type Json, UsageError } from '../../base/index.ts';
import { configSentence, readConfigValue } from '../../config/index.ts';
import type { SettingKey } from './setting-list.ts';

/** What is in the environment is checked as what is in a file. */
export function checkVariable(name: string, key: SettingKey, value: Json): void {
  const [first = '', second] = key.split('.');
  const { problems } = readConfigValue({ [first]: second === undefined ? value : { [second]: value } });
  if (!problems) return;
  throw new UsageError({
    code: 'E_CONFIG',
    message: `The environment variable ${name} cannot be used: ${configSentence(problems)}`,
    hint: 'Correct it, or take it out of the environment.',
  });
}
