import { describe, expect, test } from 'vitest';
import { type Access, type Asker, checkAsker, cookieName, hasToken } from './access.ts';

const PORT = 4400;
const OWN: Access = {
  hosts: new Set([`127.0.0.1:${PORT}`, `localhost:${PORT}`]),
  token: 'secret',
  isTokenForAll: false,
};

function asker(more: Partial<Asker> = {}): Asker {
  const none = { origin: undefined, fetchSite: undefined, authorization: undefined, cookie: undefined };
  return { method: 'GET', host: `127.0.0.1:${PORT}`, ...none, ...more };
}

describe('who may ask', () => {
  test('a name that leads to this machine but is not ours is refused: pages elsewhere can have such names', () => {
    expect(() => checkAsker(asker(), OWN)).not.toThrow();
    expect(() => checkAsker(asker({ host: `LOCALHOST:${PORT}` }), OWN)).not.toThrow();
    for (const host of [
      'evil.test',
      `evil.test:${PORT}`,
      '127.0.0.1',
      `127.0.0.1:${PORT + 1}`,
      '',
      undefined,
    ])
      expect(() => checkAsker(asker({ host }), OWN), String(host)).toThrow(
        expect.objectContaining({ code: 'E_STUDIO_HOST' }),
      );
  });

  test('pages of other origins are refused, also by their own word', () => {
    expect(() => checkAsker(asker({ origin: `http://127.0.0.1:${PORT}` }), OWN)).not.toThrow();
    for (const origin of [
      'http://evil.test',
      'null',
      `http://localhost:${PORT}`,
      `http://127.0.0.1:${PORT + 1}`,
    ])
      expect(() => checkAsker(asker({ origin }), OWN), origin).toThrow(
        expect.objectContaining({ code: 'E_STUDIO_ORIGIN' }),
      );
    expect(() => checkAsker(asker({ method: 'POST', fetchSite: 'cross-site' }), OWN)).toThrow(
      expect.objectContaining({ code: 'E_STUDIO_ORIGIN' }),
    );
  });

  test('a link from another site may be followed', () => {
    expect(() => checkAsker(asker({ fetchSite: 'cross-site' }), OWN)).not.toThrow();
  });
});

describe('the token', () => {
  test('is taken from the header or from the cookie of this port', () => {
    expect(hasToken(asker({ authorization: 'Bearer secret' }), OWN, PORT)).toBe(true);
    expect(hasToken(asker({ cookie: `a=b; ${cookieName(PORT)}=secret` }), OWN, PORT)).toBe(true);
  });

  test('is not another one, none, or that of another port', () => {
    for (const given of [
      {},
      { authorization: 'Bearer secre' },
      { authorization: 'secret' },
      { authorization: 'Bearer ' },
      { cookie: `${cookieName(PORT)}=` },
      { cookie: `${cookieName(PORT + 1)}=secret` },
      // A wrong header is not made good by a right cookie.
      { authorization: 'Bearer wrong', cookie: `${cookieName(PORT)}=secret` },
    ])
      expect(hasToken(asker(given), OWN, PORT), JSON.stringify(given)).toBe(false);
  });
});
