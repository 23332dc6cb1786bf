/** What a run says that it will do, before it does it, against what a server sold then. */
import { readdirSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { sendJson } from '../sim/http-server.ts';
import { startChatServer } from './chat-server.ts';
import { holdfast, startHoldfast } from './holdfast.ts';
import { makeProject } from './project.ts';

/** One call costs a cent; two calls a sample. */
const evalOf = (model: string, { rows = 4, second = 'second', more = '' } = {}) => `
import { defineEval, includes } from 'holdfast';
export default defineEval({ name: 'x', concurrency: 1, scorers: [includes()], ${more}
  prices: { 'openai-compatible/m': { input: 5, output: 5 } },
  data: Array.from({ length: ${rows} }, (_, index) => ({ id: 's' + index, input: 'q' + index, target: 'q' + index })),
  target: async ({ input }, { generate }) => {
    const ask = async (prompt) => (await generate({ model: '${model}', prompt })).text;
    await ask('first ' + input);
    return ask('${second} ' + input);
  } });
`;

const RUN = ['run', 'x.eval.ts'];
const planned = (text: string) => /\d+ planned: (.*)/.exec(text)?.[1];

/** What a dry run says and what the run then says, which must be the same. */
async function bothSay(dir: string, ...flags: string[]): Promise<string | undefined> {
  const dry = await holdfast(dir, [...RUN, ...flags, '--dry-run']);
  const wet = await holdfast(dir, [...RUN, ...flags]);
  expect(planned(wet.stderr)).toBe(planned(dry.stdout));
  return planned(dry.stdout);
}

describe('samples that run are never said to cost nothing', () => {
  test('a changed prompt: what they cost at most', async () => {
    await using server = await startChatServer();
    await using dir = await makeProject({ 'x.eval.ts': evalOf(server.model) });
    expect(await bothSay(dir.path)).toBe('4 to buy, cost not known yet');
    await writeFile(join(dir.path, 'x.eval.ts'), evalOf(server.model, { second: 'third' }));
    expect(await bothSay(dir.path)).toBe(
      '4 to run again with the answers on record (new requests are bought: at most about $0.0800)',
    );
    expect(server.sold).toBe(12);
    await writeFile(join(dir.path, 'x.eval.ts'), evalOf(server.model, { second: 'third', rows: 6 }));
    expect(await bothSay(dir.path)).toBe('4 kept, 2 to buy, about $0.0400');
    expect((await holdfast(dir.path, [...RUN, '--fresh', '--dry-run'])).stdout).toContain(
      '6 to buy, about $0.1200',
    );
    expect(server.sold).toBe(16);
  });

  test('a limit that had ended them is raised', async () => {
    await using server = await startChatServer();
    await using dir = await makeProject({ 'x.eval.ts': evalOf(server.model) });
    await holdfast(dir.path, [...RUN, '--turn-limit', '1']);
    expect(server.sold).toBe(4);
    expect(await bothSay(dir.path, '--turn-limit', '2')).toMatch(/^4 to run again .*at most about \$0.0400/);
    expect(server.sold).toBe(8);
  });

  test('all their calls had failed: nothing is on record', async () => {
    let isRefusing = true;
    await using server = await startChatServer((_request, response) => {
      if (isRefusing) sendJson(response, { error: { message: 'No such key.' } }, 401);
      return isRefusing;
    });
    await using dir = await makeProject({ 'x.eval.ts': evalOf(server.model, { rows: 12 }) });
    expect((await holdfast(dir.path, RUN)).code).toBe(4);
    isRefusing = false;
    expect(await bothSay(dir.path)).toBe('12 to buy, cost not known yet');
    expect(server.sold).toBe(24);
    isRefusing = true;
    await writeFile(join(dir.path, 'x.eval.ts'), evalOf(server.model, { rows: 14 }));
    await holdfast(dir.path, [...RUN, '--id', 's12', 's13']);
    expect((await holdfast(dir.path, [...RUN, '--dry-run'])).stdout).toContain('12 kept, 2 to buy, about');
  });
});

test('a dry run says, too, what a changed function may pay for where nobody sees it', async () => {
  await using server = await startChatServer();
  const text = (prompt: string) =>
    `import { defineEval, includes } from 'holdfast';
    export default defineEval({ name: 'x', data: [{ id: 'a', input: 'a', target: 'a' }], scorers: [includes()],
      target: async ({ input }) => JSON.stringify(await (await fetch('${server.url}/v1/chat/completions', { method: 'POST',
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: '${prompt}' + input }] }) })).json()) });`;
  await using dir = await makeProject({ 'x.eval.ts': text('Say ') });
  await holdfast(dir.path, RUN);
  expect(server.sold).toBe(1);
  await writeFile(join(dir.path, 'x.eval.ts'), text('Tell '));
  const dry = await holdfast(dir.path, [...RUN, '--dry-run']);
  expect(dry.stdout).toContain('1 sample that it runs again recorded no call before');
  expect(dry.stdout).toContain('--keep-outputs');
  expect(server.sold).toBe(1);
});

test('what one model costs is not said of another', async () => {
  await using server = await startChatServer();
  const text = (rows: number) =>
    evalOf('', { rows })
      .replace("model: '', ", '')
      .replace('5 } }', "5 }, 'openai-compatible/n': { input: 50, output: 50 } }");
  await using dir = await makeProject({ 'x.eval.ts': text(4) });
  const other = server.model.replace('/m@', '/n@');
  expect(await bothSay(dir.path, '--model', server.model)).toBe('4 to buy, cost not known yet');
  expect(await bothSay(dir.path, '--model', other)).toBe('4 to buy, cost not known yet');
  await writeFile(join(dir.path, 'x.eval.ts'), text(6));
  expect(await bothSay(dir.path, '--model', server.model)).toBe('4 kept, 2 to buy, about $0.0400');
  expect(await bothSay(dir.path, '--model', other)).toBe('4 kept, 2 to buy, about $0.4000');
  expect(server.sold).toBe(24);
});

test('after a budget stop the average of what is done is known', async () => {
  await using server = await startChatServer();
  await using dir = await makeProject({ 'x.eval.ts': evalOf(server.model) });
  await holdfast(dir.path, [...RUN, '--budget', '0.04']);
  expect(server.sold).toBe(4);
  expect(await bothSay(dir.path, '--budget', '1')).toBe('2 kept, 2 to buy, about $0.0400');
});

test('after an interrupted --fresh the dry run says what the run says', async () => {
  let count = 0;
  await using server = await startChatServer(() => ++count > 12);
  await using dir = await makeProject({ 'x.eval.ts': evalOf(server.model) });
  await holdfast(dir.path, RUN);
  const run = startHoldfast(dir.path, [...RUN, '--fresh', '--grace', '0s']);
  while (server.requests.length < 13) await sleep(20);
  run.child.kill('SIGINT');
  await run.ended;
  count = -100;
  expect(await bothSay(dir.path)).toBe('2 kept, 2 to buy, about $0.0400');
  expect(server.sold).toBe(16);
});

test('what only the bucket holds counts as it does for the run; of unfinished runs it is said that nobody looked', async () => {
  let left = Number.POSITIVE_INFINITY;
  await using server = await startChatServer(() => left-- <= 0);
  await using dir = await makeProject({ 'x.eval.ts': evalOf(server.model) });
  const flags = ['--segments', `file://${dir.path}/bucket`];
  await holdfast(dir.path, [...RUN, ...flags]);
  await rm(join(dir.path, 'logs'), { recursive: true });
  await writeFile(join(dir.path, 'x.eval.ts'), evalOf(server.model, { rows: 6 }));
  const dry = await holdfast(dir.path, [...RUN, ...flags, '--dry-run']);
  expect(planned(dry.stdout)).toBe('4 kept, 2 to buy, about $0.0400');
  expect(readdirSync(dir.path)).not.toContain('logs');

  await writeFile(join(dir.path, 'x.eval.ts'), evalOf(server.model, { rows: 6, second: 'third' }));
  const before = server.requests.length;
  // The fourth question is never answered.
  left = 3;
  const run = startHoldfast(dir.path, [...RUN, ...flags, '--grace', '0s']);
  while (server.requests.length < before + 4) await sleep(20);
  run.child.kill('SIGINT');
  await run.ended;
  await rm(join(dir.path, 'logs'), { recursive: true });
  const away = await holdfast(dir.path, [...RUN, ...flags, '--dry-run']);
  expect(away.stdout).toContain('The bucket holds 1 unfinished run of this eval.');
});

describe('a dry run writes nothing', () => {
  /** Everything below a folder with its size and time. */
  function traces(dir: string): string[] {
    return readdirSync(dir, { recursive: true, encoding: 'utf8' })
      .sort()
      .map((name) => {
        const { size, mtimeMs } = statSync(join(dir, name));
        return `${name} ${size} ${mtimeMs}`;
      })
      .concat(String(statSync(dir).mtimeMs));
  }

  test('where nothing is, beside finished logs, without their index, and beside an unfinished run', async () => {
    await using server = await startChatServer();
    await using dir = await makeProject({ 'x.eval.ts': evalOf(server.model) });
    const look = async () => {
      const before = traces(dir.path);
      expect((await holdfast(dir.path, [...RUN, '--dry-run'])).code).toBe(0);
      expect(traces(dir.path)).toEqual(before);
    };
    await look();
    await holdfast(dir.path, RUN);
    await look();
    // Something new in the code, and a log that the index does not know yet.
    await writeFile(join(dir.path, 'x.eval.ts'), evalOf(server.model, { rows: 8, second: 'third' }));
    await look();
    await rm(join(dir.path, 'logs/.holdfast'), { recursive: true });
    await look();
    await holdfast(dir.path, [...RUN, '--budget', '0.04']);
    expect(readdirSync(join(dir.path, 'logs/.holdfast')).some((name) => /^\d{8}T/.test(name))).toBe(true);
    await look();
    expect(server.sold).toBe(12);
  });
});
