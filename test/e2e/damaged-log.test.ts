/** Finished logs that were damaged later, from outside: real processes, and an outside ledger for money. */
import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { damageMember } from '../sim/damage-member.ts';
import { makeTempDir } from '../sim/temp-dir.ts';
import { holdfast, reportOf } from './holdfast.ts';

const evalText = (ledger: string) => `
import { appendFileSync } from 'node:fs';
import { defineEval, includes, mockModel } from 'holdfast';
const model = mockModel({ name: 'mock/paid', async respond({ text }) {
  appendFileSync(${JSON.stringify(ledger)}, text + '\\n');
  return 'heard ' + text;
} });
export default defineEval({
  name: 'paid',
  data: Array.from({ length: 6 }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: 'q' + index })),
  models: { 'mock/paid': model },
  target: async ({ input }, { generate }) => (await generate(input)).text,
  scorers: [includes()],
});
`;

const RUN = ['run', 'paid.eval.ts', '--model', 'mock/paid'];

/** A run that ended well, and its log. */
async function finishedRun() {
  const dir = await makeTempDir();
  const ledger = join(dir.path, 'ledger');
  await writeFile(join(dir.path, 'paid.eval.ts'), evalText(ledger));
  expect((await holdfast(dir.path, RUN)).code).toBe(0);
  const logs = () => readdirSync(join(dir.path, 'logs')).filter((name) => name.endsWith('.eval'));
  const [name = ''] = logs();
  return Object.assign(dir, {
    logs,
    log: join('logs', name),
    damage: (member: string) => damageMember(join(dir.path, 'logs', name), member),
    asked: () => readFileSync(ledger, 'utf8').split('\n').filter(Boolean).length,
  });
}

describe.each([['header.json'], ['summaries.json']])('a finished log with a damaged %s', (member) => {
  test('is read by the next run, which buys nothing and makes a whole log of it', async () => {
    await using dir = await finishedRun();
    await dir.damage(member);
    const again = await holdfast(dir.path, [...RUN, '--json']);
    // Nothing is lost by it, so the run has not failed; what was found is said.
    expect(again.code).toBe(0);
    expect(dir.asked()).toBe(6);
    const [run] = reportOf(again).runs;
    expect(run?.damage?.join()).toContain(member);
    const made = dir.logs().filter((name) => join('logs', name) !== dir.log);
    expect(made).toHaveLength(1);
    expect((await holdfast(dir.path, ['log', 'verify', join('logs', made[0] ?? '')])).code).toBe(0);
    // With the damaged one moved away, as was said, all is well again.
    renameSync(join(dir.path, dir.log), join(dir.path, 'old'));
    expect((await holdfast(dir.path, RUN)).code).toBe(0);
    expect(dir.asked()).toBe(6);
  });

  test('is made whole by the command that is printed, and can be gone on with', async () => {
    await using dir = await finishedRun();
    await dir.damage(member);
    const { stdout } = await holdfast(dir.path, ['log', 'verify', dir.log]);
    expect(stdout).toContain(`holdfast recover ${dir.log}`);
    const recovered = await holdfast(dir.path, ['recover', dir.log, '--json']);
    expect(recovered.code).toBe(3);
    expect(JSON.parse(recovered.stdout)).toMatchObject({
      kind: 'holdfast',
      status: 'success',
      counts: { kept: 6 },
    });
    const made = dir.log.replace('.eval', '-recovered.eval');
    expect((await holdfast(dir.path, ['log', 'verify', made])).code).toBe(0);
    renameSync(join(dir.path, dir.log), join(dir.path, 'old'));
    expect((await holdfast(dir.path, RUN)).code).toBe(0);
    expect(dir.asked()).toBe(6);
  });

  test('is named as damaged by list, show and verify, and is listed as recoverable', async () => {
    await using dir = await finishedRun();
    await dir.damage(member);
    for (const words of [
      ['log', 'list'],
      ['log', 'show', dir.log],
      ['log', 'verify', dir.log],
      ['recover', '--list'],
    ]) {
      const { code, stdout, stderr } = await holdfast(dir.path, words);
      expect({ words, code }).toEqual({ words, code: 3 });
      expect(stdout + stderr).toContain(member);
    }
    const { stdout } = await holdfast(dir.path, ['log', 'show', dir.log]);
    expect(stdout).toContain('s5');
  });

  test('is retried: nothing is missing, so nothing is bought', async () => {
    await using dir = await finishedRun();
    await dir.damage(member);
    expect((await holdfast(dir.path, ['retry', dir.log])).code).toBe(0);
    expect(dir.asked()).toBe(6);
  });
});
