/** A log of an agent that worked for long: calls of a model and of tools in spans, a conversation in a pool, attachments. */
import { nodeDisk } from '../../src/disk/index.ts';
import {
  type ChatMessage,
  createCondenser,
  createLogFile,
  type LogEvent,
  type SampleFields,
  type SampleParts,
  summarize,
} from '../../src/log/index.ts';
import { fixtureFields, fixtureHeader, fixtureSpec } from '../sim/log-fixture.ts';

export interface AgentLog {
  readonly run: string;
  readonly events: number;
  /** Stands in this event and nowhere else. */
  readonly needle: { readonly text: string; readonly event: number };
}

/** Gives the bytes of the one sample, as they are stored. */
export async function writeAgentLog(path: string, about: AgentLog): Promise<number> {
  const parts = partsOf(about);
  await writeOne(path, about.run, parts);
  const texts = [parts.events, parts.messages, parts.attachments.map(({ text }) => text)] as const;
  return texts.reduce((sum, list) => sum + [...list].reduce((bytes, text) => bytes + text.length + 1, 0), 0);
}

/** A sample whose one message, and the call that it came with, have so many characters. */
export async function writeLongMessageLog(path: string, run: string, units: number): Promise<void> {
  const content = 'A long message. '.repeat(Math.ceil(units / 16)).slice(0, units);
  const fields = fixtureFields('long', { messages: [{ role: 'user', content }] });
  const event: LogEvent = {
    event: 'tool',
    id: 't',
    function: 'read',
    arguments: { path: '/var/log/all' },
    result: content,
    events: [],
    timestamp: '2026-03-01T00:00:00+00:00',
  };
  const { json } = createCondenser().condense(event);
  await writeOne(path, run, { fields, events: [json], attachments: [], messages: [], calls: [] });
}

async function writeOne(path: string, run: string, parts: SampleParts): Promise<void> {
  const spec = fixtureSpec({ run_id: run, eval_id: run, created: '2026-03-01T00:00:00+00:00' });
  const header = fixtureHeader({ eval: spec });
  const file = await createLogFile(nodeDisk, path);
  await file.writeStart({ version: 2, eval: spec, plan: header.plan });
  await file.writeSample(parts);
  await file.writeSummaries([summarize(parts.fields)]);
  await file.writeHeader(header);
  await file.finish();
}

interface HeldParts extends SampleParts {
  readonly fields: SampleFields;
  readonly events: string[];
  readonly messages: string[];
  readonly attachments: { readonly hash: string; readonly text: string }[];
}

function partsOf(about: AgentLog): HeldParts {
  const condenser = createCondenser();
  const parts: HeldParts = {
    fields: fixtureFields('long'),
    events: [],
    attachments: [],
    messages: [],
    calls: [],
  };
  for (const event of eventsOf(about)) {
    const { json, attachments, messages } = condenser.condense(event);
    parts.events.push(json);
    parts.attachments.push(...attachments);
    for (const message of messages) parts.messages.push(message.json);
    if (parts.events.length === about.events) break;
  }
  return parts;
}

const WORDS =
  'the agent looks at the file and finds that a test fails because of a missing import in module'.split(' ');
const say = (n: number, count: number) =>
  Array.from({ length: count }, (_, at) => WORDS[(n * 7 + at * at) % WORDS.length]).join(' ');

function* eventsOf({ needle }: AgentLog): Generator<LogEvent> {
  let history: ChatMessage[] = [];
  let n = 0;
  const common = (turn: number) => ({
    uuid: `uuid-${n}`,
    timestamp: new Date(Date.UTC(2026, 2, 1) + n++ * 100).toISOString(),
    working_start: n / 10,
    span_id: `s-${turn}`,
  });
  for (let turn = 1; ; turn++) {
    const call = { id: `c-${turn}`, function: 'bash', arguments: { cmd: `pytest tests/test_${turn}.py` } };
    const answer: ChatMessage = {
      id: `m-${turn}`,
      role: 'assistant',
      content: `${turn}: ${say(turn, 30)}`,
      tool_calls: [call],
      source: 'generate',
    };
    const result = `exit 1 ${say(turn, 60)}`;
    const usage = { input_tokens: 1_000, output_tokens: 50, total_tokens: 1_050, total_cost: 0.001 };
    const output = {
      model: 'mock/m',
      choices: [{ message: answer, stop_reason: 'tool_calls' }],
      completion: '',
      usage,
      time: 1.5,
    };
    yield { event: 'span_begin', ...common(turn), id: `s-${turn}`, name: 'turn', type: 'agent_step' };
    yield {
      event: 'model',
      ...common(turn),
      model: 'mock/m',
      input: history.slice(-20),
      tools: [],
      tool_choice: 'auto',
      config: {},
      output,
      working_time: 1.5,
    };
    yield {
      event: 'tool',
      ...common(turn),
      id: call.id,
      function: 'bash',
      arguments: call.arguments,
      result,
      events: [],
      working_time: 0.4,
    };
    const isHere = Math.floor(needle.event / 6) === turn - 1;
    yield {
      event: 'info',
      ...common(turn),
      source: 'agent',
      data: { step: turn, note: isHere ? needle.text : say(turn, 10) },
    };
    yield {
      event: 'state',
      ...common(turn),
      changes: [{ op: 'add', path: `/messages/${turn}`, value: { role: 'tool', content: 'x' } }],
    };
    yield { event: 'span_end', ...common(turn), id: `s-${turn}` };
    history.push(answer, {
      id: `t-${turn}`,
      role: 'tool',
      content: result,
      tool_call_id: call.id,
      function: 'bash',
    });
    if (history.length > 40) history = history.slice(-20);
  }
}
