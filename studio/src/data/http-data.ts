import { type AnswerOf, ROUTES, type RouteName, type Saying } from '../../../src/server/api.ts';
import { addressOf } from './address.ts';
import { linesOf } from './lines.ts';
import { openLive } from './live.ts';
import { parseAnswer } from './parse-answer.ts';
import { noAnswer, problemOfAnswer } from './problem-error.ts';
import type { Asked, AskRoute, LinesRoute, LiveListener, StudioData } from './studio-data.ts';

/** Data from the server that the page came from. */
export class HttpData implements StudioData {
  readonly pin: string | undefined;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(token: string | undefined, pin?: string) {
    this.pin = pin;
    this.#headers = token === undefined ? {} : { Authorization: `Bearer ${token}` };
  }

  async ask<Name extends AskRoute>(
    name: Name,
    asked: Asked<Name>,
    signal?: AbortSignal,
  ): Promise<AnswerOf<Name>> {
    const response = await this.#fetch(name, asked, { signal: signal ?? null });
    return parseAnswer(name, await response.json());
  }

  async *lines<Name extends LinesRoute>(
    name: Name,
    asked: Asked<Name>,
    signal: AbortSignal,
  ): AsyncGenerator<AnswerOf<Name>> {
    const { body } = await this.#fetch(name, asked, { signal });
    if (body === null) return;
    for await (const line of linesOf(body)) if (line !== '') yield parseAnswer(name, JSON.parse(line));
  }

  async say(saying: Saying): Promise<AnswerOf<'say'>> {
    const headers = { 'Content-Type': 'application/json' };
    const asked = { params: {}, query: {} };
    const response = await this.#fetch('say', asked, {
      method: 'POST',
      headers,
      body: JSON.stringify(saying),
    });
    return parseAnswer('say', await response.json());
  }

  live(listener: LiveListener): { readonly retry: () => void; readonly stop: () => void } {
    return openLive(listener, async (lastId, signal) => {
      const headers = lastId === undefined ? {} : { 'Last-Event-ID': lastId };
      const { body } = await this.#fetch('live', { params: {}, query: {} }, { signal, headers });
      if (body === null) throw noAnswer();
      return body;
    });
  }

  async #fetch<Name extends RouteName>(name: Name, asked: Asked<Name>, init: RequestInit): Promise<Response> {
    const isLive = ROUTES[name].kind === 'events';
    const accept = isLive ? 'text/event-stream' : 'application/json';
    const headers = { Accept: accept, ...this.#headers, ...init.headers };
    // What happens is told to all tabs alike, whatever commit they show.
    const address = addressOf(name, asked.params, asked.query ?? {}, isLive ? undefined : this.pin);
    const response = await fetch(address, { ...init, headers }).catch((error: unknown) => {
      throw init.signal?.aborted ? error : noAnswer();
    });
    if (!response.ok) throw problemOfAnswer(response.status, await response.text());
    return response;
  }
}
