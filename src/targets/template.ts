import { UsageError } from '../base/index.ts';
import { fillTemplate, placeholdersIn, readPath, type SampleRow, textOf } from '../evals/index.ts';

/** Fills in what `checkTemplate` has checked. */
export function fillChecked(template: string, valueOf: (name: string) => string | undefined): string {
  return fillTemplate(template, (name) => {
    const value = valueOf(name);
    if (value === undefined) throw unknownPlaceholder(template, name);
    return value;
  });
}

/** Says before the run that a template asks for something that no sample has. */
export function checkTemplate(template: string, isKnown: (name: string) => boolean): void {
  const unknown = placeholdersIn(template).find((name) => !isKnown(name));
  if (unknown !== undefined) throw unknownPlaceholder(template, unknown);
}

/** What a template can ask of a sample: `input`, `id`, `choices`, `metadata.x`. The expected answer is not among them. */
export function sampleValue(sample: SampleRow, name: string): string | undefined {
  if (name === 'input') return inputText(sample.input);
  if (name === 'id') return String(sample.id);
  if (name === 'choices') return choicesText(sample.choices ?? []);
  if (!name.startsWith('metadata.')) return undefined;
  const value = readPath(sample.metadata ?? {}, name.slice('metadata.'.length));
  return value === undefined ? '' : textOf(value);
}

export function isSamplePlaceholder(name: string): boolean {
  return name === 'input' || name === 'id' || name === 'choices' || name.startsWith('metadata.');
}

/** The input as text: itself, the texts of its messages, or its JSON. */
export function inputText(input: unknown): string {
  if (!isMessageList(input)) return textOf(input);
  return input.map(({ content }) => (typeof content === 'string' ? content : textOf(content))).join('\n\n');
}

/** True when the input is a conversation: a list of messages with a role and a content. */
export function isMessageList(
  input: unknown,
): input is readonly { readonly role: string; readonly content: unknown }[] {
  return (
    Array.isArray(input) &&
    input.length > 0 &&
    input.every((item) => typeof item === 'object' && item !== null && 'role' in item && 'content' in item)
  );
}

/** `A) first`, one on a line. */
function choicesText(choices: readonly string[]): string {
  return choices.map((choice, index) => `${String.fromCharCode(65 + index)}) ${choice}`).join('\n');
}

function unknownPlaceholder(template: string, name: string): UsageError {
  const excerpt = template.length > 80 ? `${template.slice(0, 80)}…` : template;
  return new UsageError({
    code: 'E_TEMPLATE_UNKNOWN',
    message: `The template "${excerpt}" asks for {{${name}}}, which does not exist here.`,
    hint: 'Use {{input}}, {{id}}, {{choices}} or {{metadata.<key>}}; commands also know {{workspace}}, HTTP headers {{env.<NAME>}}.',
  });
}
