import { ROUTES, type RouteName } from '../../../src/server/api.ts';

/** Where a route is answered, with its parameters in place. What is absent or empty is left out. */
export function addressOf(
  name: RouteName,
  params: Readonly<Record<string, string | number>>,
  query: object,
): string {
  const path = ROUTES[name].path.replace(/:(\w+)/g, (_, key: string) =>
    encodeURIComponent(String(params[key] ?? '')),
  );
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') search.set(key, String(value));
  }
  return search.size === 0 ? path : `${path}?${search}`;
}
