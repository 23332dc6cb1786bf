/**
 * What was asked, as one text: the route, the parts of its address, and what comes after the question mark. What is absent or empty is
 * left out, and in whatever order it was given it is the same text.
 */
export function questionOf(route: string, params: readonly (string | number)[], query: object): string {
  const asked = Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([key, value]) => [key, String(value)] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return JSON.stringify([route, params.map(String), ...asked]);
}
