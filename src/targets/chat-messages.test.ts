import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assistantMessageOf, chatMessagesOf } from './chat-messages.ts';
import type { Prompt } from './language-model.ts';

const message = fc.oneof(
  fc
    .constantFrom('continue', 'yes')
    .map((text) => ({ role: 'user' as const, content: [{ type: 'text' as const, text }] })),
  fc
    .constantFrom('ok', '')
    .map((text) => ({ role: 'assistant' as const, content: [{ type: 'text' as const, text }] })),
  fc.constant({ role: 'system' as const, content: 'be brief' }),
);

test('a conversation that grows keeps its messages as they are, so that each is stored once', () => {
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), fc.nat(12), (prompt, cut) => {
      const all = chatMessagesOf(prompt as Prompt, 's');
      const some = chatMessagesOf(prompt.slice(0, cut) as Prompt, 's');
      expect(all.slice(0, some.length)).toEqual(some);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    }),
  );
});

test('an answer has the id that it will have in the next request', () => {
  const prompt: Prompt = [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }];
  const answer = assistantMessageOf([{ type: 'text', text: 'hello' }], {
    model: 'm',
    input: chatMessagesOf(prompt, 's'),
    salt: 's',
  });
  const next = chatMessagesOf(
    [...prompt, { role: 'assistant', content: [{ type: 'text', text: 'hello' }] }],
    's',
  );
  expect(next.at(-1)?.id).toBe(answer.id);
  expect(answer).toMatchObject({ source: 'generate', model: 'm' });
});

test('arguments of a tool that are no JSON are shown as they came', () => {
  const part = { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: '{oops' } as const;
  expect(assistantMessageOf([part], { model: 'm', input: [], salt: 's' }).tool_calls).toMatchObject([
    { id: 'c', function: 'f', arguments: { raw: '{oops' }, parse_error: expect.any(String) },
  ]);
});
