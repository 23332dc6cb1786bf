import { useState } from 'react';
import type { AnyJson } from '../../../../src/server/api.ts';
import { formatCount } from '../../ui/format.ts';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import { isShort, shortText } from './config-groups.ts';
import styles from './config-tab.module.css';

const HEAD = 160;

/** A setting: as it is where it is short, folded where it is not. */
export function ConfigValue({ value }: { readonly value: AnyJson }) {
  if (value === null) return <span className={styles.absent}>not set</span>;
  if (isShort(value)) return <code className={styles.code}>{shortText(value)}</code>;
  if (typeof value === 'string') return <LongText text={value} />;
  return (
    <div className={styles.tree}>
      <JsonTree value={value} openDepth={1} />
    </div>
  );
}

function LongText({ text }: { readonly text: string }) {
  const [isWhole, setIsWhole] = useState(false);
  return (
    <div>
      <code className={styles.code}>{isWhole ? text : `${text.slice(0, HEAD)}…`}</code>{' '}
      <button type="button" className={styles.more} onClick={() => setIsWhole(!isWhole)}>
        {isWhole ? 'Less' : `Show all ${formatCount(text.length)} characters`}
      </button>
    </div>
  );
}
