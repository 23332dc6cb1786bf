import { type IncomingMessage, type RequestOptions, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';

export interface HttpCall {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** A response that is larger than this is not an answer. */
const BODY_BYTES_MAX = 64 * 2 ** 20;

export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** One HTTP exchange. Not `fetch`, which gives up on an agent that thinks for five minutes before it answers. */
export function callHttp({ url, method, headers, body, signal }: HttpCall): Promise<HttpAnswer> {
  const send = url.startsWith('https:') ? requestHttps : requestHttp;
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const length = bytes === undefined ? {} : { 'content-length': String(bytes.length) };
  const options: RequestOptions = { method, headers: { ...headers, ...length }, signal };
  return new Promise((resolve, reject) => {
    const request = send(url, options, (response) => {
      readBody(response).then(
        (content) =>
          resolve({ status: response.statusCode ?? 0, headers: plainHeaders(response), body: content }),
        reject,
      );
    });
    request.once('error', reject);
    request.end(bytes);
  });
}

async function readBody(response: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const chunk of response) {
    sizeBytes += chunk.length;
    if (sizeBytes > BODY_BYTES_MAX)
      throw new BodyTooLarge(`The response is larger than ${BODY_BYTES_MAX} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function plainHeaders({ headers }: IncomingMessage): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}
