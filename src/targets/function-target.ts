import { jsonText, toJson } from '../base/index.ts';
import type { OwnCalls, TargetContext, TargetFunction } from '../evals/index.ts';
import { createGenerate, noModel } from './generate.ts';
import type { LanguageModel } from './language-model.ts';
import { newEvent } from './log-event.ts';
import { NO_MODEL } from './model-name.ts';
import type { Models, OpenedModel } from './models.ts';
import { createOwnCalls } from './own-calls.ts';
import { type RunnableTarget, resultOf, type TargetRun } from './runnable-target.ts';
import { untilAborted } from './until-aborted.ts';

export function functionTarget(
  call: TargetFunction<unknown, unknown, unknown>,
  { models, model }: { readonly models: Models; readonly model: OpenedModel | undefined },
): RunnableTarget {
  const name = model?.name ?? NO_MODEL;
  return {
    kind: 'function',
    name,
    ...(model && { knownAs: model.knownAs }),
    key: {
      kind: 'function',
      model: model?.knownAs ?? null,
      settings: model?.settings ?? null,
      // It may ask any model, also without being told to.
      ...(models.surroundings !== null && { models: models.surroundings }),
    },
    startsOver: false,
    async run(sample, run) {
      const { scope } = run;
      using own = createOwnCalls({ models, scope });
      const context = targetContext(run, { models, model, own: own.calls });
      const output = await untilAborted(scope.meter.signal, () => call(sample, context));
      return resultOf({ target: name, sample, output, scope, redaction: models.redaction });
    },
  };
}

function targetContext(
  { scope, epoch }: TargetRun,
  {
    models,
    model,
    own,
  }: { readonly models: Models; readonly model: OpenedModel | undefined; readonly own: OwnCalls },
): TargetContext {
  return {
    generate: createGenerate({ models, scope, model }),
    ...own,
    model: model ? models.recorded(model, scope) : MISSING_MODEL,
    signal: scope.meter.signal,
    epoch,
    artifact: scope.artifacts.folder,
    info: (data, source) => {
      const said = toJson(source); // from users' code, so not always a text
      scope.recorder.emit(
        newEvent(scope, 'info', { data: toJson(data), ...(said !== null && { source: jsonText(said) }) }),
      );
    },
  };
}

/** Stands where no model is named; a target function that never uses it need not care. */
const MISSING_MODEL: LanguageModel = {
  specificationVersion: 'v4',
  provider: 'none',
  modelId: 'none',
  supportedUrls: {},
  doGenerate: () => Promise.reject(noModel()),
  doStream: () => Promise.reject(noModel()),
};
