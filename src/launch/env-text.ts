import { parseEnv } from 'node:util';
import { launchErrors } from './launch-errors.ts';
import { END_OF_ENV } from './ssh-scripts.ts';

/** The lines of a file with keys. Refuses what would be read back as something else. */
export function envText(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([name, value]) => line(name, value))
    .join('');
}

/** Written in the quotes that the value has none of. */
function line(name: string, value: string): string {
  if (value.split('\n').includes(END_OF_ENV)) throw launchErrors.env(name, 'it has a line of ours in it');
  const texts = [`'`, '"', '`'].map((quote) => `${name}=${quote}${value}${quote}\n`);
  const text = texts.find((one) => parseEnv(one)[name] === value);
  if (text === undefined) throw launchErrors.env(name, 'it has all kinds of quotes in it');
  return text;
}
