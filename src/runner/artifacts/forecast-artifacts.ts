import { type ActionableError, counted, DamageError } from '../../base/index.ts';
import { artifactName } from '../../evals/index.ts';
import type { UnavailableArtifact } from '../account.ts';
import { artifactAccount, mendedOf } from './artifact-account.ts';
import type { RunArtifacts } from './run-artifacts.ts';

/** Names of artifacts, `<kind>/<key>`. */
export interface ArtifactForecast {
  /** From the store, or a seed. */
  readonly toTake: readonly string[];
  readonly toBuild: readonly string[];
  /** Models that are named for those. */
  readonly models: readonly string[];
  readonly unavailable: readonly UnavailableArtifact[];
}

/** What a forecast says of artifacts, as values and as sentences. */
export function forecastOfArtifacts({ all }: Pick<RunArtifacts, 'all'>): {
  readonly artifacts: ArtifactForecast;
  readonly notes: readonly string[];
  readonly damage: readonly string[];
} {
  const namesOf = (kind: string) =>
    all.filter(({ state }) => state.kind === kind).map(({ plan }) => artifactName(plan.unit));
  const [toTake, toBuild] = [namesOf('elsewhere'), namesOf('unbuilt')];
  const unbuilt = all.filter(({ state }) => state.kind === 'unbuilt');
  const models = [...new Set(unbuilt.flatMap(({ plan }) => plan.artifact.model ?? []))];
  const { unavailable } = artifactAccount({ all, spentUsd: 0, spentTokens: 0 });
  const mended = mendedOf(all);
  const notes = [
    ...namedNote(toTake, 'to take from elsewhere'),
    ...namedNote(toBuild, 'to build first'),
    ...sentencesOf(all, (error) => !(error instanceof DamageError)),
  ];
  const damage = [...mended, ...sentencesOf(all, (error) => error instanceof DamageError)];
  return { artifacts: { toTake, toBuild, models, unavailable }, notes, damage };
}

/** Why artifacts cannot be had, with what to do about it. */
function sentencesOf(
  all: RunArtifacts['all'],
  isMeant: (error: ActionableError) => boolean,
): readonly string[] {
  const sentences = all.flatMap(({ state }) =>
    state.kind === 'unavailable' && isMeant(state.error)
      ? [`${state.error.message} ${state.error.hint}`]
      : [],
  );
  return [...new Set(sentences)];
}

function namedNote(names: readonly string[], what: string): readonly string[] {
  if (names.length === 0) return [];
  const more = names.length > NAMED_MAX ? ' …' : '';
  return [`${counted(names.length, 'artifact')} ${what}: ${names.slice(0, NAMED_MAX).join(', ')}${more}`];
}

const NAMED_MAX = 5;
