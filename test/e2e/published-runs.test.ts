/** A published run is a run: what it holds is not bought again, on whatever machine, and commands take it by its id. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { samplesOf } from '../sim/read-log.ts';
import { dropObject } from '../sim/results-repo.ts';
import { makeTempDir, type TempDir } from '../sim/temp-dir.ts';
import { filesBelow, holdfast, type RunReport, reportOf } from './holdfast.ts';
import { paidEval, RUN, SAMPLES } from './paid-eval.ts';

const WHO = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test'];

function git(dir: string, ...args: string[]): string {
  return execFileSync('git', ['-C', dir, ...WHO, ...args], { encoding: 'utf8' }).trim();
}

/** A machine that ran the eval, published it, and is lost but for what it pushed: a clone with its eval and the results. */
async function lostMachine() {
  const first = await paidEval();
  git(first.path, 'init', '--quiet');
  git(first.path, 'add', 'paid.eval.ts');
  git(first.path, 'commit', '--quiet', '-m', 'An eval');
  const before = await run(first.path);
  await holdfast(first.path, ['results', 'init']);
  expect((await holdfast(first.path, ['results', 'publish', 'logs'])).code).toBe(0);
  const clone = await makeTempDir();
  git(clone.path, 'clone', '--quiet', first.path, '.');
  git(clone.path, 'fetch', '--quiet', 'origin', 'holdfast/results:holdfast/results');
  rmSync(join(first.path, 'logs'), { recursive: true });
  const bought = first.asked().length;
  return {
    path: clone.path,
    before,
    runId: git(
      first.path,
      'log',
      '-1',
      '--format=%(trailers:key=Holdfast-Run,valueonly)',
      'holdfast/results',
    ),
    /** What was bought since the machine was lost. */
    bought: () => first.asked().length - bought,
    edit: (from: string, to: string) => edit(clone, from, to),
    async [Symbol.asyncDispose]() {
      await clone[Symbol.asyncDispose]();
      await first[Symbol.asyncDispose]();
    },
  };
}

function edit({ path }: TempDir, from: string, to: string): void {
  const file = join(path, 'paid.eval.ts');
  const text = readFileSync(file, 'utf8');
  expect(text).toContain(from);
  writeFileSync(file, text.replace(from, to));
}

async function run(dir: string, ...flags: string[]): Promise<RunReport['runs'][number]> {
  const ended = await holdfast(dir, [...RUN, '--json', ...flags]);
  expect(ended.code, ended.stderr).toBe(0);
  const [report] = reportOf(ended).runs;
  if (!report) throw new Error(ended.stdout);
  return report;
}

async function scoresIn(log: string | undefined): Promise<unknown> {
  const samples = await samplesOf(log ?? '');
  return samples.map(({ id, scores, output }) => [id, output.completion, scores?.includes?.value]).sort();
}

test('what another machine published is bought by nobody again, and the account says whose it is', async () => {
  await using machine = await lostMachine();
  const dry = await holdfast(machine.path, [...RUN, '--dry-run']);
  expect(dry.stdout).toContain(`${SAMPLES} kept`);
  expect(filesBelow(machine.path).filter((name) => name.startsWith('logs'))).toEqual([]);
  const report = await run(machine.path);
  expect(machine.bought()).toBe(0);
  expect(report.samples).toMatchObject({ reused: SAMPLES, fresh: 0 });
  expect(report.notes?.join('\n')).toContain(`The log of the published run ${machine.runId}`);
  // The log that came home is the very one: it is there already, and has nothing that was not published.
  expect((await holdfast(machine.path, ['results', 'publish', 'logs'])).stdout).toContain('is there already');
  expect(readdirSync(join(machine.path, 'logs')).filter((name) => name.endsWith('.eval'))).toHaveLength(1);
  expect((await run(machine.path)).notes).toEqual([]);
  expect(machine.bought()).toBe(0);
});

test('an edited scorer scores published outputs anew, and an edited target asks published answers', async () => {
  await using machine = await lostMachine();
  machine.edit('scorers: [includes()]', 'scorers: [includes({ ignoreCase: false })]');
  const scored = await run(machine.path);
  expect(scored.samples).toMatchObject({ rescored: SAMPLES, fresh: 0 });
  expect(scored.notes?.join('\n')).toContain(machine.runId);
  const [sample] = await samplesOf(scored.log ?? '');
  expect(sample?.metadata).toMatchObject({ holdfast: { made: { how: 'scored anew', from: machine.runId } } });
  rmSync(join(machine.path, 'logs'), { recursive: true });
  machine.edit("return ask(input + ' second');", "return (await ask(input + ' second')) + '!';");
  const replayed = await run(machine.path);
  expect(replayed.answers).toMatchObject({ bought: 0, replayed: 2 * SAMPLES });
  expect(machine.bought()).toBe(0);
});

test('more samples than were published: those that were are taken from there, and the others bought', async () => {
  await using machine = await lostMachine();
  machine.edit(`length: ${SAMPLES}`, `length: ${SAMPLES + 2}`);
  const report = await run(machine.path);
  expect(report.samples).toMatchObject({ reused: SAMPLES, fresh: 2 });
  expect(machine.bought()).toBe(4);
  expect(await scoresIn(report.log)).toHaveLength(SAMPLES + 2);
});

test('--fresh buys everything anew, and a folder without results says nothing of them', async () => {
  await using machine = await lostMachine();
  const fresh = await run(machine.path, '--fresh');
  expect(fresh).toMatchObject({ notes: [], samples: { fresh: SAMPLES } });
  expect(machine.bought()).toBe(2 * SAMPLES);
  for (const ref of ['heads/holdfast/results', 'remotes/origin/holdfast/results'])
    git(machine.path, 'update-ref', '-d', `refs/${ref}`);
  rmSync(join(machine.path, 'logs'), { recursive: true });
  expect(await run(machine.path)).toMatchObject({ notes: [], samples: { fresh: SAMPLES } });
});

test('a published run that is damaged never becomes a log, is named, and still lends the answers that are whole', async () => {
  await using machine = await lostMachine();
  const paths = git(machine.path, 'ls-tree', '-r', '--name-only', 'holdfast/results').split('\n');
  const summaries = paths.find((path) => path.endsWith('log/summaries.json'));
  const blob = git(machine.path, 'rev-parse', `holdfast/results:${summaries}`);
  git(machine.path, 'repack', '-q', '-a', '-d');
  dropObject(machine.path, blob);
  const ended = await holdfast(machine.path, [...RUN, '--json']);
  expect(ended.code, ended.stderr).toBe(3);
  const [report] = reportOf(ended).runs;
  expect(report?.answers).toMatchObject({ bought: 0, replayed: 2 * SAMPLES });
  expect(report?.damage?.join('\n')).toContain(`the published run ${machine.runId} is damaged`);
  expect(readdirSync(join(machine.path, 'logs')).filter((name) => name.endsWith('.eval'))).toHaveLength(1);
  const verified = await holdfast(machine.path, ['log', 'verify', machine.runId]);
  expect(verified).toMatchObject({ code: 3, stdout: expect.stringContaining(blob) });
});

const YAML = `name: capitals
target: mock/echo
data:
  - { id: a, input: Paris?, target: Paris }
  - { id: b, input: "=Rome?", target: Oslo }
scorers: [includes]
`;

async function publishedProject() {
  const dir = await makeTempDir();
  git(dir.path, 'init', '--quiet');
  writeFileSync(join(dir.path, 'x.eval.yaml'), YAML);
  await holdfast(dir.path, ['run', 'x.eval.yaml', '--log-dir', 'elsewhere']);
  await holdfast(dir.path, ['results', 'init']);
  await holdfast(dir.path, ['results', 'publish', 'elsewhere']);
  const listed = JSON.parse((await holdfast(dir.path, ['results', 'list', '--json'])).stdout);
  const run: string = listed.runs[0].run;
  const [log = ''] = readdirSync(join(dir.path, 'elsewhere')).filter((name) => name.endsWith('.eval'));
  return Object.assign(dir, { run, id: run.slice(-10), log, digest: String(listed.runs[0].row.log.digest) });
}

test('log show, dump and verify take a published run by its id', async () => {
  await using dir = await publishedProject();
  const say = (...args: string[]) => holdfast(dir.path, ['log', ...args]);
  expect((await say('show', dir.id)).stdout).toContain('capitals · mock/echo');
  expect((await say('show', dir.run, '--sample', 'a')).stdout).toContain('Paris?');
  const [there, here] = [await say('dump', dir.id), await say('dump', join('elsewhere', dir.log))];
  expect(there.stdout).toBe(here.stdout);
  expect(await say('verify', dir.id)).toMatchObject({ code: 0, stdout: expect.stringContaining('ok ') });
  expect(await say('show', 'nobody')).toMatchObject({ code: 2, stderr: expect.stringContaining('nobody') });
  const unknown = await holdfast(dir.path, ['log', 'show', 'nobody', '--json']);
  expect(JSON.parse(unknown.stdout)).toMatchObject({ error: { code: 'E_RUN_UNKNOWN' } });
  // A file is a file, whatever it is called; and where there are no results, a name is that of a file.
  writeFileSync(join(dir.path, dir.id), readFileSync(join(dir.path, 'elsewhere', dir.log)));
  expect((await say('show', dir.id)).stdout).toContain(join(dir.path, dir.id));
  await using empty = await makeTempDir();
  const none = await holdfast(empty.path, ['log', 'show', dir.id, '--json']);
  expect(JSON.parse(none.stdout)).toMatchObject({ error: { code: 'E_LOG_NOT_FOUND' } });
  expect((await holdfast(empty.path, ['log', 'show', dir.id, '--repo', dir.path])).code).toBe(0);
});

test('several runs that begin alike are named, and none is taken', async () => {
  await using dir = await publishedProject();
  await holdfast(dir.path, ['run', 'x.eval.yaml', '--fresh', '--log-dir', 'elsewhere']);
  await holdfast(dir.path, ['results', 'publish', 'elsewhere']);
  for (const args of [['log', 'show'], ['log', 'dump'], ['retry'], ['score', '--eval', 'x.eval.yaml']]) {
    const [word = '', ...rest] = args;
    const ended = await holdfast(dir.path, [word, ...rest, dir.run.slice(0, 4), '--json']);
    const { error } = JSON.parse(ended.stdout);
    expect(error).toMatchObject({ code: 'E_RUN_AMBIGUOUS', message: expect.stringContaining(dir.run) });
  }
});

test('score and retry of a published run write into the log directory; what score writes is a new revision', async () => {
  await using dir = await publishedProject();
  const scored = await holdfast(dir.path, ['score', dir.id, '--eval', 'x.eval.yaml']);
  expect(scored, scored.stderr).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 samples scored'),
  });
  expect(filesBelow(join(dir.path, 'logs'))).toContain(dir.log.replace('.eval', '-scored.eval'));
  // It publishes itself.
  const shown = await holdfast(dir.path, ['results', 'show', dir.id, '--json']);
  expect(JSON.parse(shown.stdout)).toMatchObject({ run: dir.run, revision: 2 });
  const retried = await holdfast(dir.path, ['retry', dir.id, '--log-dir', 'again', '--json']);
  expect(retried.code, retried.stderr).toBe(0);
  expect(reportOf(retried).runs[0]).toMatchObject({ samples: { reused: 2, fresh: 0 } });
  expect(reportOf(retried).runs[0]?.log).toContain(join(dir.path, 'again'));
});

test('results export writes tables of the runs that are asked for, whole or not at all', async () => {
  await using dir = await publishedProject();
  const say = (...args: string[]) => holdfast(dir.path, ['results', 'export', ...args]);
  expect(await say('--to', 'jsonl', '--out', 'tables')).toMatchObject({ code: 0 });
  expect(readdirSync(join(dir.path, 'tables'))).toEqual(['runs.jsonl', 'samples.jsonl', 'scores.jsonl']);
  const [row = ''] = readFileSync(join(dir.path, 'tables/runs.jsonl'), 'utf8').split('\n');
  expect(JSON.parse(row)).toMatchObject({ run: dir.run, eval: 'capitals', log_digest: dir.digest });
  const again = await say('--to', 'jsonl', '--out', 'tables', '--json');
  expect(JSON.parse(again.stdout)).toMatchObject({ error: { code: 'E_FILE_EXISTS' } });
  expect((await say('--to', 'jsonl', '--out', 'tables', '--force')).code).toBe(0);
  const some = await say(dir.id, '--to', 'csv', '--table', 'samples', '--out', 'one.csv');
  expect(some.stderr).toContain('--spreadsheet');
  expect(readFileSync(join(dir.path, 'one.csv'), 'utf8')).toContain(',=Rome?,Oslo,');
  await say('--eval', 'another', '--to', 'csv', '--table', 'runs', '--out', 'none.csv');
  expect(readFileSync(join(dir.path, 'none.csv'), 'utf8').split('\r\n')).toHaveLength(2);
  const wrong = async (...args: string[]) => JSON.parse((await say(...args, '--json')).stdout).error.code;
  expect(await wrong('--to', 'csv', '--out', 'x.csv')).toBe('E_EXPORT_OUT');
  expect(await wrong('--to', 'csv', '--out', 'x', '--table', 'events')).toBe('E_EXPORT_TABLE');
  expect(await wrong('nobody', '--to', 'csv', '--out', 'x')).toBe('E_RUN_UNKNOWN');
});

test('--to eval gives the log back, and log export takes logs as well as published runs', async () => {
  await using dir = await publishedProject();
  const say = (...args: string[]) => holdfast(dir.path, args);
  expect((await say('results', 'export', '--to', 'eval', '--out', 'back')).code).toBe(0);
  expect(readdirSync(join(dir.path, 'back'))).toEqual([dir.log]);
  expect((await say('log', 'verify', join('back', dir.log))).code).toBe(0);
  expect((await say('results', 'publish', 'back')).stdout).toContain('is there already');
  expect((await say('log', 'export', dir.id, '--to', 'eval', '--out', 'mine.eval')).code).toBe(0);
  expect((await say('results', 'publish', 'mine.eval')).stdout).toContain('is there already');
  expect((await say('log', 'export', 'mine.eval', '--to', 'parquet', '--out', 'tables')).code).toBe(0);
  expect(readdirSync(join(dir.path, 'tables'))).toEqual([
    'runs.parquet',
    'samples.parquet',
    'scores.parquet',
  ]);
});
