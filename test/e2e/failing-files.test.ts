/** Files that are damaged, malformed or too large for a log are named, and nothing of them is lost in silence. */
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLog } from '../../src/library.ts';
import { yamlEval } from './chat-server.ts';
import { holdfast, reportOf } from './holdfast.ts';
import { makeProject } from './project.ts';

describe('files', () => {
  test('an agent’s output of more than 16 MiB is whole in the file that the log names', async () => {
    await using dir = await makeProject({
      'big.sh': '#!/bin/sh\necho begin\nhead -c 17825792 /dev/zero | tr "\\0" x\necho\necho end\n',
      'x.eval.ts': '',
    });
    await chmod(join(dir.path, 'big.sh'), 0o755);
    const argv = JSON.stringify([join(dir.path, 'big.sh')]);
    await writeFile(
      join(dir.path, 'x.eval.yaml'),
      `name: x\ndata: [{ id: 1, input: a, target: end }]\ntarget: { command: ${argv} }\nscorers: [includes]\n`,
    );
    const { code, stdout } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
    expect(code).toBe(0);
    const log = await openLog(join(dir.path, /logs\/\S+\.eval/.exec(stdout)?.[0] ?? ''));
    const sample = await log.sampleFields(1, 1);
    await log.close();
    const file = /the whole text is in (\S+) …\]/.exec(sample?.output.completion ?? '')?.[1] ?? '';
    const whole = await readFile(file, 'utf8');
    expect(whole.length).toBe('begin\n'.length + 17_825_792 + '\nend\n'.length);
    expect(whole.startsWith('begin\nx') && whole.endsWith('x\nend\n')).toBe(true);
  });

  test('a finished log that is damaged is not taken as done', async () => {
    await using dir = await makeProject({ 'x.eval.yaml': yamlEval('x', 'mock/echo', 3) });
    const first = reportOf(await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']));
    const path = first.runs[0]?.log ?? '';
    const bytes = await readFile(path);
    const at = bytes.indexOf('samples/2_epoch_1.json') + 60;
    bytes[at] = (bytes[at] ?? 0) ^ 0xff;
    await writeFile(path, bytes);
    const again = await holdfast(dir.path, ['run', 'x.eval.yaml', '--json']);
    expect(reportOf(again).runs[0]?.samples?.reused).toBeLessThan(3);
    expect(reportOf(again).runs[0]).toMatchObject({ state: 'done', samples: { remaining: 0 } });
  });

  test.each([
    ['d.jsonl', '{"input": "a"}\n\n{"input": oops}\n', 'd.jsonl:3: not valid JSON at column 11'],
    [
      'd.json',
      '[\n  {"input": "a"},\n  {\n    "input": oops\n  }\n]\n',
      'd.json:4: not valid JSON at column 14',
    ],
    ['d.json', '[\n\n  {"inputs": "a"}\n]\n', 'd.json:3: "input" is missing'],
    ['d.csv', 'input,metadata\na,"{""x"": 1}"\n"b\nc",{nope}\n', 'd.csv:3: "metadata" is not valid JSON'],
    ['d.yaml', '- input: a\n\n- inputs: b\n', 'd.yaml:3: "input" is missing'],
  ])('file and line of a malformed row agree: %s', async (name, text, says) => {
    await using dir = await makeProject({
      'x.eval.yaml': `name: x\ndata: ${name}\ntarget: mock/echo\nscorers: []\n`,
      [name]: text,
    });
    const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
    expect(code).toBe(2);
    expect(stderr).toContain(says);
    expect(stderr.match(/line \d+/)).toBe(null);
  });

  test('a hint names the page of the package that is installed', async () => {
    await using dir = await makeProject({
      'x.eval.yaml': 'name: x\ndata: [{ input: a }]\nscorers: []\nlimt: 3\n',
    });
    const { code, stderr } = await holdfast(dir.path, ['run', 'x.eval.yaml']);
    expect(code).toBe(2);
    const page = /(\/\S+\/docs\/guide\/writing-evals\.md)/.exec(stderr)?.[1] ?? '';
    expect(await readFile(page, 'utf8')).toContain('scorers');
  });
});
