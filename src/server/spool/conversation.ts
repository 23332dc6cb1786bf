import { isJsonArray, isJsonObject, type Json } from '../../base/index.ts';
import { positionsOf } from '../../log/index.ts';
import { ALONE, type Bodies } from './bodies.ts';
import { itemsOf } from './items.ts';
import type { Spool } from './spool.ts';

/** The messages of a sample, read one by one. */
export interface Conversation {
  readonly length: number;
  at(index: number): Promise<Json | undefined>;
}

/** The conversation that the sample ended with; of one that has not ended, what its last call of a model had and gave. */
export async function conversationOf(spool: Spool, bodies: Bodies): Promise<Conversation> {
  const items = await itemsOf(spool, 'messages');
  if (items.length === 0) return (await lastSpoken(spool, bodies)) ?? NONE;
  return {
    length: items.length,
    at: async (index) => {
      const at = items.at(index);
      const message = at && (await bodies.field('messages', ALONE, at));
      return message === undefined ? undefined : resolvedMessage(bodies, spool, message);
    },
  };
}

const NONE: Conversation = { length: 0, at: async () => undefined };

async function lastSpoken(spool: Spool, bodies: Bodies): Promise<Conversation | undefined> {
  const index = spool.skeleton.lastCall();
  const event = index === undefined ? undefined : await bodies.event(index, ALONE);
  if (!event) return undefined;
  const inline = isJsonArray(event.input) ? event.input : [];
  const positions = positionsOf(event.input_refs).filter((position) => position < spool.poolSize('messages'));
  const answer = answerOf(event.output);
  const before = inline.length + positions.length;
  return {
    length: before + (answer === undefined ? 0 : 1),
    at: async (at) => {
      if (at < inline.length) return inline[at];
      const position = positions[at - inline.length];
      if (position !== undefined) return bodies.pooled('messages', position, ALONE);
      return at === before ? answer : undefined;
    },
  };
}

function answerOf(output: Json | undefined): Json | undefined {
  const choices = isJsonObject(output) ? output.choices : undefined;
  const [choice] = isJsonArray(choices) ? choices : [];
  return isJsonObject(choice) ? choice.message : undefined;
}

/** References stand in the list of messages: a message alone is not looked into. */
async function resolvedMessage(bodies: Bodies, spool: Spool, message: Json): Promise<Json> {
  const { messages = [message] } = spool.form.fields({ messages: [message] });
  const resolved = await bodies.resolveFields({ messages });
  const [first] = isJsonArray(resolved.messages) ? resolved.messages : [];
  return first ?? message;
}
