import { type Digest, digestOfJson, type Json } from '../base/index.ts';
import type { ModelRequest } from './language-model.ts';
import { encodeValue } from './value-codec.ts';

/** Change it whenever the same request would get another digest: earlier answers are then asked for anew. */
const DIGEST_VERSION = 1;

/** Headers and signals say how to ask, not what; raw chunks are never kept. All else could change the answer. */
const NOT_ASKED = new Set(['headers', 'abortSignal', 'includeRawChunks']);

/** `settings`: what the model was opened with, such as its base URL. */
export function digestOfModelRequest(model: string, settings: Json, request: ModelRequest): Digest {
  const asked = Object.entries(request).filter(([key]) => !NOT_ASKED.has(key));
  return digestOfJson({
    version: DIGEST_VERSION,
    model,
    settings,
    request: encodeValue(Object.fromEntries(asked)),
  });
}
