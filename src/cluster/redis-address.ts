import { UsageError } from '../base/index.ts';

/** What a `redis://…` address says. */
export interface RedisAddress {
  /** What people are told: without user and password. */
  readonly shown: string;
  readonly host: string;
  readonly port: number;
  readonly db: number;
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly isTls: boolean;
  /** What all keys begin with. */
  readonly prefix: string;
}

const PORT = 6379;
const PREFIX = 'holdfast';

/** True for an address of this kind, also for one that is written wrongly. */
export function isRedisUrl(text: string): boolean {
  return /^rediss?:/i.test(text);
}

/** `redis://[user:password@]host[:port][/db][?prefix=…]`, with TLS as `rediss://`. */
export function parseRedisAddress(given: string): RedisAddress {
  const url = URL.parse(given);
  if (!url || !/^rediss?:$/.test(url.protocol)) throw wrongAddress(given, 'it cannot be read as one');
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (host === '') throw wrongAddress(given, 'it names no host');
  const [, db = '0'] = /^\/(\d{1,5})$/.exec(url.pathname) ?? (url.pathname.length > 1 ? ['', 'none'] : []);
  if (db === 'none') throw wrongAddress(given, 'what follows the host must be the number of a database');
  const unknown = [...url.searchParams.keys()].filter((name) => name !== 'prefix');
  if (unknown.length > 0 || url.hash !== '') throw wrongAddress(given, 'only "?prefix=…" may follow');
  const prefix = url.searchParams.get('prefix') ?? PREFIX;
  if (!/^[\w-]{1,64}$/.test(prefix))
    throw wrongAddress(given, 'its prefix must be letters, digits, "_" and "-"');
  const port = url.port === '' ? PORT : Number(url.port);
  const place = `${url.protocol}//${url.hostname}:${port}/${Number(db)}`;
  return {
    shown: prefix === PREFIX ? place : `${place}?prefix=${prefix}`,
    host,
    port,
    db: Number(db),
    username: decoded(url.username, given),
    password: decoded(url.password, given),
    isTls: url.protocol === 'rediss:',
    prefix,
  };
}

function decoded(text: string, given: string): string | undefined {
  try {
    return text === '' ? undefined : decodeURIComponent(text);
  } catch {
    // A "%" that begins nothing.
    throw wrongAddress(given, 'its user or password is not percent-encoded');
  }
}

/** A password in it is not said again, wherever it ends. */
function wrongAddress(given: string, why: string): UsageError {
  return new UsageError({
    code: 'E_QUEUE_URL',
    message: `${given.replace(/\/\/.*@/s, '//…@')} is not the address of a queue: ${why}.`,
    hint: 'Write redis://[user:password@]host[:port][/database], or rediss://… with TLS; a password is percent-encoded.',
  });
}
