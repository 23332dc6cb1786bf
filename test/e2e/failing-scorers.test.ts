/** A scorer that does not do its work is seen: on the screen, in the account and in the exit code. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLog } from '../../src/library.ts';
import { startChatServer } from './chat-server.ts';
import { holdfast, reportOf } from './holdfast.ts';
import { makeProject } from './project.ts';

const evalOf = (scorers: string, more = '') =>
  `import { defineEval, exact, scorer } from 'holdfast';
   export default defineEval({ name: 'x', data: [{ id: 1, input: 'a', target: 'a' }, { id: 2, input: 'b', target: 'b' }],
     target: 'mock/echo', scorers: [${scorers}], ${more} });\n`;

describe('scorers', () => {
  const THROWS = `scorer('picky', ({ input }) => { if (input === 'b') throw new Error('no verdict on b'); return 1; })`;

  test('one that throws is in the account with its reason, ends with 1, and is asked again by the same command', async () => {
    await using dir = await makeProject({ 'x.eval.ts': evalOf(THROWS) });
    const { code, stdout, stderr } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(code).toBe(1);
    expect(stderr).toContain('the scorer picky failed on sample 2: no verdict on b');
    expect(stdout).toContain('picky failed on 1 sample: no verdict on b');
    expect(stdout).toContain('To score again what a scorer failed on: holdfast run x.eval.ts');
    const again = await holdfast(dir.path, ['run', 'x.eval.ts', '--json']);
    expect(again.code).toBe(1);
    expect(reportOf(again).runs[0]).toMatchObject({
      samples: { reused: 1, rescored: 1, fresh: 0 },
      answers: { bought: 0 },
      scorerTroubles: [{ scorer: 'picky', failed: 1, scored: 1, reason: 'no verdict on b' }],
    });
  });

  test('`holdfast score` says it, too', async () => {
    await using dir = await makeProject({ 'x.eval.ts': evalOf('exact()'), 'y.eval.ts': evalOf(THROWS) });
    const { stdout } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    const log = /logs\/\S+\.eval/.exec(stdout)?.[0] ?? '';
    const scored = await holdfast(dir.path, ['score', log, '--eval', 'y.eval.ts']);
    expect(scored.code).toBe(1);
    expect(scored.stdout).toContain('picky failed on 1 sample: no verdict on b');
  });

  test('one that scores nothing ends with 1, each time', async () => {
    await using dir = await makeProject({ 'x.eval.ts': evalOf(`scorer('mute', () => NaN), exact()`) });
    for (let time = 0; time < 2; time++) {
      const { code, stdout } = await holdfast(dir.path, ['run', 'x.eval.ts']);
      expect(stdout).toContain('mute scored nothing: all its samples are unscored');
      expect(code).toBe(1);
    }
  });

  test('one that hangs is stopped at its time limit', async () => {
    await using dir = await makeProject({
      'x.eval.ts': evalOf(`scorer('slow', () => new Promise(() => {})), exact()`, 'scorerTimeMs: 300'),
    });
    const { code, stdout } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(code).toBe(1);
    expect(stdout).toContain(
      'slow failed on 2 samples and scored nothing: The scorer slow took longer than 0.3 s',
    );
    expect(stdout).toContain('exact  accuracy 1.000');
    const log = await openLog(join(dir.path, /logs\/\S+\.eval/.exec(stdout)?.[0] ?? ''));
    const sample = await log.sampleFields(1, 1);
    await log.close();
    expect(sample?.scores?.slow?.metadata).toMatchObject({ code: 'E_SCORER_TIME' });
  });

  test.each([
    'exact',
    'includes',
    'numeric',
    'json',
    'regex',
    'choice',
    '{ modelGraded: { model: mock/echo } }',
  ])('%s on rows without a target is refused before anything runs', async (scorer) => {
    await using server = await startChatServer();
    await using dir = await makeProject({
      'x.eval.yaml': `name: x\ndata: rows.jsonl\ntarget: ${server.model}\nscorers: [${scorer}]\n`,
      'rows.jsonl': '{"input": "a", "target": "1", "choices": ["1", "2"]}\n{"input": "b"}\n{"input": "c"}\n',
    });
    const ended = await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']);
    expect(ended.code).toBe(2);
    expect(reportOf(ended).runs[0]?.error).toMatchObject({
      code: 'E_SCORER_TARGET',
      message: expect.stringMatching(
        /^rows\.jsonl:2: Sample b-\w+ has no .*So it is with 1 more of 3 rows\.$/,
      ),
    });
    expect(server.requests).toHaveLength(0);
    // Rows that are not run need none.
    expect((await holdfast(dir.path, ['run', 'x.eval.yaml', '--limit', '1', '--dry-run'])).code).toBe(0);
  });

  const PARTS = `scorer('parts', ({ input }) => ({ value: { form: true, sense: input === 'a' } }))`;

  test('a record has one figure for each key, on the screen and in the log', async () => {
    await using dir = await makeProject({
      'x.eval.ts': evalOf(PARTS),
    });
    const { code, stdout } = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(code).toBe(0);
    expect(stdout).toContain('parts/form  accuracy 1.000');
    expect(stdout).toContain('parts/sense  accuracy 0.500');
    const log = await openLog(join(dir.path, /logs\/\S+\.eval/.exec(stdout)?.[0] ?? ''));
    const { results } = await log.header();
    await log.close();
    expect(results?.scores).toMatchObject([
      { name: 'form', scorer: 'parts', metrics: { accuracy: { value: 1 } } },
      { name: 'sense', scorer: 'parts', metrics: { accuracy: { value: 0.5 } } },
    ]);
    await writeFile(join(dir.path, 'x.eval.ts'), evalOf(PARTS, 'threshold: { "sense/accuracy": 0.8 }'));
    const short = await holdfast(dir.path, ['run', 'x.eval.ts']);
    expect(short.code).toBe(1);
    expect(short.stdout).toContain('sense/accuracy is 0.5, below 0.8');
  });
});
