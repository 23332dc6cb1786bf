/** Results branches as AgentV writes them: the layout, names and shapes of 4.x and of 5.x, with contents of our own. */
import { commitFiles } from './results-repo.ts';

export const AGENTV_REF = 'refs/heads/agentv/results/v1';

export interface AgentvTest {
  readonly id: string;
  readonly score?: number;
  readonly status?: 'ok' | 'quality_failure' | 'execution_error';
  readonly target?: string;
  readonly error?: string;
  readonly usd?: number;
  /** Scores of several samples of the test; version 5 only. */
  readonly samples?: readonly number[];
}

export interface AgentvRunContent {
  /** When it began, as ISO 8601 with milliseconds. */
  readonly time: string;
  readonly experiment?: string;
  readonly tests?: readonly AgentvTest[];
  readonly planned?: number;
}

const TESTS: readonly AgentvTest[] = [
  { id: 'addition', score: 1, usd: 0.001 },
  { id: 'capital', score: 0.5, status: 'quality_failure', usd: 0.002 },
];

/** `2026-07-06T11-31-36-988Z` */
export function agentvName(time: string): string {
  return time.replace(/[:.]/g, '-');
}

/** As 4.42 does: `runs/<experiment>/<run>` with `benchmark.json`, and a folder for each test. */
export function addAgentv4(dir: string, run: AgentvRunContent): string {
  const { time, experiment = 'default', tests = TESTS } = run;
  const folder = `runs/${experiment}/${agentvName(time)}`;
  const files: Record<string, string> = {};
  const rows = tests.map((test) => {
    const at = `math/${test.id}`;
    files[`${folder}/${at}/grading.json`] = json({
      summary: { passed: 1, failed: 0, total: 1 },
      graders: [],
    });
    files[`${folder}/${at}/input.md`] = `@[user]:\nWhat about ${test.id}?`;
    files[`${folder}/${at}/outputs/answer.md`] = `answer of ${test.id}`;
    files[`${folder}/${at}/outputs/transcript.jsonl`] = lines([
      {
        schema_version: 'agentv.transcript.v1',
        message_index: 0,
        role: 'user',
        content: `What about ${test.id}?`,
      },
      {
        schema_version: 'agentv.transcript.v1',
        message_index: 1,
        role: 'assistant',
        content: `answer of ${test.id}`,
        tool_calls: [{ tool: 'calc', input: { a: 15 }, output: '42', id: 'call-7', status: 'ok' }],
      },
    ]);
    files[`${folder}/${at}/task/EVAL.yaml`] =
      `tests:\n  - id: ${test.id}\n    input: What?\n    expected_output: "expected of ${test.id}"\n`;
    return {
      ...rowOf(test, time),
      artifact_dir: at,
      grading_path: `${at}/grading.json`,
      output_path: `${at}/outputs/answer.md`,
      answer_path: `${at}/outputs/answer.md`,
      transcript_path: `${at}/outputs/transcript.jsonl`,
      input_path: `${at}/input.md`,
      eval_path: `${at}/task/EVAL.yaml`,
      experiment,
    };
  });
  files[`${folder}/index.jsonl`] = lines(rows);
  files[`${folder}/benchmark.json`] = json({
    metadata: {
      eval_file: '/home/x/evals/math.yaml',
      timestamp: time,
      targets: ['echo'],
      tests_run: tests.map(({ id }) => id),
      experiment,
      planned_test_count: run.planned ?? tests.length,
    },
    run_summary: { echo: { pass_rate: { mean: 0.75, stddev: 0.25 } } },
    notes: [],
  });
  commitFiles(dir, AGENTV_REF, files);
  return experiment === 'default' ? agentvName(time) : `${experiment}::${agentvName(time)}`;
}

/** As 5.3 does: `<run>` with `summary.json`, the rows in `.internal`, and a folder for each sample of each test. */
export function addAgentv5(dir: string, run: AgentvRunContent): string {
  const { time, experiment = 'nightly', tests = TESTS } = run;
  const folder = agentvName(time);
  const files: Record<string, string> = {};
  const rows = tests.map((test) => {
    const at = `${test.id}--c6cd8f9f52ad`;
    for (const n of (test.samples ?? [1]).keys()) {
      const sample = `${folder}/${at}/sample-${n + 1}`;
      files[`${sample}/grading.json`] = json({
        pass: true,
        score: 1,
        reason: `because of ${test.id}`,
        graders: [],
      });
      files[`${sample}/outputs/answer.md`] = `answer ${n + 1} of ${test.id}`;
      files[`${sample}/transcript.json`] = json({
        schema_version: 'agentv.normalized_transcript.v1',
        turns: [
          { v: 1, type: 'user', content: [{ type: 'text', text: `What about ${test.id}?` }] },
          {
            v: 1,
            type: 'assistant',
            model: 'm',
            content: [
              { type: 'thinking', text: 'hm' },
              { type: 'text', text: `answer ${n + 1} of ${test.id}` },
              {
                type: 'tool_use',
                id: 'call-7',
                name: 'Read',
                input: { path: 'x' },
                result: { output: 'text of x' },
              },
            ],
          },
        ],
      });
    }
    return {
      ...rowOf(test, time),
      ...(test.samples
        ? {
            samples: test.samples.map((score, n) => ({
              sample_path: `sample-${n + 1}`,
              score,
              execution_status: score === 1 ? 'ok' : 'quality_failure',
              cost_usd: 0.001,
            })),
          }
        : {}),
      result_dir: at,
      grading_path: `${at}/sample-1/grading.json`,
      answer_path: `${at}/sample-1/outputs/answer.md`,
      transcript_path: `${at}/sample-1/transcript.json`,
      experiment,
    };
  });
  files[`${folder}/.internal/index.jsonl`] = lines(rows);
  files[`${folder}/summary.json`] = json({
    index_path: '.internal/index.jsonl',
    run_id: folder,
    counts: { total_tests: tests.length },
    metadata: {
      eval_file: '/home/x/evals/math.eval.yaml',
      timestamp: time,
      targets: ['echo'],
      experiment,
      planned_test_count: run.planned ?? tests.length,
      tags: { experiment, team: 'blue' },
    },
  });
  commitFiles(dir, AGENTV_REF, files);
  return folder;
}

function rowOf(test: AgentvTest, time: string) {
  const { id, score = 0, status = 'ok', target = 'echo', error, usd } = test;
  return {
    timestamp: new Date(Date.parse(time) + 5_000).toISOString(),
    test_id: id,
    suite: 'math',
    score,
    target,
    ...(usd === undefined ? {} : { token_usage: { input: 10, output: 2 }, cost_usd: usd }),
    duration_ms: 12,
    scores: [{ name: 'contains', type: 'contains', score, reason: `graded ${id}` }],
    execution_status: status,
    ...(error === undefined ? {} : { error }),
  };
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join('');
}
