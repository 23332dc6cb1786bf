import { Button } from '../../ui/button.tsx';
import { CopyCommand, useCopy } from '../../ui/copy.tsx';
import { formatCount } from '../../ui/format.ts';
import styles from './samples-bottom.module.css';

interface SamplesBottomProps {
  readonly command: string | undefined;
  /** Those that are selected. */
  readonly ids: readonly string[];
  /** The command that runs them again; undefined where it is not known from what. */
  readonly again: string | undefined;
  readonly isExportCopied: boolean;
  readonly onExport: () => void;
  readonly onClear: () => void;
}

/** What can be done with the samples that are selected; without any, the command that gives the same rows. */
export function SamplesBottom(props: SamplesBottomProps) {
  const { command, ids, again, isExportCopied, onExport, onClear } = props;
  const names = useCopy();
  const rerun = useCopy();
  if (ids.length === 0)
    return (
      <footer className={styles.bar}>
        {command !== undefined && <CopyCommand label="These samples:" command={command} />}
        {isExportCopied && <span className={styles.said}>Command copied</span>}
      </footer>
    );
  return (
    <footer className={styles.bar}>
      <strong role="status">{formatCount(ids.length)} selected</strong>
      <Button onClick={() => names.copy(ids.join('\n'))}>{names.isCopied ? 'Ids copied' : 'Copy ids'}</Button>
      {again !== undefined && (
        <Button onClick={() => rerun.copy(again)} title={again}>
          {rerun.isCopied ? 'Command copied' : 'Run again'}
        </Button>
      )}
      <Button hotkey="e" onClick={onExport} title={command}>
        {isExportCopied ? 'Command copied' : 'Export'}
      </Button>
      <Button kind="quiet" hotkey="Escape" onClick={onClear}>
        Clear
      </Button>
    </footer>
  );
}
