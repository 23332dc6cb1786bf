import { describe, expect, test } from 'vitest';
import { AGENTV_REF, addAgentv4, addAgentv5, agentvName } from '../../../test/sim/agentv-branch.ts';
import { commitFiles, GIT_ENV, git, initRepository } from '../../../test/sim/results-repo.ts';
import { useTempDir } from '../../../test/sim/use-temp-dir.ts';
import { systemClock, systemRandom } from '../../base/index.ts';
import { nodeDisk } from '../../disk/index.ts';
import { findRepository } from '../../git/index.ts';
import type { RunSource, SourceRun } from '../run-source.ts';
import { agentvSource } from './agentv-source.ts';

const dir = useTempDir();
const TIME = '2026-07-06T11:31:36.988Z';

async function open(): Promise<RunSource> {
  const ports = { disk: nodeDisk, clock: systemClock, random: systemRandom, env: GIT_ENV };
  return agentvSource({ git: await findRepository(dir.path, ports), ref: AGENTV_REF });
}

async function listed(): Promise<readonly SourceRun[]> {
  await using source = await open();
  return await Array.fromAsync(source.runs());
}

describe('a results branch of AgentV', () => {
  test('of both versions is listed: ids, counts, scores, cost, times', async () => {
    initRepository(dir.path);
    addAgentv4(dir.path, { time: TIME, experiment: 'other' });
    addAgentv5(dir.path, { time: '2026-07-07T00:00:00.000Z' });
    const row = {
      eval: 'math',
      target: 'echo',
      status: 'success',
      samples: { total: 2, completed: 2, errored: 0, passed: 1 },
      passRate: 0.5,
      scores: [
        { name: 'score', metric: 'mean', value: 0.75, low: 0, high: 1 },
        { name: 'contains', value: 0.75 },
      ],
      tokens: { input: 20, output: 4, total: 24 },
      usd: 0.003,
      durationMs: 5_000,
    };
    expect(await listed()).toMatchObject([
      {
        run: expect.stringMatching(/^20260707T000000000-/),
        name: '2026-07-07T00-00-00-000Z',
        row: { ...row, experiment: 'nightly', tags: ['team=blue'] },
      },
      {
        run: expect.stringMatching(/^20260706T113136988-/),
        name: 'other::2026-07-06T11-31-36-988Z',
        row: { ...row, experiment: 'other', start: TIME },
      },
    ]);
  });

  test('tells errors from failures, and a price that is not known from none', async () => {
    initRepository(dir.path);
    addAgentv4(dir.path, {
      time: TIME,
      tests: [
        { id: 'a', score: 1 },
        { id: 'b', status: 'execution_error', error: 'the agent crashed' },
        { id: 'c', score: 0, status: 'quality_failure', usd: 0.5 },
      ],
      planned: 4,
    });
    await using source = await open();
    const [run] = await Array.fromAsync(source.runs());
    expect(run?.row).toMatchObject({
      status: 'cancelled',
      samples: { total: 3, completed: 2, errored: 1, passed: 1 },
      scores: [{ name: 'score', value: 0.5 }, { name: 'contains' }],
      usd: null,
    });
    const reader = await run?.open();
    expect(await reader?.fields({ id: 'b', epoch: 1 })).toMatchObject({
      error: { message: 'the agent crashed' },
    });
  });

  test('of 4.x is opened: messages, calls of tools, answer, what was expected, grading', async () => {
    initRepository(dir.path);
    addAgentv4(dir.path, { time: TIME });
    await using source = await open();
    const reader = await (await source.find(agentvName(TIME)))?.open();
    expect(await reader?.fields({ id: 'addition', epoch: 1 })).toMatchObject({
      input: [{ role: 'user', content: 'What about addition?' }],
      target: 'expected of addition',
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          content: 'answer of addition',
          tool_calls: [{ id: 'call-7', function: 'calc', arguments: { a: 15 } }],
        },
        { role: 'tool', content: '42', tool_call_id: 'call-7', function: 'calc' },
      ],
      output: { completion: 'answer of addition' },
      scores: {
        score: { value: 1, metadata: { grading: { summary: { passed: 1 } } } },
        contains: { value: 1, explanation: 'graded addition' },
      },
      model_usage: { echo: { total_tokens: 12, total_cost: 0.001 } },
      total_time: 0.012,
    });
  });

  test('of 5.x is opened, each sample of a test that was repeated as an epoch', async () => {
    initRepository(dir.path);
    addAgentv5(dir.path, { time: TIME, tests: [{ id: 'flaky', score: 0.5, samples: [1, 0, 1] }] });
    await using source = await open();
    const found = await source.find('2026-07-06');
    expect(found).toBeUndefined();
    const [run] = await Array.fromAsync(source.runs());
    expect(run?.row).toMatchObject({ samples: { total: 3, completed: 3, passed: 2 }, usd: 0.003 });
    const reader = await run?.open();
    const epochs = await Array.fromAsync(reader?.summaries() ?? []);
    expect(epochs.map(({ value }) => [value.epoch, value.scores?.score?.value])).toEqual([
      [1, 1],
      [2, 0],
      [3, 1],
    ]);
    expect(await reader?.fields({ id: 'flaky', epoch: 2 })).toMatchObject({
      messages: [
        { role: 'user', content: 'What about flaky?' },
        {
          role: 'assistant',
          model: 'm',
          content: [
            { type: 'reasoning', reasoning: 'hm' },
            { type: 'text', text: 'answer 2 of flaky' },
          ],
          tool_calls: [{ id: 'call-7', function: 'Read', arguments: { path: 'x' } }],
        },
        { role: 'tool', content: 'text of x', function: 'Read' },
      ],
      output: { completion: 'answer 2 of flaky' },
      scores: { score: { explanation: 'because of flaky' } },
    });
  });

  test('the same test on several targets is several samples; of rows that were added anew the last counts', async () => {
    initRepository(dir.path);
    addAgentv4(dir.path, {
      time: TIME,
      tests: [
        { id: 'a', target: 'x', score: 0 },
        { id: 'a', target: 'y', score: 1 },
        { id: 'a', target: 'x', score: 1 },
      ],
    });
    await using source = await open();
    const [run] = await Array.fromAsync(source.runs());
    expect(run?.row).toMatchObject({ target: 'x, y', samples: { total: 2 }, scores: [{ value: 1 }, {}] });
    const log = await run?.openLog?.();
    expect((await log?.samples())?.map(({ id }) => id)).toEqual(['math / a / x', 'math / a / y']);
  });
});

describe('what AgentV did not write, or not whole', () => {
  test('a branch of something else is refused, with what was expected there', async () => {
    initRepository(dir.path);
    commitFiles(dir.path, AGENTV_REF, { 'README.md': 'hello' });
    await expect(listed()).rejects.toMatchObject({
      code: 'E_AGENTV_FORMAT',
      message: expect.stringMatching(/benchmark\.json \(4\.x\) or summary\.json \(5\.x\)/),
    });
    git(dir.path, 'update-ref', '-d', AGENTV_REF);
    await expect(listed()).rejects.toMatchObject({ code: 'E_AGENTV_FORMAT' });
  });

  test('a run without its figures or its rows says which file is missing, and the others are listed', async () => {
    initRepository(dir.path);
    addAgentv5(dir.path, { time: TIME });
    commitFiles(dir.path, AGENTV_REF, {
      '2026-07-07T00-00-00-000Z/other.json': '{}',
      '2026-07-08T00-00-00-000Z/summary.json': '{}',
      '2026-07-09T00-00-00-000Z/summary.json': '{}',
      '2026-07-09T00-00-00-000Z/index.jsonl': '{"test_id":"a","score":1}\n{"test_id":\n',
    });
    expect(await listed()).toMatchObject([
      { damage: expect.stringContaining('Line 2 of its index.jsonl') },
      { damage: expect.stringContaining('index.jsonl') },
      { damage: expect.stringContaining('benchmark.json (AgentV 4) or summary.json') },
      { row: { eval: 'math' } },
    ]);
    await using source = await open();
    const broken = await source.find('2026-07-07T00-00-00-000Z');
    await expect(broken?.open()).rejects.toMatchObject({ code: 'E_AGENTV_RUN' });
    // What is whole of a run with a broken line is read.
    const reader = await (await source.find('2026-07-09T00-00-00-000Z'))?.open();
    expect(await Array.fromAsync(reader?.summaries() ?? [])).toMatchObject([{ value: { id: 'a' } }]);
  });

  test('a transcript that is no JSON is damage of that sample alone', async () => {
    initRepository(dir.path);
    addAgentv5(dir.path, { time: TIME });
    const path = `${agentvName(TIME)}/addition--c6cd8f9f52ad/sample-1/transcript.json`;
    commitFiles(dir.path, AGENTV_REF, { [path]: '{"turns":' });
    await using source = await open();
    const reader = await (await source.find(agentvName(TIME)))?.open();
    await expect(reader?.fields({ id: 'addition', epoch: 1 })).rejects.toMatchObject({
      code: 'E_AGENTV_RUN',
    });
    expect(await reader?.fields({ id: 'capital', epoch: 1 })).toMatchObject({
      output: { completion: 'answer 1 of capital' },
    });
  });
});
