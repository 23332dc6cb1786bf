/**
 * Agents that we know: how to start them without a person, and where their answer and their bill are in what they print.
 * Claude Code: `claude -p --output-format json` prints one JSON object. Codex: `codex exec --json` prints one event on
 * each line; `-` makes it read the prompt from stdin.
 */
import {
  ActionableError,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../base/index.ts';
import type { Disk } from '../disk/index.ts';
import type { CommandTarget } from '../evals/index.ts';
import type { ModelUsage } from '../log/index.ts';
import { readLines, readProcessText } from '../process/index.ts';

export type PresetName = NonNullable<CommandTarget['preset']>;

export interface AgentReport {
  readonly text: string;
  readonly usage?: ModelUsage;
  readonly costUsd?: number;
  readonly details: JsonObject;
  /** It says that it failed. What that has cost is told all the same. */
  readonly failure?: ActionableError;
}

export interface CommandPreset {
  readonly command: readonly string[];
  /** Variables that the agent needs for its key and its settings. */
  readonly env: readonly string[];
  /** What it prints says what it cost. */
  readonly tellsCost: boolean;
  /** What it prints says how many tokens it used. */
  readonly tellsTokens: boolean;
  /** Reads what the agent printed, from the file; throws when that tells neither an answer nor what a failure has cost. */
  read(disk: Disk, stdout: string): Promise<AgentReport>;
}

/** More than any answer; what is longer is not an answer in the agent's format. */
const JSON_BYTES_MAX = 64 * 2 ** 20;

export const PRESETS: Readonly<Record<PresetName, CommandPreset>> = {
  claude: {
    command: ['claude', '-p', '--output-format', 'json', '--permission-mode', 'acceptEdits'],
    env: [
      'ANTHROPIC_API_KEY',
      'ANTHROPIC_AUTH_TOKEN',
      'ANTHROPIC_BASE_URL',
      'ANTHROPIC_MODEL',
      'CLAUDE_CONFIG_DIR',
      'CLAUDE_CODE_OAUTH_TOKEN',
    ],
    tellsCost: true,
    tellsTokens: true,
    read: readClaude,
  },
  codex: {
    command: ['codex', 'exec', '--json', '--skip-git-repo-check', '--sandbox', 'workspace-write', '-'],
    env: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'CODEX_API_KEY', 'CODEX_HOME'],
    tellsCost: false,
    tellsTokens: true,
    read: readCodex,
  },
};

async function readClaude(disk: Disk, stdout: string): Promise<AgentReport> {
  const { text } = await readProcessText(disk, stdout, JSON_BYTES_MAX);
  const printed = tryParse(text);
  // With --verbose it prints the list of all messages; the result is the last one.
  const result = isJsonArray(printed)
    ? printed.findLast((item) => fieldOf(item, 'type') === 'result')
    : printed;
  const answer = fieldOf(result, 'result');
  if (!isJsonObject(result) || (typeof answer !== 'string' && result.is_error !== true))
    throw unreadable('claude');
  const reason = result.is_error === true ? String(answer ?? result.subtype ?? 'no reason given') : undefined;
  const costUsd = numberOf(result.total_cost_usd);
  const usage = isJsonObject(result.usage) ? claudeUsage(result.usage) : undefined;
  return {
    text: String(answer ?? ''),
    ...(reason !== undefined && { failure: agentFailed('claude', reason) }),
    ...(usage && { usage }),
    ...(costUsd !== undefined && { costUsd }),
    details: pick(result, ['subtype', 'num_turns', 'session_id', 'duration_ms']),
  };
}

function claudeUsage(usage: JsonObject): ModelUsage {
  const read = numberOf(usage.cache_read_input_tokens) ?? 0;
  const write = numberOf(usage.cache_creation_input_tokens) ?? 0;
  const input = numberOf(usage.input_tokens) ?? 0;
  const output = numberOf(usage.output_tokens) ?? 0;
  return {
    input_tokens: input,
    output_tokens: output,
    total_tokens: input + output + read + write,
    input_tokens_cache_write: write,
    input_tokens_cache_read: read,
  };
}

async function readCodex(disk: Disk, stdout: string): Promise<AgentReport> {
  let text: string | undefined;
  let failure: string | undefined;
  let threadId: Json | undefined;
  const tokens = { input: 0, cached: 0, output: 0, reasoning: 0 };
  for await (const line of readLines(disk, stdout, JSON_BYTES_MAX)) {
    const event = tryParse(line);
    const item = fieldOf(event, 'item');
    const usage = fieldOf(event, 'usage');
    switch (fieldOf(event, 'type')) {
      case 'thread.started':
        threadId = fieldOf(event, 'thread_id');
        break;
      case 'item.completed':
        if (fieldOf(item, 'type') === 'agent_message') text = String(fieldOf(item, 'text') ?? '');
        break;
      case 'turn.completed':
        tokens.input += numberOf(fieldOf(usage, 'input_tokens')) ?? 0;
        tokens.cached += numberOf(fieldOf(usage, 'cached_input_tokens')) ?? 0;
        tokens.output += numberOf(fieldOf(usage, 'output_tokens')) ?? 0;
        tokens.reasoning += numberOf(fieldOf(usage, 'reasoning_output_tokens')) ?? 0;
        break;
      case 'turn.failed':
        failure = String(fieldOf(fieldOf(event, 'error'), 'message') ?? 'no reason given');
        break;
    }
  }
  if (failure !== undefined) throw agentFailed('codex', failure);
  if (text === undefined) throw unreadable('codex');
  return {
    text,
    usage: {
      input_tokens: Math.max(0, tokens.input - tokens.cached),
      output_tokens: tokens.output,
      total_tokens: tokens.input + tokens.output,
      input_tokens_cache_read: tokens.cached,
      reasoning_tokens: tokens.reasoning,
    },
    details: threadId === undefined ? {} : { thread_id: threadId },
  };
}

function tryParse(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    // Agents print other lines too; what is not JSON is not for us.
    return undefined;
  }
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function numberOf(value: Json | undefined): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function pick(value: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(
    names.filter((name) => value[name] !== undefined).map((name) => [name, value[name]]),
  );
}

function agentFailed(agent: PresetName, reason: string): ActionableError {
  return new ActionableError({
    code: 'E_COMMAND_FAILED',
    message: `${agent} says that it failed: ${reason.slice(0, 2_000)}`,
    hint: `Run ${agent} by hand with the same prompt; its whole output is kept beside the workspace.`,
  });
}

function unreadable(agent: PresetName): ActionableError {
  return new ActionableError({
    code: 'E_COMMAND_OUTPUT',
    message: `${agent} ended well, but what it printed holds no answer in its JSON format.`,
    hint: `Update ${agent}, or give its \`command\` without a preset; its whole output is kept beside the workspace.`,
  });
}
