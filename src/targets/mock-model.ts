import { type Clock, systemClock } from '../base/index.ts';
import type { Awaitable } from '../evals/index.ts';
import type { AnswerPart, FinishReason, LanguageModel, ModelAnswer, ModelRequest } from './language-model.ts';
import { streamOf } from './simulated-stream.ts';

/** One answer of a scripted model; plain text is short for `{ text }`. */
export interface MockAnswer {
  readonly text?: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly {
    readonly toolName: string;
    readonly input: unknown;
    readonly toolCallId?: string;
  }[];
  readonly finishReason?: FinishReason;
  /** Default: a quarter of the characters, as a rule of thumb. */
  readonly usage?: { readonly inputTokens: number; readonly outputTokens: number };
}

/** What a scripted model sees of a request. */
export interface MockRequest {
  /** The last user message. */
  readonly text: string;
  /** How often the model has spoken in this conversation. */
  readonly turn: number;
  readonly request: ModelRequest;
}

/** A failure such as a provider answers with. */
export interface MockFailure {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
}

export interface MockModelOptions {
  /** Default `mock/scripted`. */
  readonly name?: string;
  /** By turn (the last one repeats), or by the text of the last user message (`*` for any other). */
  readonly answers?: readonly (string | MockAnswer)[] | Readonly<Record<string, string | MockAnswer>>;
  readonly respond?: (request: MockRequest) => Awaitable<string | MockAnswer>;
  readonly latencyMs?: number;
  /** The first calls fail with these, one after the other. */
  readonly failures?: readonly MockFailure[];
  readonly clock?: Clock;
}

/** The shape of the AI SDK's APICallError, as far as retries look at it. */
export class MockCallError extends Error {
  override readonly name = 'MockCallError';
  readonly statusCode: number;
  readonly responseHeaders: Readonly<Record<string, string>>;

  constructor({ status, headers = {}, message }: MockFailure) {
    super(message ?? `The scripted model answers with status ${status}.`);
    this.statusCode = status;
    this.responseHeaders = headers;
  }
}

/** A model that costs nothing, needs no network and answers the same every time. */
export function mockModel(options: MockModelOptions): LanguageModel {
  const { name = 'mock/scripted', latencyMs = 0, failures = [], clock = systemClock } = options;
  const respond = options.respond ?? responderOf(options.answers ?? []);
  let calls = 0;
  const doGenerate = async (request: ModelRequest): Promise<ModelAnswer> => {
    const failure = failures[calls++];
    if (latencyMs > 0) await clock.sleep(latencyMs, request.abortSignal);
    request.abortSignal?.throwIfAborted();
    if (failure) throw new MockCallError(failure);
    return answerOf(name, request, await respond(readRequest(request)));
  };
  return {
    specificationVersion: 'v4',
    provider: 'mock',
    modelId: name.replace(/^mock\//, ''),
    supportedUrls: { '*/*': [/.*/] },
    doGenerate,
    doStream: async (request) => streamOf(await doGenerate(request)),
  };
}

/** `mock/echo` and `mock/fixed:<text>`; undefined for any other id. */
export function namedMock(id: string, clock?: Clock): LanguageModel | undefined {
  const common = { name: `mock/${id}`, ...(clock && { clock }) };
  if (id === 'echo') return mockModel({ ...common, respond: ({ text }) => text });
  if (id.startsWith('fixed:')) return mockModel({ ...common, answers: [id.slice('fixed:'.length)] });
  return undefined;
}

function responderOf(
  answers: NonNullable<MockModelOptions['answers']>,
): NonNullable<MockModelOptions['respond']> {
  if (isList(answers)) return ({ turn }) => answers[Math.min(turn, answers.length - 1)] ?? '';
  return ({ text }) => (Object.hasOwn(answers, text) ? answers[text] : answers['*']) ?? '';
}

function isList<T>(value: readonly T[] | Readonly<Record<string, T>>): value is readonly T[] {
  return Array.isArray(value);
}

function readRequest(request: ModelRequest): MockRequest {
  const lastUser = request.prompt.findLast(({ role }) => role === 'user');
  const turn = request.prompt.filter(({ role }) => role === 'assistant').length;
  return { text: lastUser ? textOf(lastUser) : '', turn, request };
}

function textOf({ content }: ModelRequest['prompt'][number]): string {
  if (typeof content === 'string') return content;
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('');
}

function answerOf(name: string, request: ModelRequest, reply: string | MockAnswer): ModelAnswer {
  const answer = typeof reply === 'string' ? { text: reply } : reply;
  const content = contentOf(answer, readRequest(request).turn);
  const hasCalls = content.some(({ type }) => type === 'tool-call');
  const { inputTokens, outputTokens } = answer.usage ?? guessUsage(request, content);
  return {
    content,
    finishReason: { unified: answer.finishReason ?? (hasCalls ? 'tool-calls' : 'stop'), raw: undefined },
    usage: {
      inputTokens: { total: inputTokens, noCache: inputTokens, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: outputTokens, text: outputTokens, reasoning: 0 },
    },
    response: { modelId: name },
    warnings: [],
  };
}

function contentOf({ text, reasoning, toolCalls = [] }: MockAnswer, turn: number): AnswerPart[] {
  return [
    ...(reasoning === undefined ? [] : [{ type: 'reasoning', text: reasoning } as const]),
    ...(text === undefined ? [] : [{ type: 'text', text } as const]),
    ...toolCalls.map(
      ({ toolName, input, toolCallId }, index) =>
        ({
          type: 'tool-call',
          toolCallId: toolCallId ?? `call-${turn}-${index}`,
          toolName,
          input: typeof input === 'string' ? input : JSON.stringify(input),
        }) as const,
    ),
  ];
}

function guessUsage(request: ModelRequest, content: readonly AnswerPart[]) {
  return {
    inputTokens: tokensOf(request.prompt.map(textOf).join('')),
    outputTokens: tokensOf(
      content.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join(''),
    ),
  };
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / 4);
}
