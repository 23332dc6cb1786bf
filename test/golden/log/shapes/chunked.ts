/** One sample spread over many members, and the same sample in one [LOG-23]. */
import { makeZip, type ZipMember } from './make-zip.ts';
import { HEADER, plainSample, type Reads, type Shape, START, summaryOf, text } from './shape.ts';

const LONG = 'Past the last cataract the valley opens, and boats go down with the stream and up again with the wind. '.repeat(2);
const HASH = '7d1f9a1a0c5b5cbb0f7f4d6b8d5e1f2a';

const conversation = Array.from({ length: 12 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  content: index === 3 ? LONG : `message ${index}`,
}));
const model = { event: 'model', model: 'mock/old', tools: [], tool_choice: 'auto', config: {}, output: { choices: [] } };
const wholeEvents = conversation.map((_, index) => ({
  ...model,
  input: conversation.slice(0, index + 1),
  call: { request: { model: 'old', messages: conversation.slice(0, index + 1).map(({ content }) => ({ content })) }, response: {} },
}));

const { attachments: _, ...fields } = { ...plainSample('nile'), messages: conversation, metadata: { source: 'atlas', page: 3 } };
const reads: Reads = {
  says: 'A sample of twelve growing model calls.',
  header: HEADER,
  summaries: [{ id: 'nile' }],
  samples: [{ ...fields, events: wholeEvents }],
};

export const CHUNKED: readonly Shape[] = [
  { file: 'chunked.eval', clause: 'LOG-23', bytes: makeZip(chunkedMembers()), reads },
  { file: 'chunked-twin.eval', clause: 'LOG-23', bytes: makeZip(around(monolith())), reads },
  { file: 'chunked-and-whole.eval', clause: 'LOG-23', bytes: makeZip([...chunkedMembers(), ...monolith()]), reads },
];

function around(samples: readonly ZipMember[]): ZipMember[] {
  return [
    { name: '_journal/start.json', text: text(START) },
    ...samples,
    { name: 'summaries.json', text: text([summaryOf(plainSample('nile'))]) },
    { name: 'header.json', text: text(HEADER) },
  ];
}

function events(reference: string) {
  return wholeEvents.map((event, index) => ({
    ...event,
    input: [],
    input_refs: [[0, index + 1]],
    call: { request: { model: 'old' }, response: {}, call_key: 'messages', call_refs: [[0, index + 1]] },
    metadata: { reference },
  }));
}

function pool(reference: string) {
  return conversation.map((message, index) => (index === 3 ? { ...message, content: reference } : message));
}

function callPool(reference: string) {
  return conversation.map(({ content }, index) => ({ content: index === 3 ? reference : content }));
}

/** Chunks are named by the index of their first item, attachments by theirs; the conversation is positions in the pool. */
function chunkedMembers(): ZipMember[] {
  const { messages: _1, events: _2, metadata, ...rest } = fields;
  const folder = 'samples/nile_epoch_1';
  const stored = events('').map(({ metadata: _3, ...event }) => event);
  const messages = pool('attachment://11');
  const calls = callPool('attachment://11');
  const unused = Array.from({ length: 11 }, (_4, index) => `unused ${index}`);
  return around([
    { name: `${folder}/sample.json`, text: text({ ...rest, message_refs: [[0, 12]] }), method: 'zstd' },
    { name: `${folder}/metadata.json`, text: text(metadata), method: 'zstd' },
    { name: `${folder}/events/2.json`, text: text(stored.slice(2, 10)), method: 'zstd' },
    { name: `${folder}/events/10.json`, text: text(stored.slice(10)), method: 'zstd' },
    { name: `${folder}/events/0.json`, text: text(stored.slice(0, 2)), method: 'zstd' },
    { name: `${folder}/messages/0.json`, text: text(messages.slice(0, 2)), method: 'zstd' },
    { name: `${folder}/messages/10.json`, text: text(messages.slice(10)), method: 'zstd' },
    { name: `${folder}/messages/2.json`, text: text(messages.slice(2, 10)), method: 'zstd' },
    { name: `${folder}/calls/0.json`, text: text(calls), method: 'zstd' },
    { name: `${folder}/attachments/10.json`, text: text([unused[10] ?? '', LONG]), method: 'zstd' },
    { name: `${folder}/attachments/0.json`, text: text(unused.slice(0, 10)), method: 'zstd' },
  ]);
}

function monolith(): ZipMember[] {
  const reference = `attachment://${HASH}`;
  const stored = events('').map(({ metadata: _3, ...event }) => event);
  const sample = { ...fields, events: stored, attachments: { [HASH]: LONG }, events_data: { messages: pool(reference), calls: callPool(reference) } };
  return [{ name: 'samples/nile_epoch_1.json', text: text(sample), method: 'zstd' }];
}
