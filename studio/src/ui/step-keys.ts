import { z } from 'zod';
import { usePersisted } from './use-persisted.ts';

/** What j and k go through on the page of a sample; n and p go through the other. */
const stepping = z.enum(['samples', 'turns']);
export type Stepping = z.output<typeof stepping>;

export function useStepping(): readonly [Stepping, (value: Stepping) => void] {
  return usePersisted('holdfast.j-and-k', stepping, 'samples');
}

interface StepKeys {
  readonly next: string;
  readonly previous: string;
}

/** The keys that go from one to the next. */
export function stepKeys(of: Stepping, chosen: Stepping): StepKeys {
  return of === chosen ? { next: 'j', previous: 'k' } : { next: 'n', previous: 'p' };
}

export function useStepKeys(of: Stepping): StepKeys {
  const [chosen] = useStepping();
  return stepKeys(of, chosen);
}
