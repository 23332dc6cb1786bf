/**
 * What stands after the question mark, as plain words: `?q=eval:swe*&sort=-start`. Only texts; what is empty is left out. Each page
 * has a schema for it, which has a default for everything, so that any address opens.
 */
export function parseSearch(text: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(text));
}

export function stringifySearch(search: Readonly<Record<string, unknown>>): string {
  const params = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    if (value !== undefined && value !== null && value !== '') params.set(key, String(value));
  }
  // These are read by people, and none of them means anything to a query.
  const text = params.toString().replace(/%(3A|2C|2F|40|2A|3C|3E)/g, (code) => decodeURIComponent(code));
  return text === '' ? '' : `?${text}`;
}
