import { type Digest, digestOf, digestOfJson } from '../base/index.ts';
import { headersAsked, type PlainHeaders } from './http-headers.ts';
import { withoutSecrets } from './safe-address.ts';

/** A request as somebody's own SDK makes it, read whole. */
export interface SentRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: PlainHeaders;
  readonly body: Uint8Array<ArrayBuffer> | undefined;
}

export async function readRequest(request: Request): Promise<SentRequest> {
  const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer());
  return { method: request.method, url: request.url, headers: Object.fromEntries(request.headers), body };
}

/** Change it whenever the same request would get another digest. */
const DIGEST_VERSION = 1;

/** Covers all that could change the answer, and nothing that says who asks, when, or for the how-manyth time. */
export function digestOfSent({ method, url, headers, body }: SentRequest): Digest {
  const asked = headersAsked(headers);
  const type = asked['content-type'] ?? '';
  const boundary = /boundary="?([^";]+)"?/.exec(type)?.[1];
  return digestOfJson({
    fetch: DIGEST_VERSION,
    method,
    url: withoutSecrets(url),
    headers: boundary === undefined ? asked : { ...asked, 'content-type': 'multipart' },
    body: body === undefined ? null : digestOf(withoutBoundary(body, boundary)),
  });
}

/** The text between the parts of a form is another one each time. */
function withoutBoundary(body: Uint8Array, boundary: string | undefined): string | Uint8Array {
  return boundary === undefined ? body : Buffer.from(body).toString('latin1').replaceAll(boundary, '-');
}

/** The body as text; undefined when it is none. */
export function textOfBytes(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    // Not UTF-8: it is kept as bytes.
    return undefined;
  }
}
