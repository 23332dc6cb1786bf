import { assert } from '../base/index.ts';
import {
  type Attachment,
  condenseMessages,
  type EvalSampleSummary,
  type SampleFields,
  summarize,
} from '../log/index.ts';
import type { Chosen } from './choice-list.ts';
import { interruptedFields } from './interrupted.ts';

/** Everything of a chosen attempt but its transcript. */
export function fieldsOf({ source, attempt }: Extract<Chosen, { from: 'journal' }>): SampleFields {
  const result = attempt.status === undefined ? undefined : source.result(attempt.n);
  if (result) return result.fields;
  const row = source.attempt(attempt.n);
  assert(row, `attempt ${attempt.n} vanished`);
  return interruptedFields(source, row);
}

/**
 * The fields as the log stores them, and the attachments that they refer to besides those of the journal: what is put together
 * anew for a sample that did not end may hold images, and texts that look like references.
 */
export function storedFieldsOf(chosen: Extract<Chosen, { from: 'journal' }>): {
  readonly fields: SampleFields;
  readonly attachments: readonly Attachment[];
} {
  const fields = fieldsOf(chosen);
  if (chosen.attempt.status !== undefined) return { fields, attachments: [] };
  const input = condenseMessages(fields.input);
  const messages = condenseMessages(fields.messages);
  return {
    fields: { ...fields, input: input.values, messages: messages.values },
    attachments: [...input.attachments, ...messages.attachments],
  };
}

/** One after the other: the summaries of a large run do not fit in memory. */
export function* summariesOf(choices: Iterable<Chosen>): Iterable<EvalSampleSummary> {
  for (const choice of choices) yield summaryOf(choice);
}

function summaryOf(choice: Chosen): EvalSampleSummary {
  if (choice.from === 'log') return choice.source.reusedSummary(choice.row.n);
  const { source, attempt } = choice;
  const summary = attempt.status === undefined ? undefined : source.summary(attempt.n);
  return summary ?? summarize(fieldsOf(choice));
}
