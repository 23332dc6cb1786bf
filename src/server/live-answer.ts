import type { Context } from 'hono';
import { strictText } from './strict-text.ts';
import type { Studio } from './studio.ts';

/** Proxies and browsers give up on what is silent. */
const BEAT_MS = 15_000;

/** What happens, as server-sent events. It ends when the browser goes; after that it begins where it had got to. */
export function liveAnswer(context: Context, { live, clock }: Pick<Studio, 'live' | 'clock'>): Response {
  const gone = new AbortController();
  const ended = AbortSignal.any([gone.signal, context.req.raw.signal]);
  const events = live.after(context.req.header('last-event-id'), ended)[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  let beat: Disposable | undefined;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encoder.encode('retry: 2000\n\n'));
      beat = clock.every(BEAT_MS, () => {
        if (!ended.aborted) controller.enqueue(encoder.encode(': still here\n\n'));
      });
    },
    async pull(controller) {
      const next = await events.next();
      if (!next.done)
        return controller.enqueue(
          encoder.encode(`id: ${next.value.id}\ndata: ${strictText(next.value.event)}\n\n`),
        );
      beat?.[Symbol.dispose]();
      if (!gone.signal.aborted) controller.close();
    },
    cancel() {
      beat?.[Symbol.dispose]();
      gone.abort();
    },
  });
  return new Response(body, {
    headers: { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' },
  });
}
