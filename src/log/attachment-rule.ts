import { escapeLoneSurrogates } from '../base/index.ts';
import { attachmentHash } from './attachment-hash.ts';
import type { TextRule } from './walk.ts';

/** A text that was taken out of a document and is referred to by its hash. */
export interface Attachment {
  readonly hash: string;
  readonly text: string;
}

export const ATTACHMENT_PREFIX = 'attachment://';
/** How the first logs spelled the same thing. */
const LEGACY_PREFIX = 'tc://';
const INLINE_CODE_POINTS_MAX = 100;
const DATA_URI = /^data:[^;]+;base64,/;
const REMOVED_DATA = '<base64-data-removed>';

/** In events, pools and recorded answers: whatever is longer than 100 code points [LOG-11]. */
export function longTextRule(attach: (text: string) => string, logImages: boolean): TextRule {
  return (text) => {
    if (!logImages && DATA_URI.test(text)) return REMOVED_DATA;
    return isLong(text) || looksLikeReference(text) ? attach(text) : text;
  };
}

/** In `sample.input` and `sample.messages`: only data URIs; long text stays inline [LOG-12]. */
export function dataUriRule(attach: (text: string) => string, logImages: boolean): TextRule {
  return (text) => {
    if (DATA_URI.test(text)) return logImages ? attach(text) : REMOVED_DATA;
    return looksLikeReference(text) ? attach(text) : text;
  };
}

/**
 * For documents that are no logs: exact, so what a hash cannot tell apart stays where it is. JSON escapes keep it.
 */
export function exactTextRule(attach: (text: string) => string): TextRule {
  return (text) => ((isLong(text) || looksLikeReference(text)) && text.isWellFormed() ? attach(text) : text);
}

/** Undoes these rules. A reference to an unknown hash is somebody's own text and stays. */
export function referenceRule(lookup: (hash: string) => string | undefined): TextRule {
  return (text) => {
    const hash = referredHash(text);
    return hash === undefined ? text : (lookup(hash) ?? text);
  };
}

/** The hash (or, in chunked samples, the index) that a string refers to. */
export function referredHash(text: string): string | undefined {
  if (text.startsWith(ATTACHMENT_PREFIX)) return text.slice(ATTACHMENT_PREFIX.length);
  if (text.startsWith(LEGACY_PREFIX)) return text.slice(LEGACY_PREFIX.length);
  return undefined;
}

/** Collects each text once; `attach` gives the reference that takes its place. */
export function attachmentCollector(): {
  readonly attach: (text: string) => string;
  readonly found: Map<string, string>;
} {
  const found = new Map<string, string>();
  const attach = (text: string) => {
    const attachment = attachmentOf(text);
    found.set(attachment.hash, attachment.text);
    return ATTACHMENT_PREFIX + attachment.hash;
  };
  return { attach, found };
}

/** In a log half a surrogate pair is six characters, as in Inspect's; without them, two such texts would have one hash. */
export function attachmentOf(text: string): Attachment {
  const escaped = escapeLoneSurrogates(text);
  return { hash: attachmentHash(escaped), text: escaped };
}

export function listAttachments(found: ReadonlyMap<string, string>): Attachment[] {
  return found.size === 0 ? [] : Array.from(found, ([hash, text]) => ({ hash, text }));
}

/** A text that only looks like a reference must itself become an attachment, or reading would replace it [LOG-13]. */
function looksLikeReference(text: string): boolean {
  return referredHash(text) !== undefined;
}

function isLong(text: string): boolean {
  if (text.length <= INLINE_CODE_POINTS_MAX) return false;
  if (text.length > 2 * INLINE_CODE_POINTS_MAX) return true;
  let codePoints = 0;
  for (let at = 0; at < text.length; codePoints++) at += (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return codePoints > INLINE_CODE_POINTS_MAX;
}
