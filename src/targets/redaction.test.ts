import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRedaction } from './redaction.ts';

const SECRET = 'sk-12345';
const redaction = createRedaction([/sk-\d+/g, /pass\s?word/gi]);

test('[RED-1] every match in a text becomes a mark', () => {
  expect(redaction.text(`a ${SECRET} b sk-9 and PassWord.`)).toBe(
    'a [redacted] b [redacted] and [redacted].',
  );
  expect(redaction.text('nothing here')).toBe('nothing here');
});

test('[RED-1] texts are found at every depth, and other values stay as they are', () => {
  const date = new Date(0);
  const bytes = Uint8Array.of(1, 2);
  const value = {
    content: [{ type: 'text', text: SECRET }],
    error: { message: SECRET },
    n: 1,
    date,
    bytes,
    no: null,
  };
  expect(redaction.value(value)).toEqual({
    content: [{ type: 'text', text: '[redacted]' }],
    error: { message: '[redacted]' },
    n: 1,
    date,
    bytes,
    no: null,
  });
});

test('[RED-1] words of the format stay, also under a pattern that would find them; what is free does not', () => {
  const wide = createRedaction([/.+/gs]);
  const event = {
    event: 'model',
    uuid: 'u',
    role: 'user',
    text: 'x',
    arguments: { name: 'n' },
    metadata: { id: 'i' },
  };
  expect(wide.value(event)).toEqual({
    ...event,
    text: '[redacted]',
    arguments: { '[redacted]': '[redacted]' },
    metadata: { '[redacted]': '[redacted]' },
  });
});

test('[RED-1] keys that somebody gave his own things are redacted, and none is lost when two become alike', () => {
  const own = { [SECRET]: 1, 'sk-9': 2, plain: { [`a ${SECRET}`]: [SECRET] } };
  const kept = { '[redacted]': 1, '[redacted][redacted]': 2, plain: { 'a [redacted]': ['[redacted]'] } };
  expect(redaction.value({ metadata: own, data: own })).toEqual({ metadata: kept, data: kept });
  expect(redaction.value({ metadata: kept })).toEqual({ metadata: kept });
  expect(JSON.parse(redaction.text(JSON.stringify(own)))).toEqual(kept);
});

test('[RED-1] keys of the format stay, and what Holdfast keeps under its own', () => {
  const wide = createRedaction([/[a-z]+/g]);
  const sample = { metadata: { holdfast: { key: '0815' } }, input: '1' };
  expect(wide.value(sample)).toEqual(sample);
});

test('[RED-1] the source of an info event is somebody’s own, that of a message is a word of the format', () => {
  expect(redaction.value({ event: 'info', source: SECRET, data: 1 })).toEqual({
    event: 'info',
    source: '[redacted]',
    data: 1,
  });
  const message = { role: 'user', source: 'input' };
  expect(createRedaction([/input/g]).value(message)).toEqual(message);
});

test('[RED-1] a text that is JSON stays JSON, and what is escaped in it is found', () => {
  const input = JSON.stringify({ query: `it's "pass\u0020word"`, list: [`pass\nword`] });
  const redacted = redaction.text(input);
  expect(JSON.parse(redacted)).toEqual({ query: `it's "[redacted]"`, list: ['[redacted]'] });
});

test('[RED-1] bytes that are written as text stay: what is found in them is chance', () => {
  const wide = createRedaction([/[a-z0-9]{4}/g]);
  const image = 'data:image/png;base64,abcdabcd';
  expect(wide.value({ image, file: { mediaType: 'image/png', data: 'abcdabcd' } })).toEqual({
    image,
    file: { mediaType: 'image/png', data: 'abcdabcd' },
  });
});

test('[RED-3] a match may go over several parts, whatever stands between them', () => {
  const parts = [
    { type: 'text', text: 'key: sk-' },
    { type: 'tool-call', toolName: 't', input: '{}' },
    { type: 'text', text: '12' },
    { type: 'text', text: '345, thanks' },
  ];
  expect(redaction.value(parts)).toEqual([
    { type: 'text', text: 'key: [redacted]' },
    { type: 'tool-call', toolName: 't', input: '{}' },
    { type: 'text', text: '' },
    { type: 'text', text: ', thanks' },
  ]);
});

test('[RED-3] wherever a secret is cut, no rest of it stays', () => {
  const property = fc.property(fc.array(fc.nat(40), { maxLength: 5 }), fc.string(), (cuts, around) => {
    const whole = `${around.replaceAll('sk-', '')}<${SECRET}>`;
    const at = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length];
    const parts = at.slice(1).map((end, index) => ({ type: 'text', text: whole.slice(at[index], end) }));
    const joined = redaction
      .value(parts)
      .map(({ text }) => text)
      .join('');
    expect(joined).toBe(redaction.text(whole));
    expect(joined).not.toContain(SECRET);
  });
  fc.assert(property, { numRuns: 300 });
});

test('[RED-4] to redact twice is to redact once, also with a pattern that finds a part of the mark', () => {
  const property = fc.property(
    fc.array(fc.constantFrom('red', 'act', '[redacted]', 'sk-1', ' ', '{"a":"red"}', '[', ']'), {
      maxLength: 12,
    }),
    (words) => {
      const greedy = createRedaction([/red/g, /act/g, /sk-\d/g]);
      const once = greedy.text(words.join(''));
      expect(greedy.text(once)).toBe(once);
    },
  );
  fc.assert(property, { numRuns: 500 });
});

test('without patterns the very value is given back', () => {
  const value = { a: [SECRET] };
  expect(createRedaction([]).value(value)).toBe(value);
});
