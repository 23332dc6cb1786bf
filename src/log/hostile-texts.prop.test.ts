import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type FixtureSample,
  fixtureEvent,
  fixtureFields,
  fixtureParts,
  writeFixtureLog,
} from '../../test/sim/log-fixture.ts';
import { SimulatedDisk } from '../../test/sim/simulated-disk.ts';
import { escapeLoneSurrogates, type Json, type JsonObject, parseJson } from '../base/index.ts';
import { attachmentHash } from './attachment-hash.ts';
import {
  type ChatMessage,
  condenseJson,
  convertLog,
  expandJson,
  openLog,
  type SampleFields,
  verifyLog,
} from './index.ts';
import { walkJson } from './walk.ts';

const LONG = 'A text that is long enough to become an attachment of its own. '.repeat(3);

/** Texts that could be mistaken for something of ours, among them references to attachments that are really there. */
const hostile = fc.oneof(
  fc.constantFrom(
    `attachment://${attachmentHash(LONG)}`,
    `tc://${attachmentHash(LONG)}`,
    `attachment://${'a'.repeat(32)}`,
    'attachment://0',
    'attachment://',
    'tc://5',
    'tc://',
    LONG,
    `data:image/png;base64,${'QUFB'.repeat(40)}`,
    'a\0b',
    '\ud800',
    `\udfff${LONG}`,
    `\udffe${LONG}`,
    'attachment://\ud800',
    '<base64-data-removed>',
    '__proto__',
  ),
  fc.nat(20).map((index) => `attachment://${index}`),
  fc.string({ unit: 'binary', maxLength: 8 }),
);
const data = fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.oneof(hostile, fc.array(hostile)));
const error = fc.record({ message: hostile, traceback: hostile, traceback_ansi: hostile });
const part = fc.oneof(
  fc.record({ type: fc.constant('text'), text: hostile }),
  fc.record({ type: fc.constant('reasoning'), reasoning: hostile, signature: hostile }),
  fc.record({ type: fc.constant('image'), image: hostile }),
  fc.record({ type: fc.constant('data'), data }),
);
const content = fc.oneof(hostile, fc.array(part, { maxLength: 3 }));
const toolCall = fc.record({ id: hostile, function: hostile, arguments: data, parse_error: hostile });
const message = fc.oneof(
  fc.record({ role: fc.constant('user'), content, metadata: data }),
  fc.record({ role: fc.constant('tool'), content, function: hostile }),
  fc.record({ role: fc.constant('assistant'), content, tool_calls: fc.array(toolCall, { maxLength: 2 }) }),
) as fc.Arbitrary<ChatMessage>;
const score = fc.record({ value: hostile, answer: hostile, explanation: hostile, metadata: data });
const output = fc.record({
  model: hostile,
  choices: fc.array(
    fc.record({
      message: fc.record({ role: fc.constant('assistant'), content }),
      stop_reason: fc.constant('stop'),
    }),
    { maxLength: 2 },
  ),
  completion: hostile,
  error: hostile,
});
const toolResult = fc.oneof(
  hostile,
  fc.array(fc.record({ type: fc.constant('text'), text: hostile })),
  fc.array(fc.record({ type: fc.constant('image'), image: hostile })),
  fc.record({ type: fc.constant('image'), image: hostile }),
);
const event = fc
  .oneof(
    fc.record({ event: fc.constant('info'), source: hostile, data: fc.oneof(hostile, data) }),
    fc.record({
      event: fc.constant('tool'),
      type: fc.constant('function'),
      id: hostile,
      function: hostile,
      arguments: data,
      result: toolResult,
      error: fc.record({ type: fc.constant('unknown'), message: hostile }),
    }),
    fc.record({
      event: fc.constant('model'),
      model: hostile,
      input: fc.array(message, { maxLength: 3 }),
      tools: fc.array(fc.record({ name: hostile, description: hostile }), { maxLength: 1 }),
      tool_choice: fc.record({ name: hostile }),
      config: fc.record({ system_message: hostile }),
      output,
      error: hostile,
      call: fc.record({ request: fc.record({ messages: fc.array(data), model: hostile }), response: data }),
    }),
    fc.record({ event: fc.constant('score'), score, target: hostile }),
    fc.record({ event: fc.constant('error'), error }),
    fc.record({
      event: fc.constant('store'),
      changes: fc.array(
        fc.record({
          op: fc.constant('replace'),
          path: hostile,
          value: fc.oneof(hostile, data),
          replaced: hostile,
        }),
      ),
    }),
    fc.record({
      event: fc.constant('sample_init'),
      sample: fc.record({ input: hostile, target: hostile, metadata: data }),
      state: data,
    }),
  )
  .map((more) => fixtureEvent(more));
const retry = fc
  .tuple(error, fc.array(event, { maxLength: 3 }))
  .map(([found, events]) => ({ ...found, events }));
const fields = fc
  .record({
    input: fc.oneof(hostile, fc.array(message, { minLength: 1, maxLength: 2 })),
    choices: fc.array(hostile, { minLength: 1, maxLength: 2 }),
    target: fc.oneof(hostile, fc.array(hostile, { maxLength: 2 })),
    setup: hostile,
    messages: fc.array(message, { maxLength: 4 }),
    output,
    scores: fc.dictionary(fc.constantFrom('exact', 'other'), score),
    metadata: data,
    store: data,
    error,
    error_retries: fc.array(retry, { maxLength: 2 }),
  })
  .map((more) => fixtureFields(1, more as Partial<SampleFields>));
const sample: fc.Arbitrary<FixtureSample> = fc.record({ fields, events: fc.array(event, { maxLength: 6 }) });

test('[LOG-13] whatever a text looks like, in whatever field: the log is whole and reads back equal', async () => {
  await fc.assert(
    fc.asyncProperty(sample, async (given) => {
      const disk = new SimulatedDisk();
      await writeFixtureLog(disk, '/x.eval', { samples: [given] });
      expect(await verifyLog(disk, '/x.eval')).toMatchObject({ problems: [], remarks: [] });
      await expectReadBack(disk, '/x.eval', given);
    }),
    { numRuns: 150 },
  );
});

test('[LOG-13] it also survives being copied part by part, into .json and back', async () => {
  await fc.assert(
    fc.asyncProperty(sample, async (given) => {
      const disk = new SimulatedDisk();
      await writeFixtureLog(disk, '/x.eval', { samples: [given] });
      await convertLog(disk, { from: '/x.eval', to: '/2026-01-01T00-00-00_x.json' });
      await convertLog(disk, { from: '/2026-01-01T00-00-00_x.json', to: '/y.eval' });
      expect(await verifyLog(disk, '/y.eval')).toMatchObject({ problems: [], remarks: [] });
      await expectReadBack(disk, '/y.eval', given);
    }),
    { numRuns: 60 },
  );
});

test('[LOG-11] texts with different halves of surrogate pairs are different attachments', async () => {
  const [one, other] = [`\ud800${LONG}`, `\ud801${LONG}`];
  const events = [one, other].map((text) => fixtureEvent({ event: 'info', data: text }));
  const { attachments } = fixtureParts({ fields: fixtureFields(1), events });
  expect([...(attachments as { hash: string }[])].map(({ hash }) => hash)).toEqual([
    attachmentHash(`\\ud800${LONG}`),
    attachmentHash(`\\ud801${LONG}`),
  ]);
});

test('a document of the journal comes back exactly, whatever its texts look like', () => {
  const { value: json } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      hostile,
      fc.constantFrom(null, true, 1.5),
      fc.array(tie('value')),
      fc.dictionary(hostile, tie('value')),
    ),
  })) as { value: fc.Arbitrary<Json> };
  fc.assert(
    fc.property(json, (value) => {
      const { value: condensed, attachments } = condenseJson(value);
      for (const { hash, text } of attachments) {
        expect(text.isWellFormed()).toBe(true);
        expect(attachmentHash(text)).toBe(hash);
      }
      const texts = new Map(attachments.map(({ hash, text }) => [hash, text]));
      // JSON.stringify escapes what UTF-8 cannot hold.
      const stored = parseJson(JSON.stringify(condensed));
      expect(expandJson(stored, (hash) => texts.get(hash))).toStrictEqual(parseJson(JSON.stringify(value)));
    }),
    { numRuns: 500 },
  );
});

async function expectReadBack(disk: SimulatedDisk, path: string, given: FixtureSample): Promise<void> {
  const reader = await openLog(disk, path);
  try {
    const found = await reader.sample(1, 1);
    const { events, attachments: _, ...rest } = found ?? { events: [], attachments: {} };
    const expected = { fields: escaped(given.fields), events: given.events.map(escaped) };
    expect(events).toStrictEqual(expected.events);
    expect(rest).toMatchObject(expected.fields);
    expect(await Array.fromAsync(reader.events(1, 1))).toStrictEqual(expected.events);
    expect(await reader.sampleFields(1, 1)).toMatchObject(expected.fields);
  } finally {
    await reader.close();
  }
}

/** In a log, half a surrogate pair is six characters, in keys too. */
function escaped(value: JsonObject): JsonObject {
  return walkJson(parseJson(JSON.stringify(value)), escapeLoneSurrogates) as JsonObject;
}
