import { type Clock, definedOf, type Json, systemClock } from '../base/index.ts';
import { type Budget, createBudget } from './budget.ts';
import { type CallLimiter, createCallLimiter } from './call-limiter.ts';
import { type CallWatch, createCallWatch } from './call-watch.ts';
import type { LanguageModel } from './language-model.ts';
import { createModelGate, type GatePass, type ModelGate } from './model-gate.ts';
import { identityOfBrought, identityOfNamed, identityOfObject, surroundingsOf } from './model-identity.ts';
import { type Env, keyVariableOf, openModel } from './open-model.ts';
import type { PriceTable } from './price-table.ts';
import { createPrices, type Prices } from './prices.ts';
import { recordedModel } from './recorded-model.ts';
import { createRedaction, type Redaction } from './redaction.ts';
import { createRedactor } from './redactor.ts';
import { DEFAULT_RETRY, type RetryPolicy } from './retry.ts';
import type { SampleScope } from './sample-scope.ts';

export interface OpenedModel {
  readonly name: string;
  /** Its name in content keys and request digests: one for one model, however it is spelled. */
  readonly knownAs: string;
  readonly model: LanguageModel;
  /** What else identifies it, for content keys and request digests: where it is reached, its settings, never its key. */
  readonly settings: Json;
}

export interface ModelChoice {
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
}

/** The models of a run: each is opened once, and all samples share its gate, the prices and the budget. */
export interface Models {
  readonly prices: Prices;
  readonly budget: Budget;
  readonly retry: RetryPolicy;
  readonly calls: CallWatch;
  readonly env: Env;
  /** How models are reached, whichever are asked; null when nothing is unusual. For what may ask any of them. */
  readonly surroundings: Json;
  open(name: string, choice?: ModelChoice): Promise<OpenedModel>;
  /** A model object that a user made; its calls are recorded like those of any other. */
  adopt(model: LanguageModel): OpenedModel;
  recorded(opened: OpenedModel, scope: SampleScope): LanguageModel;
  /** The gate of a model, or of whatever else is called by a name (an HTTP endpoint). */
  gate(name: string): ModelGate;
  readonly gates: readonly ModelGate[];
  /** What live calls that have no gate ask; the others ask it through their entrance. */
  readonly limiter: CallLimiter;
  /** The gate of a name, and behind it the limits of a model, which may have another. */
  entrance(gate: string, model?: string): Entrance;
  /** Takes the values of keys that are in use, and what the eval wants redacted, out of a text. */
  redact(text: string): string;
  /** What the eval wants redacted, in everything that is kept. */
  readonly redaction: Redaction;
  addSecret(secret: string | undefined): void;
}

/** What a live call waits for before it begins. */
export interface Entrance {
  enter(signal?: AbortSignal): Promise<GatePass>;
}

export interface ModelsOptions {
  readonly env: Env;
  /** How many samples run at a time: no gate opens wider. */
  readonly concurrency: number;
  readonly clock?: Clock;
  readonly prices?: PriceTable;
  readonly onUnknownPrice?: (model: string) => void;
  readonly budget?: Budget;
  readonly retry?: Partial<RetryPolicy>;
  /** For every model that does not bring its own. */
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  readonly projectDir?: string;
  /** The gates of other runs of the same set: all share them. */
  readonly gates?: Map<string, ModelGate>;
  /** Limits that hold for all runs of a command, or for all who work on one run. */
  readonly limiter?: CallLimiter;
  /** What the eval wants redacted. */
  readonly redact?: readonly RegExp[];
  /** Models by name that evals bring along, and that tests and demos script. */
  readonly scripted?: Readonly<Record<string, LanguageModel>>;
}

export function createModels(options: ModelsOptions): Models {
  const { env, concurrency, clock = systemClock, onUnknownPrice } = options;
  const redactor = createRedactor();
  const redaction = createRedaction(options.redact ?? []);
  const redact = (text: string) => redaction.text(redactor.redact(text));
  const gates = options.gates ?? new Map<string, ModelGate>();
  const opened = new Map<string, Promise<OpenedModel>>();
  const prices = createPrices({
    ...(options.prices && { table: options.prices }),
    ...(onUnknownPrice && { onUnknown: onUnknownPrice }),
  });
  const models: Models = {
    env,
    prices,
    budget: options.budget ?? createBudget(),
    retry: { ...DEFAULT_RETRY, ...options.retry },
    calls: createCallWatch(),
    redact,
    redaction,
    addSecret: redactor.add,
    surroundings: surroundingsOf({ env, baseUrl: options.baseUrl, brought: options.scripted }),
    open(name, choice = {}) {
      const key = JSON.stringify([name, choice.baseUrl, choice.apiKeyEnv]);
      const known = opened.get(key) ?? open(name, choice);
      opened.set(key, known);
      return known;
    },
    adopt: (model) => openedObject(nameOf(model), model, identityOfObject(model)),
    recorded: ({ model, ...known }, scope) =>
      recordedModel(model, {
        ...scope,
        ...known,
        gate: models.entrance(known.name),
        prices,
        budget: models.budget,
        retry: models.retry,
        calls: models.calls,
        redact,
        redaction,
      }),
    gate(name) {
      const gate = gates.get(name) ?? createModelGate({ model: name, clock, limitMax: concurrency });
      gates.set(name, gate);
      return gate;
    },
    get gates() {
      return [...gates.values()];
    },
    limiter: options.limiter ?? createCallLimiter({}, clock),
    entrance: (gate, model = gate) => entranceOf(models.gate(gate), { model, limiter: models.limiter }),
  };

  async function open(name: string, choice: ModelChoice): Promise<OpenedModel> {
    const scripted = options.scripted?.[name];
    if (scripted) return openedObject(name, scripted, identityOfBrought(name, scripted));
    const baseUrl = choice.baseUrl ?? options.baseUrl;
    const apiKeyEnv = choice.apiKeyEnv ?? options.apiKeyEnv;
    const model = await openModel(name, {
      env,
      clock,
      ...definedOf({ baseUrl, apiKeyEnv, projectDir: options.projectDir }),
    });
    const keyVariable = keyVariableOf(name, apiKeyEnv === undefined ? {} : { apiKeyEnv });
    if (keyVariable !== undefined) redactor.add(env[keyVariable]);
    return { name, model, ...identityOfNamed(name, model) };
  }

  return models;
}

function entranceOf(
  gate: ModelGate,
  { model, limiter }: { readonly model: string; readonly limiter: CallLimiter },
): Entrance {
  return {
    async enter(signal) {
      const pass = await gate.enter(signal);
      try {
        const limited = await limiter.enter(model, signal);
        return {
          leave(outcome) {
            limited.leave();
            pass.leave(outcome);
          },
        };
      } catch (error) {
        pass.leave('failed');
        throw error;
      }
    },
  };
}

function openedObject(name: string, model: LanguageModel, settings: Json): OpenedModel {
  return { name, knownAs: name, model, settings };
}

function nameOf({ provider, modelId }: LanguageModel): string {
  // Providers name their models' kinds too (`openai.responses`); the log wants `openai/gpt-5`.
  return `${provider.split('.')[0]}/${modelId}`;
}
