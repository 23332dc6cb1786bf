import { describe, expect, test } from 'vitest';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { type Handlers, studioApp } from './app.ts';
import { Assets } from './assets.ts';
import { createStudio } from './create-studio.ts';
import { handlers } from './handlers.ts';

/** What the server makes of handlers that fail. */
async function appWith(failing: Partial<Handlers>) {
  const bugs: unknown[] = [];
  const studio = createStudio({ sources: [], clock: systemClock, random: systemRandom });
  const assets = await Assets.open(nodeDisk, new URL('../../studio', import.meta.url).pathname);
  const app = studioApp({
    studio,
    assets,
    handlers: { ...handlers, ...failing },
    access: { hosts: undefined, token: 'token', isTokenForAll: false },
    port: 1,
    onBug: (error) => bugs.push(error),
  });
  return { app, bugs, [Symbol.asyncDispose]: () => studio[Symbol.asyncDispose]() };
}

const at = (path: string) => `http://127.0.0.1:1${path}`;
const headers = { host: '127.0.0.1:1' };
const broken = new Error('broken');

describe('our own bugs', () => {
  test('are answered as that, and told to whoever serves', async () => {
    await using server = await appWith({ about: () => Promise.reject(broken) });
    const response = await server.app.request(at('/api/about'), { headers });
    expect([response.status, await response.json()]).toMatchObject([500, { error: { code: 'E_INTERNAL' } }]);
    expect(server.bugs).toEqual([broken]);
  });

  test('in the middle of an answer of lines are its last line, and told too', async () => {
    await using server = await appWith({
      // biome-ignore lint/correctness/useYield: it fails before it has anything to say
      search: async function* () {
        throw broken;
      },
    });
    const response = await server.app.request(at('/api/search?text=x'), { headers });
    expect(JSON.parse(await response.text())).toMatchObject({ error: { code: 'E_INTERNAL' } });
    expect(server.bugs).toEqual([broken]);
  });

  test('are none where the asker has left: what was read for them may be closed', async () => {
    const control = new AbortController();
    await using server = await appWith({
      about: async () => {
        control.abort();
        throw broken;
      },
    });
    await server.app.request(new Request(at('/api/about'), { headers, signal: control.signal }));
    expect(server.bugs).toEqual([]);
  });
});
