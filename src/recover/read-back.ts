import { type SampleKey, sampleKeyText } from '../base/index.ts';
import { DEFAULT_LIMITS, type LogReader, MemberJson, sampleMemberName } from '../log/index.ts';
import { instantOf } from './instant.ts';

/** What a finished log was found to hold of a sample: which attempt, and how much of it. */
export interface ReadBackSample {
  readonly uuid: string | undefined;
  readonly endedAt: number | undefined;
  readonly events: number;
}

/** Reads samples of a log from their bytes, each once and without holding it. What is not there is not in the answer. */
export async function readBack(
  reader: LogReader,
  keys: Iterable<SampleKey>,
): Promise<ReadonlyMap<string, ReadBackSample>> {
  const found = new Map<string, ReadBackSample>();
  for (const { id, epoch } of keys) {
    const name = sampleKeyText(id, epoch);
    const sample = (await readMember(reader, { id, epoch })) ?? (await readParts(reader, { id, epoch }));
    if (sample) found.set(name, sample);
  }
  return found;
}

async function readMember(reader: LogReader, key: SampleKey): Promise<ReadBackSample | undefined> {
  const member = sampleMemberName(key.id, key.epoch);
  const chunks = reader.readMember(member);
  if (!chunks) return undefined;
  const open = () => chunks;
  const json = new MemberJson({ path: reader.path, member, sizeBytes: 0, open, limits: DEFAULT_LIMITS });
  const told: Record<string, string> = {};
  let events = 0;
  for await (const { path, bytes } of json.split({ decide })) {
    const [name, index] = path;
    if (name === 'events' && index !== undefined) events++;
    else if (typeof name === 'string') {
      const value = json.parse(bytes);
      if (typeof value === 'string') told[name] = value;
    }
  }
  return sampleOf(told, events);
}

/** A sample that was copied in chunks has no member of its own; there are hardly ever any. */
async function readParts(reader: LogReader, key: SampleKey): Promise<ReadBackSample | undefined> {
  const parts = await reader.parts(key.id, key.epoch);
  if (!parts) return undefined;
  let events = 0;
  for await (const _ of parts.events) events++;
  const { uuid, started_at, completed_at } = parts.fields;
  return sampleOf(
    { ...(uuid && { uuid }), ...(started_at && { started_at }), ...(completed_at && { completed_at }) },
    events,
  );
}

function sampleOf(told: Readonly<Record<string, string>>, events: number): ReadBackSample {
  return { uuid: told.uuid, endedAt: instantOf(told.completed_at) ?? instantOf(told.started_at), events };
}

const TOLD = new Set(['uuid', 'started_at', 'completed_at']);

function decide(path: readonly (string | number)[]): 'enter' | 'take' | 'skip' {
  const [name] = path;
  if (name === undefined) return 'enter';
  if (name === 'events') return path.length === 1 ? 'enter' : 'take';
  return typeof name === 'string' && TOLD.has(name) ? 'take' : 'skip';
}
