import type { AnyJson } from '../../../../src/server/api.ts';
import { classes } from '../../ui/classes.ts';
import { ContentBlocks } from '../content/content-blocks.tsx';
import { TextBlock } from '../content/text-block.tsx';
import { listAt, stringAt, textAt, valueAt } from '../read-json.ts';
import styles from './message-view.module.css';
import { ToolCalls } from './tool-call.tsx';

const ROLES: ReadonlySet<string> = new Set(['user', 'assistant', 'tool', 'system']);

/** One message of a conversation, with the band of who said it. */
export function MessageView({ message, number }: { readonly message: AnyJson; readonly number?: number }) {
  const role = stringAt(message, 'role') ?? 'system';
  const name = stringAt(message, 'function');
  const error = textAt(message, 'error', 'message');
  return (
    <div className={classes(styles.message, ROLES.has(role) ? styles[role] : styles.system)}>
      <p className={styles.head}>
        {number !== undefined && <span className={styles.number}>{number}</span>}
        <b>{role}</b>
        {name !== undefined && <code>{name}</code>}
        {stringAt(message, 'source') === 'operator' && <span>by the operator</span>}
      </p>
      <ContentBlocks content={valueAt(message, 'content')} as={role === 'tool' ? 'output' : 'prose'} />
      <ToolCalls calls={listAt(message, 'tool_calls')} />
      {error !== undefined && (
        <div className={styles.failed}>
          <TextBlock text={error} as="output" />
        </div>
      )}
    </div>
  );
}
