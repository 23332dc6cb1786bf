import type { AnyJson } from '../../../../src/server/api.ts';
import { formatCount } from '../../ui/format.ts';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import { Badge } from '../../ui/outcome.tsx';
import { TextBlock } from '../content/text-block.tsx';
import { numberAt, stringAt, textAt, valueAt } from '../read-json.ts';
import styles from './events.module.css';

interface BodyProps {
  readonly body: AnyJson;
}

export function ErrorBody({ body }: BodyProps) {
  const message = textAt(body, 'error', 'message');
  const traceback = textAt(body, 'error', 'traceback_ansi') ?? textAt(body, 'error', 'traceback');
  return (
    <div className={styles.parts}>
      {message !== undefined && (
        <div className={styles.failed}>
          <TextBlock text={message} as="output" />
        </div>
      )}
      {traceback !== undefined && <TextBlock text={traceback} as="output" />}
    </div>
  );
}

export function LimitBody({ body }: BodyProps) {
  const limit = numberAt(body, 'limit');
  return (
    <p>
      <Badge tone="limit" glyph="◆">
        limit: {stringAt(body, 'type')}
        {limit !== undefined && ` ${formatCount(limit)}`}
      </Badge>{' '}
      {stringAt(body, 'message')}
    </p>
  );
}

export function LoggerBody({ body }: BodyProps) {
  const message = textAt(body, 'message', 'message');
  const file = stringAt(body, 'message', 'filename');
  return (
    <div className={styles.parts}>
      {message !== undefined && <TextBlock text={message} as="output" />}
      <p className={styles.note}>
        {stringAt(body, 'message', 'level')}
        {file !== undefined && ` · ${file}:${numberAt(body, 'message', 'lineno') ?? ''}`}
      </p>
    </div>
  );
}

export function SandboxBody({ body }: BodyProps) {
  const command = textAt(body, 'cmd') ?? textAt(body, 'file');
  const output = textAt(body, 'output') ?? textAt(body, 'input');
  const result = numberAt(body, 'result');
  return (
    <div className={styles.parts}>
      {command !== undefined && <TextBlock text={command} as="code" language="bash" />}
      {output !== undefined && <TextBlock text={output} as="output" />}
      {result !== undefined && <p className={styles.note}>exit {result}</p>}
    </div>
  );
}

export function SubtaskBody({ body }: BodyProps) {
  return (
    <div className={styles.parts}>
      <p className={styles.note}>given</p>
      <JsonTree value={valueAt(body, 'input') ?? null} openDepth={1} />
      <p className={styles.note}>came of it</p>
      <JsonTree value={valueAt(body, 'result') ?? null} openDepth={1} />
    </div>
  );
}

/** Keys that every event has; they are told elsewhere. */
const KNOWN: ReadonlySet<string> = new Set([
  'event',
  'uuid',
  'span_id',
  'timestamp',
  'working_start',
  'pending',
  'metadata',
  'input_ansi',
]);

/** Small events whose fields say everything: each field a line. */
export function MessageBody({ body }: BodyProps) {
  const fields =
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? Object.entries(body).filter(([key, value]) => !KNOWN.has(key) && value !== null)
      : [];
  return (
    <dl className={styles.fields}>
      {fields.map(([key, value]) => (
        <div key={key} className={styles.field}>
          <dt>{key.replaceAll('_', ' ')}</dt>
          <dd>
            {typeof value === 'string' ? (
              <TextBlock text={value} as="prose" />
            ) : (
              <JsonTree value={value} openDepth={2} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
