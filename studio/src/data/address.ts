import { pinName, ROUTES, type RouteName } from '../../../src/server/api.ts';
import { segmentOf } from '../../../src/views/index.ts';

/** Where a route is answered, with its parameters in place. What is absent or empty is left out; the commit stands at the end. */
export function addressOf(
  name: RouteName,
  params: Readonly<Record<string, string | number>>,
  query: object,
  pin?: string,
): string {
  const path = ROUTES[name].path.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(segmentOf(String(params[key] ?? ''))),
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(key, String(value));
  }
  if (pin !== undefined) search.set(pinName(ROUTES[name]), pin);
  return search.size === 0 ? path : `${path}?${search}`;
}
