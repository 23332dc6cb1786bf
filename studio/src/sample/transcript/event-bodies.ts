import type { AnyJson, EventsPage } from '../../../../src/server/api.ts';

/** Asks for bodies from an event on; the answer may be shorter than asked. */
export type AskBodies = (from: number, limit: number, signal: AbortSignal) => Promise<EventsPage>;

export const PAGE_EVENTS = 50;
const PAGES_MAX = 20;

interface Page {
  readonly events: AnyJson[];
  /** What model calls of the page answer, by position. */
  readonly messages: Map<string, AnyJson>;
  loading: AbortController | undefined;
  error: unknown;
  usedAt: number;
}

/** Bodies of the events that are near the screen, in pages; pages that were not wanted for longest go. */
export class EventBodies {
  readonly #ask: AskBodies;
  readonly #pages = new Map<number, Page>();
  readonly #watchers = new Set<() => void>();
  #clock = 0;
  #wanted: ReadonlySet<number> = new Set();

  constructor(ask: AskBodies) {
    this.#ask = ask;
  }

  readonly subscribe = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  };

  /** Undefined while it is not here. */
  get(event: number): AnyJson | undefined {
    return this.#pages.get(pageOf(event))?.events[event % PAGE_EVENTS];
  }

  /** A message that a model call refers to; only those that it is the first to answer are told with it. */
  messageOf(event: number, position: number): AnyJson | undefined {
    return this.#pages.get(pageOf(event))?.messages.get(String(position));
  }

  errorOf(event: number): unknown {
    return this.get(event) === undefined ? this.#pages.get(pageOf(event))?.error : undefined;
  }

  /** How many pages are held. */
  get size(): number {
    return this.#pages.size;
  }

  /** Loads what is not here of these, and stops loading what nobody wants any more. */
  want(events: Iterable<number>): void {
    const wanted = new Set<number>();
    for (const event of events) wanted.add(pageOf(event));
    this.#wanted = wanted;
    for (const [page, { loading }] of this.#pages) {
      if (loading === undefined || wanted.has(page)) continue;
      loading.abort();
      this.#pages.delete(page);
    }
    for (const page of wanted) this.#load(page);
    this.#evict();
  }

  /** Events from this one on may be others now. */
  forgetFrom(event: number): void {
    for (const [page, { loading }] of this.#pages) {
      if ((page + 1) * PAGE_EVENTS <= event) continue;
      loading?.abort();
      this.#pages.delete(page);
    }
    for (const page of this.#wanted) this.#load(page);
  }

  retry(event: number): void {
    this.#pages.delete(pageOf(event));
    this.#load(pageOf(event));
    this.#tell();
  }

  stop(): void {
    for (const { loading } of this.#pages.values()) loading?.abort();
    this.#pages.clear();
  }

  #load(number: number): void {
    const known = this.#pages.get(number);
    if (known !== undefined) {
      known.usedAt = ++this.#clock;
      return;
    }
    const stop = new AbortController();
    const usedAt = ++this.#clock;
    const page: Page = { events: [], messages: new Map(), loading: stop, error: undefined, usedAt };
    this.#pages.set(number, page);
    void this.#fill(number, page, stop.signal);
  }

  async #fill(number: number, page: Page, signal: AbortSignal): Promise<void> {
    try {
      while (page.events.length < PAGE_EVENTS) {
        const from = number * PAGE_EVENTS + page.events.length;
        const answer = await this.#ask(from, PAGE_EVENTS - page.events.length, signal);
        if (signal.aborted || answer.events.length === 0) break;
        page.events.push(...answer.events);
        for (const [position, message] of Object.entries(answer.messages ?? {}))
          page.messages.set(position, message);
        this.#tell();
      }
    } catch (error) {
      if (!signal.aborted) page.error = error;
    }
    page.loading = undefined;
    this.#tell();
  }

  #evict(): void {
    const unwanted = [...this.#pages]
      .filter(([page]) => !this.#wanted.has(page))
      .sort(([, a], [, b]) => a.usedAt - b.usedAt);
    for (const [page] of unwanted.slice(0, Math.max(0, this.#pages.size - PAGES_MAX)))
      this.#pages.delete(page);
  }

  #tell(): void {
    for (const watcher of this.#watchers) watcher();
  }
}

function pageOf(event: number): number {
  return Math.floor(event / PAGE_EVENTS);
}
