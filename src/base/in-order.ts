/**
 * Works on several items at a time, and gives what comes of them in the order of the items. When one fails, or whoever
 * reads stops, nothing more is begun, and what is under way is waited for.
 */
export async function* inOrder<T, R>(
  items: Iterable<T>,
  { atATime, work }: { readonly atATime: number; readonly work: (item: T) => Promise<R> },
): AsyncGenerator<R> {
  const waiting = items[Symbol.iterator]();
  const underWay: Promise<R>[] = [];
  const begin = () => {
    const next = waiting.next();
    if (next.done) return;
    const begun = work(next.value);
    // Its failure is told when its turn comes; until then it is nobody's.
    begun.catch(() => undefined);
    underWay.push(begun);
  };
  try {
    for (let count = 0; count < atATime; count++) begin();
    for (let first = underWay.shift(); first; first = underWay.shift()) {
      const result = await first;
      begin();
      yield result;
    }
  } finally {
    await Promise.allSettled(underWay);
  }
}
