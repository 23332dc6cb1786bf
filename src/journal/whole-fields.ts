import type { SampleFields } from '../log/index.ts';

/** All fields of a sample of which only some are known; what an attempt begins with is all that `summarize` needs. */
export function wholeFields(known: Partial<SampleFields> & Pick<SampleFields, 'id' | 'epoch'>): SampleFields {
  return {
    input: '',
    target: '',
    messages: [],
    output: { choices: [] },
    metadata: {},
    store: {},
    model_usage: {},
    role_usage: {},
    ...known,
  };
}
