import { useState } from 'react';
import type { SampleView } from '../../../../src/server/api.ts';
import { classes } from '../../ui/classes.ts';
import { Empty } from '../../ui/empty.tsx';
import { formatBytes } from '../../ui/format.ts';
import { LongText } from '../content/long-text.tsx';
import styles from './tabs.module.css';

/** Files that the sample was given or left behind. */
export function FilesTab({ view }: { readonly view: SampleView }) {
  const [chosen, setChosen] = useState<string>();
  if (view.files.length === 0)
    return (
      <Empty title="No files were kept">
        <p>Files that a sample is given, and those that it leaves in its workspace, are listed here.</p>
      </Empty>
    );
  const file = view.files.find(({ path }) => path === chosen) ?? view.files[0];
  return (
    <div className={styles.files}>
      <ul className={styles.list} aria-label="Files">
        {view.files.map(({ path, sizeBytes }) => (
          <li key={path}>
            <button
              type="button"
              className={classes(styles.file, path === file?.path && styles.isOn)}
              aria-current={path === file?.path ? 'true' : undefined}
              onClick={() => setChosen(path)}
            >
              <span className={styles.path}>{path}</span>
              <span className={styles.size}>{sizeBytes === undefined ? '' : formatBytes(sizeBytes)}</span>
            </button>
          </li>
        ))}
      </ul>
      <div className={styles.content}>
        {file?.at === undefined ? (
          <Empty title="What is in it was not kept">
            <p>Only its name and its size are known.</p>
          </Empty>
        ) : (
          <LongText key={file.path} cut={{ head: '', length: file.sizeBytes ?? 0, at: file.at }} />
        )}
      </div>
    </div>
  );
}
