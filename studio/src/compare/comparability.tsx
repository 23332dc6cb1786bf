import type { Change } from '../../../src/server/api.ts';
import { Button } from '../ui/button.tsx';
import { Badge } from '../ui/outcome.tsx';
import { Popover } from '../ui/popover.tsx';
import styles from './comparability.module.css';
import { sameGrounds } from './verdict-words.ts';

interface ComparabilityProps {
  readonly changes: readonly Change[];
  readonly warnings: readonly string[];
}

/** Whether the two runs measure the same thing, and what else differs between them. */
export function Comparability({ changes, warnings }: ComparabilityProps) {
  return (
    <div className={styles.line}>
      {sameGrounds(changes, warnings).map((ground) => (
        <span key={ground} className={styles.same}>
          <span aria-hidden="true">✓</span> {ground}
        </span>
      ))}
      {warnings.map((warning) => (
        <Badge key={warning} tone="limit" glyph="◆">
          {warning}
        </Badge>
      ))}
      {changes.length > 0 && (
        <Popover
          label="What differs between the two runs"
          className={styles.popover}
          opener={(props) => (
            <Button kind="quiet" className={styles.opener} {...props}>
              {changes.length === 1 ? '1 change ›' : `${changes.length} changes ›`}
            </Button>
          )}
        >
          {() => (
            <dl className={styles.changes}>
              {changes.map(({ what, said, isWarning }) => (
                <div key={`${what} ${said}`}>
                  <dt>
                    {isWarning && <span title="the runs do not measure the same">◆ </span>}
                    {what}
                  </dt>
                  <dd>{said}</dd>
                </div>
              ))}
            </dl>
          )}
        </Popover>
      )}
    </div>
  );
}
