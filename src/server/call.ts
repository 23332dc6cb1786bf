import type { AnswerOf, QueryOf, RouteName } from './api.ts';
import type { Studio } from './studio.ts';

/** One request, checked. */
export interface Call<Name extends RouteName> {
  readonly studio: Studio;
  /** The parts of the address that the route names, decoded. */
  readonly params: Readonly<Record<string, string>>;
  readonly query: QueryOf<Name>;
  readonly body: unknown;
  /** Whether the asker may write: it showed the token. */
  readonly isTrusted: boolean;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /**
   * Says of what the answer is made: object ids, digests, positions. Whoever has the answer of the same already gets no other, and
   * nothing after this call is done for it. Not called for what cannot be told so.
   */
  sameAs(...of: readonly (string | number | undefined)[]): void;
}

/** `json`: one answer. `lines`: each as soon as it is known. */
export type Handler<Name extends RouteName> = (
  call: Call<Name>,
) => Promise<AnswerOf<Name>> | AsyncIterable<AnswerOf<Name>>;
