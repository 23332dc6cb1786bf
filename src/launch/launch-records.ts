import { z } from 'zod';
import {
  DamageError,
  isoTime,
  isSumRight,
  parseJson,
  stringifyJson,
  summedLine,
  toJson,
} from '../base/index.ts';
import { LABEL } from './launch-keys.ts';
import type { LaunchPorts } from './launch-ports.ts';

export const LAUNCH_VERSION = 1;

const stamped = { version: z.literal(LAUNCH_VERSION), run: z.string(), n: z.int().min(1) };
const said = { by: z.string(), at: z.string() };

/** One program that is run, and what it reads. */
const step = z.object({
  /** What it is about, for people: a host, a cluster. */
  about: z.string(),
  argv: z.array(z.string()).min(1),
  /** What it reads. */
  stdin: z.string().optional(),
  /** A command line that a shell reads, in place of `argv`. */
  isShell: z.boolean().optional(),
});

const launched = z.object({
  format: z.literal('holdfast-launched'),
  ...stamped,
  /** What the settings call it. */
  name: z.string(),
  kind: z.enum(['ssh', 'command', 'kubernetes', 'slurm']),
  label: z.string().regex(LABEL),
  workers: z.int().min(1),
  hosts: z.array(z.string()).optional(),
  /** What stops them; may be run again. */
  stop: z.array(step),
  /** All runs that they are for, where there are several. */
  runs: z.array(z.string()).optional(),
  ...said,
});

const stopped = z.object({ format: z.literal('holdfast-launch-stopped'), ...stamped, ...said });
const failed = z.object({
  format: z.literal('holdfast-launch-failed'),
  ...stamped,
  ...said,
  reason: z.string(),
});
const gone = z.object({ format: z.literal('holdfast-launch-gone'), ...stamped, ...said });

export type Step = z.infer<typeof step>;
export type LaunchRecord = z.infer<typeof launched>;
type Mark = z.infer<typeof stopped> | z.infer<typeof failed> | z.infer<typeof gone>;

export function encodeLaunch(record: LaunchRecord | Mark): Uint8Array {
  return Buffer.from(summedLine(stringifyJson(toJson(record))));
}

/** What every record of a launch says of itself. */
export function stampOf(about: { readonly run: string; readonly n: number }, ports: LaunchPorts) {
  const { run, n } = about;
  return { version: LAUNCH_VERSION, run, n, by: ports.by, at: isoTime(ports.clock.nowMs()) } as const;
}

/** Throws when the bytes are not what their key promises: unreadable is not absent. */
export function decodeLaunch(
  bytes: Uint8Array,
  place: { readonly key: string; readonly run: string; readonly n: number },
): LaunchRecord {
  const text = Buffer.from(bytes).toString('utf8');
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    throw damaged(place.key, 'it is no JSON', error);
  }
  if (!isSumRight(text)) throw damaged(place.key, 'its checksum is wrong', undefined);
  const version: unknown = typeof value === 'object' && value ? Reflect.get(value, 'version') : undefined;
  if (typeof version === 'number' && version > LAUNCH_VERSION) throw tooNew(place.key, version);
  const parsed = launched.safeParse(value);
  if (!parsed.success)
    throw damaged(place.key, z.prettifyError(parsed.error).split('\n')[0] ?? '', parsed.error);
  const { run, n } = parsed.data;
  if (run !== place.run || n !== place.n)
    throw damaged(place.key, `it is of run ${run}, launch ${n}`, undefined);
  return parsed.data;
}

function tooNew(key: string, version: number): DamageError {
  return new DamageError({
    code: 'E_SHARED_VERSION',
    message: `${key} was written in version ${version} of launches; this program reads up to ${LAUNCH_VERSION}.`,
    hint: 'Update Holdfast here, or stop the workers from the machine that started them.',
  });
}

function damaged(key: string, why: string, cause: unknown): DamageError {
  return new DamageError({
    code: 'E_SHARED_DAMAGED',
    message: `${key} in the bucket cannot be used: ${why}.`,
    hint: 'It was left as it is. Its workers are told to end, and end by themselves (idleExit, maxRuntime); look whether they did, and stop by hand those that did not.',
    cause,
  });
}
