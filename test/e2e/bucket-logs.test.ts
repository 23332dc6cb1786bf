/** Wherever a log or a log directory is named, a bucket can be; and what is no log is told as that by every command. */
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { filesBelow, holdfast, startHoldfast } from './holdfast.ts';

const EVAL = `
import { defineEval, includes, mockModel } from 'holdfast';
const model = mockModel({ name: 'mock/m', async respond({ text }) {
  if (text === 'q2') while (process.env.WAIT) await new Promise((resolve) => setTimeout(resolve, 20));
  return 'heard ' + text;
} });
export default defineEval({
  name: 'away',
  data: [{ id: 'a', input: 'q1', target: 'q1' }, { id: 'b', input: 'q2', target: 'q2' }],
  models: { 'mock/m': model },
  target: async ({ input }, { generate }) => (await generate(input)).text,
  scorers: [includes()],
});
`;

async function place() {
  const dir = await makeTempDir();
  await writeFile(join(dir.path, 'away.eval.ts'), EVAL);
  // A name that a URL writes otherwise than a path does.
  const bucket = join(dir.path, 'my bucket');
  const url = pathToFileURL(bucket).href;
  const run = ['run', 'away.eval.ts', '--model', 'mock/m', '--log-dir', url];
  const logs = () => readdirSync(bucket).filter((name) => name.endsWith('.eval'));
  return Object.assign(dir, { bucket, url, run, logs });
}

describe('a log directory that is a bucket', () => {
  test('is listed, shown, dumped, verified, converted, merged, scored and retried by its URL', async () => {
    await using dir = await place();
    expect((await holdfast(dir.path, dir.run)).code).toBe(0);
    const [name = ''] = dir.logs();
    const log = `${dir.url}/${name}`;
    const said = async (...words: string[]) => {
      const { code, stdout, stderr } = await holdfast(dir.path, words);
      expect({ words, code, stderr }).toMatchObject({ words, code: 0 });
      return stdout;
    };
    expect(JSON.parse(await said('log', 'list', dir.url, '--json'))).toMatchObject({
      logs: [{ eval: 'away' }],
    });
    expect(await said('log', 'show', log)).toContain('away');
    expect(JSON.parse(await said('log', 'dump', log, '--header'))).toMatchObject({ status: 'success' });
    expect(await said('log', 'verify', log)).toContain('2 samples');
    expect(await said('log', 'verify', dir.url)).toContain('1 log whole');
    await said('log', 'convert', log, 'here.json');
    await said('log', 'merge', log, log, '-o', `${dir.url}/merged.eval`);
    await said('score', log, '--eval', 'away.eval.ts');
    await said('retry', log);
    expect(dir.logs()).toEqual([name.replace('.eval', '-scored.eval'), name, 'merged.eval'].sort());
    // What is worked on is beside the eval, never in the bucket.
    expect(existsSync(join(dir.bucket, '.holdfast', 'work'))).toBe(false);
    const { stdout } = await holdfast(dir.path, ['log', 'list', '--json'], { HOLDFAST_LOG_DIR: dir.url });
    expect(JSON.parse(stdout).logs).toHaveLength(3);
  });

  test('shows a run that was killed, by its path as by its URL, with a command that works', async () => {
    await using dir = await place();
    const started = startHoldfast(dir.path, dir.run, { WAIT: 'yes' });
    const shipped = () =>
      existsSync(dir.bucket) && filesBelow(dir.bucket).some((name) => name.endsWith('.zst'));
    while (!shipped()) await sleep(50);
    started.child.kill('SIGKILL');
    await started.ended;
    const { stdout } = await holdfast(dir.path, ['log', 'list', dir.url, '--json']);
    expect(JSON.parse(stdout)).toMatchObject({ unfinished: [{ eval: 'away', liveness: 'dead' }] });
    // Another machine: nothing but the bucket.
    const away = join(dir.path, 'away');
    mkdirSync(away);
    const listed = await Promise.all(
      [dir.bucket, dir.url].map((name) => holdfast(away, ['recover', '--list', name, '--json'])),
    );
    const [byPath, byUrl] = listed.map(({ stdout: text }) => JSON.parse(text));
    expect(byPath.recoverable).toMatchObject([{ kind: 'holdfast', sources: ['segments'] }]);
    expect(byPath.recoverable).toEqual(byUrl.recoverable);
    expect(byPath.next[0].command).toBe(byUrl.next[0].command);
    const words = byPath.next[0].command.split(' ').slice(1);
    expect((await holdfast(away, words)).code).toBe(0);
    expect(dir.logs()).toHaveLength(1);
  });
});

describe('what is no log', () => {
  test.each([
    ['log show'],
    ['log dump'],
    ['log verify'],
    ['log convert', 'to.eval'],
    ['log merge', '-o', 'to.eval'],
    ['score', '--eval', 'away.eval.ts'],
    ['retry'],
    ['recover'],
  ])('is exit code 2 with %s, whether it is missing or something else', async (command, ...more) => {
    await using dir = await place();
    await writeFile(join(dir.path, 'other.eval'), 'hello');
    for (const log of ['nosuch.eval', 'other.eval', `${dir.url}/nosuch.eval`]) {
      const { code, stderr } = await holdfast(dir.path, [...command.split(' '), log, ...more]);
      expect({ log, code, stderr }).toMatchObject({ log, code: 2 });
    }
    expect(existsSync(join(dir.path, 'to.eval'))).toBe(false);
    expect(existsSync(dir.bucket)).toBe(false);
  });

  test('is told apart from damage where many are verified', async () => {
    await using dir = await place();
    expect((await holdfast(dir.path, dir.run)).code).toBe(0);
    const log = join(dir.bucket, dir.logs()[0] ?? '');
    const { code, stdout } = await holdfast(dir.path, ['log', 'verify', 'nosuch.eval', log]);
    expect(code).toBe(2);
    expect(stdout).toContain('no log   nosuch.eval');
    expect(stdout).not.toContain('damaged');
  });
});

describe('doctor', () => {
  test('leaves nothing in a bucket, and makes none', async () => {
    await using dir = await place();
    const none = await holdfast(dir.path, ['doctor', '--bucket', join(dir.path, 'none', 'yet'), '--json']);
    expect(JSON.parse(none.stdout).ok).toBe(true);
    expect(existsSync(join(dir.path, 'none'))).toBe(false);
    mkdirSync(dir.bucket);
    await writeFile(join(dir.bucket, 'mine'), 'x');
    await holdfast(dir.path, ['doctor', '--bucket', dir.url]);
    expect(filesBelow(dir.bucket)).toEqual(['mine']);
  });

  test('looks at a bucket that is a directory as at a log directory, too', async () => {
    await using dir = await place();
    const { stdout } = await holdfast(dir.path, ['doctor', '--log-dir', dir.url, '--json']);
    const names = JSON.parse(stdout).checks.map(({ name }: { name: string }) => name);
    for (const name of ['log directory', 'fsync', 'hard links', 'locks', 'disk space', 'bucket: create'])
      expect(names).toContain(name);
    expect(existsSync(dir.bucket)).toBe(false);
  });
});

test.each([['run'], ['score'], ['recover'], ['retry'], ['log merge'], ['demo']])(
  'the help of %s is broken into even lines, and names no bucket that cannot be opened',
  async (command) => {
    await using dir = await place();
    const { stdout } = await holdfast(dir.path, [...command.split(' '), '--help']);
    const schemes = (stdout.match(/\b[a-z0-9]+:\/\//g) ?? []).filter((scheme) => !/^https?:/.test(scheme));
    for (const scheme of schemes) expect(['s3://', 'file://']).toContain(scheme);
    const [, description = ''] = stdout.split('\n\n');
    const lines = description.split('\n');
    for (const [index, line] of lines.slice(0, -1).entries()) {
      const [next = ''] = (lines[index + 1] ?? '').split(' ');
      expect(line.length + 1 + next.length, `could have gone on: ${line}`).toBeGreaterThan(78);
    }
  },
);

test('ids that no row has are named, not the filter', async () => {
  await using dir = await place();
  const { code, stderr } = await holdfast(dir.path, [...dir.run, '--id', 'nosuch']);
  expect(code).toBe(2);
  expect(stderr).toContain('no row to run with the id nosuch');
  expect(stderr).toContain('a, b');
});
