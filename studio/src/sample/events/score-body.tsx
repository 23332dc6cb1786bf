import type { AnyJson } from '../../../../src/server/api.ts';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import { TextBlock } from '../content/text-block.tsx';
import { isObject, plainJson, stringAt, textAt, valueAt } from '../read-json.ts';
import styles from './events.module.css';

/** What a scorer said, as it stands in the transcript. */
export function ScoreBody({ body }: { readonly body: AnyJson }) {
  const value = valueAt(body, 'score', 'value');
  const answer = textAt(body, 'score', 'answer');
  const explanation = textAt(body, 'score', 'explanation');
  const metadata = valueAt(body, 'score', 'metadata');
  return (
    <div className={styles.parts}>
      <p>
        <b>{stringAt(body, 'scorer') ?? 'score'}</b> {value !== undefined && <code>{plainJson(value)}</code>}
        {valueAt(body, 'intermediate') === true && <span className={styles.note}> on the way</span>}
      </p>
      {answer !== undefined && <TextBlock text={answer} as="prose" />}
      {explanation !== undefined && <TextBlock text={explanation} as="prose" />}
      {isObject(metadata) && Object.keys(metadata).length > 0 && <JsonTree value={metadata} />}
    </div>
  );
}
