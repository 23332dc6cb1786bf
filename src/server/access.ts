import { timingSafeEqual } from 'node:crypto';
import { ActionableError, digestOf } from '../base/index.ts';

/** Who may ask. */
export interface Access {
  /** The names under which the server may be addressed, with the port; undefined: any. */
  readonly hosts: ReadonlySet<string> | undefined;
  readonly token: string;
  /** Whether also reading needs the token: always when others than this machine can connect. */
  readonly isTokenForAll: boolean;
}

/** What of a request decides that. */
export interface Asker {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  /** `cross-site` when a page of somebody else asks, as browsers say. */
  readonly fetchSite: string | undefined;
  readonly authorization: string | undefined;
  readonly cookie: string | undefined;
}

/** Browsers keep cookies by host and not by port: each Studio of a machine has its own. */
export function cookieName(port: number): string {
  return `holdfast-token-${port}`;
}

/**
 * Refuses what no page of ours asks for. A page elsewhere may send requests here from the user's own browser: by a name that
 * leads to this machine (then `Host` is not ours), or across origins (then `Origin` is not).
 */
export function checkAsker(asker: Asker, access: Access): void {
  const { host, origin, fetchSite } = asker;
  if (access.hosts && (host === undefined || !access.hosts.has(host.toLowerCase())))
    throw refused('E_STUDIO_HOST', `This Studio is not served under the name ${quoted(host)}.`);
  const isForeign =
    origin !== undefined && origin.replace(/^https?:\/\//, '').toLowerCase() !== host?.toLowerCase();
  if (isForeign || (fetchSite === 'cross-site' && asker.method !== 'GET'))
    throw refused(
      'E_STUDIO_ORIGIN',
      `A page of ${quoted(origin ?? 'another site')} may not ask this Studio.`,
    );
}

/** Whether the token was shown, in the header or in the cookie that the first address sets. */
export function hasToken({ authorization, cookie }: Asker, { token }: Access, port: number): boolean {
  const bearer = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1];
  if (bearer !== undefined) return isSame(bearer, token);
  for (const pair of (cookie ?? '').split(';')) {
    const [name, value] = pair.trim().split('=', 2);
    if (name === cookieName(port) && value !== undefined) return isSame(value, token);
  }
  return false;
}

export function needToken(): ActionableError {
  return new ActionableError({
    code: 'E_STUDIO_TOKEN',
    message: 'This needs the token of the Studio.',
    hint: 'Open the address that "holdfast studio" printed, with the token at its end.',
  });
}

/** By their digests, which are equally long: how long it takes tells nothing of the token. */
export function isSame(given: string, token: string): boolean {
  return timingSafeEqual(Buffer.from(digestOf(given)), Buffer.from(digestOf(token)));
}

function refused(code: `E_${string}`, message: string): ActionableError {
  return new ActionableError({
    code,
    message,
    hint: 'Open the address that "holdfast studio" printed, or name another with --host.',
  });
}

function quoted(text: string | undefined): string {
  return JSON.stringify((text ?? '').slice(0, 100));
}
