import { useAsk } from '../data/use-ask.ts';
import { Asked } from '../ui/asked.tsx';
import { CopyButton } from '../ui/copy.tsx';
import { formatBytes } from '../ui/format.ts';
import { JsonTree } from '../ui/json-tree/json-tree.tsx';
import styles from './raw-tab.module.css';

/** The header of the log, as it is. */
export default function RawTab({ run }: { readonly run: string }) {
  const header = useAsk('header', { run }, {});
  return (
    <div className={styles.raw}>
      <Asked query={header} what="The header of the log">
        {(value) => {
          const text = JSON.stringify(value, undefined, 2);
          return (
            <>
              <p className={styles.tools}>
                <span className={styles.about}>
                  The header of the log as it is, {formatBytes(text.length)}
                </span>
                <CopyButton text={text}>Copy JSON</CopyButton>
              </p>
              <JsonTree value={value} openDepth={1} />
            </>
          );
        }}
      </Asked>
    </div>
  );
}
