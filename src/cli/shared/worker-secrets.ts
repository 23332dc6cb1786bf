import { createRedactor, type Redactor } from '../../targets/index.ts';
import type { Environment } from '../terminal.ts';

/** What variables with such names hold is kept nowhere, whoever prints it. */
export const SECRET_NAME = /(KEY|SECRET|TOKEN|PASSWORD|CREDENTIALS?)(_ID)?$/i;

/** Of a key of several lines each counts: texts are told line by line. Shorter ones are in every key. */
const LINE_LENGTH_MIN = 16;

/** The values of an environment that must be kept nowhere: of variables whose names say so, and of those that a run names as its keys. */
export function secretsOf(env: Environment, keys: readonly string[]): readonly string[] {
  return Object.entries(env).flatMap(([name, value]) => {
    const isSecret = keys.includes(name) || SECRET_NAME.test(name);
    return value !== undefined && isSecret ? [value, ...linesOf(value)] : [];
  });
}

function linesOf(value: string): readonly string[] {
  const lines = value.split(/\r?\n/);
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= LINE_LENGTH_MIN);
}

/** For what a worker itself says and stores: the code of a run may print its keys, and errors may quote them [EVI-5]. */
export function workerRedactor(env: Environment): Redactor {
  const redactor = createRedactor();
  for (const secret of secretsOf(env, [])) redactor.add(secret);
  return redactor;
}
