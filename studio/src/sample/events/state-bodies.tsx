import type { AnyJson } from '../../../../src/server/api.ts';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import { ContentBlocks } from '../content/content-blocks.tsx';
import { isObject, listAt, plainJson, stringAt, valueAt } from '../read-json.ts';
import styles from './events.module.css';
import { MessageView } from './message-view.tsx';

interface BodyProps {
  readonly body: AnyJson;
}

const SIGNS: Readonly<Record<string, string>> = { add: '+', remove: '−', replace: '~', move: '→', copy: '=' };

/** What changed in the state or the store, one line a change. */
export function ChangesBody({ body }: BodyProps) {
  return (
    <ul className={styles.changes}>
      {listAt(body, 'changes').map((change, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: changes of one event never move
        <li key={at} className={styles.change}>
          <span className={styles.sign} title={stringAt(change, 'op')}>
            {SIGNS[stringAt(change, 'op') ?? ''] ?? '·'}
            <span className="visually-hidden">{stringAt(change, 'op')}</span>
          </span>
          <code className={styles.path}>{stringAt(change, 'path')}</code>
          <Changed value={valueAt(change, 'value')} />
        </li>
      ))}
    </ul>
  );
}

function Changed({ value }: { readonly value: AnyJson | undefined }) {
  if (value === undefined || value === null) return null;
  if (typeof value === 'object') return <JsonTree value={value} openDepth={0} />;
  return <code className={styles.value}>{plainJson(value)}</code>;
}

/** What a program noted: words, or data. */
export function InfoBody({ body }: BodyProps) {
  const info = valueAt(body, 'data');
  return isObject(info) || Array.isArray(info) ? (
    <JsonTree value={info} />
  ) : (
    <ContentBlocks content={info} as="prose" />
  );
}

/** What a sample is: its input and everything that was given with it. */
export function SampleBody({ body }: BodyProps) {
  const input = valueAt(body, 'sample', 'input');
  const sample = valueAt(body, 'sample');
  const rest = isObject(sample)
    ? Object.fromEntries(Object.entries(sample).filter(([key]) => key !== 'input'))
    : {};
  return (
    <div className={styles.parts}>
      {Array.isArray(input) ? (
        input.map((message, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages of one input never move
          <MessageView key={at} message={message} />
        ))
      ) : (
        <ContentBlocks content={input} as="prose" />
      )}
      <JsonTree value={rest} openDepth={1} />
    </div>
  );
}
