import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FixtureLog, fixtureEvent, fixtureFields } from '../../test/sim/log-fixture.ts';
import {
  git,
  initRepository,
  openResults,
  type ResultsRepo,
  runOfDay,
  writeRun,
} from '../../test/sim/results-repo.ts';
import { useTempDir } from '../../test/sim/use-temp-dir.ts';
import { withMethods } from '../../test/sim/with-methods.ts';
import { systemClock, systemRandom } from '../base/index.ts';
import { nodeDisk } from '../disk/index.ts';
import { type RunSource, resultsSource } from '../sources/index.ts';
import { type Handlers, studioApp } from './app.ts';
import { Assets } from './assets.ts';
import { createStudio } from './create-studio.ts';
import { handlers } from './handlers.ts';
import type { Studio } from './studio.ts';

const dir = useTempDir();
const RUN = runOfDay(1);
const SAMPLE = `/api/runs/${RUN}/samples/a/1`;
let repo: ResultsRepo;
let studio: Studio;
let bugs: unknown[];

beforeEach(async () => {
  initRepository(join(dir.path, 'repo'));
  bugs = [];
  repo = await openResults(join(dir.path, 'repo'));
  studio = studioOf();
});

afterEach(async () => {
  await studio[Symbol.asyncDispose]();
  expect(bugs).toEqual([]);
});

function studioOf(source: RunSource = resultsSource(repo.store)): Studio {
  const onBug = (error: unknown) => bugs.push(error);
  return createStudio({
    sources: [source],
    clock: systemClock,
    random: systemRandom,
    onBug,
  });
}

async function ask(path: string, init: RequestInit = {}, others: Partial<Handlers> = {}) {
  const app = studioApp({
    studio,
    handlers: { ...handlers, ...others },
    assets: await Assets.open(nodeDisk, new URL('../../studio', import.meta.url).pathname),
    access: { hosts: undefined, token: 'token', isTokenForAll: false },
    port: 1,
    onBug: (error) => bugs.push(error),
  });
  const headers = { host: '127.0.0.1:1', accept: 'application/json', authorization: 'Bearer token' };
  return app.request(`http://127.0.0.1:1${path}`, { ...init, headers: { ...headers, ...init.headers } });
}

async function json(path: string) {
  const response = await ask(path);
  return { status: response.status, body: JSON.parse(await response.text()) };
}

/** Publishes a run; gives the commit that did. */
async function publish(run: string, log: FixtureLog = {}): Promise<string> {
  await repo.publish(await writeRun(dir.path, run, log));
  await studio.index.whole(AbortSignal.timeout(10_000));
  await studio.index.lookAgain();
  return git(join(dir.path, 'repo'), 'rev-parse', 'holdfast/results');
}

/** A log of one sample: what it scored, and after which events the answer came. */
function scored(value: number, before: number, tag: string): FixtureLog {
  const events = Array.from({ length: before }, (_, n) => fixtureEvent({ event: 'info', data: `${n}` }));
  const answer = fixtureEvent({ event: 'info', data: 'the answer', uuid: 'answer' });
  return {
    header: { tags: [tag] },
    samples: [{ fields: fixtureFields('a', { scores: { exact: { value } } }), events: [...events, answer] }],
  };
}

describe('an address that names a commit', () => {
  test('shows what was there then, at every route and page, and the newest without it', async () => {
    const first = await publish(RUN);
    await publish(runOfDay(2));
    for (const path of ['/api/runs', '/runs']) {
      expect((await json(`${path}?at=${first}`)).body.runs.map(({ run }: { run: string }) => run)).toEqual([
        RUN,
      ]);
      expect((await json(path)).body.total).toBe(2);
    }
    expect((await json(`/api/evals?at=${first.slice(0, 7)}`)).body.evals).toMatchObject([{ runs: 1 }]);
    expect((await json('/api/evals')).body.evals).toMatchObject([{ runs: 2 }]);
  });

  test('says which commit, of when, and whether newer results exist, as they come', async () => {
    const commit = await publish(RUN);
    const pinned = async () => (await json(`/api/about?at=${commit}`)).body;
    expect((await json('/api/about')).body).toMatchObject({ commit, lasting: commit, canWrite: true });
    expect((await json('/api/about')).body.pinned).toBeUndefined();
    expect(await pinned()).toMatchObject({
      commit,
      canWrite: false,
      whyNot: 'These are the results as they were; open them as they are to write.',
      pinned: { commit, isNewest: true, whenMs: expect.any(Number) },
    });
    await publish(runOfDay(2));
    expect(await pinned()).toMatchObject({ commit, pinned: { isNewest: false } });
  });

  test('of a run that came later says that it is not there yet, and how to see it', async () => {
    const commit = await publish(RUN);
    await publish(runOfDay(2));
    expect(await json(`/api/runs/${runOfDay(2)}?at=${commit}`)).toEqual({
      status: 404,
      body: {
        error: {
          code: 'E_RUN_UNKNOWN',
          message: `Run ${runOfDay(2)} is not there yet at ${commit.slice(0, 7)}.`,
          hint: 'Show it in the newest results: at the same address without the commit.',
        },
      },
    });
    const nowhere = await json(`/api/runs/${runOfDay(3)}?at=${commit}`);
    expect(nowhere.body.error).toMatchObject({
      code: 'E_RUN_UNKNOWN',
      message: `No run has the id ${runOfDay(3)}.`,
    });
  });

  test('writes nothing', async () => {
    const commit = await publish(RUN);
    const body = JSON.stringify({ kind: 'tag', runs: [RUN], tag: 'x' });
    const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
    const response = await ask(`/api/notes?at=${commit}`, init);
    expect([response.status, await response.json()]).toMatchObject([
      400,
      { error: { code: 'E_RESULTS_PINNED' } },
    ]);
    const { body: review } = await json(`/api/review?at=${commit}`);
    expect(review).toMatchObject({
      canWrite: false,
      whyNot: expect.stringContaining('as they are to write'),
    });
    const { body: store } = await json(`/api/store?at=${commit}`);
    expect(store).toMatchObject({ commands: [], health: [{ is: 'good' }] });
    expect(git(join(dir.path, 'repo'), 'rev-parse', 'holdfast/results')).toBe(commit);
  });

  test('is refused where it is none: what is no commit, one that is not here, and a Studio without results', async () => {
    await publish(RUN);
    for (const at of ['', 'HEAD', 'abc', 'ABCDEF012', '../../etc'])
      expect((await json(`/api/runs?at=${at}`)).body.error, at).toMatchObject({ code: 'E_STUDIO_QUESTION' });
    expect(await json('/api/about?at=0123456789')).toMatchObject({
      status: 404,
      body: { error: { code: 'E_RESULTS_COMMIT', hint: expect.stringContaining('holdfast results sync') } },
    });
    await studio[Symbol.asyncDispose]();
    studio = createStudio({ sources: [], clock: systemClock, random: systemRandom });
    expect((await json('/api/about?at=0123456789')).body.error.code).toBe('E_RESULTS_COMMIT');
  });

  test('has answers of its own: what is known of one commit is not what is known of another', async () => {
    const first = await publish(RUN);
    await publish(runOfDay(2));
    const path = `/api/runs/${RUN}/header`;
    const tag = (await ask(`${path}?at=${first}`)).headers.get('etag') ?? '';
    const again = (at: string) => ask(`${path}${at}`, { headers: { 'if-none-match': tag } });
    expect([(await again(`?at=${first}`)).status, (await again('')).status]).toEqual([304, 200]);
  });

  test('is named by the description of the API, under another name where a route has an "at" of its own', async () => {
    const { body } = await json('/openapi.json');
    const names = (path: string) => body.paths[path].get.parameters.map(({ name }: { name: string }) => name);
    expect(names('/api/runs')).toContain('at');
    expect(names('/api/runs/{run}/samples/{sample}/{epoch}/text')).toEqual(
      expect.arrayContaining(['at', 'pin']),
    );
    expect(names('/api/live')).toEqual([]);
  });

  test('asks for pieces of texts by its other name', async () => {
    const long = 'x'.repeat(20_000);
    const events = [fixtureEvent({ event: 'info', data: long })];
    const commit = await publish(RUN, { samples: [{ fields: fixtureFields('a'), events }] });
    const { body } = await json(`${SAMPLE}/events/0?at=${commit}`);
    const place = encodeURIComponent(body.data.$cut.at);
    const { body: piece } = await json(`${SAMPLE}/text?at=${place}&pin=${commit}&length=100000`);
    expect(piece.text).toBe(long);
  });
});

test('a run that was scored anew shows its old scores under the old commit, and links to its events lead there in both', async () => {
  const before = await publish(RUN, scored(0, 2, 'first'));
  await publish(RUN, scored(1, 5, 'anew'));
  const scoreAt = async (at: string) => (await json(`${SAMPLE}${at}`)).body.scores[0].value;
  expect([await scoreAt(`?at=${before}`), await scoreAt('')]).toEqual([0, 1]);
  const eventAt = async (pin: string) => {
    const { body: place } = await json(`${SAMPLE}/place?uuid=answer${pin && `&${pin}`}`);
    const { body: event } = await json(`${SAMPLE}/events/${place.event}${pin && `?${pin}`}`);
    return [place.event, event.data];
  };
  expect([await eventAt(`at=${before}`), await eventAt('')]).toEqual([
    [2, 'the answer'],
    [5, 'the answer'],
  ]);
});

test('a list at a commit is whole when it is shown: nobody tells later that it has become so', async () => {
  await publish(runOfDay(1));
  const commit = await publish(runOfDay(2));
  await studio[Symbol.asyncDispose]();
  repo = await openResults(join(dir.path, 'repo'));
  const now = resultsSource(repo.store);
  const slowly = async (given: string) => {
    const then = await now.at?.(given);
    if (!then) throw new Error('results have commits');
    const changes: RunSource['changes'] = async (since) => {
      await systemClock.sleep(1_200);
      return (await then.changes?.(since)) ?? Promise.reject(new Error('results have changes'));
    };
    return withMethods(then, { changes });
  };
  studio = studioOf(withMethods(now, { at: slowly }));
  const [list, run] = await Promise.all([
    json(`/api/runs?at=${commit}`),
    json(`/api/runs/${runOfDay(2)}?at=${commit}`),
  ]);
  expect(list.body).toMatchObject({ total: 2, index: { isWhole: true } });
  expect(run.body.previous).toMatchObject({ run: runOfDay(1) });
});

test('what is read at a commit stays open until all of it is sent, the asker has left, or it failed', async () => {
  const commit = await publish(RUN);
  const now = studio;
  let users = 0;
  const at: Studio['at'] = async (given) => {
    const lease = await now.at?.(given);
    if (!lease) throw new Error('it can be pinned');
    users++;
    return {
      studio: lease.studio,
      [Symbol.dispose]: () => {
        users--;
        lease[Symbol.dispose]();
      },
    };
  };
  studio = { ...now, at };
  const search: Handlers['search'] = async function* () {
    for (let n = 0; n < 3; n++) yield { kind: 'progress', n } as never;
  };
  const path = `/api/search?text=x&at=${commit}`;
  const read = await ask(path, {}, { search });
  const left = await ask(path, {}, { search });
  expect(users).toBe(2);
  expect((await read.text()).trim().split('\n')).toHaveLength(3);
  expect(users).toBe(1);
  await left.body?.cancel();
  await json(`/api/runs?at=${commit}`);
  await json(`/api/runs?limit=none&at=${commit}`);
  await json(`/api/runs/nobody?at=${commit}`);
  expect(users).toBe(0);
  studio = now;
});
