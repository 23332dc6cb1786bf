import { createContext, use } from 'react';

/** Which transcript the parts of the page are about, and how it is to be shown. */
export interface SampleHere {
  readonly run: string;
  readonly sample: string;
  readonly epoch: number;
  readonly attempt: number | undefined;
  /** Texts as they are, not as they are meant. */
  readonly isRaw: boolean;
}

export const Here = createContext<SampleHere | undefined>(undefined);

export function useSampleHere(): SampleHere {
  const here = use(Here);
  if (here === undefined) throw new Error('There is no sample above this component');
  return here;
}
