import { resolve } from 'node:path';
import { UsageError } from '../../base/index.ts';
import { readEnvFile } from '../../launch/index.ts';
import { keyVariableOf, PROVIDERS } from '../../targets/index.ts';
import type { Environment, Terminal } from '../terminal.ts';

/** Variables that the code of a run never sees: who may hand out work is not its business. */
const OWN: readonly string[] = ['HOLDFAST_QUEUE'];

/** What `--keys-file` adds to the environment of a worker. */
export async function workerEnv(
  keysFile: string | undefined,
  { cwd, env }: Pick<Terminal, 'cwd' | 'env'>,
): Promise<Environment> {
  return keysFile === undefined ? env : { ...env, ...(await readEnvFile(resolve(cwd, keysFile))) };
}

/**
 * What the process that runs the code of one run is given: of all keys of models only those that the run needs, so that no client
 * library can silently choose another. What is missing is said before anything is taken.
 */
export function envOfRun(
  env: Environment,
  run: { readonly run: string; readonly keys: readonly string[] },
): Environment {
  const missing = run.keys.filter((name) => !env[name]);
  if (missing.length > 0)
    throw new UsageError({
      code: 'E_WORKER_KEY',
      message: `Run ${run.run} needs ${missing.join(' and ')}, which this worker does not have.`,
      hint: 'Set it in the environment of the worker, or in a file for --keys-file.',
    });
  const kept = new Set(run.keys);
  const dropped = new Set([...OWN, ...KEYS.filter((name) => !kept.has(name))]);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !dropped.has(name)));
}

const KEYS: readonly string[] = PROVIDERS.flatMap((provider) => keyVariableOf(`${provider}/any`) ?? []);
