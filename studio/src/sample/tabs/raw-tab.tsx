import { z } from 'zod';
import type { AnyJson, SampleView } from '../../../../src/server/api.ts';
import { CopyButton, CopyCommand } from '../../ui/copy.tsx';
import { JsonTree } from '../../ui/json-tree/json-tree.tsx';
import styles from './tabs.module.css';

/** What is known of the sample, without its transcript, as JSON. */
export function RawTab({ view }: { readonly view: SampleView }) {
  const value: AnyJson = z.json().parse(JSON.parse(JSON.stringify(view)));
  return (
    <div className={styles.raw}>
      <p className={styles.tools}>
        <CopyButton text={JSON.stringify(view, undefined, 2)}>Copy JSON</CopyButton>
        {view.commands.map(({ what, command }) => (
          <CopyCommand key={command} label={what} command={command} />
        ))}
      </p>
      <JsonTree value={value} openDepth={1} />
    </div>
  );
}
