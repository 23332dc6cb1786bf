import {
  DamageError,
  definedOf,
  isJsonObject,
  type Json,
  JsonSyntaxError,
  parseJson,
} from '../../base/index.ts';
import type { ChatMessage, SampleFields, Score } from '../../log/index.ts';
import { OVERALL, usageOf } from './agentv-header.ts';
import { type AgentvSample, textOf } from './agentv-rows.ts';
import { readTranscript } from './agentv-transcript.ts';

/** The text of a file of a run by its path in the run's folder; undefined when there is none. */
export type ReadText = (path: string) => Promise<string | undefined>;

/** What the index alone tells of a sample. */
export function fieldsOf(sample: AgentvSample): SampleFields {
  const { id, epoch, target, error, durationMs, time } = sample;
  const usage = usageOf(sample);
  return {
    id,
    epoch,
    input: '',
    target: '',
    messages: [],
    output: { model: target, choices: [] },
    ...(sample.status === 'execution_error' ? {} : { scores: scoresOf(sample) }),
    metadata: { agentv: { ...sample.row } },
    store: {},
    model_usage: usage ? { [target]: usage } : {},
    role_usage: {},
    ...definedOf({ completed_at: time }),
    ...(durationMs === undefined ? {} : { total_time: durationMs / 1_000 }),
    ...(sample.status === 'execution_error'
      ? { error: { message: error ?? 'It was not run to its end.', traceback: '', traceback_ansi: '' } }
      : {}),
    error_retries: [],
  };
}

/** The same with all that is kept in files of its own: the conversation, the answer, the grading, what was expected. */
export async function wholeFields(sample: AgentvSample, read: ReadText): Promise<SampleFields> {
  const fields = fieldsOf(sample);
  const transcript = await readFirst(
    read,
    pathsOf(sample, 'transcript_path', ['transcript.json', 'transcript.jsonl']),
  );
  const messages =
    transcript === undefined ? [] : parsed(sample, 'transcript', () => readTranscript(transcript));
  const answer = await readFirst(read, [
    ...pathsOf(sample, 'answer_path', ['outputs/answer.md']),
    ...pathsOf(sample, 'output_path', []),
  ]);
  const answered = messages.findIndex(({ role }) => role === 'assistant');
  const asked = answered < 0 ? messages : messages.slice(0, answered);
  const input = await readFirst(read, pathsOf(sample, 'input_path', ['input.md']));
  const grading = await readFirst(read, pathsOf(sample, 'grading_path', ['grading.json']));
  return {
    ...fields,
    input: asked.length > 0 ? asked : (input ?? ''),
    target: await expectedOf(sample, read),
    messages,
    output: outputOf(sample.target, messages, answer),
    ...(fields.scores && grading !== undefined
      ? {
          scores: withGrading(
            fields.scores,
            parsed(sample, 'grading', () => parseJson(grading)),
          ),
        }
      : {}),
  };
}

/** What of a sample is no JSON is damage of that sample. */
function parsed<T>({ id }: AgentvSample, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw new DamageError({
      code: 'E_AGENTV_RUN',
      message: `The ${what} of ${id} cannot be read: it is no JSON.`,
      hint: 'The other samples are read. AgentV writes it again when the test is run again.',
      cause: error,
    });
  }
}

function scoresOf({ score, graders }: AgentvSample): Record<string, Score> {
  const scores: Record<string, Score> = score === undefined ? {} : { [OVERALL]: { value: score } };
  for (const { name, score: value, reason } of graders)
    scores[name] = { value, ...definedOf({ explanation: reason }) };
  return scores;
}

function withGrading(scores: Readonly<Record<string, Score>>, grading: Json): Record<string, Score> {
  const overall = scores[OVERALL];
  if (!overall || !isJsonObject(grading)) return { ...scores };
  const reason = textOf(grading.reason);
  const said = reason === undefined ? overall : { ...overall, explanation: reason };
  return { ...scores, [OVERALL]: { ...said, metadata: { grading } } };
}

function outputOf(
  model: string,
  messages: readonly ChatMessage[],
  answer: string | undefined,
): SampleFields['output'] {
  const said = messages.findLast(({ role }) => role === 'assistant');
  const text = answer ?? (typeof said?.content === 'string' ? said.content : '');
  if (!said && text === '') return { model, choices: [] };
  const message = said ?? { role: 'assistant', content: text };
  return { model, choices: [{ message, stop_reason: 'stop' }], completion: text };
}

/** Of a test that was repeated, each sample has a folder; else the row names the files. */
function pathsOf(sample: AgentvSample, key: string, names: readonly string[]): readonly string[] {
  const { folder, row } = sample;
  const dir = textOf(row.result_dir) ?? textOf(row.artifact_dir);
  const named = textOf(row[key]);
  if (folder !== undefined && dir !== undefined) return names.map((name) => `${dir}/${folder}/${name}`);
  return named === undefined ? [] : [named];
}

async function readFirst(read: ReadText, paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) {
    const text = await read(path);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** The definition of the test is kept beside it; one that cannot be read leaves unsaid what was expected. */
async function expectedOf({ row }: AgentvSample, read: ReadText): Promise<string> {
  const path = textOf(row.eval_path);
  const text = path === undefined ? undefined : await read(path);
  const tests = text === undefined ? undefined : await testsIn(text);
  if (!Array.isArray(tests)) return '';
  const test: unknown = tests.find((one) => isRecord(one) && one.id === row.test_id) ?? tests[0];
  return isRecord(test) && typeof test.expected_output === 'string' ? test.expected_output : '';
}

async function testsIn(text: string): Promise<unknown> {
  // Loaded only by whoever opens such a run, since it is large.
  const { parse: parseYaml, YAMLError } = await import('yaml');
  try {
    const value: unknown = parseYaml(text);
    return isRecord(value) ? value.tests : undefined;
  } catch (error) {
    if (!(error instanceof YAMLError)) throw error;
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
