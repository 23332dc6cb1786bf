/** The scorers that YAML can name, by the names TypeScript imports them under. */
import { didYouMean, UsageError } from '../../base/index.ts';
import type { Scorer } from '../eval.ts';
import { choice } from './choice.ts';
import { command } from './command.ts';
import { exact } from './exact.ts';
import { includes } from './includes.ts';
import { json } from './json.ts';
import { jsonSchema } from './json-schema.ts';
import { modelGraded } from './model-graded.ts';
import { numeric } from './numeric.ts';
import { regex } from './regex.ts';

const FACTORIES = {
  exact,
  includes,
  regex,
  numeric,
  json,
  jsonSchema,
  choice,
  command,
  modelGraded,
} as const;

export const SCORER_NAMES: readonly string[] = Object.keys(FACTORIES);

/** Makes the scorer of that name. The factory itself checks the options, so their type is not known here. */
export function makeScorer(name: string, options: Readonly<Record<string, unknown>>): Scorer {
  const factory = Object.hasOwn(FACTORIES, name) ? FACTORIES[name as keyof typeof FACTORIES] : undefined;
  if (factory !== undefined) return (factory as (options: object) => Scorer)(options);
  const suggestion = didYouMean(name, SCORER_NAMES);
  throw new UsageError({
    code: 'E_SCORER_UNKNOWN',
    message: `There is no scorer "${name}"${suggestion === '' ? '.' : suggestion}`,
    hint: `The scorers are ${SCORER_NAMES.join(', ')}; your own is written in TypeScript.`,
  });
}
