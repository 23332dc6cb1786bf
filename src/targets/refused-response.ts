import { type Clock, type Json, tryParseJson } from '../base/index.ts';

/** What a server that refused said of it, as retries and people read it. The response itself is left to the caller. */
class RefusedResponse extends Error {
  override readonly name = 'RefusedResponse';
  readonly statusCode: number;
  readonly responseHeaders: Readonly<Record<string, string>>;
  readonly responseBody: string;
  readonly data: Json | undefined;

  constructor({ status, statusText, headers }: Response, body: string) {
    super(body === '' ? statusText || 'the body of the response is empty' : '');
    this.statusCode = status;
    this.responseHeaders = Object.fromEntries(headers);
    this.responseBody = body;
    this.data = tryParseJson(body);
  }
}

/** The body of a refusal is small and there at once; nobody waits for one that is not. */
const REFUSAL_MS = 1_000;

export async function refusalOf(
  response: Response,
  { sleep }: Pick<Clock, 'sleep'>,
): Promise<RefusedResponse> {
  const over = new AbortController();
  const late = sleep(REFUSAL_MS, over.signal).then(
    () => '',
    () => '',
  );
  // What breaks off is told by whoever reads the response itself.
  const body = response
    .clone()
    .text()
    .catch(() => '');
  const text = await Promise.race([body, late]);
  over.abort();
  return new RefusedResponse(response, text);
}
