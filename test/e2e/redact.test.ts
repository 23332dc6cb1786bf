/** What an eval wants redacted is on no disk: not in the journal of a run that was killed, and not in its log. */
import { readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { makeTempDir } from '../sim/temp-dir.ts';
import { filesBelow, holdfast, reportOf, startHoldfast } from './holdfast.ts';

const SECRET = 'sk-4711-0815';

/** Says the secret in every way there is; its parts stand apart in the file, so that the file itself does not hold it. */
const LEAKY = (more: string) => `
import { defineEval, includes, mockModel } from 'holdfast';
import { appendFileSync } from 'node:fs';
const secret = ['sk-4711', '0815'].join('-');
const mock = mockModel({ name: 'mock/leaky', respond({ turn }) {
  appendFileSync('ledger', 'asked\\n');
  return turn === 0
    ? { reasoning: 'it is ' + secret, text: 'it is ' + secret, toolCalls: [{ toolName: 'look', input: { key: secret } }] }
    : 'again ' + secret;
} });
/** One text in two parts, cut inside of the secret. */
const leaky = { ...mock, async doGenerate(request) {
  const answer = await mock.doGenerate(request);
  const content = answer.content.flatMap((part) => part.type !== 'text' ? [part]
    : [{ type: 'text', text: part.text.slice(0, -6) }, { type: 'text', text: part.text.slice(-6) }]);
  return { ...answer, content };
} };
const tools = { look: {
  description: 'looks', inputSchema: { type: 'object', properties: { key: { type: 'string' } } },
  execute: async ({ key }) => ({ found: 'for ' + key + ': ' + secret }),
} };
export default defineEval({
  name: 'leaky',
  data: ['answer', 'fail', 'wait'].map((id) => ({ id, input: id + ' ' + secret, target: 'redacted', metadata: { note: secret, [secret]: 'key' } })),
  tags: ['tag ' + secret],
  metadata: { about: secret, [secret]: 'key' },
  description: 'for ' + secret,
  models: { 'mock/leaky': leaky },
  target: async ({ id, input }, { generate, info }) => {
    const { text } = await generate({ prompt: input, tools, maxSteps: 3 });
    appendFileSync('seen', text + '\\n');
    info({ secret, [secret]: 1 }, 'from ' + secret);
    if (id === 'fail') throw new Error('failed on ' + secret);
    if (id === 'wait') while (process.env.WAIT) await new Promise((resolve) => setTimeout(resolve, 20));
    return { name: secret, text, own: { [secret]: secret } };
  },
  scorers: [includes(), async function quoting({ text }) { return { value: 1, explanation: text + secret, metadata: { id: secret, [secret]: 1 } }; }],
  ${more}
});
`;

const RUN = ['run', 'leaky.eval.ts', '--model', 'mock/leaky', '--json'];

async function leakyEval(more = '') {
  const dir = await makeTempDir();
  await writeFile(join(dir.path, 'leaky.eval.ts'), LEAKY(more));
  for (const name of ['ledger', 'seen']) await writeFile(join(dir.path, name), '');
  const read = (name: string) => readFileSync(join(dir.path, name), 'utf8');
  const lines = (name: string) => read(name).trimEnd().split('\n');
  const holds = (path: string) => statSync(path).isFile() && readFileSync(path).includes(SECRET);
  const leaks = () => filesBelow(dir.path).filter((name) => holds(join(dir.path, name)));
  return Object.assign(dir, { lines, leaks });
}

async function untilWaiting(dir: { lines(name: string): string[] }): Promise<void> {
  // What a target has seen is in the journal.
  while (dir.lines('seen').length < 3) await sleep(20);
}

test.each([
  ['the eval', `redact: [/sk-\\d+-\\d+/],`, []],
  ['the eval, as text', `redact: ['/sk-[0-9]+-[0-9]+/'],`, []],
  ['the command line', '', ['--redact', SECRET]],
])(
  '[RED-1] redacted by %s: neither the journal of a killed run nor the log holds it',
  async (_, more, flags) => {
    await using dir = await leakyEval(more);
    const started = startHoldfast(dir.path, [...RUN, ...flags], { WAIT: 'yes' });
    await untilWaiting(dir);
    started.child.kill('SIGKILL');
    await started.ended;
    expect(filesBelow(dir.path).some((name) => name.includes('.db'))).toBe(true);
    expect(dir.leaks()).toEqual([]);

    const ended = await holdfast(dir.path, [...RUN, ...flags]);
    const [run] = reportOf(ended).runs;
    expect(run?.samples).toMatchObject({ planned: 3, remaining: 0 });
    expect(ended.stdout + ended.stderr).not.toContain(SECRET);
    expect(dir.leaks()).toEqual([]);
    const dump = await holdfast(dir.path, ['log', 'dump', run?.log ?? '']);
    expect(dump.stdout).not.toContain(SECRET);
    expect(dump.stdout).toContain('for [redacted]: [redacted]');
    expect(dump.stdout).toContain('failed on [redacted]');
    expect((await holdfast(dir.path, ['log', 'verify', run?.log ?? ''])).code).toBe(0);
    // [RED-2] The target saw what is kept, live and replayed alike.
    expect(new Set(dir.lines('seen'))).toEqual(new Set(['again [redacted]']));
  },
);

test('without redaction it is in the answers, as the guide says: the test above can fail', async () => {
  await using dir = await leakyEval();
  const started = startHoldfast(dir.path, RUN, { WAIT: 'yes' });
  await untilWaiting(dir);
  started.child.kill('SIGKILL');
  await started.ended;
  expect(dir.leaks()).not.toEqual([]);
});

test.each(['/(/', '/x*/', ''])('the pattern %j is refused before anything is bought', async (pattern) => {
  await using dir = await leakyEval();
  const ended = await holdfast(dir.path, [...RUN, '--redact', pattern]);
  expect(reportOf(ended)).toMatchObject({ exitCode: 2, error: { code: 'E_EVAL_INVALID' } });
  expect(dir.lines('ledger')).toEqual(['']);
});
