/** The same questions to the server and to an export of the same runs. */
import { expect } from 'vitest';
import { systemClock, systemRandom } from '../../../src/base/index.ts';
import { type AnswerOf, ROUTES, type RouteName } from '../../../src/server/api.ts';
import { handlers } from '../../../src/server/handlers.ts';
import { createStudio } from '../../../src/server/index.ts';
import { strictText } from '../../../src/server/strict-text.ts';
import type { Studio } from '../../../src/server/studio.ts';
import {
  type ExportedData,
  exportTestStudio,
  openExport,
  openTestSources,
  type TestPlaces,
} from './exported.ts';

export type Params = Readonly<Record<string, string>>;
type JsonRoute = Exclude<RouteName, 'live' | 'find' | 'search' | 'say' | 'review' | 'store'>;

export interface Hit {
  readonly run: string;
  readonly sample?: string | number | undefined;
  readonly epoch?: number | undefined;
  readonly event?: number | undefined;
}

export class BothSides implements AsyncDisposable {
  readonly exported: ExportedData;
  readonly #studio: Studio;

  private constructor(studio: Studio, exported: ExportedData) {
    this.#studio = studio;
    this.exported = exported;
  }

  /** `out`: where the export is written. */
  static async open(
    places: TestPlaces,
    { out, appDir }: { readonly out: string; readonly appDir: string },
  ): Promise<BothSides> {
    await exportTestStudio({ ...places, appDir, out });
    const sources = await openTestSources(places);
    const studio = createStudio({ sources, clock: systemClock, random: systemRandom });
    await studio.index.whole(new AbortController().signal);
    return new BothSides(studio, await openExport(out));
  }

  /** What the server answers, as the browser has it. */
  async served<Name extends JsonRoute>(name: Name, params: Params, query: object): Promise<AnswerOf<Name>> {
    const texts = Object.fromEntries(Object.entries(query).map(([key, value]) => [key, String(value)]));
    const answer = await (handlers[name] as (call: object) => Promise<unknown>)({
      studio: this.#studio,
      params,
      query: ROUTES[name].query.parse(texts),
      body: undefined,
      isTrusted: false,
      signal: new AbortController().signal,
      sameAs: () => undefined,
    });
    return ROUTES[name].answer.parse(JSON.parse(strictText(answer))) as AnswerOf<Name>;
  }

  async expectSame(
    name: JsonRoute,
    params: Params,
    query: object,
    without: readonly string[] = [],
  ): Promise<void> {
    const there = await this.served(name, params, query);
    const here = await this.exported.ask(name, { params, query });
    const told = (answer: unknown) =>
      typeof answer === 'object' && answer !== null && !Array.isArray(answer)
        ? Object.fromEntries(Object.entries(answer).filter(([key]) => !without.includes(key)))
        : answer;
    expect(told(here), `${name} ${JSON.stringify([params, query])}`).toEqual(told(there));
  }

  /** A search of the server. */
  async searchServed(query: object): Promise<Hit[]> {
    return this.#hits('search', {}, query);
  }

  async searchExported(query: object): Promise<Hit[]> {
    const hits: Hit[] = [];
    for await (const line of this.exported.lines(
      'search',
      { params: {}, query },
      new AbortController().signal,
    ))
      hits.push(...line.hits);
    return hits;
  }

  /** The events in which the server finds a text. */
  async findServed(params: Params, query: object): Promise<number[]> {
    return (await this.#hits('find', params, query)).map(({ event }) => event ?? -1);
  }

  async findExported(params: Params, query: object): Promise<number[]> {
    const found: number[] = [];
    for await (const line of this.exported.lines('find', { params, query }, new AbortController().signal))
      found.push(...line.hits.map(({ event }) => event));
    return found;
  }

  async #hits(name: 'find' | 'search', params: Params, query: object): Promise<Hit[]> {
    const lines = (handlers[name] as (call: object) => AsyncIterable<{ readonly hits: readonly Hit[] }>)({
      studio: this.#studio,
      params,
      query: ROUTES[name].query.parse(query),
      signal: new AbortController().signal,
    });
    const hits: Hit[] = [];
    for await (const line of lines) hits.push(...line.hits);
    return hits;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#studio[Symbol.asyncDispose]();
  }
}
