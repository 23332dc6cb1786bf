/** A log whose one sample has as many events as asked for: what a viewer has to open at once. */
import { nodeDisk } from '../../src/disk/index.ts';
import { attachmentHash, createLogFile, type SampleParts, summarize } from '../../src/log/index.ts';
import { fixtureFields, fixtureHeader, fixtureSpec } from '../sim/log-fixture.ts';

export interface LargeLog {
  readonly run: string;
  readonly events: number;
  readonly eventBytes: number;
  /** Stands in this event and nowhere else. */
  readonly needle: { readonly text: string; readonly event: number };
}

const BEGUN = '2026-03-01T00:00:00+00:00';
const ENDED = '2026-03-01T08:00:00+00:00';

export function writeLargeLog(path: string, about: LargeLog): Promise<void> {
  const fields = fieldsOf({ messages: [] });
  return writeOneSample(path, about.run, {
    fields,
    events: eventTexts(about),
    attachments: [],
    messages: [],
    calls: [],
  });
}

/** A log whose one answer is as long as asked for: in an event, by an attachment, and among the messages. */
export function writeLongMessage(path: string, run: string, text: string): Promise<void> {
  const hash = attachmentHash(text);
  const common = { uuid: 'ev0', timestamp: new Date(Date.UTC(2026, 2, 1)).toISOString(), working_start: 0 };
  return writeOneSample(path, run, {
    fields: fieldsOf({ messages: [{ role: 'assistant', content: text }] }),
    events: [JSON.stringify(modelEvent(`attachment://${hash}`, common))],
    attachments: [{ hash, text }],
    messages: [],
    calls: [],
  });
}

function fieldsOf(more: Partial<SampleParts['fields']>): SampleParts['fields'] {
  return fixtureFields('large', {
    input: 'Work for a long time.',
    started_at: BEGUN,
    completed_at: ENDED,
    ...more,
  });
}

async function writeOneSample(path: string, run: string, parts: SampleParts): Promise<void> {
  const spec = fixtureSpec({ run_id: run, eval_id: run, created: BEGUN });
  const stats = { ...fixtureHeader().stats, started_at: BEGUN, completed_at: ENDED };
  const header = fixtureHeader({ eval: spec, stats });
  const file = await createLogFile(nodeDisk, path);
  await file.writeStart({ version: 2, eval: spec, plan: header.plan });
  await file.writeSample(parts);
  await file.writeSummaries([summarize(parts.fields)]);
  await file.writeReductions([]);
  await file.writeHeader(header);
  await file.finish();
}

/** Model calls and tool calls in turn, each with a text of its own. */
function* eventTexts({ events, eventBytes, needle }: LargeLog): Generator<string> {
  for (let n = 0; n < events; n++) {
    const said = `Step ${n}: I look at file ${n * 7919} and change line ${n % 400}. `;
    const text = (n === needle.event ? `${needle.text} ${said}` : said).padEnd(
      eventBytes - 330,
      `word ${n * 31} `,
    );
    const common = {
      uuid: `ev${n}`,
      timestamp: new Date(Date.UTC(2026, 2, 1) + n * 90).toISOString(),
      working_start: n / 11,
    };
    yield JSON.stringify(n % 2 === 0 ? modelEvent(text, common) : toolEvent(text, common));
  }
}

function modelEvent(text: string, common: object): object {
  const message = { role: 'assistant', content: text };
  const usage = { input_tokens: 900, output_tokens: 80, total_tokens: 980 };
  const output = { model: 'mock/m', choices: [{ message, stop_reason: 'stop' }], usage };
  return {
    ...common,
    event: 'model',
    model: 'mock/m',
    input: [],
    tools: [],
    tool_choice: 'auto',
    config: {},
    output,
  };
}

function toolEvent(text: string, common: object): object {
  return {
    ...common,
    event: 'tool',
    type: 'function',
    id: 't',
    function: 'bash',
    arguments: { cmd: 'ls' },
    result: text,
    events: [],
  };
}
