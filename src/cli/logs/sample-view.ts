import { isJsonObject, type Json, stringifyJson } from '../../base/index.ts';
import type { ChatMessage, LogEvent, SampleFields, Score } from '../../log/index.ts';
import { formatCount, formatDuration, formatTime } from '../quantities.ts';
import { cutEnd, oneLine } from '../table.ts';
import type { Terminal } from '../terminal.ts';

/** One sample as people read it: question, conversation, answer, verdicts. */
export function sampleLines(fields: SampleFields, terminal: Terminal): string[] {
  const { style } = terminal;
  const lines = [
    `${style.bold(String(fields.id))}${fields.epoch > 1 ? ` epoch ${fields.epoch}` : ''}  ${style.dim(about(fields))}`,
  ];
  const section = (title: string, text: string) => lines.push('', style.accent(title), ...indented(text));
  if (typeof fields.input === 'string') section('input', fields.input);
  const target = typeof fields.target === 'string' ? fields.target : fields.target.join('\n');
  if (target !== '') section('target', target);
  for (const message of fields.messages) section(roleOf(message), messageText(message));
  const said = fields.output.completion ?? '';
  if (fields.messages.length === 0 && said !== '') section('output', said);
  for (const [name, score] of Object.entries(fields.scores ?? {})) section(`score ${name}`, scoreText(score));
  if (fields.limit) section('limit', `stopped at its ${fields.limit.type} limit of ${fields.limit.limit}`);
  if (fields.error) section('error', fields.error.message);
  for (const error of fields.error_retries ?? []) section('earlier error', error.message);
  return lines;
}

/** One line for an event: when, what, and its gist. */
export function eventLine(event: LogEvent, { style, columns }: Terminal): string {
  const time = (event.timestamp ?? '').slice(11, 23).padEnd(12);
  const gist = cutEnd(oneLine(gistOf(event)), Math.max(20, columns - 30));
  return `${style.dim(time)}  ${style.accent(event.event.padEnd(12))}  ${gist}`;
}

function about({ started_at, total_time, model_usage }: SampleFields): string {
  const tokens = Object.values(model_usage).reduce((sum, { total_tokens }) => sum + total_tokens, 0);
  return [
    started_at === undefined ? '' : formatTime(started_at),
    total_time === undefined ? '' : formatDuration(total_time * 1_000),
    tokens === 0 ? '' : `${formatCount(tokens)} tokens`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function roleOf(message: ChatMessage): string {
  return message.role === 'tool' && message.function !== undefined
    ? `tool ${message.function}`
    : message.role;
}

function messageText({ content, tool_calls }: ChatMessage): string {
  const text = typeof content === 'string' ? content : content.map(partText).join('\n');
  const calls = (tool_calls ?? []).map((call) => `→ ${call.function}(${stringifyJson(call.arguments)})`);
  return [text, ...calls].filter((line) => line !== '').join('\n');
}

function partText(part: Json): string {
  if (!isJsonObject(part)) return String(part);
  if (typeof part.text === 'string') return part.text;
  if (typeof part.reasoning === 'string') return `(reasoning) ${part.reasoning}`;
  return `(${String(part.type)})`;
}

function scoreText({ value, answer, explanation }: Score): string {
  return [
    typeof value === 'string' ? value : stringifyJson(value),
    answer === undefined ? '' : `answer: ${answer}`,
    explanation ?? '',
  ]
    .filter(Boolean)
    .join('\n');
}

function gistOf(event: LogEvent): string {
  switch (event.event) {
    case 'model': {
      const { output } = event;
      const completion = isJsonObject(output) ? output.completion : undefined;
      return `${String(event.model)}: ${String(completion ?? '')}`;
    }
    case 'tool':
      return `${String(event.function)}(${stringifyJson(event.arguments ?? null)}) → ${String(event.result)}`;
    case 'score':
      return stringifyJson(isJsonObject(event.score) ? (event.score.value ?? null) : null);
    case 'error':
      return isJsonObject(event.error) ? String(event.error.message) : '';
    case 'span_begin':
    case 'span_end':
      return String(event.name ?? event.id ?? '');
    default:
      return stringifyJson(event.data ?? event.message ?? '');
  }
}

/** Text of models is shown as it is, but cannot command the terminal. */
function indented(text: string): string[] {
  const safe = text.replace(/(?![\n\t])\p{Cc}/gu, '�');
  return safe.split('\n').map((line) => `  ${line}`);
}
