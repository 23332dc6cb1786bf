/** What users write, as types. `defineEval` infers input, output and target from the data and the target function. */
import type { LanguageModel } from 'ai';
import type { Json, JsonObject } from '../base/index.ts';
import type { MetricName } from '../stats/index.ts';
import type { Artifact, Requirements } from './artifacts/artifact.ts';

export type Awaitable<T> = T | Promise<T>;

/**
 * A function whose parameters are compared in both directions, as those of methods are. So an eval of text is an
 * eval, and can be handed to whatever takes any eval.
 */
type Callback<Parameters extends readonly unknown[], Result> = {
  call(...parameters: Parameters): Result;
}['call'];

/** One dataset item as the user gives it. */
export interface Row<Input = unknown, Target = unknown> {
  readonly id?: string | number;
  readonly input: Input;
  readonly target?: Target;
  readonly choices?: readonly string[];
  readonly metadata?: JsonObject;
}

/** A row after loading: it has an id, and `target` may still be absent. */
export interface SampleRow<Input = unknown, Target = unknown> extends Row<Input, Target> {
  readonly id: string | number;
}

/** A file of rows: the ending of its name decides how it is read (.jsonl, .csv, .json, .yaml). */
export interface DataFile<Input = unknown, Target = unknown> {
  /** One path or several, relative to the eval file. `*` and `?` stand for parts of the file's name. */
  readonly file: string | readonly string[];
  /** Which columns or keys hold what, when they are not called id, input, target, choices. */
  readonly fields?: Readonly<Partial<Record<RowField, string>>>;
  /** Never set: it carries the types of the rows from `dataFile<Input, Target>(…)`. */
  readonly rowType?: Row<Input, Target>;
}

export type RowField = 'id' | 'input' | 'target' | 'choices' | 'metadata';

/** Rows whose field has that value, or one of those values: `{ "metadata.topic": ["art", "law"] }`. */
export type RowFilter = Readonly<Record<string, Json>>;

export type DataSource<Input, Target> =
  | readonly Row<Input, Target>[]
  | Iterable<Row<Input, Target>>
  | AsyncIterable<Row<Input, Target>>
  | (() => Awaitable<Iterable<Row<Input, Target>> | AsyncIterable<Row<Input, Target>>>)
  | string
  | DataFile<Input, Target>;

export interface GenerateResult {
  readonly text: string;
  readonly reasoningText?: string;
  /** The parsed object when `schema` was given. */
  readonly object?: unknown;
  readonly finishReason: string;
  readonly usage: TokenUsage;
  readonly steps: number;
  /** The new messages (assistant and tool), as the AI SDK gives them, to append for a next turn. */
  readonly messages: readonly unknown[];
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cachedInputTokens?: number;
  readonly reasoningTokens?: number;
}

/** What `generate` takes besides a plain prompt: the AI SDK's own words. */
export interface GenerateOptions {
  readonly prompt?: string;
  readonly system?: string;
  readonly messages?: readonly unknown[];
  /** Another model than the one under test, by name. */
  readonly model?: string;
  readonly tools?: Readonly<Record<string, unknown>>;
  readonly maxSteps?: number;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly seed?: number;
  readonly stopSequences?: readonly string[];
  /** A Zod or JSON Schema: the answer is parsed into `object`. */
  readonly schema?: unknown;
  readonly providerOptions?: JsonObject;
}

export type Generate = (input: string | GenerateOptions) => Promise<GenerateResult>;

/** A model as the AI SDK takes it, in the current version of its interface. */
export type SdkModel = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;

/**
 * Does `work` and records its result, or gives the result that was recorded for the same name and input. The result is plain
 * data: objects, lists, texts, numbers, dates, bytes.
 */
export type RecordCall = <Result>(
  name: string,
  input: unknown,
  work: () => Awaitable<Result>,
  options?: RecordOptions<Result>,
) => Promise<Result>;

export interface RecordOptions<Result = unknown> {
  /**
   * What the work costs, in US dollars, or how its result tells it; without it the price of `record/<name>` counts. A cost that
   * nobody tells is unknown, and a budget refuses it.
   */
  readonly usd?: number | ((result: Result) => number | undefined) | undefined;
}

/** Ways to pay for something else than a model of Holdfast's own, so that it is recorded. */
export interface OwnCalls {
  /** For any SDK that takes a `fetch`: its successful responses are recorded, and replayed. */
  readonly fetch: typeof globalThis.fetch;
  /** For anything else that is expensive. */
  readonly record: RecordCall;
}

/** What a target function gets besides the sample. */
export interface TargetContext extends OwnCalls {
  readonly generate: Generate;
  /** The model under test as an AI SDK language model; every call through it is recorded. */
  readonly model: SdkModel;
  /** Aborted at a limit, on Ctrl-C and at the end of the sample. */
  readonly signal: AbortSignal;
  readonly epoch: number;
  /** The folder of an artifact that the sample requires. It is shared: nothing may be written into it. */
  readonly artifact: ArtifactFolder;
  /** Adds a note to the sample's transcript. */
  readonly info: (data: Json, source?: string) => void;
}

export type ArtifactFolder = (artifact: Pick<Artifact, 'kind' | 'key'>) => string;

export type TargetFunction<Input, Output, Target> = Callback<
  [sample: SampleRow<Input, Target>, context: TargetContext],
  Awaitable<Output>
>;

export interface ModelTarget {
  readonly model: string;
  readonly system?: string;
  /** `{{input}}` and `{{metadata.x}}` are filled in; default: the input itself. */
  readonly prompt?: string;
  readonly temperature?: number;
  readonly maxOutputTokens?: number;
  readonly topP?: number;
  readonly seed?: number;
  readonly baseUrl?: string;
  /** The name of the environment variable that holds the key; never the key itself. */
  readonly apiKeyEnv?: string;
  readonly providerOptions?: JsonObject;
}

/** A language model of the AI SDK, such as `openai("gpt-5")` or `mockModel({ … })`. */
export interface ModelObject {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
}

export interface CommandTarget {
  /** `claude` or `codex` fill in `argv`. */
  readonly preset?: 'claude' | 'codex';
  /** The argument vector; `{{input}}`, `{{workspace}}` and `{{id}}` are filled in, each staying one argument. */
  readonly command?: readonly string[];
  /** Where the prompt goes. Default: stdin, unless an argument holds `{{input}}`. */
  readonly promptVia?: 'stdin' | 'argument';
  /** A folder that is copied to be the working directory of each sample. */
  readonly workspace?: string;
  /** Names of environment variables that the agent may see, besides PATH, HOME, LANG and TMPDIR. */
  readonly env?: readonly string[];
  /** A file in the workspace that holds the answer; default: stdout. */
  readonly outputFile?: string;
}

export interface HttpTarget {
  readonly url: string;
  readonly method?: 'GET' | 'POST' | 'PUT';
  /** Values may hold `{{input}}` and `{{env.NAME}}`; what came from the environment is never recorded. */
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON with `{{input}}` inside strings, or text. */
  readonly body?: Json;
  /** Path to the answer in a JSON response, such as `choices.0.message.content`; default: the whole body. */
  readonly responsePath?: string;
}

export type TargetSpec<Input, Output, Target> =
  | TargetFunction<Input, Output, Target>
  | string
  | ModelTarget
  | ModelObject
  | CommandTarget
  | HttpTarget;

/** What a scorer gives: `value` is a number, a boolean, `C`/`I`/`P`/`N`, or a record of such. NaN means unscored. */
export interface ScoreResult {
  readonly value: Json;
  readonly answer?: string;
  readonly explanation?: string;
  readonly metadata?: JsonObject;
}

export interface CommandRun {
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
}

export interface ScorerContext<Input = unknown, Output = unknown, Target = unknown> extends OwnCalls {
  readonly sample: SampleRow<Input, Target>;
  readonly input: Input;
  readonly target: Target | undefined;
  readonly output: Output;
  /** The output as text: itself when it is a string, else its JSON. */
  readonly text: string;
  readonly epoch: number;
  readonly signal: AbortSignal;
  readonly generate: Generate;
  /** The folder of an artifact that the sample requires. */
  readonly artifact: ArtifactFolder;
  /** Runs a command in the sample's workspace (or an empty folder when it has none). */
  readonly exec: (
    argv: readonly string[],
    options?: { readonly stdin?: string; readonly timeoutMs?: number },
  ) => Promise<CommandRun>;
}

export interface Scorer<Input = unknown, Output = unknown, Target = unknown> {
  readonly name: string;
  /** All that decides its verdict, for the log and for the definition digest. */
  readonly options: JsonObject;
  /** Default: accuracy and stderr. */
  readonly metrics?: readonly MetricChoice[];
  /** The text of the function behind it, when its verdict is the user's own code. */
  readonly source?: string;
  score(context: ScorerContext<Input, Output, Target>): Awaitable<ScoreResult>;
  /** Throws for a row that it could not score whatever the output: asked before anything is run. */
  check?(sample: SampleRow<Input, Target>): void;
}

/** A metric by name, or with options: `{ name: "stderr", options: { cluster: "topic" } }`. */
export type MetricChoice = MetricName | { readonly name: MetricName; readonly options?: JsonObject };

export type ScorerFunction<Input = unknown, Output = unknown, Target = unknown> = Callback<
  [context: ScorerContext<Input, Output, Target>],
  Awaitable<ScoreResult | number | boolean | string>
>;

export interface SampleLimits {
  readonly timeMs?: number;
  readonly workingMs?: number;
  readonly tokens?: number;
  readonly messages?: number;
  readonly turns?: number;
  readonly costUsd?: number;
}

/**
 * US dollars: for a million tokens (`input` and `output`; a missing cache price means that the input price applies), or for each
 * call (`call`) of what tells no tokens.
 */
export interface ModelPrice {
  readonly input?: number;
  readonly output?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  readonly call?: number;
}

export interface EvalDefinition<Input = unknown, Output = unknown, Target = unknown> {
  readonly name: string;
  readonly version?: string | number;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject;
  readonly data: DataSource<Input, Target>;
  /** Filter, shuffle and limit are applied in this order. */
  readonly filter?: RowFilter | Callback<[row: SampleRow<NoInfer<Input>, NoInfer<Target>>], boolean>;
  /** A seed, or true for the seed 0. The same seed gives the same order on every machine. */
  readonly shuffle?: boolean | number;
  readonly limit?: number;
  /**
   * Models that the eval brings along, by the name it calls them: scripted ones (`mockModel`), or any model object of
   * the AI SDK whose provider Holdfast does not know by name.
   */
  readonly models?: Readonly<Record<string, object>>;
  /**
   * Files and folders that the code reads itself, such as prompts and templates, relative to the eval file: when they change, the
   * code runs again.
   */
  readonly inputs?: readonly string[];
  /**
   * Artifacts that the samples need, for all of them or as a function of the sample: built once, before anything is asked, unless they
   * are there.
   */
  readonly requires?:
    | Requirements
    | Callback<[row: SampleRow<NoInfer<Input>, NoInfer<Target>>], Requirements>;
  /** Absent: the model named on the command line is the target. */
  readonly target?: TargetSpec<Input, Output, Target>;
  readonly scorers: readonly (
    | Scorer<NoInfer<Input>, NoInfer<Output>, NoInfer<Target>>
    | ScorerFunction<NoInfer<Input>, NoInfer<Output>, NoInfer<Target>>
  )[];
  readonly metrics?: readonly MetricChoice[];
  readonly epochs?: number | { readonly count: number; readonly reducer?: string | readonly string[] };
  readonly limits?: SampleLimits;
  /**
   * Money for the whole run, in US dollars, over all attempts at it: no call is begun beyond it. `--budget` takes its place.
   * Every model that is called must have a price.
   */
  readonly budgetUsd?: number;
  /** Prices by model (`openai/gpt-5`) or provider (`openai-compatible/*`); they win over the built-in ones. */
  readonly prices?: Readonly<Record<string, ModelPrice>>;
  /** How long one scorer may work on one sample. Default 10 minutes; waiting for a model's turn does not count. */
  readonly scorerTimeMs?: number;
  readonly concurrency?: number;
  /** true: each sample has a process of its own, so that a crash or a leak is that sample's alone. Default false. */
  readonly isolate?: boolean;
  /** How often a sample that failed with an execution error is tried again at once. Default 0. */
  readonly retries?: number;
  /** true: stop at the first error; a share (0–1) or count: stop beyond it; false: never. Default false. */
  readonly failOnError?: boolean | number;
  /**
   * What must never be kept: texts, or patterns (in YAML written `/…/flags`). Every match in answers, messages, outputs,
   * errors and tool results becomes `[redacted]` before it is stored, and the target sees it so, too.
   */
  readonly redact?: readonly (string | RegExp)[];
  /** The run falls short (exit code 1) when a metric is below: `{ accuracy: 0.8 }` or `{ "includes/accuracy": 0.8 }`. */
  readonly threshold?: Readonly<Record<string, number>>;
}
