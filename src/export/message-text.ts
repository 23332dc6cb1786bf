import { isJsonArray, isJsonObject, type Json } from '../base/index.ts';
import type { ModelOutput } from '../log/index.ts';

/** What was asked, as one text: a conversation with the role before each message. */
export function inputText(input: Json | undefined): string {
  if (!isJsonArray(input)) return typeof input === 'string' ? input : '';
  return input
    .map((message) =>
      isJsonObject(message) ? `${String(message.role)}: ${contentText(message.content)}` : '',
    )
    .join('\n\n');
}

/** What the target gave. */
export function outputText(output: ModelOutput | undefined): string | undefined {
  if (!output) return undefined;
  const [choice] = output.choices;
  return output.completion ?? (choice ? contentText(choice.message.content) : undefined);
}

function contentText(content: Json | undefined): string {
  if (!isJsonArray(content)) return typeof content === 'string' ? content : '';
  return content.map(partText).join('\n');
}

/** Pictures and the like are named, not shown. */
function partText(part: Json): string {
  if (!isJsonObject(part)) return String(part);
  if (typeof part.text === 'string') return part.text;
  if (typeof part.reasoning === 'string') return part.reasoning;
  return `(${String(part.type)})`;
}
