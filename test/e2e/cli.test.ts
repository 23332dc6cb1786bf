import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { filesBelow, holdfast, reportOf } from './holdfast.ts';

const CAPITALS = `
import { defineEval, includes } from 'holdfast';
export default defineEval({
  name: 'capitals',
  data: [{ id: 'france', input: 'Capital of France?', target: 'Paris' }, { id: 'peru', input: 'Capital of Peru?', target: 'Lima' }],
  target: async ({ input }, { generate }) => (await generate(input)).text,
  scorers: [includes()],
});
`;

async function capitals() {
  const dir = await makeTempDir();
  await writeFile(join(dir.path, 'capitals.eval.ts'), CAPITALS);
  return dir;
}

const RUN = ['run', 'capitals.eval.ts', '--model', 'mock/fixed:Paris'];

test('evals of one command look for their results at the same time, and each finds its own', async () => {
  await using dir = await makeTempDir();
  const names = ['a', 'b', 'c', 'd'];
  for (const name of names)
    await writeFile(
      join(dir.path, `${name}.eval.yaml`),
      `name: ${name}\ntarget: mock/echo\ndata: [{ id: x, input: hello, target: hello }]\nscorers: [includes]\n`,
    );
  const all = ['run', ...names.map((name) => `${name}.eval.yaml`), '--json'];
  for (const logs of ['one', 'two', 'three']) {
    await holdfast(dir.path, [...all, '--log-dir', logs]);
    const again = reportOf(await holdfast(dir.path, [...all, '--log-dir', logs]));
    expect(again.runs.map(({ samples }) => samples?.reused)).toEqual([1, 1, 1, 1]);
  }
});

test('a run ends with the account, the scores, the log, and what to do next', async () => {
  await using dir = await capitals();
  const { code, stdout, stderr } = await holdfast(dir.path, RUN);
  expect(code).toBe(0);
  expect(stdout).toContain('capitals · mock/fixed:Paris  done');
  expect(stdout).toMatch(
    /kept +reused +scored +replayed +re-run +fresh +failed +left +lost\n2 samples +0 +0 +0 +0 +0 +2 +0 +0 +0\n/,
  );
  expect(stdout).toContain('score  includes  accuracy 0.500');
  expect(stdout).toMatch(/log {4}logs\/.*_capitals_.*\.eval/);
  expect(stdout).toContain('holdfast studio');
  expect(stderr).toContain('capitals · mock/fixed:Paris: 2 planned: 2 to buy, cost not known yet');
});

test('the same command again does nothing, since nothing is missing', async () => {
  await using dir = await capitals();
  await holdfast(dir.path, RUN);
  const before = filesBelow(dir.path).filter((path) => path.endsWith('.eval'));
  const again = reportOf(await holdfast(dir.path, [...RUN, '--json']));
  expect(again.runs[0]).toMatchObject({ state: 'done', samples: { reused: 2, fresh: 0, lost: 0 } });
  expect(filesBelow(dir.path).filter((path) => path.endsWith('.eval'))).toEqual(before);
  const fresh = reportOf(await holdfast(dir.path, [...RUN, '--json', '--fresh']));
  expect(fresh.runs[0]).toMatchObject({ samples: { reused: 0, fresh: 2 } });
});

test('--json puts one document on stdout and nothing else there', async () => {
  await using dir = await capitals();
  const ended = await holdfast(dir.path, [...RUN, '--json']);
  expect(ended.stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(reportOf(ended)).toMatchObject({
    exitCode: 0,
    runs: [
      {
        eval: 'capitals',
        file: 'capitals.eval.ts',
        target: 'mock/fixed:Paris',
        state: 'done',
        samples: {
          planned: 2,
          kept: 0,
          reused: 0,
          replayed: 0,
          rerun: 0,
          fresh: 2,
          errored: 0,
          remaining: 0,
          lost: 0,
        },
        tokens: { saved: 0, wasted: 0 },
        usd: { unpricedCalls: 0 },
        results: { scores: [{ name: 'includes', metrics: { accuracy: { value: 0.5 } } }] },
      },
    ],
    total: { samples: { planned: 2, lost: 0 } },
    next: [{ command: 'holdfast studio' }],
  });
});

test('several files, patterns and models make a set, and one account ends them', async () => {
  await using dir = await capitals();
  await writeFile(
    join(dir.path, 'echo.eval.yaml'),
    'name: echo\ndata: [{ input: hello, target: hello }]\nscorers: [exact]\n',
  );
  const args = ['run', '*.eval.*', '-m', 'mock/echo', '-t', 'mock/fixed:Paris', '--json'];
  const report = reportOf(await holdfast(dir.path, args));
  expect(report.runs.map((run) => `${run.eval} ${run.target}`)).toEqual([
    'capitals mock/echo',
    'capitals mock/fixed:Paris',
    'echo mock/echo',
    'echo mock/fixed:Paris',
  ]);
  expect(new Set(report.runs.map(({ log }) => log)).size).toBe(4);
  expect(report.total.samples).toMatchObject({ planned: 6, fresh: 6 });
});

test('the command line changes limit, ids, epochs and the order', async () => {
  await using dir = await capitals();
  const planned = async (...args: string[]) =>
    reportOf(await holdfast(dir.path, [...RUN, '--fresh', '--json', ...args])).runs[0]?.samples?.planned;
  expect(await planned('--limit', '1')).toBe(1);
  expect(await planned('--epochs', '3')).toBe(6);
  expect(await planned('--id', 'peru', '--shuffle', '7')).toBe(1);
});

test('an eval that falls short of its threshold ends with 1, and says which metric', async () => {
  await using dir = await makeTempDir();
  await writeFile(
    join(dir.path, 'x.eval.yaml'),
    'name: x\ndata: [{ input: a, target: b }]\ntarget: mock/echo\nscorers: [exact]\nthreshold: { accuracy: 0.5 }\n',
  );
  const { code, stdout } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
  expect(code).toBe(1);
  expect(stdout).toContain('accuracy is 0, below 0.5');
});

test('samples that fail end with 1, are named, and are run again by the same command', async () => {
  await using dir = await makeTempDir();
  await writeFile(
    join(dir.path, 'x.eval.mjs'),
    `import { existsSync } from 'node:fs';
     import { defineEval, exact } from 'holdfast';
     export default defineEval({ name: 'x', data: [{ id: 'a', input: 'a', target: 'a' }, { id: 'b', input: 'b', target: 'b' }],
       target: ({ input }) => { if (input === 'b' && !existsSync('${dir.path}/mended')) throw new Error('it broke'); return input; },
       scorers: [exact()] });`,
  );
  const first = await holdfast(dir.path, ['run', 'x.eval.mjs']);
  expect(first.code).toBe(1);
  expect(first.stderr).toContain('sample b failed: it broke');
  expect(first.stdout).toContain('To run what failed again: holdfast run x.eval.mjs');
  await writeFile(join(dir.path, 'mended'), '');
  const second = await holdfast(dir.path, ['run', 'x.eval.mjs', '--json']);
  expect(reportOf(second)).toMatchObject({
    exitCode: 0,
    runs: [{ samples: { reused: 1, errored: 0, lost: 0 } }],
  });
});

test('[LOG-22] events of the first logs, which have no time, are shown', async () => {
  const log = join(import.meta.dirname, '../golden/log/shapes/first-names.eval');
  await using dir = await makeTempDir();
  const shown = await holdfast(dir.path, ['log', 'show', log, '--sample', 'nile', '--events']);
  expect(shown).toMatchObject({ code: 0, stderr: '' });
  expect(shown.stdout).toMatch(/model +mock\/old/);
});

test('logs are listed, shown, dumped, checked and converted', async () => {
  await using dir = await capitals();
  const { runs } = reportOf(await holdfast(dir.path, [...RUN, '--json']));
  const log = runs[0]?.log ?? '';
  const list = await holdfast(dir.path, ['log', 'list']);
  expect(list).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/capitals +mock\/fixed:Paris +success +2\/2 +accuracy 0.500/),
  });
  const show = await holdfast(dir.path, ['log', 'show', log]);
  expect(show.stdout).toContain('2 of 2 completed');
  const sample = await holdfast(dir.path, ['log', 'show', log, '--sample', 'peru@1', '--events']);
  expect(sample.stdout).toContain('Capital of Peru?');
  expect(sample.stdout).toMatch(/model +mock\/fixed:Paris: Paris/);
  const dump = JSON.parse((await holdfast(dir.path, ['log', 'dump', log, '--strict'])).stdout);
  expect(dump.samples.map(({ id }: { id: string }) => id).sort()).toEqual(['france', 'peru']);
  expect(dump.samples[0].events.length).toBeGreaterThan(3);
  const json = join(dir.path, 'x.json');
  expect((await holdfast(dir.path, ['log', 'convert', log, json])).code).toBe(0);
  expect((await holdfast(dir.path, ['log', 'convert', log, json])).stderr).toContain('exists already');
  const verify = await holdfast(dir.path, ['log', 'verify', 'logs', json]);
  expect(verify).toMatchObject({ code: 0, stdout: expect.stringContaining('2 logs whole.') });
});

test('a damaged log is named by verify and list, with exit code 3', async () => {
  await using dir = await capitals();
  const log = reportOf(await holdfast(dir.path, [...RUN, '--json'])).runs[0]?.log ?? '';
  const bytes = await readFile(log);
  bytes.writeUInt8(bytes.readUInt8(200) ^ 0xff, 200);
  await writeFile(log, bytes);
  const verify = await holdfast(dir.path, ['log', 'verify', log]);
  expect(verify.code).toBe(3);
  expect(verify.stdout).toContain('damaged');
  await writeFile(join(dir.path, 'logs', '2026-01-01T00-00-00-00-00_x_y.eval'), 'no log');
  const list = await holdfast(dir.path, ['log', 'list']);
  expect(list.code).toBe(3);
  expect(list.stdout).toContain('This cannot be read whole:');
});

test('a log is scored again without calling its target', async () => {
  await using dir = await capitals();
  const log = reportOf(await holdfast(dir.path, [...RUN, '--json'])).runs[0]?.log ?? '';
  await writeFile(
    join(dir.path, 'strict.eval.ts'),
    `import { defineEval, exact } from 'holdfast';
     export default defineEval({ name: 'strict', data: [{ input: '-' }], target: () => { throw new Error('never called'); }, scorers: [exact()] });`,
  );
  const scored = await holdfast(dir.path, [
    'score',
    log,
    '--eval',
    'strict.eval.ts',
    '--action',
    'append',
    '--json',
  ]);
  const report = JSON.parse(scored.stdout);
  expect(report).toMatchObject({ samples: 2, scored: 2, copied: 0 });
  expect(report.results.scores.map(({ name }: { name: string }) => name)).toEqual(['includes', 'exact']);
  expect((await holdfast(dir.path, ['log', 'verify', report.logPath])).code).toBe(0);
  // Nothing is overwritten, and the new scores do not stand for what the eval itself would give.
  expect((await holdfast(dir.path, ['score', log, '--eval', 'strict.eval.ts'])).code).toBe(2);
  const again = reportOf(await holdfast(dir.path, [...RUN, '--json']));
  expect(again.runs[0]).toMatchObject({ log, samples: { reused: 2 } });
});

test('init writes an eval that runs, and overwrites nothing', async () => {
  await using dir = await makeTempDir();
  const first = await holdfast(dir.path, ['init', 'new']);
  expect(first).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('holdfast run new/capitals.eval.ts'),
  });
  expect(filesBelow(dir.path)).toEqual(['new', 'new/.gitignore', 'new/capitals.eval.ts', 'new/package.json']);
  const again = await holdfast(dir.path, ['init', 'new']);
  expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining('already') });
  expect((await holdfast(dir.path, ['init', 'new', '--yaml'])).code).toBe(0);
  expect((await holdfast(dir.path, ['run', 'new/capitals.eval.ts', '-m', 'mock/echo'])).code).toBe(0);
  expect((await holdfast(dir.path, ['run', 'new/capitals.eval.yaml', '-m', 'mock/echo'])).code).toBe(0);
});

test('doctor checks the machine and a bucket, and never shows a key', async () => {
  await using dir = await makeTempDir();
  await mkdir(join(dir.path, 'bucket'));
  const env = { OPENAI_API_KEY: 'sk-very-secret' };
  const { code, stdout } = await holdfast(dir.path, ['doctor', '--bucket', 'bucket'], env);
  expect(code).toBe(0);
  for (const name of [
    'node',
    'sqlite',
    'zstd',
    'fsync',
    'locks',
    'disk space',
    'bucket: create',
    'bucket: list',
  ])
    expect(stdout).toMatch(new RegExp(`^ok +${name}`, 'm'));
  expect(stdout).toContain('OPENAI_API_KEY is set');
  expect(stdout).not.toContain('sk-very-secret');
});

test('colours only where they are wanted', async () => {
  await using dir = await capitals();
  const escape = '\u001b[';
  expect((await holdfast(dir.path, RUN)).stdout).not.toContain(escape);
  expect((await holdfast(dir.path, RUN, { FORCE_COLOR: '1' })).stdout).toContain(escape);
  expect((await holdfast(dir.path, RUN, { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain(escape);
});

test('every command has help with examples and exit codes', async () => {
  await using dir = await makeTempDir();
  const commands = [
    'init',
    'run',
    'score',
    'recover',
    'retry',
    'log list',
    'log show',
    'log dump',
    'log verify',
    'log convert',
    'log merge',
    'doctor',
    'demo',
  ];
  const helps = await Promise.all(
    commands.map((words) => holdfast(dir.path, [...words.split(' '), '--help'])),
  );
  for (const [index, { code, stdout }] of helps.entries()) {
    expect(code, commands[index]).toBe(0);
    expect(stdout, commands[index]).toMatch(/Examples:[\s\S]*Exit codes:\n {2}0 /);
    expect(stdout, commands[index]).toContain('--json');
  }
});

test('an unknown word gets one sentence, a guess, and exit code 2', async () => {
  await using dir = await makeTempDir();
  const command = await holdfast(dir.path, ['rnu']);
  expect(command).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`Unknown command 'rnu'. Did you mean run?`),
  });
  const option = await holdfast(dir.path, ['run', 'x', '--modle', 'y']);
  expect(option).toMatchObject({ code: 2, stderr: expect.stringContaining('Did you mean --model?') });
  const json = await holdfast(dir.path, ['log', 'lst', '--json']);
  expect(reportOf(json)).toMatchObject({ exitCode: 2, error: { code: 'E_USAGE' } });
});

test('a reader that goes away early is no error', async () => {
  await using dir = await capitals();
  const log = reportOf(await holdfast(dir.path, [...RUN, '--json'])).runs[0]?.log ?? '';
  const { execFileSync } = await import('node:child_process');
  const program = join(import.meta.dirname, '../../bin/holdfast.js');
  const script = `"${process.execPath}" "${program}" log dump "${log}" 2>err | head -c 1; cat err`;
  expect(execFileSync('sh', ['-c', script], { cwd: dir.path, encoding: 'utf8' })).toBe('{');
});
