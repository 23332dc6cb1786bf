import type { AnyJson } from '../../../../src/server/api.ts';
import { formatCount } from '../../ui/format.ts';
import { ContentBlocks } from '../content/content-blocks.tsx';
import { TextBlock } from '../content/text-block.tsx';
import { listAt, stringAt, textAt, valueAt } from '../read-json.ts';
import styles from './events.module.css';
import { ToolArguments } from './tool-call.tsx';

/** A tool that was run: with what, and what came of it. */
export function ToolBody({ body }: { readonly body: AnyJson }) {
  const error = textAt(body, 'error', 'message');
  const [kept, whole] = listAt(body, 'truncated');
  return (
    <div className={styles.parts}>
      <ToolArguments name={stringAt(body, 'function')} given={valueAt(body, 'arguments')} />
      {error !== undefined && (
        <div className={styles.failed}>
          <p className={styles.wrong}>{stringAt(body, 'error', 'type')?.replaceAll('_', ' ') ?? 'error'}</p>
          <TextBlock text={error} as="output" />
        </div>
      )}
      <ContentBlocks content={valueAt(body, 'result')} as="output" />
      {typeof kept === 'number' && typeof whole === 'number' && (
        <p className={styles.note}>
          The model was given {formatCount(Math.min(kept, whole))} of {formatCount(Math.max(kept, whole))}{' '}
          bytes.
        </p>
      )}
    </div>
  );
}
