import { z } from 'zod';
import { type LiveEvent, ROUTES } from '../../../src/server/api.ts';
import { eventsOf } from './event-stream.ts';
import { problemOfAnswer } from './problem-error.ts';
import type { LiveListener, LiveState } from './studio-data.ts';

const NAME = 'holdfast.live';
const RETRY_MS = [1_000, 2_000, 5_000, 10_000, 30_000];

/** What the leading tab tells the others. */
const told = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('event'), id: z.string().optional(), event: ROUTES.live.answer }),
  z.object({ kind: z.literal('state'), is: z.enum(['open', 'lost']), retryAt: z.number() }),
  z.object({ kind: z.literal('retry') }),
]);
type Told = z.infer<typeof told>;

type Connect = (
  lastId: string | undefined,
  signal: AbortSignal,
) => Promise<ReadableStream<Uint8Array<ArrayBuffer>>>;

/**
 * One event stream for all tabs of a browser: six connections a host are all that HTTP/1.1 allows. The tab that holds the lock reads
 * it and tells the others. A hidden tab lets go of the lock; whoever takes it goes on after the last event that was seen.
 */
export function openLive(listener: LiveListener, connect: Connect) {
  const stream = new LiveStream(listener, connect);
  return { retry: () => stream.retry(), stop: () => stream.stop() };
}

class LiveStream {
  readonly #listener: LiveListener;
  readonly #connect: Connect;
  readonly #channel = new BroadcastChannel(NAME);
  readonly #onVisible = () => this.#followVisibility();
  #leading: AbortController | undefined;
  #lastId: string | undefined;
  #wake: (() => void) | undefined;

  constructor(listener: LiveListener, connect: Connect) {
    this.#listener = listener;
    this.#connect = connect;
    this.#channel.addEventListener('message', ({ data }) => this.#hear(told.parse(data)));
    document.addEventListener('visibilitychange', this.#onVisible);
    this.#followVisibility();
  }

  retry(): void {
    this.#wake?.();
    this.#channel.postMessage({ kind: 'retry' } satisfies Told);
  }

  stop(): void {
    this.#leading?.abort();
    document.removeEventListener('visibilitychange', this.#onVisible);
    this.#channel.close();
  }

  #followVisibility(): void {
    if (document.visibilityState === 'hidden') {
      this.#leading?.abort();
      this.#leading = undefined;
    } else if (this.#leading === undefined) {
      this.#leading = new AbortController();
      void this.#queueToLead(this.#leading.signal);
    }
  }

  async #queueToLead(signal: AbortSignal): Promise<void> {
    // Only pages of a trusted origin have locks; elsewhere each tab reads for itself.
    const lead = () => this.#lead(signal);
    try {
      await (navigator.locks === undefined ? lead() : navigator.locks.request(NAME, { signal }, lead));
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  async #lead(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; failures += 1) {
      try {
        const body = await this.#connect(this.#lastId, signal);
        this.#tellState({ is: 'open' });
        failures = 0;
        for await (const { id, data } of eventsOf(body)) this.#tellEvent(id, parseEvent(data));
      } catch {
        // Whatever it was, it is said below, and tried again.
      }
      if (signal.aborted) return;
      const waitMs = RETRY_MS[Math.min(failures, RETRY_MS.length - 1)] ?? 0;
      this.#tellState({ is: 'lost', retryAt: Date.now() + waitMs });
      await this.#wait(waitMs, signal);
    }
  }

  #wait(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
      signal.addEventListener('abort', this.#wake, { once: true });
    });
  }

  #tellEvent(id: string | undefined, event: LiveEvent): void {
    this.#lastId = id;
    this.#listener.onEvent(event);
    this.#channel.postMessage({ kind: 'event', id, event } satisfies Told);
  }

  #tellState(state: Exclude<LiveState, { is: 'idle' }>): void {
    this.#listener.onState(state);
    const retryAt = state.is === 'lost' ? state.retryAt : 0;
    this.#channel.postMessage({ kind: 'state', is: state.is, retryAt } satisfies Told);
  }

  #hear(what: Told): void {
    if (what.kind === 'retry') this.#wake?.();
    else if (what.kind === 'state') this.#listener.onState({ is: what.is, retryAt: what.retryAt });
    else {
      this.#lastId = what.id;
      this.#listener.onEvent(what.event);
    }
  }
}

function parseEvent(data: string): LiveEvent {
  const parsed = ROUTES.live.answer.safeParse(JSON.parse(data));
  if (!parsed.success) throw problemOfAnswer(200, data);
  return parsed.data;
}
