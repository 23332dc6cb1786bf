import type { LaunchConfig } from '../config/index.ts';
import { launchErrors } from './launch-errors.ts';

export interface NamedLaunch {
  readonly name: string;
  readonly config: LaunchConfig;
}

/** The launch that `--launch` names: by its name, or by its kind where there is one of that kind only. */
export function chooseLaunch(
  launches: Readonly<Record<string, LaunchConfig>> | undefined,
  wanted: string,
): NamedLaunch {
  const all = Object.entries(launches ?? {}).map(([name, config]) => ({ name, config }));
  if (all.length === 0) throw launchErrors.none(wanted);
  const named = all.find(({ name }) => name === wanted);
  if (named) return named;
  const ofKind = all.filter(({ config }) => config.kind === wanted);
  const names = (some: readonly NamedLaunch[]) => some.map(({ name }) => name);
  if (ofKind.length > 1) throw launchErrors.ambiguous(wanted, names(ofKind));
  const [only] = ofKind;
  if (!only) throw launchErrors.unknown(wanted, names(all));
  return only;
}
