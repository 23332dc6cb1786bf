import { definedOf } from '../../base/index.ts';
import type { Forecast, PlannedItem } from '../../runner/index.ts';
import { keyFoundFor, PROVIDERS, variablesOfTarget } from '../../targets/index.ts';
import type { Environment } from '../terminal.ts';
import { SECRET_NAME } from './worker-secrets.ts';

export interface KeysAbout {
  readonly forecast: Forecast | undefined;
  /** Variables that the user names besides. */
  readonly key?: readonly string[] | undefined;
  readonly env: Environment;
}

/**
 * The variables that an eval takes its keys from: those of the model under test, of graders, of what builds its artifacts, of its agent and
 * its endpoint. Throws for a key that is needed and is not here: nothing is submitted that could only fail.
 */
export function keysOf(item: PlannedItem, { forecast, key = [], env }: KeysAbout): readonly string[] {
  const { target } = item.eval;
  // What an agent may see besides is settings of a machine.
  const own = variablesOfTarget(target).filter((name) => target.kind === 'http' || SECRET_NAME.test(name));
  const ofModels = modelsOf(item, forecast).flatMap(
    ({ name, apiKeyEnv }) => keyFoundFor(name, { env, ...definedOf({ apiKeyEnv }) }) ?? [],
  );
  return [...new Set([...ofModels, ...own.filter((name) => env[name]), ...key])].sort();
}

interface NamedModel {
  readonly name: string;
  readonly apiKeyEnv?: string | undefined;
}

/** All that are known by name, but those that the eval brings along. */
function modelsOf(
  { eval: { target, scorers }, model, definition }: PlannedItem,
  forecast: Forecast | undefined,
): readonly NamedModel[] {
  const tested =
    target.kind === 'model' ? { name: target.spec.model, apiKeyEnv: target.spec.apiKeyEnv } : { name: model };
  const graders = scorers.map(({ options }) => ({ name: options.model }));
  const builders = (forecast?.artifacts?.models ?? []).map((name) => ({ name }));
  const brought = new Set(Object.keys(definition.models ?? {}));
  return [tested, ...graders, ...builders].flatMap(({ name, ...rest }) =>
    typeof name === 'string' && isModel(name) && !brought.has(name) ? [{ name, ...rest }] : [],
  );
}

/** Not the name of an agent, or whatever else a scorer of somebody's own calls a model. */
function isModel(name: string): boolean {
  return PROVIDERS.some((provider) => name.startsWith(`${provider}/`) && name.length > provider.length + 1);
}
