/** What every command of shared runs prints with `--json`, in the states that matter, is what the page says: no field more, and no field less. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { onRedis, redisObstacle, useRedis } from '../sim/redis-server.ts';
import { type Ended, jsonOf, PROGRAM } from './holdfast.ts';
import { DOCUMENTS, FIELDS } from './shared-json.ts';
import { commitAll, type SharedProject, sharedProject, untilStored } from './shared-project.ts';

const redis = useRedis();
const PAGE = join(import.meta.dirname, '../../docs/format/shared-json.md');

/** Of the tables of the page, by heading: each field with when it is there, and whether it may be null. */
function fieldsOfPage(): Record<string, Record<string, string>> {
  const sections = readFileSync(PAGE, 'utf8').split(/^### /m).slice(1);
  const entries = sections.map((section) => {
    const rows = [...section.matchAll(/^\| `(\w+)` \| ([^|]*) \| ([^|]*) \|/gm)];
    const fields = rows.map(([, name = '', type = '', when = '']) => [name, saidOf(type, when)]);
    return [section.slice(0, section.indexOf('\n')), Object.fromEntries(fields)];
  });
  return Object.fromEntries(entries);
}

function saidOf(type: string, when: string): string {
  return `${when === 'always' ? 'always' : 'sometimes'}${type.endsWith('or null') ? ', or null' : ''}`;
}

function fieldsOfSchemas(): Record<string, Record<string, string>> {
  const said = (schema: z.ZodType) => {
    const [isOptional, isNullable] = [undefined, null].map((value) => schema.safeParse(value).success);
    return `${isOptional ? 'sometimes' : 'always'}${isNullable ? ', or null' : ''}`;
  };
  const entries = Object.entries(FIELDS).map(([heading, fields]) => [
    heading,
    Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, said(schema)])),
  ]);
  return Object.fromEntries(entries);
}

test('[JSN-2] [JSN-4] the page has every field that documents are parsed by, and no other', () => {
  expect(fieldsOfPage()).toEqual(fieldsOfSchemas());
});

/** The document of a command, which has no field that the page lacks, and lacks none. */
// biome-ignore lint/suspicious/noExplicitAny: tests look at a few keys of it.
function documentOf(name: keyof typeof DOCUMENTS, ended: Ended): any {
  const document = jsonOf(ended);
  checked(name, document);
  expect(document.exitCode).toBe(ended.code);
  return document;
}

function checked(name: keyof typeof DOCUMENTS, document: unknown): void {
  const parsed = DOCUMENTS[name].safeParse(document);
  if (!parsed.success)
    throw new Error(`${name}: ${z.prettifyError(parsed.error)}\n${JSON.stringify(document)}`);
}

/** Each command that looks at one run, and what it prints of it. */
async function lookAt(project: SharedProject, run: string) {
  const ask = async (
    name: 'runs list' | 'runs status' | 'runs logs' | 'runs cancel' | 'runs fetch' | 'runs wait',
    ...args: string[]
  ) => documentOf(name, await project.holdfast([...name.split(' '), ...args, '--json']));
  const list = await ask('runs list');
  const status = await ask('runs status', run.slice(0, -2));
  const logs = await ask('runs logs', run, '--sample', '0');
  expect([status.run, logs.run]).toEqual([run, run]);
  return { ask, list, status, logs };
}

const TROUBLED = `scorers: [includes(), function judge() { throw new Error('no judgement'); }],`;
const BUILT = `requires: () => defineArtifact({
    kind: 'words', key: 'all', version: 1, inputs: {},
    build: ({ dir }) => appendFileSync(dir + '/words.txt', 'words'),
  }),`;

describe.skipIf(redisObstacle !== undefined)(onRedis('documents of shared runs'), () => {
  test('[JSN-1] [JSN-3] queued, running, complete with a lost worker, a failed and a set-aside sample, cancelled, and damaged', {
    timeout: 300_000,
  }, async () => {
    await using project = await sharedProject({ samples: 4, queue: redis.url(), more: TROUBLED });
    const json = (...args: string[]) => project.holdfast([...args, '--json']);
    const inside = documentOf('bundle', await json('bundle'));
    expect(inside).toMatchObject({ since: null });
    const submitted = documentOf(
      'submit',
      await json('submit', 'shared.eval.ts', '--detach', '--lost-max', '2', '--budget', '10'),
    );
    const [{ run }] = submitted.runs;
    expect(submitted.runs).toMatchObject([{ state: 'queued', samples: 4, due: 4, bundle: inside.digest }]);
    expect((await lookAt(project, run)).status).toMatchObject({
      state: 'queued',
      workers: [],
      budgetUsd: 10,
    });
    const again = await json('submit', 'shared.eval.ts', '--detach', '--budget', '10');
    expect(documentOf('failure', again).error.code).toBe('E_SUBMITTED_ALREADY');

    project.hold(0);
    const worker = await project.worker(['--json'], { POISON: 'q1', THROWS: 'q2' });
    await untilStored(project, '.begun', 2);
    const { status: running, list } = await lookAt(project, run);
    expect(running).toMatchObject({ state: 'running', inFlight: [{ job: 's0', sample: { id: 's0' } }, {}] });
    expect(list).toMatchObject({ total: 1, runs: [{ run, state: 'running', workers: [{ state: 'live' }] }] });
    project.letGo();
    const { ask, ...complete } = await lookAt(
      project,
      documentOf('runs wait', await json('runs', 'wait', run)).run,
    );
    expect(complete.status).toMatchObject({
      state: 'complete',
      scorersFailed: { judge: 2 },
      lostLeases: expect.any(Number),
    });
    const followed = await json('runs', 'logs', run, '--follow');
    const lines = followed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    for (const line of lines) checked('runs logs --follow', line);
    expect(lines.map((line) => line.run)).toEqual(lines.map(() => run));
    const { home, ...fetched } = await ask('runs fetch', run);
    expect(home).toMatchObject({
      aside: [{ job: 's1' }],
      lostLeases: expect.arrayContaining([expect.objectContaining({ job: 's1' })]),
    });
    expect(fetched).toMatchObject({ run, log: home.log, scorerTroubles: [{ scorer: 'judge' }] });
    expect(await ask('runs cancel', run)).toMatchObject({ state: 'complete' });
    expect(documentOf('runs gc', await json('runs', 'gc', '--dry-run'))).toMatchObject({ isDryRun: true });
    worker.child.kill('SIGTERM');
    documentOf('worker', await worker.ended);

    const resumed = documentOf('submit', await json('runs', 'resume', run, '--detach'));
    expect(resumed.runs).toMatchObject([{ run, round: 2, due: 2 }]);
    await ask('runs cancel', run);
    expect((await lookAt(project, run)).status).toMatchObject({ cancelled: { by: expect.any(String) } });
    expect(await ask('runs wait', run)).toMatchObject({ exitCode: 6, run, end: 'cancelled' });
    expect(await ask('runs fetch', run)).toMatchObject({ exitCode: 4, run, home: { isComplete: false } });

    const shared = join(project.bucket, '.holdfast/shared', run, 'shared');
    writeFileSync(join(shared, 'leases/0000/s0.0001.ended'), '{');
    const damaged = [{ job: 's0', key: expect.any(String), problem: expect.any(String) }];
    const looked = await lookAt(project, run);
    expect(looked.status).toMatchObject({ exitCode: 3, damaged });
    expect(await ask('runs fetch', run)).toMatchObject({ exitCode: 3, home: { damaged } });
    expect(await ask('runs cancel', run)).toMatchObject({ exitCode: 3, damaged });
    writeFileSync(join(shared, 'submission'), '{');
    const unread = [{ run, state: 'unknown', problem: expect.any(String) }];
    expect(documentOf('runs list', await json('runs', 'list'))).toMatchObject({ exitCode: 3, runs: unread });
    expect(documentOf('failure', await json('runs', 'status', run)).exitCode).toBe(3);
    const kept = documentOf('runs gc', await json('runs', 'gc', '--older-than', '0d'));
    expect(kept.runs).toMatchObject([{ run, isRemoved: false, isDamaged: true }]);
    writeFileSync(join(project.path, 'more.txt'), 'more');
    commitAll(project.path);
    const since = { digest: inside.digest, changes: { files: { added: ['more.txt'] } } };
    expect(documentOf('bundle', await json('bundle'))).toMatchObject({ since });
  });

  test('[JSN-1] a run with an artifact that workers run which were launched for it, fetched, published, stopped and removed', {
    timeout: 180_000,
  }, async () => {
    await using project = await sharedProject({ samples: 2, queue: redis.url(), more: BUILT });
    const path = join(project.path, 'shared.eval.ts');
    const text = readFileSync(path, 'utf8').replace('{ defineEval', '{ defineArtifact, defineEval');
    writeFileSync(path, text);
    const here = {
      ...{ kind: 'command', workers: 1, slots: 2, program: `${process.execPath} ${PROGRAM}` },
      start: '( {command} --dir "$LEDGER.w" > "$LEDGER.out" 2>&1 & )',
      stop: "pkill -f -- '--label {label}'; true",
    };
    writeFileSync(join(project.path, 'holdfast.config.json'), JSON.stringify({ launch: { here } }));
    commitAll(project.path);
    const json = (...args: string[]) => project.holdfast([...args, '--json']);
    expect((await json('results', 'init')).code).toBe(0);
    const none = await json('submit', 'shared.eval.ts', '--launch', 'nowhere');
    expect(documentOf('failure', none).exitCode).toBe(2);
    const { runs, launched } = documentOf(
      'submit',
      await json('submit', 'shared.eval.ts', '--launch', 'here'),
    );
    const [{ run, home, artifacts, published }] = runs;
    expect(launched).toMatchObject([{ name: 'here', started: 1, outcome: 'stopped' }]);
    expect(home).toMatchObject({ samples: { completed: 2 }, builds: { completed: 1 } });
    expect(artifacts.entries).toMatchObject([{ unit: 'words/all', state: 'installed' }]);
    expect(published.runs).toMatchObject([{ run, outcome: 'published' }]);
    const stopped = documentOf('launch stop', await json('launch', 'stop', run));
    expect(stopped).toMatchObject({ run, launched: [{ outcome: 'already' }] });
    const { list, logs } = await lookAt(project, run);
    expect(list.runs).toMatchObject([{ builds: { planned: 1, completed: 1 } }]);
    expect(logs.events.length).toBeGreaterThan(0);
    const removed = documentOf('runs gc', await json('runs', 'gc', '--older-than', '0d'));
    expect(removed).toMatchObject({ runs: [{ run, isRemoved: true }], bundles: { removed: [{}] } });
  });
});
