import type { Json } from '../base/index.ts';
import {
  type Attachment,
  attachmentCollector,
  dataUriRule,
  exactTextRule,
  listAttachments,
  referenceRule,
} from './attachment-rule.ts';
import type { ChatMessage } from './schema.ts';
import { walkJson, walkMessages } from './walk.ts';

/**
 * For `sample.input` and `sample.messages`: only data URIs become attachments [LOG-12]. A plain string input stays.
 */
export function condenseMessages<Messages extends string | readonly ChatMessage[]>(
  messages: Messages,
  options: { readonly logImages?: boolean } = {},
): { readonly values: Messages; readonly attachments: readonly Attachment[] } {
  if (typeof messages === 'string') return { values: messages, attachments: [] };
  const { attach, found } = attachmentCollector();
  const rule = dataUriRule(attach, options.logImages ?? true);
  const values = walkMessages(messages, rule);
  return { values, attachments: listAttachments(found) };
}

/**
 * Takes every string of more than 100 code points out of a value, whatever its shape, and every one that looks like a
 * reference. `expandJson` gives back the very same value, also with NUL and halves of surrogate pairs in it, provided that the
 * JSON text in between escapes the latter (`JSON.stringify` does, `stringifyJson` writes six characters instead).
 */
export function condenseJson(value: Json): {
  readonly value: Json;
  readonly attachments: readonly Attachment[];
} {
  const { attach, found } = attachmentCollector();
  const condensed = walkJson(value, exactTextRule(attach));
  return { value: condensed, attachments: listAttachments(found) };
}

/** Puts attachments back; `lookup` gives undefined for a hash it does not know, which then stays as it is. */
export function expandJson(value: Json, lookup: (hash: string) => string | undefined): Json {
  return walkJson(value, referenceRule(lookup));
}
