import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { madeEvent, modelEvent, user } from '../../test/sim/inspect-buffer.ts';
import { isJsonArray, type Json, type JsonObject } from '../base/index.ts';
import { Conversation } from './conversation.ts';

const inputOf = (event: JsonObject) => (isJsonArray(event.input) ? event.input : []);
const assistant = (content: string): JsonObject => ({ role: 'assistant', content });

function told(...events: JsonObject[]): {
  readonly messages: readonly Json[];
  readonly output: JsonObject | undefined;
} {
  const conversation = new Conversation();
  for (const event of events) {
    if (event.event === 'model') conversation.addModel(event);
    else conversation.addCompaction(event);
  }
  return { messages: conversation.messages(inputOf), output: conversation.output() };
}

const texts = (messages: readonly Json[]) =>
  messages.map((message) => (message as { content: string }).content);
const textOf = (output: JsonObject | undefined) => JSON.stringify(output);

test('a history that grows: the last call tells it all', () => {
  const { messages, output } = told(
    modelEvent({ input: [user('Hi')], answer: 'a' }),
    modelEvent({ input: [user('Hi'), assistant('a'), user('more')], answer: 'b' }),
  );
  expect(texts(messages)).toEqual(['Hi', 'a', 'more', 'b']);
  expect(textOf(output)).toContain('"b"');
});

test('no model event: no messages and no output', () => {
  expect(told()).toEqual({ messages: [], output: undefined });
});

describe('several roles', () => {
  test('interleaved: only the first role is followed', () => {
    const { messages, output } = told(
      modelEvent({ input: [user('Hi')], answer: 'a' }),
      modelEvent({ input: [user('grade this')], answer: 'good', role: 'grader' }),
      modelEvent({ input: [user('Hi'), assistant('a'), user('go on')], answer: 'b' }),
      modelEvent({ input: [user('grade that')], answer: 'bad', role: 'grader' }),
    );
    expect(texts(messages)).toEqual(['Hi', 'a', 'go on', 'b']);
    expect(textOf(output)).toContain('"b"');
  });

  test('whichever speaks first is followed', () => {
    const { messages } = told(
      modelEvent({ input: [user('plan')], answer: 'the plan', role: 'planner' }),
      modelEvent({ input: [user('Hi')], answer: 'a' }),
    );
    expect(texts(messages)).toEqual(['plan', 'the plan']);
  });

  test('a compaction of the followed role after another spoke loses nothing', () => {
    const { messages } = told(
      modelEvent({ input: [user('Hi')], answer: 'a', role: 'main' }),
      modelEvent({ input: [user('other')], answer: 'x', role: 'helper' }),
      madeEvent('compaction', { type: 'summary', role: 'main' }),
      modelEvent({ input: [user('in short'), user('next')], answer: 'b', role: 'main' }),
    );
    expect(texts(messages)).toEqual(['Hi', 'a', 'in short', 'next', 'b']);
  });

  test('a compaction that names no role belongs to whoever spoke last', () => {
    const { messages } = told(
      modelEvent({ input: [user('Hi')], answer: 'a', role: 'main' }),
      modelEvent({ input: [user('other')], answer: 'x', role: 'helper' }),
      madeEvent('compaction', { type: 'summary' }),
      modelEvent({ input: [user('Hi'), assistant('a'), user('next')], answer: 'b', role: 'main' }),
    );
    expect(texts(messages)).toEqual(['Hi', 'a', 'next', 'b']);
  });
});

describe('compaction', () => {
  const before = [user('1', 'i1'), assistant('2'), user('3', 'i3')];

  test('a summary begins a new history, and the old one stays', () => {
    const { messages } = told(
      modelEvent({ input: before, answer: '4' }),
      madeEvent('compaction', { type: 'summary' }),
      modelEvent({ input: [user('summary'), user('5')], answer: '6' }),
    );
    expect(texts(messages)).toEqual(['1', '2', '3', '4', 'summary', '5', '6']);
  });

  test('a summary is what a compaction is when it does not say', () => {
    const { messages } = told(
      modelEvent({ input: before, answer: '4' }),
      madeEvent('compaction'),
      modelEvent({ input: [user('summary')], answer: '6' }),
    );
    expect(texts(messages)).toEqual(['1', '2', '3', '4', 'summary', '6']);
  });

  test('a trim gives back the part that was cut off, found by id or by text', () => {
    for (const rest of [user('3', 'i3'), user('3')]) {
      const { messages } = told(
        modelEvent({ input: before, answer: '4' }),
        madeEvent('compaction', { type: 'trim' }),
        modelEvent({ input: [rest], answer: '4' }),
      );
      expect(texts(messages)).toEqual(['1', '2', '3', '4']);
    }
  });

  test('a trim after which nothing is left gives back everything', () => {
    const { messages } = told(
      modelEvent({ input: before, answer: '4' }),
      madeEvent('compaction', { type: 'trim' }),
      modelEvent({ input: [user('new', 'i9')], answer: '5' }),
    );
    expect(texts(messages)).toEqual(['1', '2', '3', 'new', '5']);
  });

  test('an edit changes nothing', () => {
    const { messages } = told(
      modelEvent({ input: before, answer: '4' }),
      madeEvent('compaction', { type: 'edit' }),
      modelEvent({ input: before, answer: '4' }),
    );
    expect(texts(messages)).toEqual(['1', '2', '3', '4']);
  });

  test('a crash right after a summary does not repeat the old history', () => {
    const { messages } = told(
      modelEvent({ input: before, answer: '4' }),
      madeEvent('compaction', { type: 'summary' }),
    );
    expect(texts(messages)).toEqual(['1', '2', '3', '4']);
  });
});

test('a call under way adds its input but no answer, and the output is that of the last answer', () => {
  const { messages, output } = told(
    modelEvent({ input: [user('Hi')], answer: 'a' }),
    modelEvent({ input: [user('Hi'), assistant('a'), user('more')], pending: true }),
  );
  expect(texts(messages)).toEqual(['Hi', 'a', 'more']);
  expect(textOf(output)).toContain('"a"');
});

test('a thousand calls: only the last is kept', () => {
  const events = Array.from({ length: 1000 }, (_, n) => modelEvent({ input: [user('Hi')], answer: `r${n}` }));
  const { messages, output } = told(...events);
  expect(texts(messages)).toEqual(['Hi', 'r999']);
  expect(textOf(output)).toContain('r999');
});

test('law: with one role, without compaction and with growing histories, nothing that was said is lost', () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 1, maxLength: 20 }), (answers) => {
      const said: JsonObject[] = [user('Hi')];
      const events = answers.map((answer) => {
        const event = modelEvent({ input: [...said], answer });
        said.push(assistant(answer), user('go on'));
        return event;
      });
      expect(told(...events).messages).toEqual(said.slice(0, -1));
    }),
  );
});
