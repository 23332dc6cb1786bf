import { definedOf, isJsonArray, isJsonObject, type Json, type JsonObject } from '../base/index.ts';
import type { ToldFigure } from '../compare/index.ts';
import type { Outcome, SampleEpoch, SampleScore, SampleView, Text } from './api.ts';
import { modelCostsIn } from './run-cost.ts';
import { scoreNumber } from './sample-items.ts';
import type { Cuts } from './spool/cuts.ts';

/** What is known of a sample besides its fields. */
export interface AboutSample {
  readonly row: SampleEpoch;
  readonly told: ToldFigure;
  readonly uuid: string | undefined;
}

type FieldsView = Omit<
  SampleView,
  'run' | 'eval' | 'target' | 'id' | 'epoch' | 'attempts' | 'messageCount' | 'epochs' | 'notes' | 'commands'
>;

/** The fields of a sample as they are shown: long texts are cut. */
export function fieldsView(cuts: Cuts, fields: JsonObject, { row, told, uuid }: AboutSample): FieldsView {
  const { choices, error, limit, working_time } = fields;
  const text = (value: Json | undefined): Text => textOf(cuts, value);
  return {
    row,
    input: cuts.settle(fields.input ?? ''),
    expected: cuts.settle(fields.target ?? ''),
    output: text(completionOf(fields.output)),
    scores: Object.entries(isJsonObject(fields.scores) ? fields.scores : {}).map(([name, score]) =>
      scoreView(cuts, { name, score: score ?? null, outcome: decided(name, { row, told }) }),
    ),
    metadata: cuts.settle(fields.metadata ?? {}),
    store: cuts.settle(fields.store ?? {}),
    models: modelCostsIn(fields.model_usage),
    files: filesOf(fields.files),
    ...definedOf({
      choices: isJsonArray(choices) ? choices.map((choice) => cuts.headOf(String(choice))) : undefined,
      error: isJsonObject(error)
        ? { message: text(error.message), traceback: text(error.traceback) }
        : undefined,
      limit: isJsonObject(limit) ? { type: String(limit.type), limit: Number(limit.limit) } : undefined,
      started: stringIn(fields.started_at),
      completed: stringIn(fields.completed_at),
      workingMs: typeof working_time === 'number' ? working_time * 1_000 : undefined,
      uuid: stringIn(fields.uuid) ?? uuid,
    }),
  };
}

/** The outcome of the score that decides; of the others their own value says what it is. */
function decided(
  name: string,
  { row, told: { figure } }: Pick<AboutSample, 'row' | 'told'>,
): Outcome | undefined {
  const isDeciding = figure === name || figure?.startsWith(`${name}/`) || figure?.startsWith(`${name}[`);
  return isDeciding ? row.outcome : undefined;
}

interface GivenScore {
  readonly name: string;
  readonly score: Json;
  readonly outcome: Outcome | undefined;
}

function scoreView(cuts: Cuts, { name, score, outcome }: GivenScore): SampleScore {
  const {
    value = null,
    answer,
    explanation,
    metadata,
    history,
  } = isJsonObject(score) ? score : { value: score };
  const number = scoreNumber(value);
  return {
    name,
    outcome: outcome ?? outcomeOf(number),
    value: cuts.settle(value),
    ...definedOf({
      number,
      answer: typeof answer === 'string' ? textOf(cuts, answer) : undefined,
      explanation: typeof explanation === 'string' ? textOf(cuts, explanation) : undefined,
      metadata: isJsonObject(metadata) ? cuts.settle(metadata) : undefined,
      history:
        isJsonArray(history) && history.length > 0 ? history.map((one) => cuts.settle(one)) : undefined,
    }),
  };
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

/** A text, or what stands for it where it is long. */
export function textOf(cuts: Cuts, value: Json | undefined): Text {
  if (typeof value !== 'string') return '';
  const cut = cuts.of(value);
  return cut ? { $cut: cut } : value;
}

export function stringIn(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
