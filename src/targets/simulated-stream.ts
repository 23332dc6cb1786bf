import type { AnswerPart, LanguageModel, ModelAnswer } from './language-model.ts';

type StreamAnswer = Awaited<ReturnType<LanguageModel['doStream']>>;
type StreamPart = StreamAnswer['stream'] extends ReadableStream<infer Part> ? Part : never;

/** A whole answer as a stream, so that `streamText` works too: an answer is durable before any of it is seen. */
export function streamOf(answer: ModelAnswer): StreamAnswer {
  const parts: StreamPart[] = [
    { type: 'stream-start', warnings: answer.warnings },
    { type: 'response-metadata', ...answer.response },
    ...answer.content.flatMap(partsOf),
    {
      type: 'finish',
      finishReason: answer.finishReason,
      usage: answer.usage,
      ...(answer.providerMetadata && { providerMetadata: answer.providerMetadata }),
    },
  ];
  return { stream: ReadableStream.from(parts) as StreamAnswer['stream'] };
}

function partsOf(part: AnswerPart, index: number): StreamPart[] {
  const id = String(index);
  const metadata = part.providerMetadata ? { providerMetadata: part.providerMetadata } : {};
  switch (part.type) {
    case 'text':
      return [
        { type: 'text-start', id, ...metadata },
        { type: 'text-delta', id, delta: part.text },
        { type: 'text-end', id, ...(part.citations && { citations: part.citations }), ...metadata },
      ];
    case 'reasoning':
      return [
        { type: 'reasoning-start', id, ...metadata },
        { type: 'reasoning-delta', id, delta: part.text },
        { type: 'reasoning-end', id, ...metadata },
      ];
    default:
      return [part];
  }
}
