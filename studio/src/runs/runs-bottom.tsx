import { Button } from '../ui/button.tsx';
import { CopyCommand } from '../ui/copy.tsx';
import { formatCount } from '../ui/format.ts';
import styles from './runs-bottom.module.css';

interface RunsBottomProps {
  readonly command: string | undefined;
  readonly selected: number;
  /** Why the runs that are selected cannot be compared; undefined when they can. */
  readonly cannotCompare: string | undefined;
  readonly cannotTag: string | undefined;
  readonly exportCommand: string;
  readonly isExportCopied: boolean;
  readonly onExport: () => void;
  readonly onCompare: () => void;
  readonly onTag: () => void;
  readonly onClear: () => void;
}

/** What can be done with the runs that are selected; without any, the command that gives the same rows. */
export function RunsBottom(props: RunsBottomProps) {
  if (props.selected === 0)
    return (
      <footer className={styles.bar}>
        {props.command !== undefined && <CopyCommand command={props.command} />}
      </footer>
    );
  return (
    <footer className={styles.bar}>
      <strong role="status">{formatCount(props.selected)} selected</strong>
      <Button
        kind="primary"
        hotkey="c"
        disabled={props.cannotCompare !== undefined}
        title={props.cannotCompare}
        onClick={props.onCompare}
      >
        {props.selected === 1 && props.cannotCompare === undefined ? 'Compare with previous' : 'Compare'}
      </Button>
      <Button
        hotkey="t"
        disabled={props.cannotTag !== undefined}
        title={props.cannotTag}
        onClick={props.onTag}
      >
        Tag
      </Button>
      <Button hotkey="e" onClick={props.onExport} title={props.exportCommand}>
        {props.isExportCopied ? 'Command copied' : 'Export'}
      </Button>
      <Button kind="quiet" hotkey="Escape" onClick={props.onClear}>
        Clear
      </Button>
      {props.cannotTag !== undefined && (
        <span className={styles.cannot} title={props.cannotTag}>
          No tags: {props.cannotTag}
        </span>
      )}
    </footer>
  );
}
