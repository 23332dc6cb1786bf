/** A URL as it may be shown: `https://user:secret@host/x` without the secret. */
export function withoutPassword(url: string): string {
  return url.replace(/^([a-z][\w+.-]*:\/\/)([^/@]*)@/i, (_, scheme: string, user: string) =>
    user.includes(':') || scheme.startsWith('http') ? `${scheme}…@` : `${scheme}${user}@`,
  );
}
