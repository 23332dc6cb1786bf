import { join } from 'node:path';
import process from 'node:process';
import { expect, test } from 'vitest';
import { RUN, sharedFixture } from '../../test/sim/shared-fixture.ts';
import { ActionableError, systemClock } from '../base/index.ts';
import type { ParentLink } from '../process/index.ts';
import { AlikeCalls } from '../targets/index.ts';
import { type OpenedRun, serveSession } from './session-child.ts';
import type { FromSession, SessionBegin, ToSession } from './session-messages.ts';
import { SessionProcess } from './session-process.ts';
import { sampleJob } from './shared-keys.ts';
import type { LeaseBegun } from './shared-records.ts';

const JOBS = [sampleJob(0), sampleJob(1)];

function leaseOf(job: LeaseBegun['job']): LeaseBegun {
  const about = { format: 'holdfast-lease', version: 1, run: RUN } as const;
  return { ...about, job, n: 1, round: 1, worker: 'a', writer: 'w', at: '' };
}

function beginOf(): SessionBegin {
  const { submission } = sharedFixture();
  return { submission, bucket: 'memory', prefix: '', stateDir: '', artifactsDir: '' };
}

/** A session as the worker that started it hears it. */
function session(run: Pick<OpenedRun, 'work' | 'failure'>) {
  const said: FromSession[] = [];
  let hear: (message: unknown) => void = () => undefined;
  const link: ParentLink = {
    gone: new AbortController().signal,
    send: (message) => void said.push(message as FromSession),
    onMessage: (listener) => {
      hear = listener;
    },
    close: () => undefined,
  };
  const opened = {
    ...{ writer: 'w', sampleOf: () => undefined },
    tellBudget: () => undefined,
    close: async () => undefined,
    ...run,
  };
  const served = serveSession(link, async () => opened);
  const tell = (message: ToSession) => hear(message);
  tell({ kind: 'begin', ...beginOf() });
  return { said, served, tell };
}

const full = new ActionableError({ code: 'E_DISK_FULL', message: 'the disk is full.', hint: 'make room' });

test('[SHR-8] jobs of a session whose journal failed are returned, all of them, and the session ends', async () => {
  let failure: unknown;
  const run = session({
    failure: () => failure,
    async work({ job }, { signal }) {
      if (job === 's1') await systemClock.sleep(60_000, signal).catch(() => undefined);
      failure = full;
      throw new Error('it was interrupted');
    },
  });
  for (const [id, job] of JOBS.entries()) run.tell({ kind: 'work', id, lease: leaseOf(job), earlier: [] });
  await run.served;
  expect(run.said.filter(({ kind }) => kind === 'failed')).toEqual([]);
  expect(run.said[1]).toMatchObject({ kind: 'broken', error: { code: 'E_DISK_FULL' } });
  for (const id of [0, 1])
    expect(run.said).toContainEqual({
      ...{ kind: 'worked', id },
      result: { status: 'returned', reason: 'the disk is full.' },
    });
});

test('[SHR-8] a build that meets a full disk is returned as well; what fails otherwise is told as it is', async () => {
  const errors = [new Error('a bug'), full];
  const run = session({ failure: () => undefined, work: () => Promise.reject(errors.shift()) });
  run.tell({ kind: 'work', id: 0, lease: leaseOf(sampleJob(0)), earlier: [] });
  await systemClock.sleep(20);
  expect(run.said.at(-1)).toMatchObject({ kind: 'failed', id: 0, error: { message: 'a bug' } });
  run.tell({ kind: 'work', id: 1, lease: leaseOf(sampleJob(1)), earlier: [] });
  await run.served;
  expect(run.said.at(-1)).toMatchObject({ kind: 'worked', id: 1, result: { status: 'returned' } });
});

async function opens(program: string, calls?: AlikeCalls, onLine: (line: string) => void = () => undefined) {
  const opened = await SessionProcess.open({
    argv: [
      join(import.meta.dirname, '../../test/sim', program.split(' ')[0] ?? ''),
      ...program.split(' ').slice(1),
    ],
    ...{ cwd: process.cwd(), env: process.env, place: sharedFixture().place, clock: systemClock },
    ...{ begin: beginOf(), onLine, calls },
  });
  const { signal } = new AbortController();
  return { opened, work: (job: LeaseBegun['job']) => opened.work(leaseOf(job), { earlier: [], signal }) };
}

const opensBroken = () => opens('broken-session.ts');

const RETURNED = { status: 'returned', reason: 'the disk is full' };

test('[SHR-8] a session that broke is handed nothing more, and what it was handed meanwhile is returned', async () => {
  const { opened, work } = await opensBroken();
  expect(await work(sampleJob(0))).toEqual(RETURNED);
  expect(opened).toMatchObject({ isGone: true, failure: { code: 'E_DISK_FULL' } });
  expect(await work(sampleJob(1))).toEqual(RETURNED);
  await opened.close();
});

test('[SHR-8] what a session that broke leaves behind without a word is returned', async () => {
  const { opened, work } = await opensBroken();
  expect(await Promise.all([work(sampleJob(1)), work(sampleJob(2))])).toEqual([RETURNED, RETURNED]);
  await opened.close();
});

test('[SHR-22] calls that fail alike are counted over all processes of a worker: at the tenth what is under way in any of them is returned', async () => {
  const calls = new AlikeCalls();
  const [one, other] = [await opens('deaf-session.ts', calls), await opens('deaf-session.ts', calls)];
  const underWay = other.work(sampleJob(99));
  // Nine here and one there: none of both processes has ten of its own.
  for (let position = 0; position < 9; position++) await one.work(sampleJob(position));
  expect(await underWay).toEqual({ status: 'returned', reason: expect.stringContaining('HTTP 401') });
  for (const { opened, work } of [one, other]) {
    expect(opened.gaveUp).toMatchObject({ code: 'E_CALLS_FAIL' });
    expect(await work(sampleJob(10))).toMatchObject({ status: 'returned' });
    await opened.close();
  }
});

test('[SHR-22] where any process of a worker had an answer, ten calls that fail alike in another end nothing', async () => {
  const calls = new AlikeCalls();
  calls.hear({ answered: 'openai/x', isModel: true });
  const { opened, work } = await opens('deaf-session.ts', calls);
  for (let position = 0; position < 12; position++)
    expect(await work(sampleJob(position))).toEqual({ status: 'errored' });
  expect(opened.gaveUp).toBeUndefined();
  await opened.close();
});

test('[EVI-5] whatever a session tells is redacted as its eval wants it, also before it is open', async () => {
  const lines: string[] = [];
  const { opened, work } = await opens('telling-session.ts', new AlikeCalls(), (line) => lines.push(line));
  const refused = { message: 'no: [redacted]', hint: 'ask for [redacted]' };
  await expect(work(sampleJob(0))).rejects.toMatchObject(refused);
  expect(await work(sampleJob(1))).toEqual({ status: 'errored', reason: '[redacted]' });
  expect(lines).toEqual(['it begins with [redacted]']);
  expect(String(opened.gaveUp)).toMatch(/no key \[redacted\]$/);
  await opened.close();
  await expect(opens('telling-session.ts refuse')).rejects.toMatchObject(refused);
});
