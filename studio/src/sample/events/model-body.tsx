import type { AnyJson } from '../../../../src/server/api.ts';
import { formatCount } from '../../ui/format.ts';
import { Badge } from '../../ui/outcome.tsx';
import { ContentBlocks } from '../content/content-blocks.tsx';
import { TextBlock } from '../content/text-block.tsx';
import { listAt, numberAt, stringAt, textAt, valueAt } from '../read-json.ts';
import { useTranscriptHere } from '../transcript/transcript-here.ts';
import { answeredMessages, inputCount } from './answered.ts';
import styles from './events.module.css';
import { MessageView } from './message-view.tsx';
import { ModelInput } from './model-input.tsx';
import { ToolCalls } from './tool-call.tsx';

/** A call of a model: what it answers, what it thought and said, and what it wants done. */
export function ModelBody({ event, body }: { readonly event: number; readonly body: AnyJson }) {
  const choices = listAt(body, 'output', 'choices');
  const error = textAt(body, 'error') ?? textAt(body, 'output', 'error');
  return (
    <div className={styles.parts}>
      <Answered event={event} body={body} />
      {choices.map((choice, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: choices of one answer never move
        <div key={at} className={styles.parts}>
          <ContentBlocks content={valueAt(choice, 'message', 'content')} as="prose" />
          <ToolCalls calls={listAt(choice, 'message', 'tool_calls')} isShort />
          <StopReason reason={stringAt(choice, 'stop_reason')} />
        </div>
      ))}
      {error !== undefined && (
        <div className={styles.failed}>
          <TextBlock text={error} as="output" />
        </div>
      )}
      <p className={styles.foot}>
        <span>{stringAt(body, 'model')}</span>
        <Usage usage={valueAt(body, 'output', 'usage')} />
        <ModelInput event={event} count={inputCount(body)} />
      </p>
    </div>
  );
}

/** What a person or the system said since the model spoke last. Results of tools have rows of their own, where tools have any. */
function Answered({ event, body }: { readonly event: number; readonly body: AnyJson }) {
  const { bodies, store } = useTranscriptHere();
  const hasTools = store.kinds.includes('tool');
  const messages = answeredMessages(body, (position) => bodies.messageOf(event, position));
  return messages
    .filter(({ message }) => !hasTools || stringAt(message, 'role') !== 'tool')
    .map(({ position, message }) => <MessageView key={position} message={message} />);
}

const USUAL: ReadonlySet<string> = new Set(['stop', 'tool_calls']);

function StopReason({ reason }: { readonly reason: string | undefined }) {
  if (reason === undefined || USUAL.has(reason)) return null;
  return (
    <p>
      <Badge tone="limit" glyph="◆">
        stopped: {reason.replaceAll('_', ' ')}
      </Badge>
    </p>
  );
}

function Usage({ usage }: { readonly usage: AnyJson | undefined }) {
  const input = numberAt(usage, 'input_tokens');
  const output = numberAt(usage, 'output_tokens');
  const cached = numberAt(usage, 'input_tokens_cache_read');
  const reasoning = numberAt(usage, 'reasoning_tokens');
  return (
    <>
      {input !== undefined && (
        <span>
          {formatCount(input)} in{cached !== undefined && cached > 0 && ` (${formatCount(cached)} cached)`}
        </span>
      )}
      {output !== undefined && (
        <span>
          {formatCount(output)} out
          {reasoning !== undefined && reasoning > 0 && ` (${formatCount(reasoning)} thinking)`}
        </span>
      )}
    </>
  );
}
