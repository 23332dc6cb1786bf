import type { SampleView } from '../../../../src/server/api.ts';
import { outcomeShown } from '../../ui/outcomes.ts';

type Epochs = SampleView['epochs'];

/** The epochs of either side, each with how it ended: in one word where both ended so, else `A passed, B failed`. */
export function epochsOfBoth(
  a: Epochs,
  b: Epochs,
): readonly { readonly epoch: number; readonly said: string }[] {
  const numbers = [...new Set([...a, ...b].map(({ epoch }) => epoch))].sort((one, other) => one - other);
  return numbers.map((epoch) => {
    const [inA, inB] = [a, b].map((epochs) => wordAt(epochs, epoch));
    return { epoch, said: inA === inB ? `${inA}` : `A ${inA}, B ${inB}` };
  });
}

function wordAt(epochs: Epochs, epoch: number): string {
  const found = epochs.find((one) => one.epoch === epoch);
  return found === undefined ? 'missing' : outcomeShown(found.outcome).word;
}
