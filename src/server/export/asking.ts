import { ActionableError, InvariantError } from '../../base/index.ts';
import {
  type AnswerOf,
  type DocumentPlace,
  type QueryOf,
  ROUTES,
  type RouteName,
  type WrittenAnswer,
} from '../api.ts';
import type { Call, Handler } from '../call.ts';
import { problemOf } from '../error-answer.ts';
import { handlers } from '../handlers.ts';
import { strictText } from '../strict-text.ts';
import type { Studio } from '../studio.ts';
import type { ChunkWriter } from './chunk-writer.ts';

/** Routes whose answers can be written down: one document each. */
export type WrittenRoute = Exclude<RouteName, 'live' | 'find' | 'search' | 'say' | 'review' | 'store'>;

export type Params = Readonly<Record<string, string>>;

/** Something that could not be read: it is in the export as what the server would have answered. */
export interface Damage {
  readonly run: string;
  readonly sample?: string | number;
  readonly epoch?: number;
  readonly code: string;
  readonly message: string;
}

export interface AskingOptions {
  readonly studio: Studio;
  readonly writer: ChunkWriter;
  readonly signal: AbortSignal;
}

/** Asks the very handlers that the server asks, and writes down what they answer. */
export class Asking {
  readonly studio: Studio;
  readonly writer: ChunkWriter;
  readonly signal: AbortSignal;

  constructor({ studio, writer, signal }: AskingOptions) {
    this.studio = studio;
    this.writer = writer;
    this.signal = signal;
  }

  async ask<Name extends WrittenRoute>(name: Name, params: Params, query: object): Promise<AnswerOf<Name>> {
    this.signal.throwIfAborted();
    const handler: Handler<Name> = handlers[name];
    const call: Call<Name> = {
      studio: this.studio,
      params,
      query: queryOf(name, query),
      body: undefined,
      isTrusted: false,
      signal: this.signal,
      sameAs: () => undefined,
    };
    const given = handler(call);
    if (Symbol.asyncIterator in given) throw new InvariantError(`${name} answers line by line`);
    return await given;
  }

  /** The answer, or why there is none. What is no error of ours to tell is a bug, and thrown. */
  async tryAsk<Name extends WrittenRoute>(
    name: Name,
    params: Params,
    query: object,
  ): Promise<{ readonly answer: AnswerOf<Name> } | { readonly error: ActionableError }> {
    try {
      return { answer: await this.ask(name, params, query) };
    } catch (error) {
      if (!(error instanceof ActionableError)) throw error;
      return { error };
    }
  }

  write(document: unknown): Promise<DocumentPlace> {
    return this.writer.write(strictText(document));
  }

  writeAnswer(answer: unknown): Promise<DocumentPlace> {
    return this.write({ answer } satisfies WrittenAnswer);
  }

  writeError(error: ActionableError): Promise<DocumentPlace> {
    return this.write({ error: problemOf(error) } satisfies WrittenAnswer);
  }
}

/** As texts, because that is how a server gets them. */
function queryOf<Name extends RouteName>(name: Name, query: object): QueryOf<Name> {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  const texts = Object.fromEntries(given.map(([key, value]) => [key, String(value)]));
  return ROUTES[name].query.parse(texts) as QueryOf<Name>;
}
