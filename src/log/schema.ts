/**
 * The documents inside an `.eval` log, with the names Inspect gives them (docs/format/log.md). Only what we write or
 * compute with is typed closely; what merely passes through stays JSON, because readers must be lenient [LOG-2].
 *
 * They are aliases and not interfaces, so that the compiler knows each of them to be JSON: no cast is needed to write one.
 */
import type { Json, JsonObject, SampleId } from '../base/index.ts';

export type LogStatus = 'started' | 'success' | 'cancelled' | 'error';

export type EvalError = {
  readonly message: string;
  readonly traceback: string;
  readonly traceback_ansi: string;
};

export type ModelUsage = {
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  readonly input_tokens_cache_write?: number;
  readonly input_tokens_cache_read?: number;
  readonly reasoning_tokens?: number;
  readonly total_cost?: number;
};

export type EvalDataset = {
  readonly name?: string;
  readonly location?: string;
  readonly samples?: number;
  readonly sample_ids?: readonly SampleId[];
  readonly shuffled?: boolean;
};

export type MetricSpec = {
  readonly name: string;
  readonly options?: JsonObject;
};

export type EvalScorer = {
  readonly name: string;
  readonly options?: JsonObject;
  readonly metrics?: Json;
  readonly metadata?: JsonObject;
};

export type EvalConfig = {
  readonly limit?: number | readonly [number, number];
  readonly epochs?: number;
  readonly epochs_reducer?: readonly string[];
  readonly fail_on_error?: boolean | number;
  readonly continue_on_fail?: boolean;
  readonly retry_on_error?: number;
  readonly score_on_error?: boolean;
  readonly message_limit?: number;
  readonly token_limit?: number;
  readonly turn_limit?: number;
  readonly time_limit?: number;
  readonly working_limit?: number;
  readonly cost_limit?: number;
  readonly max_samples?: number;
  readonly [key: string]: Json | undefined;
};

export type EvalSpec = {
  readonly eval_set_id?: string;
  readonly eval_id: string;
  readonly run_id: string;
  readonly created: string;
  readonly task: string;
  readonly task_id: string;
  readonly task_version: number | string;
  readonly task_file?: string;
  readonly task_display_name?: string;
  readonly task_registry_name?: string;
  readonly task_attribs: JsonObject;
  readonly task_args: JsonObject;
  readonly task_args_passed: JsonObject;
  readonly solver?: string;
  readonly solver_args?: Json;
  readonly solver_args_passed?: Json;
  readonly sandbox?: Json;
  readonly model_base_url?: string;
  readonly model_roles?: JsonObject;
  readonly viewer?: Json;
  readonly tags?: readonly string[];
  readonly dataset: EvalDataset;
  readonly model: string;
  readonly model_generate_config: JsonObject;
  readonly model_args: JsonObject;
  readonly config: EvalConfig;
  readonly revision?: JsonObject;
  readonly packages: Readonly<Record<string, string>>;
  readonly metadata?: JsonObject;
  readonly scorers?: readonly EvalScorer[];
  readonly metrics?: Json;
};

export type EvalPlan = {
  readonly name: string;
  readonly steps: readonly {
    readonly solver: string;
    readonly params: JsonObject;
    readonly params_passed?: JsonObject;
  }[];
  readonly finish?: Json;
  readonly config: JsonObject;
};

export type EvalMetric = {
  readonly name: string;
  readonly value: number;
  readonly group?: string;
  readonly params: JsonObject;
  readonly metadata?: JsonObject;
};

export type EvalScore = {
  readonly name: string;
  readonly scorer: string;
  readonly reducer?: string;
  readonly scored_samples?: number;
  readonly unscored_samples?: number;
  readonly params: JsonObject;
  readonly metrics: Readonly<Record<string, EvalMetric>>;
  readonly metadata?: JsonObject;
};

export type EvalResults = {
  readonly total_samples: number;
  readonly completed_samples: number;
  readonly early_stopping?: Json;
  readonly scores: readonly EvalScore[];
  readonly metadata?: JsonObject;
};

export type EvalStats = {
  readonly started_at: string;
  readonly completed_at: string;
  readonly model_usage: Readonly<Record<string, ModelUsage>>;
  readonly role_usage: Readonly<Record<string, ModelUsage>>;
  readonly connection_limit_history: readonly Json[];
};

/** `_journal/start.json`. */
export type LogStart = {
  readonly version: number;
  readonly eval: EvalSpec;
  readonly plan: EvalPlan;
};

/** `header.json`: the log without samples and reductions. */
export type LogHeader = {
  readonly version: number;
  readonly status: LogStatus;
  readonly eval: EvalSpec;
  readonly plan: EvalPlan;
  readonly results?: EvalResults;
  readonly stats: EvalStats;
  readonly error?: EvalError;
  readonly invalidated: boolean;
  readonly log_updates?: readonly Json[];
  readonly config_updates?: readonly Json[];
  readonly tags: readonly string[];
  readonly metadata: JsonObject;
};

export type ScoreValue = Json;

export type Score = {
  readonly value: ScoreValue;
  readonly answer?: string;
  readonly explanation?: string;
  readonly metadata?: JsonObject;
  readonly history?: readonly Json[];
};

export type ChatMessage = {
  readonly id?: string;
  /** `system`, `user`, `assistant` or `tool`; other tools have others. */
  readonly role: string;
  readonly content: string | readonly JsonObject[];
  /** `input`, `generate` or `operator`. */
  readonly source?: string;
  readonly metadata?: JsonObject;
  readonly tool_calls?: readonly ToolCall[];
  readonly model?: string;
  readonly tool_call_id?: string | readonly string[];
  readonly function?: string;
  readonly error?: JsonObject;
};

export type ToolCall = {
  readonly id: string;
  readonly function: string;
  readonly arguments: JsonObject;
  readonly parse_error?: string;
  readonly type?: string;
};

export type ModelOutput = {
  readonly model?: string;
  readonly choices: readonly {
    readonly message: ChatMessage;
    /** `stop`, `max_tokens`, `model_length`, `tool_calls`, `content_filter` or `unknown`. */
    readonly stop_reason: string;
  }[];
  readonly completion?: string;
  readonly usage?: ModelUsage;
  readonly time?: number;
  readonly metadata?: JsonObject;
  readonly error?: string;
};

export type SampleLimit = {
  /** `context`, `time`, `working`, `message`, `token`, `turn`, `cost`, `operator` or `custom`. */
  readonly type: string;
  readonly limit: number;
};

/** Everything of a sample but its transcript (events, pools, attachments), which can be far larger than memory. */
export type SampleFields = {
  readonly id: SampleId;
  readonly epoch: number;
  readonly input: string | readonly ChatMessage[];
  readonly choices?: readonly string[];
  readonly target: string | readonly string[];
  readonly sandbox?: Json;
  readonly files?: readonly string[];
  readonly setup?: string;
  readonly messages: readonly ChatMessage[];
  readonly output: ModelOutput;
  readonly scores?: Readonly<Record<string, Score>>;
  readonly metadata: JsonObject;
  readonly store: JsonObject;
  readonly model_usage: Readonly<Record<string, ModelUsage>>;
  readonly role_usage: Readonly<Record<string, ModelUsage>>;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly total_time?: number;
  readonly working_time?: number;
  readonly uuid?: string;
  readonly error?: EvalError;
  readonly error_retries?: readonly (EvalError & { readonly events?: readonly Json[] })[];
  readonly limit?: SampleLimit;
  readonly turn_count?: number;
  readonly token_limit?: number;
  readonly token_limit_type?: string;
  readonly token_limit_usage?: number;
  readonly timelines?: Json;
  readonly model_fallbacks?: Json;
  readonly invalidation?: Json;
};

export type EvalSample = SampleFields & {
  readonly events: readonly LogEvent[];
  readonly attachments: Readonly<Record<string, string>>;
  readonly events_data?: { readonly messages: readonly Json[]; readonly calls: readonly Json[] };
};

export type EvalSampleSummary = {
  readonly id: SampleId;
  readonly epoch: number;
  readonly input: string | readonly Json[];
  readonly choices?: readonly string[];
  readonly target: string | readonly string[];
  readonly metadata: JsonObject;
  readonly scores?: Readonly<Record<string, Score>>;
  readonly model_usage: Readonly<Record<string, ModelUsage>>;
  readonly role_usage: Readonly<Record<string, ModelUsage>>;
  readonly started_at?: string;
  readonly completed_at?: string;
  readonly total_time?: number;
  readonly working_time?: number;
  readonly uuid?: string;
  readonly error?: string;
  readonly limit?: string;
  readonly retries?: number;
  readonly completed: boolean;
  readonly message_count?: number;
  readonly turn_count?: number;
  readonly token_limit?: number;
  readonly token_limit_type?: string;
  readonly token_limit_usage?: number;
  readonly model_fallbacks?: Json;
};

/** One thing that happened in a sample. The tag decides which further keys there are (spec 1.7). */
export type LogEvent = {
  readonly event: string;
  readonly uuid?: string;
  readonly span_id?: string;
  /** The first logs have events without one. */
  readonly timestamp?: string;
  readonly working_start?: number;
  readonly metadata?: JsonObject;
  readonly pending?: boolean;
  readonly [key: string]: Json | undefined;
};

export type EvalSampleReductions = {
  readonly scorer: string;
  readonly reducer?: string;
  readonly samples: readonly (Score & { readonly sample_id?: SampleId })[];
};
