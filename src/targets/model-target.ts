import { toJson } from '../base/index.ts';
import type { GenerateOptions, ModelTarget, SampleRow } from '../evals/index.ts';
import { createGenerate } from './generate.ts';
import type { Models, OpenedModel } from './models.ts';
import { type RunnableTarget, resultOf } from './runnable-target.ts';
import {
  checkTemplate,
  fillChecked,
  inputText,
  isMessageList,
  isSamplePlaceholder,
  sampleValue,
} from './template.ts';
import { untilAborted } from './until-aborted.ts';

export type ModelTargetSettings = Omit<ModelTarget, 'model' | 'baseUrl' | 'apiKeyEnv'>;

/** A model asked once for each sample. */
export function modelTarget(
  opened: OpenedModel,
  { models, settings }: { readonly models: Models; readonly settings: ModelTargetSettings },
): RunnableTarget {
  for (const template of [settings.prompt, settings.system]) {
    if (template !== undefined) checkTemplate(template, isSamplePlaceholder);
  }
  return {
    kind: 'model',
    name: opened.name,
    knownAs: opened.knownAs,
    key: { kind: 'model', model: opened.knownAs, settings: opened.settings, options: toJson(settings) },
    startsOver: false,
    async run(sample, { scope }) {
      const generate = createGenerate({ models, scope, model: opened });
      const { text } = await untilAborted(scope.meter.signal, () => generate(requestFor(sample, settings)));
      return resultOf({ target: opened.name, sample, output: text, scope, redaction: models.redaction });
    },
  };
}

function requestFor(
  sample: SampleRow,
  { system, prompt, ...settings }: ModelTargetSettings,
): GenerateOptions {
  const fill = (template: string) => fillChecked(template, (name) => sampleValue(sample, name));
  return {
    ...settings,
    ...(system !== undefined && { system: fill(system) }),
    ...(prompt === undefined && isMessageList(sample.input)
      ? { messages: sample.input }
      : { prompt: prompt === undefined ? inputText(sample.input) : fill(prompt) }),
  };
}
