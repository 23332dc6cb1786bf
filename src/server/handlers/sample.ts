import { definedOf, isJsonArray, isJsonObject, type Json, type JsonObject } from '../../base/index.ts';
import type { ToldFigure } from '../../compare/index.ts';
import type { Note, Outcome, SampleEpoch, SampleView, Text } from '../api.ts';
import type { Call } from '../call.ts';
import { notesOf } from '../notes.ts';
import { sampleCommands } from '../run-commands.ts';
import { modelCostsIn } from '../run-cost.ts';
import { epochAt, sampleItems, scoreNumber } from '../sample-items.ts';
import { readSampleRows, type SampleRows } from '../sample-rows.ts';
import { noSample } from '../server-errors.ts';
import { ALONE, type Bodies, IN_A_PAGE } from '../spool/bodies.ts';
import type { Cuts } from '../spool/cuts.ts';
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
  const { told, items } = sampleItems(rows, query.score);
  const place = placeOf(rows, key);
  const row = place === undefined ? undefined : epochAt(rows, told, place);
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
    ...(await fieldsView(bodies, fields, about)),
    attempts: await attemptsOf(bodies, spool),
    messageCount: rows.more[place ?? -1]?.messages ?? (await itemsOf(spool, 'messages')).length,
    epochs: epochs.map(({ epoch, outcome }) => ({ epoch, outcome })),
    notes: notesOf(inForms.marks).filter((note) => isAbout(note, { id, epoch: key.epoch })),
    commands: sampleCommands(item, { id, epoch: key.epoch }),
  };
}

async function readFields(bodies: Bodies, spool: Spool): Promise<JsonObject> {
  const found: Record<string, Json> = {};
  for (const name of FIELDS) {
    const value = await bodies.field(name, name === 'store' || name === 'metadata' ? IN_A_PAGE : ALONE);
    if (value !== undefined && value !== null) found[name] = value;
  }
  return bodies.resolveFields(spool.form.fields(found));
}

interface About {
  readonly row: SampleEpoch;
  readonly told: ToldFigure;
  readonly uuid: string | undefined;
}

type FieldsView = Omit<
  SampleView,
  'run' | 'eval' | 'target' | 'id' | 'epoch' | 'attempts' | 'messageCount' | 'epochs' | 'notes' | 'commands'
>;

async function fieldsView(
  { cuts }: Bodies,
  fields: JsonObject,
  { row, told, uuid }: About,
): Promise<FieldsView> {
  const { choices, error, limit, started_at, completed_at, working_time } = fields;
  const text = (value: Json | undefined): Text => textOf(cuts, value);
  return {
    row,
    input: cuts.settle(fields.input ?? ''),
    expected: cuts.settle(fields.target ?? ''),
    output: text(completionOf(fields.output)),
    scores: scoresOf(fields.scores, { row, told }).map(
      ({ value, answer, explanation, metadata, history, ...rest }) => ({
        ...rest,
        value: cuts.settle(value),
        ...definedOf({
          answer: answer === undefined ? undefined : text(answer),
          explanation: explanation === undefined ? undefined : text(explanation),
          metadata: metadata === undefined ? undefined : cuts.settle(metadata),
          history: history?.map((one) => cuts.settle(one)),
        }),
      }),
    ),
    metadata: cuts.settle(fields.metadata ?? {}),
    store: cuts.settle(fields.store ?? {}),
    models: modelCostsIn(fields.model_usage),
    files: filesOf(fields.files),
    ...definedOf({
      choices: isJsonArray(choices) ? choices.map(String) : undefined,
      error: isJsonObject(error)
        ? { message: text(error.message), traceback: text(error.traceback) }
        : undefined,
      limit: isJsonObject(limit) ? { type: String(limit.type), limit: Number(limit.limit) } : undefined,
      started: stringIn(started_at),
      completed: stringIn(completed_at),
      workingMs: typeof working_time === 'number' ? working_time * 1_000 : undefined,
      uuid: stringIn(fields.uuid) ?? uuid,
    }),
  };
}

interface RawScore {
  readonly name: string;
  readonly outcome: Outcome;
  readonly value: Json;
  readonly number?: number;
  readonly answer?: Json;
  readonly explanation?: Json;
  readonly metadata?: Json;
  readonly history?: readonly Json[];
}

/** Each scorer with what it says; the outcome is that of the score that decides, and of the others what their value says. */
function scoresOf(scores: Json | undefined, { row, told }: Pick<About, 'row' | 'told'>): RawScore[] {
  return Object.entries(isJsonObject(scores) ? scores : {}).map(([name, score]) => {
    const {
      value = null,
      answer,
      explanation,
      metadata,
      history,
    } = isJsonObject(score) ? score : { value: score ?? null };
    const isDeciding =
      told.figure === name || told.figure?.startsWith(`${name}/`) || told.figure?.startsWith(`${name}[`);
    const number = scoreNumber(value);
    return {
      name,
      outcome: isDeciding ? row.outcome : outcomeOf(number),
      value,
      ...definedOf({
        number,
        answer: answer ?? undefined,
        explanation: explanation ?? undefined,
        metadata: metadata ?? undefined,
        history: isJsonArray(history) && history.length > 0 ? history : undefined,
      }),
    };
  });
}

function outcomeOf(number: number | undefined): Outcome {
  if (number === undefined) return 'unscored';
  if (number === 1) return 'pass';
  if (number === 0) return 'fail';
  return number > 0 && number < 1 ? 'partial' : 'number';
}

function completionOf(output: Json | undefined): Json | undefined {
  if (!isJsonObject(output)) return undefined;
  if (typeof output.completion === 'string' && output.completion !== '') return output.completion;
  const [choice] = isJsonArray(output.choices) ? output.choices : [];
  const message = isJsonObject(choice) ? choice.message : undefined;
  const content = isJsonObject(message) ? message.content : undefined;
  if (!isJsonArray(content)) return content;
  const texts = content
    .map((part) => (isJsonObject(part) ? part.text : undefined))
    .filter((text) => typeof text === 'string');
  return texts.length === 1 ? texts[0] : texts.join('\n');
}

function filesOf(files: Json | undefined): SampleView['files'] {
  const names = isJsonArray(files) ? files : isJsonObject(files) ? Object.keys(files) : [];
  return names.filter((path) => typeof path === 'string').map((path) => ({ path }));
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
    const left = typeof last === 'string' ? (bodies.cuts.of(last)?.items ?? 0) - 1 : 0;
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

function textOf(cuts: Cuts, value: Json | undefined): Text {
  if (typeof value !== 'string') return '';
  const cut = cuts.of(value);
  return cut ? { $cut: cut } : value;
}

function stringIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
