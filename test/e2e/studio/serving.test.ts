/** The server as programs meet it: who may ask, what is answered twice, and what is not there. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { nodeDisk } from '../../../src/disk/index.ts';
import { ROUTES, type Route } from '../../../src/server/api.ts';
import { Assets } from '../../../src/server/index.ts';
import { makeStudioStore, type StudioStore } from '../../sim/studio/store.ts';
import { makeTempDir, type TempDir } from '../../sim/temp-dir.ts';
import { serveTestStudio, type TestStudio } from './served.ts';

let dir: TempDir;
let store: StudioStore;
let studio: TestStudio;

beforeAll(async () => {
  dir = await makeTempDir();
  store = await makeStudioStore(join(dir.path, 'project'), { rounds: 2 });
  studio = await serveTestStudio({ places: [store.dir], logDirs: [join(store.dir, 'logs')] });
});

afterAll(async () => {
  await studio[Symbol.asyncDispose]();
  await dir[Symbol.asyncDispose]();
});

interface Answered {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Not `fetch`: it neither lets one lie about the host, nor ask for a path as it stands. */
function ask(
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
  body?: string,
): Promise<Answered> {
  const { hostname, port } = new URL(studio.url);
  return new Promise((resolve, reject) => {
    const asked = request({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString('utf8'),
        }),
      );
    });
    asked.on('error', reject);
    asked.end(body);
  });
}

const codeOf = ({ body }: Answered): unknown => JSON.parse(body).error.code;

describe('who may ask', () => {
  test('another name for this machine is refused, also for files', async () => {
    for (const path of ['/', '/api/runs', '/assets/nothing.js', '/openapi.json']) {
      const answered = await ask(path, { host: 'evil.test' });
      expect(answered.status, path).toBe(403);
      expect(codeOf(answered), path).toBe('E_STUDIO_HOST');
    }
  });

  test('a page of another origin is refused', async () => {
    expect(codeOf(await ask('/api/runs', { origin: 'http://evil.test' }))).toBe('E_STUDIO_ORIGIN');
  });

  test('writing needs the token, whatever is written', async () => {
    const json = { 'content-type': 'application/json' };
    const answered = await ask(
      '/api/notes',
      json,
      'POST',
      JSON.stringify({ kind: 'tag', runs: ['x'], tag: 't' }),
    );
    expect(answered.status).toBe(401);
    expect(codeOf(answered)).toBe('E_STUDIO_TOKEN');
  });

  test('it is asked by GET and HEAD, and told by POST', async () => {
    for (const method of ['DELETE', 'PUT', 'OPTIONS', 'PATCH']) {
      const answered = await ask('/api/runs', {}, method);
      expect([answered.status, codeOf(answered), answered.headers.allow]).toEqual([
        405,
        'E_STUDIO_METHOD',
        'GET, HEAD, POST',
      ]);
    }
    expect((await ask('/api/runs', {}, 'HEAD')).status).toBe(200);
  });

  test('a body of more than a megabyte is refused before it is read', async () => {
    const { hostname, port, searchParams } = new URL(studio.urlWithToken);
    const headers = {
      'content-type': 'application/json',
      'content-length': '300000000',
      authorization: `Bearer ${searchParams.get('token')}`,
    };
    const asked = request({ hostname, port, path: '/api/notes', method: 'POST', headers });
    asked.on('error', () => undefined); // it is cut off below
    asked.write('{"kind":"note",');
    const [response] = (await once(asked, 'response')) as [IncomingMessage];
    const said = (await response.toArray()).join('');
    asked.destroy();
    expect([response.statusCode, said]).toEqual([400, expect.stringContaining('larger than 1 MB')]);
  });

  test('the token never leads to another host', async () => {
    const token = new URL(studio.urlWithToken).searchParams.get('token') ?? '';
    expect((await ask(`//evil.test/?token=${token}`)).headers.location).toBe('/evil.test/');
  });

  test('the printed address gives the token to the browser, and takes it out of sight', async () => {
    const { pathname, search } = new URL(studio.urlWithToken);
    const entered = await ask(pathname + search);
    expect(entered.status).toBe(303);
    expect(entered.headers.location).toBe('/');
    const cookie = String(entered.headers['set-cookie']);
    expect(cookie).toContain('HttpOnly');
    expect(cookie).toContain('SameSite=Strict');
    const about = await ask('/api/about', { cookie: cookie.split(';')[0] ?? '' });
    expect(JSON.parse(about.body)).toMatchObject({ canWrite: true });
    expect(JSON.parse((await ask('/api/about')).body)).toMatchObject({
      canWrite: false,
      whyNot: expect.stringContaining('token'),
    });
    expect((await ask('/?token=wrong')).status).toBe(401);
  });

  test('people are told in words what programs are told in JSON', async () => {
    for (const path of ['/nowhere', '/?token=wrong']) {
      const answered = await ask(path, { accept: 'text/html,*/*' });
      expect(answered.headers['content-type']).toMatch(/^text\/html/);
      expect(answered.body).toContain('<h1>');
    }
    const hostile = await ask('/<img src=x onerror=alert(1)>'.replaceAll(' ', '%20'), {
      accept: 'text/html',
    });
    expect(hostile.body).not.toContain('<img');
  });

  test('what a page may do is said on every answer, refusals too', async () => {
    for (const answered of [
      await ask('/'),
      await ask('/api/runs'),
      await ask('/api/none'),
      await ask('/', { host: 'x' }),
    ]) {
      expect(answered.headers['content-security-policy']).toContain("default-src 'self'");
      expect(answered.headers['x-content-type-options']).toBe('nosniff');
    }
  });
});

describe('where it listens', () => {
  test('a port that is taken is told, with what to do', async () => {
    const port = Number(new URL(studio.url).port);
    await expect(serveTestStudio({ places: [store.dir], port })).rejects.toMatchObject({
      code: 'E_STUDIO_PORT',
      message: expect.stringContaining(String(port)),
    });
  });

  test('on another address than this machine’s usual one everything needs the token', async () => {
    await using other = await serveTestStudio({ places: [store.dir], host: '127.0.0.2' });
    for (const path of ['/', '/api/runs', '/theme.js', '/api/live'])
      expect((await fetch(other.url + path)).status, path).toBe(401);
    const token = new URL(other.urlWithToken).searchParams.get('token');
    const allowed = await fetch(`${other.url}/api/runs`, { headers: { authorization: `Bearer ${token}` } });
    expect(allowed.status).toBe(200);
  });

  test('an app that was not built is told', async () => {
    await expect(Assets.open(nodeDisk, join(dir.path, 'nothing'))).rejects.toMatchObject({
      code: 'E_STUDIO_NOT_BUILT',
    });
  });
});

describe('what is not there', () => {
  test('an address that leads nowhere says where to begin', async () => {
    const answered = await ask('/nowhere');
    expect(answered.status).toBe(404);
    expect(codeOf(answered)).toBe('E_STUDIO_NO_PAGE');
  });

  test('no path of a client leads to a file', async () => {
    for (const path of [
      '/../package.json',
      '/assets/../../package.json',
      '/assets/..%2f..%2fpackage.json',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/assets/',
      '/assets',
      '//etc/passwd',
      '/api/runs/..%2f..%2fetc%2fpasswd',
    ]) {
      const answered = await ask(path);
      expect([400, 404], path).toContain(answered.status);
      expect(codeOf(answered), path).toMatch(/^E_(STUDIO_NO_PAGE|RUN_)/);
    }
  });

  test('a wrong question names what is wrong', async () => {
    const answered = await ask('/api/runs?limit=many');
    expect(answered.status).toBe(400);
    expect(codeOf(answered)).toBe('E_STUDIO_QUESTION');
    expect(answered.body).toContain('limit');
  });
});

describe('answers', () => {
  test('every page answers JSON at its own address, the same as its route', async () => {
    const json = { accept: 'application/json' };
    const page = await ask('/runs?q=eval%3Acapitals&sort=-cost', json);
    const route = await ask('/api/runs?q=eval%3Acapitals&sort=-cost');
    expect(JSON.parse(page.body)).toEqual(JSON.parse(route.body));
    expect(JSON.parse(page.body).command).toContain('holdfast results list');
    const html = await ask('/runs', { accept: 'text/html,application/json' });
    expect(html.headers['content-type']).toContain('text/html');
    const pages = Object.values<Route>(ROUTES).flatMap(({ page: one }) => one ?? []);
    expect(pages.length).toBeGreaterThan(10);
  });

  test('what a page shows besides stands in the same document, filtered and sorted as its address says', async () => {
    const json = { accept: 'application/json' };
    const read = async (path: string) => JSON.parse((await ask(path, json)).body);
    const [newest = '', older = ''] = store.runs.filter((run) => run.includes('T090000')).toReversed();
    const query = 'q=score%3Afail&sort=-cost';
    const { samples, ...run } = await read(`/runs/${newest}?${query}`);
    expect(run).toEqual(await read(`/api/runs/${newest}`));
    expect(samples).toEqual(await read(`/api/runs/${newest}/samples?${query}`));
    expect(samples.total).toBeGreaterThan(0);
    expect(await read(`/runs/${newest}/cost`)).toEqual(await read(`/runs/${newest}`));
    const compared = await read(`/compare?runs=${older},${newest}&q=django`);
    const rows = await read(`/api/compare/samples?runs=${older},${newest}&q=django`);
    expect(compared.samples).toEqual(rows);
    const sample = await read(`/runs/${newest}/s/django-4000/1`);
    expect(sample.messages).toEqual(await read(`/api/runs/${newest}/samples/django-4000/1/messages`));
    const tag = String((await ask(`/runs/${newest}`, json)).headers.etag);
    expect(tag).toMatch(/^"/);
    expect((await ask(`/runs/${newest}`, { ...json, 'if-none-match': tag })).status).toBe(304);
  });

  test('whoever has an answer is not sent it again', async () => {
    await ask('/api/runs');
    const first = await ask('/api/runs');
    const tag = String(first.headers.etag);
    expect(tag).toMatch(/^"/);
    const again = await ask('/api/runs', { 'if-none-match': tag });
    expect(again.status).toBe(304);
    expect(again.body).toBe('');
    expect((await ask('/api/runs?limit=1', { 'if-none-match': tag })).status).toBe(200);
  });

  test('long answers are compressed for who takes that', async () => {
    const plain = await ask('/api/runs');
    const small = await ask('/api/runs', { 'accept-encoding': 'gzip' });
    expect(small.headers['content-encoding']).toBe('gzip');
    expect(Number(small.headers['content-length'])).toBeLessThan(plain.body.length / 3);
  });

  test('the routes are described for programs', async () => {
    const { paths } = JSON.parse((await ask('/openapi.json')).body);
    expect(Object.keys(paths)).toContain('/api/runs/{run}/samples/{sample}/{epoch}');
    expect(paths['/api/runs'].get.parameters.map(({ name }: { name: string }) => name)).toContain('q');
    expect(Object.keys(paths)).toHaveLength(
      new Set(Object.values<Route>(ROUTES).map(({ path }) => path)).size,
    );
  });
});
