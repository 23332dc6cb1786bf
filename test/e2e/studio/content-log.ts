/** A log with every kind of content that a transcript may have, and with transcripts that are not whole. */
import { toJson } from '../../../src/base/index.ts';
import { nodeDisk } from '../../../src/disk/index.ts';
import type { LogEvent } from '../../../src/log/index.ts';
import { type FixtureSample, fixtureEvent, fixtureFields, writeFixtureLog } from '../../sim/log-fixture.ts';
import { runIdAt } from '../../sim/results-repo.ts';

export const CONTENT_RUN = runIdAt('2026-11-10T00:00:00Z', 5);

const PNG =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Over 8 KB: cut, and shown whole when that is asked for. */
export const LONG = `${'A sentence of a long report.\n'.repeat(700)}the very end of the report`;
/** Several megabytes, with one thing to find in them. */
export const HUGE = `${'0123456789 line of a large file\n'.repeat(100_000)}needle-in-the-huge-text\n${'more of it\n'.repeat(50_000)}`;

const PROSE = `# A heading

Some *emphasis*, a list:

- one
- two

| file | lines |
|---|---|
| core.py | 3 |

\`\`\`python
def validate(value, schema=None):
    return schema
\`\`\`

The rate is $$\\frac{dV}{dt} = 2at$$ per minute.`;

function model(content: unknown, more: Partial<LogEvent> = {}): LogEvent {
  const message = { role: 'assistant', content, source: 'generate' };
  return fixtureEvent({
    event: 'model',
    model: 'mock/m',
    input: [{ role: 'user', content: 'question' }],
    tools: [],
    tool_choice: 'auto',
    config: {},
    output: { model: 'mock/m', choices: [{ message: toJson(message), stop_reason: 'stop' }], completion: '' },
    ...more,
  });
}

function tool(result: string, more: Partial<LogEvent> = {}): LogEvent {
  return fixtureEvent({
    event: 'tool',
    id: 't',
    function: 'bash',
    arguments: { cmd: 'make' },
    result,
    events: [],
    ...more,
  });
}

const LINES = Array.from({ length: 60 }, (_, n) => `line ${n + 1} of the output`).join('\n');

const CONTENT: FixtureSample = {
  fields: fixtureFields('content', {
    files: ['notes/a.txt', 'src/main.py'],
    scores: { exact: { value: 'I', answer: 'a poor one' } },
    error_retries: [
      {
        message: 'the first try broke',
        traceback: '',
        traceback_ansi: '',
        events: [toJson(model('words of the first try', { uuid: 'r1' }))],
      },
    ],
  }),
  events: [
    model(
      [
        { type: 'reasoning', reasoning: 'a quiet thought' },
        { type: 'text', text: PROSE },
      ],
      { uuid: 'c0' },
    ),
    tool('\u001b[31mFAILED\u001b[0m tests/test_a.py', { uuid: 'c1' }),
    tool(LINES, { uuid: 'c2' }),
    model(
      [
        { type: 'image', image: PNG },
        { type: 'text', text: 'a picture' },
      ],
      { uuid: 'c3' },
    ),
    model('an answer of an earlier run', { uuid: 'c4', metadata: { holdfast: { replayed: true } } }),
    model(LONG, { uuid: 'c5' }),
    tool(HUGE, { uuid: 'c6' }),
    model('the last words', { uuid: 'c7' }),
  ],
};

const RECOVERED: FixtureSample = {
  fields: fixtureFields('recovered', {
    scores: {},
    error: {
      message: 'It was under way when the run crashed.',
      traceback: 'recovered from the journal',
      traceback_ansi: '',
    },
  }),
  events: [
    fixtureEvent({ event: 'info', span_id: 'lost', data: 'what is left', uuid: 'x0' }),
    model('after the gap', { uuid: 'x1', span_id: 'lost' }),
  ],
};

/** `before`: events that a later version of the log has before all others, as one that was scored anew may. */
export async function writeContentLog(path: string, before: readonly string[] = []): Promise<void> {
  const more = before.map((text) => fixtureEvent({ event: 'info', data: text, uuid: `b-${text}` }));
  const content = { ...CONTENT, events: [...more, ...CONTENT.events] };
  const created = '2026-11-10T00:00:00+00:00';
  await writeFixtureLog(nodeDisk, path, {
    spec: {
      run_id: CONTENT_RUN,
      eval_id: 'e-content',
      task: 'content',
      created,
      scorers: [{ name: 'exact' }],
    },
    samples: [content, RECOVERED],
  });
}
