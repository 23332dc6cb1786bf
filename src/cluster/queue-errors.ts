import { ActionableError, errnoOf, messageOf, UsageError } from '../base/index.ts';
import type { RedisAddress } from './redis-address.ts';

/** What Redis says while it starts, fails over or is being moved: the first word of an error is its code. */
const AWAY: ReadonlySet<string> = new Set([
  'LOADING',
  'MASTERDOWN',
  'CLUSTERDOWN',
  'TRYAGAIN',
  'BUSY',
  'READONLY',
  'NOREPLICAS',
  'UNBLOCKED',
]);
const DENIED: ReadonlySet<string> = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM']);
/** How Node names what is wrong with a certificate: no second try mends it. */
const CERTIFICATE = /CERT|SIGNATURE|^ERR_(TLS|SSL)|^EPROTO$/;

/**
 * The errors of a queue. None carries the error of the client as its cause: that one has the command in it that failed, which may be the one
 * with the password.
 */
export const queueErrors = {
  away: ({ shown }: RedisAddress, why: string) =>
    new ActionableError({
      code: 'E_QUEUE_AWAY',
      message: `${shown} does not answer: ${why}.`,
      hint: 'It may be back soon: try again, and check the address and the network if it is not. Nothing is lost with it.',
      retryable: true,
    }),
  denied: ({ shown, password }: RedisAddress, why: string) =>
    new ActionableError({
      code: 'E_QUEUE_DENIED',
      message: `${shown} does not let us in: ${why}.`,
      hint:
        password === undefined
          ? 'Name user and password in the address, redis://user:password@host, as the settings of that server want them.'
          : 'Check user and password of the address, and what they may do there.',
    }),
  refused: ({ shown }: RedisAddress, why: string) =>
    new ActionableError({
      code: 'E_QUEUE_REFUSED',
      message: `${shown} cannot be used: ${why}.`,
      hint: 'Use a Redis (or Valkey) of version 6.2 or later with memory to spare, and a database that it has.',
    }),
  untrusted: ({ shown }: RedisAddress, why: string) =>
    new ActionableError({
      code: 'E_QUEUE_REFUSED',
      message: `${shown} cannot be trusted: ${why}.`,
      hint: 'Name the certificate that signed its own in NODE_EXTRA_CA_CERTS, and the host as its certificate does.',
    }),
  otherVersion: ({ shown }: RedisAddress, { own, other }: { readonly own: string; readonly other: string }) =>
    new UsageError({
      code: 'E_QUEUE_VERSION',
      message: `${shown} holds jobs of version ${other} of shared runs; this program has version ${own}.`,
      hint: 'Use the same version of Holdfast on all machines, let those runs end, or name another prefix with "?prefix=…".',
    }),
  noClient: ({ shown }: RedisAddress, cause: unknown) =>
    new UsageError({
      code: 'E_QUEUE_CLIENT',
      message: `${shown} needs the packages bullmq and ioredis, which are not both installed.`,
      hint: 'Install them beside Holdfast: npm install bullmq ioredis',
      cause,
    }),
};

/** What callers of a queue are told of an error that its client threw. */
export function explainQueueError(error: unknown, address: RedisAddress): ActionableError {
  if (error instanceof ActionableError) return error;
  const reply = replyOf(error);
  const why = plainly(reply ?? error, address);
  if (reply === undefined && CERTIFICATE.test(errnoOf(error) ?? ''))
    return queueErrors.untrusted(address, why);
  if (reply === undefined) return queueErrors.away(address, why);
  const code = /^[A-Z]+/.exec(reply.message)?.[0] ?? '';
  if (AWAY.has(code)) return queueErrors.away(address, why);
  return DENIED.has(code) ? queueErrors.denied(address, why) : queueErrors.refused(address, why);
}

/** What the server itself said, if anything; of a transaction, why it was not begun. */
export function replyOf(error: unknown): Error | undefined {
  if (!(error instanceof Error) || error.name !== 'ReplyError') return undefined;
  const previous: unknown = Reflect.get(error, 'previousErrors');
  const [first]: unknown[] = Array.isArray(previous) ? previous : [];
  return first instanceof Error ? first : error;
}

/** A server may say a password again. */
export function plainly(error: unknown, { password }: RedisAddress): string {
  const text = messageOf(error).replace(/[.\s]+$/, '');
  return password === undefined ? text : text.replaceAll(password, '…');
}
