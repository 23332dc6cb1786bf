import type { ChatMessage, LogEvent, ModelUsage } from '../../../src/log/index.ts';
import type { SimulatedEval, SimulatedRow } from './evals.ts';

export interface SimulatedEnd {
  readonly passed: boolean;
  readonly number: number;
  readonly error: string | undefined;
  readonly limit: boolean;
  readonly turns: number;
}

interface Writing {
  readonly events: LogEvent[];
  readonly messages: ChatMessage[];
  ms: number;
  count: number;
}

export interface SimulatedTranscript {
  readonly events: readonly LogEvent[];
  readonly messages: readonly ChatMessage[];
  readonly usage: ModelUsage;
  readonly output: string;
  readonly endMs: number;
}

export interface TranscriptInput {
  readonly about: SimulatedEval;
  readonly row: SimulatedRow;
  readonly model: string;
  readonly usdPerTurn: number;
  readonly startMs: number;
  readonly end: SimulatedEnd;
}

/** What happened in one sample: turns with reasoning, tools and a sub-agent, with every kind of text that a viewer meets. */
export function transcriptOf(input: TranscriptInput): SimulatedTranscript {
  const { about, row, startMs, end } = input;
  const writing: Writing = {
    events: [],
    messages: [{ id: 'm0', role: 'user', content: row.input, source: 'input' }],
    ms: startMs,
    count: 0,
  };
  add(writing, {
    event: 'sample_init',
    sample: { id: row.id, input: row.input, target: row.target },
    state: {},
  });
  add(writing, { event: 'span_begin', id: 'solvers', name: 'solvers', type: 'solvers' });
  add(writing, { event: 'span_begin', id: 'agent', parent_id: 'solvers', name: 'main', type: 'agent' });
  for (let turn = 0; turn < end.turns; turn++) takeTurn(writing, input, turn);
  if (about.kind === 'coding' && end.turns > 6) subAgent(writing, input);
  const output = lastWords(input);
  modelCall(writing, input, { content: output, tools: [] });
  add(writing, { event: 'span_end', id: 'agent' });
  add(writing, { event: 'span_end', id: 'solvers' });
  if (end.limit)
    add(writing, {
      event: 'sample_limit',
      type: 'token',
      message: 'The sample used more than 120,000 tokens.',
      limit: 120_000,
    });
  if (end.error !== undefined)
    add(writing, {
      event: 'error',
      error: {
        message: end.error,
        traceback: `Error: ${end.error}\n    at solve (agent.ts:41:9)`,
        traceback_ansi: '',
      },
    });
  const calls = end.turns + 1;
  const usage = {
    input_tokens: 900 * calls + 130 * calls * calls,
    output_tokens: 210 * calls,
    total_tokens: 1_110 * calls + 130 * calls * calls,
    input_tokens_cache_read: 60 * calls * calls,
    reasoning_tokens: 40 * calls,
    total_cost: round(input.usdPerTurn * calls),
  };
  return { events: writing.events, messages: writing.messages, usage, output, endMs: writing.ms };
}

function add(writing: Writing, event: { readonly event: string } & Partial<LogEvent>): void {
  writing.count++;
  writing.events.push({
    uuid: `ev-${writing.count}`,
    span_id: 'agent',
    timestamp: new Date(writing.ms).toISOString().replace('Z', '+00:00'),
    working_start: 0,
    ...event,
  });
  writing.ms += 15;
}

interface Said {
  readonly content: string;
  readonly reasoning?: string;
  readonly tools: readonly { readonly name: string; readonly args: Readonly<Record<string, string>> }[];
  readonly span?: string;
}

function modelCall(writing: Writing, { model, usdPerTurn }: TranscriptInput, said: Said): void {
  const id = `a${writing.messages.length}`;
  const tool_calls = said.tools.map(({ name, args }, at) => ({
    id: `${id}-t${at}`,
    function: name,
    arguments: args,
    type: 'function',
  }));
  const content =
    said.reasoning === undefined
      ? said.content
      : [
          { type: 'reasoning', reasoning: said.reasoning },
          { type: 'text', text: said.content },
        ];
  const message: ChatMessage = {
    id,
    role: 'assistant',
    content,
    source: 'generate',
    model,
    ...(tool_calls.length > 0 && { tool_calls }),
  };
  const tokens = 900 + 260 * writing.messages.length;
  const seconds = 1.2 + (writing.messages.length % 5) * 0.8;
  add(writing, {
    event: 'model',
    model,
    input: [...writing.messages],
    tools: [],
    tool_choice: 'auto',
    config: {},
    output: {
      model,
      choices: [{ message, stop_reason: tool_calls.length > 0 ? 'tool_calls' : 'stop' }],
      completion: said.content,
      usage: {
        input_tokens: tokens,
        output_tokens: 210,
        total_tokens: tokens + 210,
        total_cost: round(usdPerTurn),
      },
      time: seconds,
    },
    working_time: seconds,
    ...(said.span !== undefined && { span_id: said.span }),
  });
  writing.ms += seconds * 1_000;
  writing.messages.push(message);
}

function toolCall(
  writing: Writing,
  name: string,
  args: Readonly<Record<string, string>>,
  result: string,
  error?: string,
): void {
  const id = `t${writing.messages.length}`;
  const started = writing.ms;
  writing.ms += 400 + (result.length % 900);
  add(writing, {
    event: 'tool',
    type: 'function',
    id,
    function: name,
    arguments: args,
    result: error === undefined ? result : '',
    ...(error !== undefined && { error: { type: 'unknown', message: error } }),
    events: [],
    timestamp: new Date(started).toISOString().replace('Z', '+00:00'),
    completed: new Date(writing.ms).toISOString().replace('Z', '+00:00'),
    working_time: (writing.ms - started) / 1_000,
  });
  writing.messages.push({ id, role: 'tool', content: error ?? result, tool_call_id: id, function: name });
}

const ANSI =
  '\u001b[31mFAILED\u001b[0m tests/test_validate.py::test_second_argument - \u001b[1mTypeError\u001b[0m: validate() missing 1 required positional argument\n\u001b[32m14 passed\u001b[0m, \u001b[31m1 failed\u001b[0m in 2.31s';
const CODE =
  'def validate(value, schema=None):\n    """Checks a value against a schema."""\n    if schema is None:\n        schema = DEFAULT_SCHEMA\n    return [e for e in schema.errors(value)]\n';

function takeTurn(writing: Writing, input: TranscriptInput, turn: number): void {
  const { about, row, end } = input;
  if (about.kind !== 'coding') {
    modelCall(writing, input, {
      reasoning: 'The question is short. I check the units first, then compute.',
      content: 'Let me look this up before I answer.',
      tools: [{ name: 'search', args: { query: row.input.slice(0, 40) } }],
    });
    toolCall(
      writing,
      'search',
      { query: row.input.slice(0, 40) },
      `1. An article about it.\n2. ${row.target}`,
    );
    return;
  }
  const isTest = turn % 3 === 0;
  const args = isTest
    ? { cmd: 'pytest tests/test_validate.py -x -q' }
    : { cmd: `sed -n '${turn * 10},${turn * 10 + 30}p' core/validate.py` };
  modelCall(writing, input, {
    reasoning: `Turn ${turn + 1}. The traceback points at the signature; the caller in \`core/forms.py\` passes one argument only.`,
    content: isTest
      ? 'I will run the failing test first, so that I see *what* fails:\n\n1. run the test\n2. read the traceback\n3. change one thing'
      : `Now the code around line ${turn * 10}. I expect:\n\n\`\`\`python\n${CODE}\`\`\``,
    tools: [{ name: 'bash', args }],
  });
  const isBroken = !end.passed && turn === end.turns - 1;
  toolCall(
    writing,
    'bash',
    args,
    isTest ? ANSI : CODE.repeat(3),
    isBroken ? 'command timed out after 120 s' : undefined,
  );
}

function subAgent(writing: Writing, input: TranscriptInput): void {
  add(writing, {
    event: 'span_begin',
    id: 'reviewer',
    parent_id: 'agent',
    name: 'reviewer',
    type: 'agent',
    span_id: 'reviewer',
  });
  modelCall(writing, input, {
    content: 'The change is small and keeps the old default. I see no other caller.',
    tools: [],
    span: 'reviewer',
  });
  add(writing, { event: 'span_end', id: 'reviewer', span_id: 'reviewer' });
}

function lastWords({ about, row, end }: TranscriptInput): string {
  if (about.kind === 'coding')
    return end.passed
      ? 'All tests pass now. I gave `schema` a default and left the callers alone.\n\n| file | lines |\n|---|---|\n| core/validate.py | 3 |'
      : 'I changed the signature, but one test still fails and I ran out of turns.';
  if (about.kind === 'maths')
    return end.passed
      ? `The rate is the derivative: $$\\frac{dV}{dt} = 2at - b$$ so it is **${row.target}** litres a minute.`
      : 'I integrate: $\\int V\\,dt$ grows without bound, so the answer is $0$.';
  if (about.kind === 'facts') return end.passed ? row.target : 'I believe it is the largest city.';
  return `Dear customer,\n\nI am sorry about the double charge. It goes back to your card within three days.\n\n> queue: ${row.target}`;
}

function round(usd: number): number {
  return Math.round(usd * 1e6) / 1e6;
}
