import { definedOf, isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { Note, RunItem, SampleEpoch, SampleView } from '../api.ts';
import { Breath } from '../breath.ts';
import type { Call } from '../call.ts';
import { notesOf } from '../notes.ts';
import { sampleCommands } from '../run-commands.ts';
import { epochAt, sampleItems } from '../sample-items.ts';
import { readSampleRows, type SampleRows } from '../sample-rows.ts';
import { fieldsView, stringIn, textOf } from '../sample-view.ts';
import { noSample } from '../server-errors.ts';
import { ALONE, type Bodies, IN_A_PAGE } from '../spool/bodies.ts';
import { conversationOf } from '../spool/conversation.ts';
import { itemsOf } from '../spool/items.ts';
import type { Spool } from '../spool/spool.ts';
import { bodiesOf, leaseOf, sampleOf } from './transcript.ts';

const WAIT_MS = 60_000;
const FIELDS = [
  'input',
  'choices',
  'target',
  'files',
  'output',
  'scores',
  'score',
  'metadata',
  'store',
  'model_usage',
  'started_at',
  'completed_at',
  'working_time',
  'uuid',
  'error',
  'limit',
];

/** One sample without its transcript. */
export async function sample(call: Call<'sample'>): Promise<SampleView> {
  const { studio, params, query, signal, sameAs } = call;
  const key = sampleOf(call);
  await using open = await studio.open(params.run ?? '');
  const { item, inForms, run } = open.found;
  sameAs(open.version, JSON.stringify(notesOf(inForms.marks).map(({ id }) => id)));
  using lease = await leaseOf(call);
  const { spool } = lease;
  const rows = await readSampleRows(studio, open, signal);
  const all = await sampleItems(rows, query.score, new Breath(studio.clock, signal));
  const { told, items } = all;
  const place = placeOf(rows, key);
  const row = place === undefined ? undefined : epochAt(rows, all, place);
  // What was used, and how it ended, stands after all events.
  await spool.untilRead({ signal, ms: WAIT_MS });
  const bodies = bodiesOf(call, spool);
  const fields = await readFields(bodies, spool);
  if (Object.keys(fields).length === 0) throw noSample(open.reader.place, key);
  const about = {
    row: row ?? rowOfFields(key.epoch),
    told,
    uuid: place === undefined ? undefined : rows.more[place]?.uuid,
  };
  const id = place === undefined ? key.id : (rows.table.ids[place] ?? key.id);
  const epochs = items.find((one) => String(one.id) === String(id))?.epochs ?? [];
  return {
    run,
    eval: rows.header.eval.task,
    target: rows.header.eval.model,
    id,
    epoch: key.epoch,
    ...fieldsView(bodies.cuts, fields, about),
    attempts: await attemptsOf(bodies, spool),
    messageCount: rows.more[place ?? -1]?.messages || (await conversationOf(spool, bodies)).length,
    epochs: epochs.map(({ epoch, outcome }) => ({ epoch, outcome })),
    notes: notesOf(inForms.marks).filter((note) => isAbout(note, { id, epoch: key.epoch })),
    kept: keptAs(item),
    commands: sampleCommands(studio, item, { id, epoch: key.epoch }),
  };
}

function keptAs({ run, form, place, name, isPublished }: RunItem): NonNullable<SampleView['kept']> {
  return { run, form, place, name, ...definedOf({ isPublished }) };
}

async function readFields(bodies: Bodies, spool: Spool): Promise<JsonObject> {
  const found: Record<string, Json> = {};
  for (const name of FIELDS) {
    const value = await bodies.field(name, name === 'store' || name === 'metadata' ? IN_A_PAGE : ALONE);
    if (value !== undefined && value !== null) found[name] = value;
  }
  return bodies.resolveFields(spool.form.fields(found));
}

/** Earlier tries, each with how many events are told of it. */
async function attemptsOf(bodies: Bodies, spool: Spool): Promise<SampleView['attempts']> {
  const items = await itemsOf(spool, 'error_retries');
  const attempts: SampleView['attempts'] = [];
  for (let index = 0; index < items.length; index++) {
    const retry = await bodies.field(
      'error_retries',
      { unitsMax: 40_000, shareOf: () => 20_000 },
      items.at(index),
    );
    if (!isJsonObject(retry)) continue;
    const events = isJsonArray(retry.events) ? retry.events : [];
    const last = events.at(-1);
    // The rest of a long list is one cut at its end.
    const rest = typeof last === 'string' ? bodies.cuts.of(last)?.items : undefined;
    const left = rest === undefined ? 0 : rest - 1;
    const first = events.find((event) => isJsonObject(event));
    attempts.push({
      attempt: index + 1,
      error: textOf(bodies.cuts, retry.message),
      events: events.length + left,
      ...definedOf({ at: isJsonObject(first) ? stringIn(first.timestamp) : undefined }),
    });
  }
  return attempts;
}

function placeOf(
  { table }: SampleRows,
  { id, epoch }: { readonly id: string | number; readonly epoch: number },
): number | undefined {
  const place = table.ids.findIndex(
    (one, index) => String(one) === String(id) && table.epochs[index] === epoch,
  );
  return place < 0 ? undefined : place;
}

/** Of a sample that the list does not have. */
function rowOfFields(epoch: number): SampleEpoch {
  return { epoch, outcome: 'unscored', scores: {}, usd: null, tokens: 0 };
}

function isAbout(
  note: Note,
  { id, epoch }: { readonly id: string | number; readonly epoch: number },
): boolean {
  return note.sample !== undefined && String(note.sample) === String(id) && (note.epoch ?? epoch) === epoch;
}
