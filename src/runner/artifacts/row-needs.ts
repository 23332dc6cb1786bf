import { counted, UsageError } from '../../base/index.ts';
import type { Dataset } from '../../datasets/index.ts';
import { artifactName, type PlannedEval, type PlannedNeed } from '../../evals/index.ts';
import { textOf } from './artifact-plans.ts';

/** What the rows of an eval need: each need once, and which of them each row has. */
export interface RowNeeds {
  readonly all: readonly PlannedNeed[];
  /** Numbers of needs in `all`. */
  of(row: number): readonly number[];
}

export async function needsOfRows(
  requires: NonNullable<PlannedEval['requires']>,
  dataset: Pick<Dataset, 'count' | 'row'>,
): Promise<RowNeeds> {
  const all: PlannedNeed[] = [];
  const known = new Map<string, number>();
  const numberOf = (need: PlannedNeed) => {
    const text = `${textOf(need.artifact)} ${need.mayBuild} ${JSON.stringify(need.seeds)}`;
    const number = known.get(text) ?? all.push(need) - 1;
    known.set(text, number);
    return number;
  };
  if (!requires.isByRow) {
    const numbers = requires.of(await dataset.row(0)).map(numberOf);
    refuseTwice(numbers, all, 'the eval');
    return { all, of: () => numbers };
  }
  const rows: (readonly number[])[] = [];
  for (let index = 0; index < dataset.count; index++) {
    const row = await dataset.row(index);
    const numbers = [...new Set(requires.of(row).map(numberOf))];
    refuseTwice(numbers, all, `sample ${JSON.stringify(row.id)}`);
    rows.push(numbers);
  }
  return { all, of: (row) => rows[row] ?? [] };
}

/** A sample asks for its artifacts by kind and key: two of one name could not be told apart. */
function refuseTwice(numbers: readonly number[], all: readonly PlannedNeed[], who: string): void {
  const names = numbers.flatMap((number) => all[number] ?? []).map(({ artifact }) => artifactName(artifact));
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice === undefined) return;
  throw new UsageError({
    code: 'E_ARTIFACT_TWICE',
    message: `In \`requires\`, ${who} names ${counted(names.filter((name) => name === twice).length, 'artifact')} ${twice} with different versions, inputs or ways to come to be.`,
    hint: 'Give them different kinds or keys, or name one of them only.',
  });
}
