/** Errors that are rare, each brought about as people would meet it. The common ones are in bad-input.test.ts. */
import { readFileSync } from 'node:fs';
import { copyFile, mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast, reportOf } from './holdfast.ts';

const GOLDEN = join(import.meta.dirname, '../golden/log/v2-zstd.eval');

describe('the command line', () => {
  test.each([
    { words: ['log', 'convert', 'x.eval', 'there.json'], code: 'E_FILE_EXISTS', says: 'there.json' },
    { words: ['log', 'convert', 'x.eval', 'x.txt'], code: 'E_LOG_FORM', says: 'x.txt' },
    { words: ['log', 'list', 'nowhere'], code: 'E_LOG_DIR_NONE', says: 'nowhere' },
    { words: ['recover', '--list', 'nowhere'], code: 'E_LOG_DIR_NONE', says: 'nowhere' },
    { words: ['log', 'show', 'x.eval', '--sample', 'none'], code: 'E_SAMPLE_NONE', says: 'none' },
    { words: ['demo', '--dir', 'full'], code: 'E_DEMO_DIR', says: 'full' },
  ])('$words: $code', async ({ words, code, says }) => {
    await using dir = await makeTempDir();
    await copyFile(GOLDEN, join(dir.path, 'x.eval'));
    await writeFile(join(dir.path, 'there.json'), 'mine');
    await mkdir(join(dir.path, 'full/of'), { recursive: true });
    const ended = await holdfast(dir.path, [...words, '--json']);
    expect(reportOf(ended)).toMatchObject({
      exitCode: 2,
      error: { code, message: expect.stringContaining(says), hint: expect.stringMatching(/\w/) },
    });
    expect(ended.code).toBe(2);
    expect(readFileSync(join(dir.path, 'there.json'), 'utf8')).toBe('mine');
  });

  test('a log that cannot be opened for another reason than its absence is told apart', async () => {
    await using dir = await makeTempDir();
    await symlink('loop.eval', join(dir.path, 'loop.eval'));
    const ended = await holdfast(dir.path, ['log', 'show', 'loop.eval', '--json']);
    expect(reportOf(ended)).toMatchObject({
      error: { code: 'E_LOG_UNREADABLE', message: expect.stringContaining('ELOOP') },
    });
  });

  test('a log that lends samples and goes away while the run goes on stops it, and it can go on', async () => {
    await using dir = await makeTempDir();
    const write = (rows: string, removesLogs: boolean) =>
      writeFile(
        join(dir.path, 'x.eval.ts'),
        `import { readdirSync, rmSync } from 'node:fs';
         import { defineEval, exact } from 'holdfast';
         const target = ({ input }) => {
           if (${removesLogs} && input === 'b') for (const name of readdirSync('logs')) if (name.endsWith('.eval')) rmSync('logs/' + name);
           return input;
         };
         export default defineEval({ name: 'x', data: ${rows}, target, scorers: [exact()] });\n`,
      );
    await write(`[{ id: 'a', input: 'a', target: 'a' }]`, false);
    const args = ['run', 'x.eval.ts', '--json', '--reuse', 'any'];
    expect(await holdfast(dir.path, args)).toMatchObject({ code: 0 });
    await write(`[{ id: 'a', input: 'a', target: 'a' }, { id: 'b', input: 'b', target: 'b' }]`, true);
    const report = reportOf(await holdfast(dir.path, args));
    expect(report.error ?? report.runs[0]?.error).toMatchObject({ code: 'E_REUSED_GONE' });
    await rm(join(dir.path, 'logs'), { recursive: true, force: true });
  });
});

test('what a target did wrong reaches it as an error with a code', async () => {
  await using dir = await makeTempDir();
  await writeFile(
    join(dir.path, 'x.eval.ts'),
    `import { appendFileSync } from 'node:fs';
     import { defineEval, exact } from 'holdfast';
     const said = (error) => appendFileSync('codes.txt', error.code + '\\n');
     let kept;
     const target = async ({ input }, { generate }) => {
       if (input === 'late') await kept('after its sample').catch(said);
       else {
         kept = generate;
         await generate('one');
         await generate('two').catch((error) => { said(error); throw error; });
       }
       return input;
     };
     export default defineEval({ name: 'x', data: [{ input: 'early', target: '-' }, { input: 'late', target: '-' }], target, limits: { turns: 1 }, concurrency: 1, scorers: [exact()] });\n`,
  );
  await holdfast(dir.path, ['run', 'x.eval.ts', '--model', 'mock/echo', '--concurrency', '1', '--json']);
  const codes = readFileSync(join(dir.path, 'codes.txt'), 'utf8').trim().split('\n');
  expect(codes).toEqual(['E_SAMPLE_LIMIT', 'E_SAMPLE_ENDED']);
});
