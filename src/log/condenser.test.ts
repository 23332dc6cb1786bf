import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Json, parseJson, stringifyJson } from '../base/index.ts';
import { attachmentHash } from './attachment-hash.ts';
import { condenseJson, condenseMessages, expandJson } from './condense-values.ts';
import { createCondenser } from './condenser.ts';
import type { ChatMessage, LogEvent } from './schema.ts';

const at = '2026-01-01T00:00:00+00:00';
const long = 'x'.repeat(101);

function modelEvent(input: readonly ChatMessage[], more: Record<string, Json> = {}): LogEvent {
  const output = { choices: [] };
  return {
    event: 'model',
    timestamp: at,
    model: 'mock/m',
    input: input,
    tools: [],
    tool_choice: 'auto',
    config: {},
    output,
    ...more,
  };
}

test('[LOG-10] the hash of an attachment is MurmurHash3 x64 128 over UTF-8', () => {
  expect(attachmentHash('hello')).toBe('cbd8a7b341bd9b025b1e906a48ae1d19');
  expect(attachmentHash('')).toBe('0'.repeat(32));
  // 15, 16 and 17 bytes: the tail lengths around a block.
  expect(new Set(['a'.repeat(15), 'a'.repeat(16), 'a'.repeat(17)].map(attachmentHash)).size).toBe(3);
});

test('[LOG-10] the hash agrees with a slow and plain MurmurHash3', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (text) => {
      expect(attachmentHash(text)).toBe(plainMurmur(Buffer.from(text)));
    }),
    { numRuns: 500 },
  );
});

test('[LOG-11] exactly more than 100 code points become an attachment, emoji counting one', () => {
  const info = (data: Json): LogEvent => ({ event: 'info', timestamp: at, data });
  const emoji = '😀'.repeat(100);
  expect(createCondenser().condense(info(emoji)).attachments).toEqual([]);
  const condensed = createCondenser().condense(info({ deep: [`${emoji}!`, 'short'] }));
  const hash = attachmentHash(`${emoji}!`);
  expect(condensed.attachments).toEqual([{ hash, text: `${emoji}!` }]);
  expect(parseJson(condensed.json)).toEqual(info({ deep: [`attachment://${hash}`, 'short'] }));
});

test('[LOG-11] tool results, replaced values, completions and scores stay inline', () => {
  const events: LogEvent[] = [
    { event: 'tool', timestamp: at, id: '1', function: 'f', arguments: {}, result: long },
    { event: 'state', timestamp: at, changes: [{ op: 'replace', path: '/a', value: 1, replaced: long }] },
    { event: 'score', timestamp: at, score: { value: 1, explanation: long } },
    modelEvent([], { output: { choices: [], completion: long } }),
  ];
  for (const event of events) {
    const condensed = createCondenser().condense(event);
    expect(condensed.attachments).toEqual([]);
    expect(parseJson(condensed.json)).toEqual(event);
  }
});

test('[LOG-11] without images, base64 data goes and says so', () => {
  const image = `data:image/png;base64,${'A'.repeat(200)}`;
  const message: ChatMessage = { role: 'user', content: [{ type: 'image', image }] };
  const condensed = createCondenser({ logImages: false }).condense(modelEvent([message]));
  expect(condensed.attachments).toEqual([]);
  expect(condensed.messages[0]?.json).toContain('<base64-data-removed>');
});

test('[LOG-14] a growing history is stored once and referred to by ranges', () => {
  const history: ChatMessage[] = [];
  const condenser = createCondenser();
  const stored: number[] = [];
  for (let turn = 0; turn < 3; turn++) {
    history.push({ role: 'user', content: `question ${turn}` });
    const condensed = condenser.condense(modelEvent(history));
    stored.push(condensed.messages.length);
    expect(parseJson(condensed.json)).toMatchObject({ input: [], input_refs: [[0, turn + 1]] });
  }
  expect(stored).toEqual([1, 1, 1]);
});

test('[LOG-14] equal messages with different ids share a position; order and repeats are kept', () => {
  const a: ChatMessage = { id: 'a', role: 'user', content: 'same' };
  const b: ChatMessage = { id: 'b', role: 'user', content: 'same' };
  const condensed = createCondenser().condense(modelEvent([a, b]));
  expect(parseJson(condensed.json)).toMatchObject({
    input_refs: [
      [0, 1],
      [0, 1],
    ],
  });
  expect(condensed.messages).toEqual([{ position: 0, json: stringifyJson(a) }]);
});

test('[LOG-14] a message that was changed in place is a new message', () => {
  const message = { role: 'user' as const, content: 'one' };
  const condenser = createCondenser();
  condenser.condense(modelEvent([message]));
  message.content = 'two';
  const condensed = condenser.condense(modelEvent([message]));
  expect(condensed.messages).toEqual([{ position: 1, json: '{"role":"user","content":"two"}' }]);
});

test('[LOG-14] true is not 1, and text is not a number', () => {
  const parts: Json[] = [{ v: true }, { v: 1 }, { v: '1' }];
  const call = { request: { model: 'm', messages: parts } };
  const condensed = createCondenser().condense(modelEvent([], { call }));
  expect(condensed.calls).toHaveLength(3);
});

test('[LOG-15] the list of a request moves to the call pool, whatever the order of its keys', () => {
  const condenser = createCondenser();
  const call = (message: Json) => ({ call: { request: { model: 'm', contents: [message] }, response: {} } });
  const first = condenser.condense(modelEvent([], call({ role: 'user', parts: ['hi'] })));
  expect(first.calls).toEqual([{ position: 0, json: '{"role":"user","parts":["hi"]}' }]);
  const second = condenser.condense(modelEvent([], call({ parts: ['hi'], role: 'user' })));
  expect(second.calls).toEqual([]);
  expect(parseJson(second.json)).toMatchObject({
    call: { request: { model: 'm' }, call_key: 'contents', call_refs: [[0, 1]] },
  });
});

test('[LOG-15] a request whose first list key holds text is left alone', () => {
  const call = { request: { input: 'text', inputs: [{ a: 1 }] } };
  const condensed = createCondenser().condense(modelEvent([], { call }));
  expect(condensed.calls).toEqual([]);
  expect(parseJson(condensed.json)).toMatchObject({ call });
});

test('[LOG-14] a restored condenser goes on where the last one stopped', () => {
  const history: ChatMessage[] = [
    { role: 'user', content: long },
    { role: 'assistant', content: 'b' },
  ];
  const first = createCondenser().condense(modelEvent(history));
  const restored = createCondenser({
    messages: first.messages.map((row) => row.json),
    attachmentHashes: first.attachments.map((attachment) => attachment.hash),
  });
  const again = restored.condense(modelEvent([...history, { role: 'user', content: 'c' }]));
  expect(again.attachments).toEqual([]);
  expect(again.messages).toEqual([{ position: 2, json: '{"role":"user","content":"c"}' }]);
  expect(parseJson(again.json)).toMatchObject({ input_refs: [[0, 3]] });
});

test('[LOG-12] in messages only data URIs become attachments', () => {
  const image = 'data:image/png;base64,AAAA';
  const messages: ChatMessage[] = [
    { role: 'user', content: long },
    { role: 'user', content: [{ type: 'image', image }] },
  ];
  const { values, attachments } = condenseMessages(messages);
  expect(attachments).toEqual([{ hash: attachmentHash(image), text: image }]);
  expect(values[0]).toBe(messages[0]);
  expect(values[1]?.content).toEqual([{ type: 'image', image: `attachment://${attachmentHash(image)}` }]);
});

const text = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'grapheme', minLength: 95, maxLength: 210 }),
  fc.constantFrom('attachment://', `attachment://${attachmentHash(long)}`, 'tc://x', long),
);
const json = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    text,
    fc.double(),
    fc.constant(null),
    fc.array(tie('value')),
    fc.dictionary(fc.string(), tie('value')),
  ),
})).value;

test('[LOG-13] condensing any JSON and expanding it again gives the same JSON', () => {
  fc.assert(
    fc.property(json, (value) => {
      const { value: condensed, attachments } = condenseJson(value);
      const byHash = new Map(attachments.map((attachment) => [attachment.hash, attachment.text]));
      expect(stringifyJson(expandJson(condensed, (hash) => byHash.get(hash)))).toBe(stringifyJson(value));
    }),
  );
});

test('200 turns of growing history cost no more hashing than their messages', () => {
  const condenser = createCondenser();
  const history: ChatMessage[] = [];
  let storedBytes = 0;
  for (let turn = 0; turn < 200; turn++) {
    history.push({ role: 'user', content: `turn ${turn} ${'y'.repeat(5_000)}` });
    const condensed = condenser.condense(modelEvent([...history]));
    storedBytes += condensed.json.length;
    for (const row of condensed.messages) storedBytes += row.json.length;
    for (const attachment of condensed.attachments) storedBytes += attachment.text.length;
  }
  expect(storedBytes).toBeLessThan(200 * 6_000);
});

function plainMurmur(bytes: Buffer): string {
  const mask = (1n << 64n) - 1n;
  const rotate = (x: bigint, bits: bigint) => ((x << bits) | (x >> (64n - bits))) & mask;
  const finalMix = (x: bigint) => {
    let k = x ^ (x >> 33n);
    k = (k * 0xff51afd7ed558ccdn) & mask;
    k ^= k >> 33n;
    k = (k * 0xc4ceb9fe1a85ec53n) & mask;
    return k ^ (k >> 33n);
  };
  const c1 = 0x87c37b91114253d5n;
  const c2 = 0x4cf5ad432745937fn;
  let h1 = 0n;
  let h2 = 0n;
  for (let start = 0; start < bytes.length; start += 16) {
    const block = Buffer.alloc(16);
    bytes.copy(block, 0, start, Math.min(start + 16, bytes.length));
    h1 ^= (rotate((block.readBigUInt64LE(0) * c1) & mask, 31n) * c2) & mask;
    const isWhole = bytes.length - start >= 16;
    if (isWhole) h1 = ((rotate(h1, 27n) + h2) * 5n + 0x52dce729n) & mask;
    h2 ^= (rotate((block.readBigUInt64LE(8) * c2) & mask, 33n) * c1) & mask;
    if (isWhole) h2 = ((rotate(h2, 31n) + h1) * 5n + 0x38495ab5n) & mask;
  }
  h1 ^= BigInt(bytes.length);
  h2 ^= BigInt(bytes.length);
  h1 = (h1 + h2) & mask;
  h2 = (h2 + h1) & mask;
  h1 = finalMix(h1);
  h2 = finalMix(h2);
  h1 = (h1 + h2) & mask;
  h2 = (h2 + h1) & mask;
  return h1.toString(16).padStart(16, '0') + h2.toString(16).padStart(16, '0');
}
