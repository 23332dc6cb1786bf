import { z } from 'zod';
import { type ActionableError, DamageError, type Json, parseJson, stringifyJson } from '../base/index.ts';

/** What a note is about, when not about the whole run. */
const anchor = z.object({
  sample: z.union([z.string(), z.number()]),
  epoch: z.number().int(),
  /** The uuid of an event in its transcript. */
  event: z.string().optional(),
});

const common = {
  version: z.literal(1),
  id: z.string(),
  run: z.string(),
  by: z.object({ name: z.string(), email: z.string() }),
  time: z.string(),
};

const note = z.discriminatedUnion('kind', [
  z.object({ ...common, kind: z.literal('tag'), tag: z.string() }),
  /** Hides a tag that the log itself has. */
  z.object({ ...common, kind: z.literal('untag'), tag: z.string() }),
  z.object({ ...common, kind: z.literal('note'), text: z.string(), anchor: anchor.optional() }),
  z.object({
    ...common,
    kind: z.literal('verdict'),
    verdict: z.enum(['pass', 'fail', 'unsure']),
    text: z.string().optional(),
    scorer: z.string().optional(),
    anchor,
  }),
  z.object({ ...common, kind: z.literal('removal'), reason: z.string().optional() }),
  /** Bodies of the run were dropped from the bucket. */
  z.object({ ...common, kind: z.literal('collection'), bodies: z.number(), sizeBytes: z.number() }),
  /** Takes back what other notes said. It names them, so it undoes only what its author had seen. */
  z.object({ ...common, kind: z.literal('retraction'), of: z.array(z.string()) }),
]);

export type Note = z.infer<typeof note>;
export type NoteAnchor = z.infer<typeof anchor>;

/** What somebody says; who, when and of which run is added when it is written. */
export type NoteSaying = Note extends infer One
  ? One extends Note
    ? Omit<One, keyof typeof common>
    : never
  : never;

export function readNote(bytes: Uint8Array, path: string): Note {
  let value: Json;
  try {
    value = parseJson(Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    throw damagedNote(path, 'it is no JSON', error);
  }
  const read = note.safeParse(value);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw damagedNote(path, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'unknown'}`);
}

export function noteBytes(one: Note): Uint8Array {
  return Buffer.from(`${stringifyJson(JSON.parse(JSON.stringify(one)) as Json)}\n`, 'utf8');
}

function damagedNote(path: string, reason: string, cause?: unknown): ActionableError {
  return new DamageError({
    code: 'E_RESULT_NOTE',
    message: `The note ${path} cannot be read (${reason}).`,
    hint: 'It may come from a newer Holdfast. Everything else of the run is read.',
    cause,
  });
}
