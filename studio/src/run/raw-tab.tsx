import type { RunView } from '../../../src/server/api.ts';
import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { CopyButton, CopyCommand } from '../ui/copy.tsx';
import { JsonTree } from '../ui/json-tree/json-tree.tsx';
import styles from './run-page.module.css';

/** The header of the log as it is. */
export function RawTab({ run }: { readonly run: RunView }) {
  const header = useAsk('header', { run: run.item.run }, {});
  return (
    <div className={styles.part}>
      <Asked query={header} what="The header">
        {(value) => (
          <>
            <p className={styles.tools}>
              <CopyButton text={JSON.stringify(value, undefined, 2)}>Copy JSON</CopyButton>
              {run.commands.map(({ what, command }) => (
                <CopyCommand key={command} label={what} command={command} />
              ))}
            </p>
            <JsonTree value={value} openDepth={1} />
          </>
        )}
      </Asked>
    </div>
  );
}
