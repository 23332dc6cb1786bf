/** A log whose one sample has as many events as asked for: what a viewer has to open at once. */
import { nodeDisk } from '../../src/disk/index.ts';
import { createLogFile, type SampleParts, summarize } from '../../src/log/index.ts';
import { fixtureFields, fixtureHeader, fixtureSpec } from '../sim/log-fixture.ts';

export interface LargeLog {
  readonly run: string;
  readonly events: number;
  readonly eventBytes: number;
  /** Stands in this event and nowhere else. */
  readonly needle: { readonly text: string; readonly event: number };
}

export async function writeLargeLog(path: string, about: LargeLog): Promise<void> {
  const fields = fixtureFields('large', {
    input: 'Work for a long time.',
    messages: [],
    started_at: '2026-03-01T00:00:00+00:00',
    completed_at: '2026-03-01T08:00:00+00:00',
  });
  const parts: SampleParts = { fields, events: eventTexts(about), attachments: [], messages: [], calls: [] };
  const spec = fixtureSpec({ run_id: about.run, eval_id: about.run, created: '2026-03-01T00:00:00+00:00' });
  const stats = {
    ...fixtureHeader().stats,
    started_at: '2026-03-01T00:00:00+00:00',
    completed_at: '2026-03-01T08:00:00+00:00',
  };
  const header = fixtureHeader({ eval: spec, stats });
  const file = await createLogFile(nodeDisk, path);
  await file.writeStart({ version: 2, eval: spec, plan: header.plan });
  await file.writeSample(parts);
  await file.writeSummaries([summarize(fields)]);
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
